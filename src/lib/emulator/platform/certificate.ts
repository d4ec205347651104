// X.509 certificates, as far as a local authority needs them: written in DER, signed and wrapped in PEM.
import { createHash, type KeyObject, randomBytes, sign } from 'node:crypto';

export interface CertificateRequest {
  /** Common name, at most 64 characters. */
  name: string;
  publicKey: KeyObject;
  /** The issuer's common name and its key on the curve P-256; its public key, for the way up the chain. */
  issuer: { name: string; privateKey: KeyObject; publicKey: KeyObject };
  /** An authority may issue certificates; anything else is for this domain. */
  use: 'authority' | { domain: string };
}

/**
 * Wide, so that neither a platform whose clock was moved nor a machine whose clock is wrong makes them invalid: they
 * are worth nothing beyond this machine.
 */
const NOT_BEFORE = '200101000000Z';
const NOT_AFTER = '491231235959Z';

/** Issues a certificate (RFC 5280), signed with ECDSA and SHA-256. Returns PEM. */
export function issueCertificate({ name, publicKey, issuer, use }: CertificateRequest): string {
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  const tbs = sequence(
    tagged(0, integer(Buffer.from([2]))),
    integer(serialNumber()),
    ECDSA_WITH_SHA256,
    distinguishedName(issuer.name),
    sequence(utcTime(NOT_BEFORE), utcTime(NOT_AFTER)),
    distinguishedName(name),
    spki,
    tagged(3, sequence(...extensions(use, spki, issuer.publicKey.export({ type: 'spki', format: 'der' })))),
  );
  const signature = sign('sha256', tbs, issuer.privateKey);
  return pem(sequence(tbs, ECDSA_WITH_SHA256, bitString(signature)));
}

function extensions(use: CertificateRequest['use'], spki: Buffer, issuerSpki: Buffer): Buffer[] {
  const ids = [
    extension(OID.subjectKeyIdentifier, octetString(keyIdentifier(spki))),
    extension(OID.authorityKeyIdentifier, sequence(implicit(0, keyIdentifier(issuerSpki)))),
  ];
  if (use === 'authority') {
    // It may sign certificates, and those may not sign any more.
    const constraints = sequence(element(TAG.boolean, Buffer.from([0xff])), integer(Buffer.from([0])));
    return [extension(OID.basicConstraints, constraints, 'critical'), keyUsage(0x04, 2), ...ids];
  }
  return [
    extension(OID.basicConstraints, sequence(), 'critical'),
    keyUsage(0x80, 7),
    extension(OID.extendedKeyUsage, sequence(objectIdentifier(OID.serverAuth))),
    extension(OID.subjectAltName, sequence(implicit(2, Buffer.from(use.domain, 'ascii')))),
    ...ids,
  ];
}

const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectIdentifier: 0x06,
  utf8String: 0x0c,
  utcTime: 0x17,
  sequence: 0x30,
  set: 0x31,
} as const;

const OID = {
  commonName: [2, 5, 4, 3],
  subjectKeyIdentifier: [2, 5, 29, 14],
  keyUsage: [2, 5, 29, 15],
  subjectAltName: [2, 5, 29, 17],
  basicConstraints: [2, 5, 29, 19],
  authorityKeyIdentifier: [2, 5, 29, 35],
  extendedKeyUsage: [2, 5, 29, 37],
  serverAuth: [1, 3, 6, 1, 5, 5, 7, 3, 1],
  ecdsaWithSha256: [1, 2, 840, 10_045, 4, 3, 2],
} as const;

const ECDSA_WITH_SHA256 = sequence(objectIdentifier(OID.ecdsaWithSha256));

function distinguishedName(name: string): Buffer {
  const attribute = sequence(objectIdentifier(OID.commonName), element(TAG.utf8String, Buffer.from(name, 'utf8')));
  return sequence(element(TAG.set, attribute));
}

function extension(id: readonly number[], value: Buffer, critical?: 'critical'): Buffer {
  const mark = critical ? [element(TAG.boolean, Buffer.from([0xff]))] : [];
  return sequence(objectIdentifier(id), ...mark, octetString(value));
}

/** One bit of RFC 5280's list, counted from the left; `unused` are the bits of the byte behind it. */
function keyUsage(bits: number, unused: number): Buffer {
  return extension(OID.keyUsage, element(TAG.bitString, Buffer.from([unused, bits])), 'critical');
}

/** The usual name of a key: the SHA-1 of its bits, which follow two headers and a count in the `SubjectPublicKeyInfo`. */
function keyIdentifier(spki: Buffer): Buffer {
  const [, algorithmStart] = header(spki, 0);
  const [algorithmLength, algorithmBody] = header(spki, algorithmStart);
  const [, bits] = header(spki, algorithmBody + algorithmLength);
  return createHash('sha1')
    .update(spki.subarray(bits + 1))
    .digest();
}

/** Length and offset of the content of the element at `at`. */
function header(bytes: Buffer, at: number): [length: number, content: number] {
  const first = bytes[at + 1] ?? 0;
  if (first < 0x80) return [first, at + 2];
  const count = first & 0x7f;
  return [bytes.readUIntBE(at + 2, count), at + 2 + count];
}

/** Positive, not zero, and unlike any other (RFC 5280, 4.1.2.2). */
function serialNumber(): Buffer {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return bytes;
}

function element(tag: number, ...contents: Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  return Buffer.concat([Buffer.from([tag]), lengthOf(content.length), content]);
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  return length < 0x100 ? Buffer.from([0x81, length]) : Buffer.from([0x82, length >> 8, length & 0xff]);
}

function objectIdentifier([first, second, ...rest]: readonly number[]): Buffer {
  const bytes = [(first ?? 0) * 40 + (second ?? 0), ...rest.flatMap(base128)];
  return element(TAG.objectIdentifier, Buffer.from(bytes));
}

function base128(value: number): number[] {
  const bytes = [value & 0x7f];
  for (let left = value >> 7; left > 0; left >>= 7) bytes.unshift((left & 0x7f) | 0x80);
  return bytes;
}

function sequence(...items: Buffer[]): Buffer {
  return element(TAG.sequence, ...items);
}

function integer(bytes: Buffer): Buffer {
  return element(TAG.integer, bytes);
}

function octetString(bytes: Buffer): Buffer {
  return element(TAG.octetString, bytes);
}

function bitString(bytes: Buffer): Buffer {
  return element(TAG.bitString, Buffer.from([0]), bytes);
}

function utcTime(text: string): Buffer {
  return element(TAG.utcTime, Buffer.from(text, 'ascii'));
}

function tagged(number: number, content: Buffer): Buffer {
  return element(0xa0 | number, content);
}

function implicit(number: number, content: Buffer): Buffer {
  return element(0x80 | number, content);
}

function pem(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}
