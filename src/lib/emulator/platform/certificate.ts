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

/** Extensions in DER (RFC 5280, 4.2.1) that do not depend on the certificate. */
const AUTHORITY_EXTENSIONS = [
  // Basic constraints, critical: an authority. Path length 0 forbids authorities under this one.
  '30120603551d130101ff040830060101ff020100',
  // Key usage, critical: to sign certificates.
  '300e0603551d0f0101ff040403020204',
];
const PROCESSOR_EXTENSIONS = [
  // Basic constraints, critical: not an authority.
  '300c0603551d130101ff04023000',
  // Key usage, critical: to sign messages.
  '300e0603551d0f0101ff040403020780',
  // Extended key usage: server authentication.
  '30130603551d25040c300a06082b06010505070301',
];
const ECDSA_WITH_SHA256 = hex('300a06082a8648ce3d040302');

export function issueCertificate({ name, publicKey, issuer, use }: CertificateRequest): string {
  const extensions = [
    ...(use === 'authority' ? AUTHORITY_EXTENSIONS : PROCESSOR_EXTENSIONS).map(hex),
    ...(use === 'authority' ? [] : [extension('0603551d11', der(0x82, use.domain))]),
    extension('0603551d0e', keyIdentifier(publicKey), 0x04),
    extension('0603551d23', der(0x80, keyIdentifier(issuer.publicKey))),
  ];
  const signed = der(
    0x30,
    hex('a003020102'), // version 3
    der(0x02, serialNumber()),
    ECDSA_WITH_SHA256,
    distinguishedName(issuer.name),
    der(0x30, der(0x17, NOT_BEFORE), der(0x17, NOT_AFTER)),
    distinguishedName(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, der(0x30, ...extensions)),
  );
  const signature = der(0x03, '\0', sign('sha256', signed, issuer.privateKey));
  const text = der(0x30, signed, ECDSA_WITH_SHA256, signature).toString('base64');
  return `-----BEGIN CERTIFICATE-----\n${text.replace(/.{1,64}/g, '$&\n')}-----END CERTIFICATE-----\n`;
}

/** Encodes an extension: its object identifier (DER, hexadecimal) and its value, which is a sequence by default. */
function extension(id: string, value: Buffer, tag = 0x30): Buffer {
  return der(0x30, hex(id), der(0x04, der(tag, value)));
}

/** The name consists of the common name (2.5.4.3). */
function distinguishedName(name: string): Buffer {
  return der(0x30, der(0x31, der(0x30, hex('0603550403'), der(0x0c, name))));
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

/** Encodes an element in DER: its tag, the length and the contents. */
function der(tag: number, ...contents: (Buffer | string)[]): Buffer {
  const content = Buffer.concat(contents.map((part) => Buffer.from(part as string, 'utf8')));
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function hex(text: string): Buffer {
  return Buffer.from(text, 'hex');
}
