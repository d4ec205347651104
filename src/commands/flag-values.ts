// Parses and checks flag values that several commands accept. Each error names its flag.
import { usageError } from '../lib/kernel/errors.ts';
import { isoMillis, parseDuration, parseIso, parseRate } from '../lib/kernel/timestamps.ts';

export const identityTypeFlag = {
  value: 'type',
  many: true,
  help: 'additional identity type of this deployment (repeatable)',
} as const;

/** Returns a port to listen on; 0 means any free port. Throws KnownError usage (2). */
export function readPort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw usageError(`--port must be a number from 0 to 65535, not \`${text}\`.`);
}

/** Returns requests per second from `--rate` or the profile's `limits.KIND`. Throws usage (2) for an invalid one. */
export function readRate(flag: string | undefined, limit: string | undefined, kind: 'dsr' | 'seeding') {
  const text = flag ?? limit;
  if (text === undefined) return undefined;
  const rate = parseRate(text);
  if (rate !== undefined) return rate;
  const where = flag === undefined ? `The profile's limits.${kind}` : '--rate';
  throw usageError(
    `${where} must be a number of requests per second, or a rate such as 600/m or 9000/h, not \`${text}\`.`,
  );
}

export function readDuration(flag: string, text: string): number {
  const ms = parseDuration(text);
  if (ms !== undefined && ms > 0) return ms;
  throw usageError(`${flag} must be a duration such as 10m or 14d, not \`${text}\`.`);
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Returns the start of a day in UTC, which gives the earliest deadline. Returns any other text unchanged. */
export function startOfDay<Text extends string | undefined>(text: Text): Text | string {
  return text !== undefined && DAY.test(text) ? `${text}T00:00:00Z` : text;
}

/** Returns an ISO 8601 time; a date without a time gets the time `ofDay` in UTC. Throws KnownError usage (2). */
export function readTime<Text extends string | undefined>(flag: string, text: Text, ofDay: string, or = '') {
  if (text === undefined) return text;
  const time = DAY.test(text) ? `${text}T${ofDay}Z` : text;
  if (parseIso(time) !== undefined) return time;
  throw usageError(
    `${flag} must be a date, ${or}or a time with a time zone, such as 2026-01-31T08:00:00Z, not \`${text}\`.`,
  );
}

export const beforeFlag = {
  before: { value: 'date', required: true, help: 'date or time; anything newer is kept' },
} as const;

export const readBefore = (text: string): string => isoMillis(parseIso(readTime('--before', text, '00:00:00')) ?? 0);

/** Parses a time, or a duration before `now`. Returns milliseconds. Throws KnownError usage (2). */
export function readSince(text: string, now: number): number {
  const ms = parseDuration(text);
  return ms === undefined
    ? (parseIso(readTime('--since', text, '00:00:00', 'a duration such as 7d, ')) ?? 0)
    : now - ms;
}
