// X.509 certificates from a local authority (RFC 5280): written in DER, signed with ECDSA, returned as PEM.
import { createHash, type KeyObject, randomBytes, sign } from 'node:crypto';

export interface CertificateRequest {
  /** Common name, at most 64 characters. */
  name: string;
  publicKey: KeyObject;
  /** Issuer's common name and P-256 key pair. */
  issuer: { name: string; privateKey: KeyObject; publicKey: KeyObject };
  /** `authority` if the certificate may issue others; otherwise, the domain that it is for. */
  use: 'authority' | { domain: string };
}

/** A wide range keeps certificates valid even if the platform's or the machine's clock is wrong. */
const NOT_BEFORE = '200101000000Z';
const NOT_AFTER = '491231235959Z';

export function issueCertificate({ name, publicKey, issuer, use }: CertificateRequest): string {
  const tbs = sequence(
    element(0xa0, integer(Buffer.from([2]))),
    integer(serialNumber()),
    ECDSA_WITH_SHA256,
    distinguishedName(issuer.name),
    sequence(utcTime(NOT_BEFORE), utcTime(NOT_AFTER)),
    distinguishedName(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    element(0xa3, sequence(...extensions(use, publicKey, issuer.publicKey))),
  );
  const signature = element(TAG.bitString, Buffer.from([0]), sign('sha256', tbs, issuer.privateKey));
  const lines =
    sequence(tbs, ECDSA_WITH_SHA256, signature)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

function extensions(use: CertificateRequest['use'], publicKey: KeyObject, issuerKey: KeyObject): Buffer[] {
  const ids = [
    extension(OID.subjectKeyIdentifier, element(TAG.octetString, keyIdentifier(publicKey))),
    extension(OID.authorityKeyIdentifier, sequence(element(0x80, keyIdentifier(issuerKey)))),
  ];
  if (use === 'authority') {
    // Path length 0 forbids authorities under this one.
    const constraints = sequence(TRUE, integer(Buffer.from([0])));
    return [extension(OID.basicConstraints, constraints, 'critical'), keyUsage(0x04, 2), ...ids];
  }
  return [
    extension(OID.basicConstraints, sequence(), 'critical'),
    keyUsage(0x80, 7),
    extension(OID.extendedKeyUsage, sequence(OID.serverAuth)),
    extension(OID.subjectAltName, sequence(element(0x82, Buffer.from(use.domain, 'ascii')))),
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

const TRUE = element(TAG.boolean, Buffer.from([0xff]));

/** Object identifiers in DER. Comments show the usual notation. */
const OID = {
  commonName: oid('550403'), // 2.5.4.3
  subjectKeyIdentifier: oid('551d0e'), // 2.5.29.14
  keyUsage: oid('551d0f'), // 2.5.29.15
  subjectAltName: oid('551d11'), // 2.5.29.17
  basicConstraints: oid('551d13'), // 2.5.29.19
  authorityKeyIdentifier: oid('551d23'), // 2.5.29.35
  extendedKeyUsage: oid('551d25'), // 2.5.29.37
  serverAuth: oid('2b06010505070301'), // 1.3.6.1.5.5.7.3.1
  ecdsaWithSha256: oid('2a8648ce3d040302'), // 1.2.840.10045.4.3.2
} as const;

const ECDSA_WITH_SHA256 = sequence(OID.ecdsaWithSha256);

function distinguishedName(name: string): Buffer {
  const attribute = sequence(OID.commonName, element(TAG.utf8String, Buffer.from(name, 'utf8')));
  return sequence(element(TAG.set, attribute));
}

function extension(id: Buffer, value: Buffer, critical?: 'critical'): Buffer {
  return sequence(id, ...(critical ? [TRUE] : []), element(TAG.octetString, value));
}

/** Encodes key usages (RFC 5280, 4.2.1.3), the first as the leftmost bit. `unused` counts the unused trailing bits. */
function keyUsage(bits: number, unused: number): Buffer {
  return extension(OID.keyUsage, element(TAG.bitString, Buffer.from([unused, bits])), 'critical');
}

/** Hashes the public key's bits with SHA-1: for P-256, the last 65 bytes of its `SubjectPublicKeyInfo`. */
function keyIdentifier(key: KeyObject): Buffer {
  const bits =
    key.asymmetricKeyType === 'rsa'
      ? key.export({ type: 'pkcs1', format: 'der' })
      : key.export({ type: 'spki', format: 'der' }).subarray(-65);
  return createHash('sha1').update(bits).digest();
}

/** Returns a unique positive number (RFC 5280, 4.1.2.2). */
function serialNumber(): Buffer {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return bytes;
}

function element(tag: number, ...contents: Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function oid(hex: string): Buffer {
  return element(TAG.objectIdentifier, Buffer.from(hex, 'hex'));
}

function sequence(...items: Buffer[]): Buffer {
  return element(TAG.sequence, ...items);
}

function integer(bytes: Buffer): Buffer {
  return element(TAG.integer, bytes);
}

function utcTime(text: string): Buffer {
  return element(TAG.utcTime, Buffer.from(text, 'ascii'));
}
