// Checks the permitted uses of a certificate: signing, acting as an authority, and names.
import { childrenOf, readDer, type Extension } from './der.ts';

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
