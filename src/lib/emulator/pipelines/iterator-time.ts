// The value of an iterator field as a time, in whatever form a warehouse writes it.
import { parseIso } from '../../kernel/timestamps.ts';

/** Smaller numbers are seconds since 1970, larger ones milliseconds: the border is March 1973 in milliseconds. */
const SECONDS_BELOW = 1e11;

const DATE_TIME = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d(?:\.\d{1,9})?)?\s?(Z|UTC|[+-]\d\d(?::?\d\d)?)?)?$/i;

/**
 * Epoch milliseconds; undefined for what is no time. A text without a zone is UTC; a number, or a text of digits, is
 * seconds or milliseconds since 1970.
 */
export function iteratorTime(value: unknown): number | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') return fromNumber(Number(value));
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  if (/^-?\d{1,16}(\.\d+)?$/.test(text)) return fromNumber(Number(text));
  const [, date, time = '00:00', seconds = ':00', zone = 'Z'] = DATE_TIME.exec(text) ?? [];
  if (date === undefined) return undefined;
  const offset = /^(Z|UTC)$/i.test(zone) ? 'Z' : zone.length === 3 ? `${zone}:00` : zone;
  return parseIso(`${date}T${time}${seconds}${offset}`);
}

function fromNumber(number: number): number | undefined {
  const ms = Math.round(Math.abs(number) < SECONDS_BELOW ? number * 1000 : number);
  return Math.abs(ms) <= 8.64e15 ? ms : undefined;
}
