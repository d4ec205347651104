// Durations, rates and timestamps in the formats of the platform and the command line.

const UNIT_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000, y: 31_536_000_000 } as const;

/** Maximum distance of a `Date` from the epoch, in milliseconds. */
const LONGEST_MS = 8_640_000_000_000_000;

/** Converts `500ms`, `30s`, `15m`, `8h`, `7d`, `2w` or `1y` to milliseconds. Returns undefined for any other text. */
export function parseDuration(text: string): number | undefined {
  const match = /^(\d{1,12})(ms|s|m|h|d|w|y)$/.exec(text.trim());
  if (!match) return undefined;
  const ms = Number(match[1]) * UNIT_MS[match[2] as keyof typeof UNIT_MS];
  return ms <= LONGEST_MS ? ms : undefined;
}

/** Formats milliseconds with at most two units: `450ms`, `12s`, `3m 20s`, `8h 5m`, `7d`. */
export function formatDuration(ms: number): string {
  if (ms < 0) return `-${formatDuration(-ms)}`;
  if (Math.round(ms) < 1000) return `${Math.round(ms)}ms`;
  const seconds = Math.round(ms / 1000);
  const parts: [number, string][] = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'm'],
    [seconds % 60, 's'],
  ];
  const first = parts.findIndex(([value]) => value > 0);
  return parts
    .slice(first, first + 2)
    .filter(([value]) => value > 0)
    .map(([value, unit]) => `${value}${unit}`)
    .join(' ');
}

/** Formats a time as ISO 8601 in UTC with whole seconds: `2026-11-21T08:00:00Z`. */
export const isoSeconds = (ms: number): string => new Date(ms).toISOString().replace(/\.\d{3}Z$/, 'Z');

/** Formats a time as ISO 8601 in UTC with milliseconds: `2026-11-21T08:00:00.123Z`. */
export const isoMillis = (ms: number): string => new Date(ms).toISOString();

/** Formats a time in the format of `last_modified_on` in a roles manifest, in UTC: `2026-11-21 08:00:00`. */
export const manifestTime = (ms: number): string => new Date(ms).toISOString().slice(0, 19).replace('T', ' ');

const ISO = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(?:Z|([+-])(\d\d):?(\d\d))$/;

/** Converts an ISO 8601 date-time with a zone to epoch milliseconds. Undefined for other text or an impossible time. */
export function parseIso(text: string | null | undefined): number | undefined {
  const match = ISO.exec(text ?? '');
  if (!match) return undefined;
  const at = (group: number): number => Number(match[group] ?? 0);
  const [hour, minute, second, offsetHours, offsetMinutes] = [at(4), at(5), at(6), at(9), at(10)];
  if (!isCalendarDay(at(1), at(2), at(3))) return undefined;
  if (hour > 23 || minute > 59 || second > 59 || offsetHours > 23 || offsetMinutes > 59) return undefined;
  const offset = (offsetHours * 60 + offsetMinutes) * 60_000 * (match[8] === '-' ? -1 : 1);
  // Use `Date.parse`: `Date.UTC` interprets years below 100 as 19xx.
  const millis = (match[7] ?? '').padEnd(3, '0').slice(0, 3);
  return Date.parse(`${match[0].slice(0, 16)}:${match[6] ?? '00'}.${millis}Z`) - offset;
}

const WRITTEN = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d(?:\.\d+)?)(?: ?(?:(UTC|Z)|([+-]\d\d)(?::?(\d\d))?))?$/;

/** Converts a warehouse's `2024-01-01 00:00:00 UTC` (or `+00`, or ` -0800`) to ISO 8601. Returns other text unchanged. */
export function isoOf(text: string): string {
  const [, day, time, utc, hours, minutes = '00'] = WRITTEN.exec(text) ?? [];
  if (day === undefined || time === undefined) return text;
  const offset = hours === undefined ? '' : `${hours}:${minutes}`;
  return `${day}T${time}${utc === undefined ? offset : 'Z'}`;
}

const SHORT_MONTHS = [4, 6, 9, 11];

export function isCalendarDay(year: number, month: number, day: number): boolean {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = month === 2 ? (isLeap ? 29 : 28) : SHORT_MONTHS.includes(month) ? 30 : 31;
  return year >= 0 && month >= 1 && month <= 12 && day >= 1 && day <= days;
}

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 };

/** Converts a rate to requests per second. Returns undefined for an invalid rate. */
export function parseRate(text: string): number | undefined {
  const [, number = '', unit = 's'] = /^(\d{1,9}(?:\.\d{1,6})?)(?:\/(s|m|h))?$/.exec(text.trim()) ?? [];
  const rate = Number(number) / (SECONDS[unit] ?? 1);
  return number !== '' && rate > 0 ? rate : undefined;
}
