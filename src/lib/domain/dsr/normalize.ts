// Upgrades, normalizes and checks the body of a request from any source. Lists the issues or, if none, the warnings.
import { API_VERSION, DsrRequest, dsrEndpoints, extensionKey } from '../../contract/dsr.ts';
import { EXTENSION_PREFIX, locateIdentities } from '../../contract/dsr-rules.ts';
import { type FieldIssue, parseWith } from '../../contract/explain.ts';
import { DEVICE_IDENTITY_TYPES } from '../../contract/identities.ts';
import { NameCollision, type WireNames } from '../../contract/names.ts';
import { isRecord } from '../../kernel/json.ts';
import { counted } from '../../kernel/words.ts';
import { isoSeconds, parseIso } from '../../kernel/timestamps.ts';
import { daysLate, deadlineFrom } from './deadlines.ts';
import { identityIssue, type NullWords } from '../null-words.ts';
import { isPartlyInvisible } from '../identity-types.ts';
import { upgradeRequest } from './upgrade.ts';

export interface NormalizedRequest {
  /** The request as sent, with the specification's names. Set only if there are no issues. */
  request?: DsrRequest;
  issues: FieldIssue[];
  warnings: FieldIssue[];
  changes: string[];
}

export interface NormalizeOptions {
  /** Domain of the only extension that the platform accepts; set in the profile. */
  vendorDomain: string;
  /** Wire names, because a body may use deployment-specific names. */
  names: WireNames;
  nulls?: NullWords;
}

/** Runs every check that does not need the platform. `now` is in epoch milliseconds. */
export function normalizeRequest(
  value: unknown,
  { names, nulls, vendorDomain }: NormalizeOptions,
  now: number,
): NormalizedRequest {
  let decoded: unknown;
  try {
    decoded = names.decode(value, dsrEndpoints.create.names?.body ?? []);
  } catch (error) {
    if (error instanceof NameCollision) return { issues: [error.issue], warnings: [], changes: [] };
    throw error;
  }
  const upgraded = upgradeRequest(inLowerCase(decoded), vendorDomain);
  const parsed = parseWith(DsrRequest, upgraded.value);
  const issues = [
    ...upgraded.issues,
    ...parsed.issues,
    ...foreignExtensions(upgraded.value, vendorDomain),
    ...futureTime(upgraded.value, now),
    ...nullIdentities(upgraded.value, nulls),
  ];
  if (!parsed.data || issues.length > 0) return { issues, warnings: [], changes: upgraded.changes };
  const request = { ...parsed.data, api_version: API_VERSION };
  const warnings = adviceOn(request).map(({ path, what }): FieldIssue => ({ path, message: `has ${what}` }));
  const days = daysLateOf(request, now);
  const late = `has a deadline that passed ${counted(days, 'day')} ago`;
  if (days > 0) warnings.push({ path: ['submitted_time'], message: late });
  return { request, issues: [], warnings, changes: upgraded.changes };
}

/** Converts the regulation and the type to lower case, because users write `GDPR`. */
function inLowerCase(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const words = ['regulation', 'subject_request_type'].flatMap((name) => {
    const word = value[name];
    return typeof word === 'string' && word !== word.toLowerCase() ? [[name, word.toLowerCase()]] : [];
  });
  return words.length === 0 ? value : { ...value, ...Object.fromEntries(words) };
}

/** True if the time is in the future by more than `CLOCK_SKEW_MS` (decision: D227). */
export function isInFuture(submittedTime: unknown, now: number): boolean {
  const at = typeof submittedTime === 'string' ? parseIso(submittedTime) : undefined;
  return at !== undefined && at > now + CLOCK_SKEW_MS;
}

/** Smaller clock skew is ignored. */
const CLOCK_SKEW_MS = 5 * 60_000;

function futureTime(value: unknown, now: number): FieldIssue[] {
  if (!isRecord(value) || !isInFuture(value['submitted_time'], now)) return [];
  const message = `is in the future (now: ${isoSeconds(now)}); check its year and time zone, and the clock of this machine`;
  return [{ path: ['submitted_time'], message }];
}

/** Returns each identity of a request with its type; those in the extension come last. */
export function identitiesOf(request: DsrRequest): [type: string, value: string][] {
  const parts = [request, ...Object.values(request.extensions ?? {})];
  const entries = parts.flatMap(({ subject_identities: identities = {} }) => Object.entries(identities));
  return entries.map(([type, { value }]) => [type, value]);
}

/** Returns an identity in the form used for comparison. The platform gets the original value. */
export function comparable(type: string, value: string): string {
  const text = value.normalize('NFC').trim();
  return type === 'email' ? text.toLowerCase() : text;
}

export function skipsWaiting(request: DsrRequest): boolean {
  return Object.values(request.extensions ?? {}).some((extension) => extension.skip_waiting_period === true);
}

function foreignExtensions(value: unknown, vendorDomain: string): FieldIssue[] {
  const extensions = (value as { extensions?: unknown } | null)?.extensions;
  if (typeof extensions !== 'object' || extensions === null) return [];
  const own = extensionKey(vendorDomain);
  const message = `belongs to a different vendor; the profile's extension is \`${own}\``;
  return Object.keys(extensions)
    .filter((key) => key !== own && key.startsWith(EXTENSION_PREFIX) && key.length > EXTENSION_PREFIX.length)
    .map((key) => ({ path: ['extensions', key], message, at: 'key' }));
}

/** Finds null words and outer spaces in identities. The email `NULL` matches no one, or every user without an email. */
function nullIdentities(body: unknown, nulls: NullWords | undefined): FieldIssue[] {
  const { own, extended } = locateIdentities(body);
  return [...own, ...extended].flatMap(({ path, value }) => {
    const message = typeof value === 'string' ? identityIssue(value, nulls) : undefined;
    return message === undefined ? [] : [{ path: [...path, 'value'], message }];
  });
}

interface Advice {
  path: string[];
  /** Completes "the request has …". */
  what: string;
  isFor(identities: [type: string, value: string][]): boolean;
}

/** Reasons why the platform might not find the person (decisions: D56, D204, D275). */
const ADVICE: readonly Advice[] = [
  {
    path: ['subject_identities', 'email'],
    what: 'uppercase letters in `email`; the platform is case-sensitive, so it might not find the person',
    isFor: (all) => all.some(([type, value]) => type === 'email' && value !== value.toLowerCase()),
  },
  {
    path: ['subject_identities', 'email'],
    what: 'an `email` that does not look like an email address, so the platform might not find the person',
    isFor: (all) => all.some(([type, value]) => type === 'email' && !isEmailOrDigest(value)),
  },
  {
    path: ['subject_identities'],
    what: 'invisible characters in an identity; the platform compares exactly, so it might not find the person',
    isFor: (all) => all.some(([, value]) => isPartlyInvisible(value)),
  },
  {
    path: ['subject_identities'],
    what: 'only device identities; the platform does not find data stored under other identities',
    isFor: (all) => all.length > 0 && all.every(([type]) => DEVICE_IDENTITY_TYPES.has(type)),
  },
];

/** Some deployments store digests instead of email addresses. */
export function isEmailOrDigest(text: string): boolean {
  return /^(?:[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+|[0-9a-f]{32,128})$/i.test(text);
}

export function adviceOn(request: DsrRequest): readonly Advice[] {
  const identities = identitiesOf(request);
  return ADVICE.filter(({ isFor }) => isFor(identities));
}

export function daysLateOf({ regulation, submitted_time: at }: DsrRequest, now: number): number {
  return daysLate(deadlineFrom(regulation, at) ?? now, now);
}
