// The third check of a message: a valid certificate for the processor's domain, with an RSA key and a trusted chain.
import { groupBy } from '../../kernel/group-by.ts';
import { type KeyObject, X509Certificate } from 'node:crypto';
import { childrenOf, DerError, type Extension, readCertificate, readDer } from './der.ts';

/** The trusted roots, indexed once, because reading the fields of every certificate for each lookup would be slow. */
export interface TrustedRoots {
  fingerprints: ReadonlySet<string>;
  bySubject: ReadonlyMap<string, readonly X509Certificate[]>;
}

/** The key that verifies signatures, or an issue that completes the sentence "the certificate …". */
export type CertificateCheck = { key: KeyObject; validTo: number; fingerprint: string } | { issue: string };

const MAX_CERTIFICATES = 10;
const MAX_DEPTH = 6;
const MIN_RSA_BITS = 2048;

/** Object ids of RSA, RSA-PSS or ECDSA with SHA-256 or stronger, Ed25519, and Ed448, as in `readCertificate`. */
const SOUND_SIGNATURE = /^(2a864886f70d01010([bcd]|a 60864801650304020[123])|2a8648ce3d04030[234]|2b657[01])$/;

export function indexRoots(roots: readonly X509Certificate[]): TrustedRoots {
  const bySubject = groupBy(roots, ({ subject }) => subject);
  return { fingerprints: new Set(roots.map(({ fingerprint256 }) => fingerprint256)), bySubject };
}

/** `pem` has the processor's certificate, then those of the intermediate authorities. `now` is in epoch milliseconds. */
export function checkCertificate(pem: string, domain: string, roots: TrustedRoots, now: number): CertificateCheck {
  const [own, ...between] = parseCertificates(pem) ?? [];
  if (!own) return { issue: 'cannot be read as PEM' };
  try {
    const issue = ownIssue(own, domain, now);
    if (issue !== undefined) return { issue };
    const { reachesRoot, reason } = createSearch(between, domain, roots, now);
    if (!reachesRoot(own, 0)) return { issue: reason() };
  } catch (error) {
    if (error instanceof DerError) return { issue: `is damaged: ${error.message}` };
    throw error;
  }
  const fingerprint = own.fingerprint256.replaceAll(':', '').toLowerCase();
  return { key: own.publicKey, validTo: Date.parse(own.validTo), fingerprint };
}

/** Returns all certificates in PEM text; undefined if there are none or too many, or if one is damaged. */
export function parseCertificates(pem: string): X509Certificate[] | undefined {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0 || blocks.length > MAX_CERTIFICATES) return undefined;
  try {
    return blocks.map((block) => new X509Certificate(block));
  } catch {
    return undefined;
  }
}

function ownIssue(own: X509Certificate, domain: string, now: number): string | undefined {
  if (!isFor(own, domain)) return `is not valid for ${domain}`;
  const dates = dateIssue(own, now);
  if (dates !== undefined) return dates;
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = own.publicKey;
  if (type !== 'rsa') return `has a key that is not an RSA key`;
  if ((details?.modulusLength ?? 0) < MIN_RSA_BITS) return `has an RSA key of fewer than ${MIN_RSA_BITS} bits`;
  const { extensions } = readCertificate(own.raw);
  return unknownCondition(extensions) ?? signingIssue(extensions);
}

/** The common name counts only if there are no alternative names. Wildcards do not identify a single processor. */
function isFor(certificate: X509Certificate, domain: string): boolean {
  const subject = certificate.subjectAltName === undefined ? 'always' : 'never';
  return certificate.checkHost(domain, { subject, wildcards: false, partialWildcards: false }) !== undefined;
}

function dateIssue(certificate: X509Certificate, now: number): string | undefined {
  // `!(from <= now)` is also true for NaN, so a date that cannot be parsed is rejected.
  if (!(Date.parse(certificate.validFrom) <= now)) return `is not valid until ${certificate.validFrom}`;
  return Date.parse(certificate.validTo) >= now ? undefined : `expired on ${certificate.validTo}`;
}

/** Returns a function that searches for a chain of issuers from a certificate to a root. Node has no such function. */
function createSearch(between: readonly X509Certificate[], domain: string, roots: TrustedRoots, now: number) {
  let reason = 'was signed by an untrusted authority';

  function reachesRoot(certificate: X509Certificate, depth: number): boolean {
    if (roots.fingerprints.has(certificate.fingerprint256)) return true;
    if (depth >= MAX_DEPTH) return false;
    if (!SOUND_SIGNATURE.test(readCertificate(certificate.raw).signatureAlgorithm)) {
      reason = 'has a signature algorithm that is no longer secure';
      return false;
    }
    const issuers = roots.bySubject.get(certificate.issuer) ?? [];
    return [...issuers, ...between].some(
      (issuer) => vouches(issuer, certificate, depth) && reachesRoot(issuer, depth + 1),
    );
  }

  function vouches(issuer: X509Certificate, certificate: X509Certificate, below: number): boolean {
    if (issuer.subject !== certificate.issuer || issuer.fingerprint256 === certificate.fingerprint256) return false;
    // `checkIssued` compares only names and usage. Only the issuer's key proves that the issuer signed the certificate.
    if (!certificate.checkIssued(issuer) || !certificate.verify(issuer.publicKey)) return false;
    const { extensions } = readCertificate(issuer.raw);
    const issue = dateIssue(issuer, now) ?? unknownCondition(extensions) ?? authorityIssue(extensions, below, domain);
    if (issue !== undefined)
      reason = `was signed by an authority (${issuer.subject.replaceAll('\n', ', ')}) that ${issue}`;
    return issue === undefined;
  }

  return { reachesRoot, reason: () => reason };
}

// The permitted uses of a certificate: signing, acting as an authority, and names.
const BASIC_CONSTRAINTS = '551d13';
const KEY_USAGE = '551d0f';
const EXTENDED_KEY_USAGE = '551d25';
const NAME_CONSTRAINTS = '551d1e';
/** Critical extensions that this file or Node checks, or that are irrelevant here (policies). */
const UNDERSTOOD = new Set([BASIC_CONSTRAINTS, KEY_USAGE, EXTENDED_KEY_USAGE, NAME_CONSTRAINTS, '551d11', '551d20']);

const SERVER_AUTHENTICATION = '2b06010505070301';
const ANY_USAGE = '551d2500';

const DIGITAL_SIGNATURE = 0;
const SIGNS_CERTIFICATES = 5;

/** Tags of the two lists of name constraints, and of a DNS name in them. */
const PERMITTED = 0xa0;
const EXCLUDED = 0xa1;
const DNS_NAME = 0x82;

type Extensions = ReadonlyMap<string, Extension>;

/** Returns an issue if a certificate must not be trusted because it has an unknown critical extension. */
export function unknownCondition(extensions: Extensions): string | undefined {
  const unknown = [...extensions].find(([name, { critical }]) => critical && !UNDERSTOOD.has(name));
  return unknown && 'has an unknown critical extension';
}

/** Returns why the key must not sign messages, or undefined. */
export function signingIssue(extensions: Extensions): string | undefined {
  if (!allowsUsage(extensions, DIGITAL_SIGNATURE)) return 'does not allow digital signatures (key usage)';
  const usage = extensions.get(EXTENDED_KEY_USAGE);
  if (!usage) return undefined;
  const purposes = childrenOf(readDer(usage.value, 0)).map(({ content }) => content.toString('hex'));
  const fits = purposes.some((purpose) => purpose === SERVER_AUTHENTICATION || purpose === ANY_USAGE);
  return fits ? undefined : 'does not allow server authentication (extended key usage)';
}

/** Returns why an authority must not issue the certificate below it. `below` is the number of authorities below it. */
export function authorityIssue(extensions: Extensions, below: number, domain: string): string | undefined {
  const constraints = extensions.get(BASIC_CONSTRAINTS);
  const [isAuthority, most] = constraints ? childrenOf(readDer(constraints.value, 0)) : [];
  if (isAuthority?.tag !== 0x01 || (isAuthority.content[0] ?? 0) === 0) return 'is not a certificate authority';
  // `!(most >= below)` is also true for NaN, so an unreadable path length is rejected.
  if (most?.tag === 0x02 && !(Number(`0x${most.content.toString('hex')}`) >= below)) {
    return 'is not allowed to sign a chain of this length';
  }
  if (!allowsUsage(extensions, SIGNS_CERTIFICATES)) return 'is not allowed to sign certificates';
  return mayName(extensions, domain) ? undefined : 'is not allowed to sign for this domain';
}

/** A certificate without the key usage extension may be used for any purpose. */
function allowsUsage(extensions: Extensions, bit: number): boolean {
  const usage = extensions.get(KEY_USAGE);
  if (!usage) return true;
  // A bit string: the number of unused trailing bits, then the bits. The relevant bits are in the first byte.
  const bits = readDer(usage.value, 0).content;
  return ((bits[1] ?? 0) & (0x80 >> bit)) !== 0;
}

function mayName(extensions: Extensions, domain: string): boolean {
  const constraints = extensions.get(NAME_CONSTRAINTS);
  if (!constraints) return true;
  const lists = childrenOf(readDer(constraints.value, 0));
  const names = (tag: number): string[] =>
    lists
      .filter((list) => list.tag === tag)
      .flatMap((list) => childrenOf(list).flatMap((subtree) => childrenOf(subtree).slice(0, 1)))
      .filter((base) => base.tag === DNS_NAME)
      .map((base) => base.content.toString('latin1').toLowerCase());
  const isWithin = (base: string): boolean =>
    base === '' || domain === base || domain.endsWith(base.startsWith('.') ? base : `.${base}`);
  const permitted = names(PERMITTED);
  // Implementations differ on whether `.a.example` includes `a.example`. Use the strict reading for both lists.
  const isExcluded = names(EXCLUDED).some((base) => isWithin(base) || isWithin(base.replace(/^\./, '')));
  return !isExcluded && (permitted.length === 0 || permitted.some(isWithin));
}
