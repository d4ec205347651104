// Reads from a certificate's DER bytes what Node does not expose: the extensions and the signature algorithm.

export interface Extension {
  critical: boolean;
  value: Buffer;
}

/** A DER value; `end` is the offset after it. */
export interface DerValue {
  tag: number;
  content: Buffer;
  end: number;
}

export class DerError extends Error {
  override name = 'DerError';
}

const SEQUENCE = 0x30;
const BOOLEAN = 0x01;
const OBJECT_ID = 0x06;
const OCTET_STRING = 0x04;
/** Tag `[3]` in the inner part of the certificate. */
const EXTENSIONS = 0xa3;
const RSA_PSS = '2a864886f70d01010a';
/** Tag `[0]` in the parameters of RSA-PSS. Without it, the hash is SHA-1. */
const PSS_HASH = 0xa0;

/** Reads `X509Certificate.raw`. Object identifiers are hex; after RSA-PSS, the hash's follows. Throws DerError. */
export function readCertificate(raw: Buffer) {
  const [inner, algorithm] = childrenOf(expect(readDer(raw, 0), SEQUENCE));
  const parts = childrenOf(expect(inner, SEQUENCE));
  const extensions = new Map<string, Extension>();
  for (const part of parts.filter(({ tag }) => tag === EXTENSIONS)) {
    for (const item of childrenOf(expect(readDer(part.content, 0), SEQUENCE))) {
      const [oid, ...rest] = childrenOf(expect(item, SEQUENCE));
      const name = objectId(oid);
      // Two extensions of the same kind would be ambiguous.
      if (extensions.has(name)) throw new DerError('an extension appears twice');
      const critical = rest[0]?.tag === BOOLEAN && rest[0].content[0] !== 0;
      extensions.set(name, { critical, value: expect(rest.at(-1), OCTET_STRING).content });
    }
  }
  return { signatureAlgorithm: readAlgorithm(algorithm), extensions };
}

function readAlgorithm(algorithm: DerValue | undefined): string {
  const [id, parameters] = childrenOf(expect(algorithm, SEQUENCE));
  const name = objectId(id);
  if (name !== RSA_PSS) return name;
  const hash = childrenOf(expect(parameters, SEQUENCE)).find(({ tag }) => tag === PSS_HASH);
  return hash ? `${name} ${objectId(childrenOf(readDer(hash.content, 0))[0])}` : name;
}

function objectId(value: DerValue | undefined): string {
  return expect(value, OBJECT_ID).content.toString('hex');
}

/** Reads the value at `at`. Throws DerError for a length that exceeds the bytes. */
export function readDer(bytes: Buffer, at: number): DerValue {
  const tag = bytes[at];
  const first = bytes[at + 1];
  if (tag === undefined || first === undefined || (tag & 0x1f) === 0x1f) throw new DerError('it is truncated');
  let start = at + 2;
  let length = first;
  if (first >= 0x80) {
    const size = first & 0x7f;
    if (size === 0 || size > 4 || start + size > bytes.length) throw new DerError('a length is invalid');
    length = bytes.readUIntBE(start, size);
    start += size;
  }
  if (start + length > bytes.length) throw new DerError('a length is invalid');
  return { tag, content: bytes.subarray(start, start + length), end: start + length };
}

export function childrenOf({ content }: DerValue): DerValue[] {
  const children: DerValue[] = [];
  for (let at = 0; at < content.length;) {
    const child = readDer(content, at);
    children.push(child);
    at = child.end;
  }
  return children;
}

function expect(value: DerValue | undefined, tag: number): DerValue {
  if (value?.tag !== tag) throw new DerError('it is not structured like a certificate');
  return value;
}
