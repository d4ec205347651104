// Durations and timestamps in the forms the platform and the command line write them.

const UNIT_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000, y: 31_536_000_000 } as const;

/**
 * Reads a duration such as `500ms`, `30s`, `15m`, `8h`, `7d`, `2w`, `1y` into milliseconds.
 * Returns undefined for anything else: there is no month, and a bare number has no unit.
 */
export function parseDuration(text: string): number | undefined {
  const match = /^(\d{1,12})(ms|s|m|h|d|w|y)$/.exec(text.trim());
  if (!match) return undefined;
  return Number(match[1]) * UNIT_MS[match[2] as keyof typeof UNIT_MS];
}

/** Writes milliseconds for people: `450ms`, `12s`, `3m 20s`, `8h 5m`, `7d`. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)}ms`;
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

/** `2026-11-21T08:00:00Z`: ISO 8601 in UTC with whole seconds. */
export function isoSeconds(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d{3}Z$/, 'Z');
}

/** `2026-11-21T08:00:00.123Z`: ISO 8601 in UTC with milliseconds. */
export function isoMillis(ms: number): string {
  return new Date(ms).toISOString();
}

/** `2026-11-21 08:00:00`: the form of a roles manifest's `last_modified_on`, in UTC. */
export function manifestTime(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
}

/**
 * Reads an ISO 8601 date-time with a zone (`Z` or an offset) into epoch milliseconds.
 * Returns undefined for other forms and for days that no calendar has, such as 30 February.
 */
export function parseIso(text: string): number | undefined {
  const match = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)$/.exec(text);
  if (!match || !isCalendarDay(Number(match[1]), Number(match[2]), Number(match[3]))) return undefined;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}

/** Whether year, month (1 to 12) and day name a real day. */
export function isCalendarDay(year: number, month: number, day: number): boolean {
  if (month < 1 || month > 12 || day < 1) return false;
  return day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
}
