// Builds and checks a request from flags, a file or answers on a terminal.
import { randomUUID } from 'node:crypto';
import { REGULATIONS, REQUEST_TYPES } from '../../lib/contract/choices.ts';
import type { DsrRequest } from '../../lib/contract/dsr.ts';
import { showPath } from '../../lib/contract/explain.ts';
import { EXTENSION_IDENTITY_TYPES, REQUEST_IDENTITY_TYPES } from '../../lib/contract/identities.ts';
import { composeRequest, isExtensionType, type RequestParts } from '../../lib/domain/dsr/compose.ts';
import {
  isInFuture,
  type NormalizedRequest,
  type NormalizeOptions,
  normalizeRequest,
} from '../../lib/domain/dsr/normalize.ts';
import { invalidDocument, loadDocument, placeIssues, withoutSchemaHint } from '../../lib/files/load.ts';
import { readInput } from '../../lib/files/read-input.ts';
import { usageError } from '../../lib/kernel/errors.ts';
import { choiceHint } from '../../lib/kernel/nearest.ts';
import { isoSeconds } from '../../lib/kernel/timestamps.ts';
import { type FlagSpec, type FlagValues, flagName } from '../../lib/runtime/command-line/define-command.ts';
import { readTime } from '../flag-values.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { fail } from '../../lib/errors/fail.ts';
import { isRecord } from '../../lib/kernel/json.ts';

export const requestFlags = {
  regulation: { value: 'name', choices: REGULATIONS, help: 'law under which the request is made' },
  type: { value: 'type', choices: REQUEST_TYPES, help: 'type of the request' },
  identity: {
    value: 'type=value',
    many: true,
    help: 'identity of the subject (repeatable); TYPE=@FILE and TYPE=- read the value from a file or standard input',
  },
  extensionIdentity: {
    value: 'type=value',
    many: true,
    help: 'identity of a type in the vendor extension (repeatable)',
  },
  groupId: { value: 'id', help: 'group of related requests' },
  callbackUrl: { value: 'url', many: true, help: 'address that the platform posts each status to (repeatable)' },
  submittedTime: {
    value: 'iso',
    help: 'when the subject made the request; the deadline counts from this time (default: now)',
    planned: isoSeconds,
  },
  requestId: { value: 'uuid', help: 'id of the request (default: a new one)', planned: () => randomUUID() },
  skipWaitingPeriod: { help: 'start an erasure within 24 hours instead of after 7 days' },
} as const satisfies Record<string, FlagSpec>;

export type RequestFlags = FlagValues<typeof requestFlags>;

export function givenFlags(flags: RequestFlags): string[] {
  const keys = Object.keys(requestFlags) as (keyof RequestFlags)[];
  return keys.filter((key) => flags[key] !== undefined).map((key) => flagName(key));
}

/** Returns the fields that flags set. Throws usage (2) for an invalid identity flag or time. */
export async function partsOf(ctx: Context, flags: RequestFlags, options: NormalizeOptions): Promise<RequestParts> {
  const identities: [string, string][] = [];
  const given = [
    ...(flags.identity ?? []).map((text) => ['--identity', text] as const),
    ...(flags.extensionIdentity ?? []).map((text) => ['--extension-identity', text] as const),
  ];
  for (const [flag, text] of given) {
    const [type, value] = await readIdentity(ctx, flag, text, options);
    if (identities.some(([known]) => known === type))
      throw usageError(`${flag} repeats the type \`${type}\`.`, 'A request can have only one identity of each type.');
    if (flag === '--extension-identity' && !isExtensionType(type)) {
      const what = `\`${type}\` is not an identity type of the vendor extension.`;
      const isKnown = Object.hasOwn(REQUEST_IDENTITY_TYPES, type);
      throw usageError(what, isKnown ? 'Pass it with --identity.' : choiceHint(type, EXTENSION_IDENTITY_TYPES));
    }
    identities.push([type, value]);
  }
  return { ...fieldsOf(flags), subject_request_id: flags.requestId, identities };
}

/** Returns the fields that flags set, for a single request or as the default values for rows. Throws usage (2). */
export function fieldsOf(flags: Omit<RequestFlags, 'identity' | 'extensionIdentity' | 'requestId'>) {
  return {
    regulation: flags.regulation,
    subject_request_type: flags.type,
    group_id: flags.groupId,
    status_callback_urls: flags.callbackUrl,
    skip_waiting_period: flags.skipWaitingPeriod,
    submitted_time: readTime('--submitted-time', flags.submittedTime, '00:00:00'),
  };
}

/** Reads `TYPE=VALUE`, `TYPE=@FILE` or `TYPE=-`. The last two forms keep a value out of the shell history. */
async function readIdentity(
  ctx: Context,
  flag: string,
  text: string,
  { names }: NormalizeOptions,
): Promise<[type: string, value: string]> {
  const at = text.indexOf('=');
  if (at < 1) throw usageError(`${flag} must be TYPE=VALUE, such as email=jane@example.com.`);
  const type = names.fromWire(text.slice(0, at).trim());
  const given = text.slice(at + 1);
  const source = given.trim();
  const isRead = source === '-' || source.startsWith('@');
  // A file's trailing newline is not part of the value.
  const whole = isRead ? (await readInput(source.replace(/^@/, ''), ctx)).text.replace(/\r?\n$/, '') : given;
  return [type, trimmed(ctx, type, whole)];
}

/** Trims an identity that the user passed or typed, with a warning (decision: D418). */
export function trimmed({ out }: Context, type: string, given: string): string {
  const value = given.trim();
  if (value !== given) out.warn(`Removed the spaces around the value of \`${type}\`.`);
  return value;
}

export interface GivenRequest extends NormalizedRequest {
  request: DsrRequest;
  isNewId: boolean;
}

/** Builds and checks the body. Adds a missing id or time. Throws usage (2), or input (9) for a time in the future. */
export function requestFromParts(ctx: Context, parts: RequestParts, options: NormalizeOptions): GivenRequest {
  const now = ctx.clock.now();
  const { subject_request_id = randomUUID(), submitted_time = isoSeconds(now) } = parts;
  const body = composeRequest({ ...parts, subject_request_id, submitted_time }, options.vendorDomain);
  const normalized = normalizeRequest(body, options, now);
  if (normalized.request)
    return { ...normalized, request: normalized.request, isNewId: parts.subject_request_id === undefined };
  const issues = normalized.issues.map(({ path, message }) => ({ path: showPath(path), message }));
  const isFuture = isInFuture(parts.submitted_time, now);
  throw fail(isFuture ? 'input.invalid' : 'usage', {
    message: 'The request is not valid. Nothing was sent.',
    hint: isFuture
      ? 'Pass --submitted-time with the time when the subject made the request.'
      : { text: 'To see the flags:', command: 'cdpadm dsr submit --help' },
    issues,
  });
}

/** Placeholders for missing values, so that the given values can be validated before prompting. */
export const STAND_IN = {
  regulation: REGULATIONS[0],
  subject_request_type: REQUEST_TYPES[0],
  subject_request_id: '00000000-0000-4000-8000-000000000000',
  submitted_time: '1970-01-01T00:00:00Z',
  identities: [['email', 'a@example.com']],
} as const;

/** Returns the issues that the check of the whole request would report about these parts. */
export function issuesOfParts(parts: Partial<RequestParts>, options: NormalizeOptions, now: number) {
  const given = Object.entries<unknown>(parts).filter(([, value]) => value !== undefined);
  const body = composeRequest({ ...STAND_IN, ...Object.fromEntries(given) }, options.vendorDomain);
  return normalizeRequest(body, options, now).issues;
}

/** Returns the request in a file. Adds a missing id or time. Throws invalid input (9) with each issue's position. */
export async function requestFromFile(ctx: Context, path: string, options: NormalizeOptions): Promise<GivenRequest> {
  const document = await loadDocument(path, ctx);
  const value = withoutSchemaHint(document.value);
  const completed = isRecord(value)
    ? { subject_request_id: randomUUID(), submitted_time: isoSeconds(ctx.clock.now()), ...value }
    : value;
  const normalized = normalizeRequest(completed, options, ctx.clock.now());
  if (!normalized.request) throw invalidDocument(document, 'data subject request', normalized.issues);
  for (const issue of placeIssues(document, normalized.warnings)) ctx.out.warn({ ...issue, path: '' });
  const isNewId = isRecord(value) && !('subject_request_id' in value);
  return { ...normalized, request: normalized.request, warnings: [], isNewId };
}
