// Checks of the identities and callback addresses in a data subject request (specification, C, "Request fields").
import { isLoopback } from '../kernel/address.ts';
import { didYouMean } from '../kernel/nearest.ts';
import { isRecord } from '../kernel/json.ts';
import { DSR_FAILURES } from './failures.ts';
import type { FieldIssue } from './explain.ts';
import { EXTENSION_IDENTITY_TYPES, REQUEST_IDENTITY_TYPES } from './identities.ts';
import { DSR_LIMITS } from './limits.ts';
import { hasControlCharacter, xpidTextIssue } from './shared.ts';

/** Prefix of every key of `extensions`, before the vendor's domain. */
export const EXTENSION_PREFIX = 'opendsr.';

/** The other spelling of `ose_publisher_id` (decision: D52). */
export const OTHER_SPELLING = 'ose_publishing_id';
export const SENT_SPELLING = 'ose_publisher_id';

const requestTypes = new Set(Object.keys(REQUEST_IDENTITY_TYPES));
const extensionTypes = new Set<string>(EXTENSION_IDENTITY_TYPES);

interface Located {
  path: string[];
  type: string;
  value: unknown;
}

/** Returns the identities of a body, which may be any value: its own, and those in its extensions. */
export function locateIdentities(body: unknown): { own: Located[]; extended: Located[] } {
  if (!isRecord(body)) return { own: [], extended: [] };
  const extensions = isRecord(body['extensions']) ? Object.entries(body['extensions']) : [];
  return {
    own: locateAll(body['subject_identities'], ['subject_identities']),
    extended: extensions.flatMap(([key, extension]) =>
      isRecord(extension) ? locateAll(extension['subject_identities'], ['extensions', key, 'subject_identities']) : [],
    ),
  };
}

/** Returns the issues of a body's identities, or a single issue for too many identities. `body` may be any value. */
export function identityIssues(body: unknown): { issues: FieldIssue[]; tooMany: boolean } {
  if (!isRecord(body)) return { issues: [], tooMany: false };
  const { own, extended } = locateIdentities(body);
  const all = [...own, ...extended];
  if (all.length > DSR_LIMITS.identities) {
    const message = `has ${all.length} identities; at most ${DSR_LIMITS.identities} are allowed`;
    return { issues: [{ path: [], message }], tooMany: true };
  }
  return {
    issues: [
      ...own.flatMap(({ path, type }) => unknownType(path, type, requestTypes, extensionTypes)),
      ...extended.flatMap(({ path, type }) => unknownType(path, type, extensionTypes, requestTypes)),
      ...bothSpellings(own),
      ...repeatedTypes(extended),
      ...xpidIssues(all),
      ...extended.flatMap(wrongXpid),
      ...(all.length === 0 && mayLackIdentities(body) ? [NO_IDENTITY] : []),
    ],
    tooMany: false,
  };
}

const NO_IDENTITY: FieldIssue = {
  path: [],
  message: 'needs at least one identity in `subject_identities` or in the vendor extension',
};

/** False if `subject_identities` is present but not an object, because the schema already reports that. */
function mayLackIdentities(body: Record<string, unknown>): boolean {
  const form = body['subject_identities'];
  return form === undefined || isRecord(form);
}

function locateAll(identities: unknown, path: string[]): Located[] {
  return Object.entries(isRecord(identities) ? identities : {}).map(([type, entry]) => {
    return { path: [...path, type], type, value: isRecord(entry) ? entry['value'] : undefined };
  });
}

function unknownType(path: string[], type: string, here: Set<string>, there: Set<string>): FieldIssue[] {
  if (here.has(type)) return [];
  const place = here === requestTypes ? 'belongs in the vendor extension' : 'belongs in `subject_identities`';
  const unknown = `unknown identity type \`${type}\`${didYouMean(type, [...here, ...there])}`;
  const message = there.has(type) ? place : unknown;
  return [{ path, message, at: 'key' }];
}

function bothSpellings(own: Located[]): FieldIssue[] {
  const has = (wanted: string): boolean => own.some(({ type }) => type === wanted);
  if (!has(OTHER_SPELLING) || !has(SENT_SPELLING)) return [];
  const message = `is the same identity type as \`${SENT_SPELLING}\`; only one identity of each type is allowed`;
  return [{ path: ['subject_identities', OTHER_SPELLING], message, at: 'key' }];
}

/** Returns an issue for each repeated type. A type can occur twice only if the body has several extensions. */
function repeatedTypes(extended: Located[]): FieldIssue[] {
  return extended
    .filter(({ type }, index) => extended.findIndex((other) => other.type === type) < index)
    .map(({ path }) => ({ path, message: 'is a duplicate; only one identity of each type is allowed', at: 'key' }));
}

function xpidIssues(all: Located[]): FieldIssue[] {
  const xpid = all.find(({ type }) => type === 'xpid');
  if (!xpid || all.length === 1) return [];
  const message = 'cannot be combined with other identities';
  return [{ path: xpid.path, message, at: 'key', failure: DSR_FAILURES.notAlone }];
}

/** Returns an issue if the `xpid` is not a 64-bit integer, written as a string like every identity. */
function wrongXpid({ path, type, value }: Located): FieldIssue[] {
  // The schema already reports other types and empty strings.
  if (type !== 'xpid' || typeof value !== 'string' || value === '') return [];
  const message = xpidTextIssue(value);
  return message === undefined ? [] : [{ path: [...path, 'value'], message }];
}

/** Returns the problem with a callback address: it must use TLS, except on this machine. */
export function callbackUrlIssue(text: string): string | undefined {
  if (hasControlCharacter(text)) return 'contains a control character';
  if (!URL.canParse(text)) return 'is not a URL';
  const { protocol, hostname } = new URL(text);
  if (protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))) return undefined;
  return 'must be an https URL; http is allowed only for this machine';
}
