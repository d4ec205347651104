// Durations and timestamps, compared with JavaScript's calendar and tested with similar invalid strings.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  formatDuration,
  isCalendarDay,
  isoMillis,
  isoOf,
  isoSeconds,
  manifestTime,
  parseDuration,
  parseIso,
} from '../../../../src/lib/kernel/timestamps.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe('parseDuration', () => {
  it.each([
    ['0s', 0],
    ['500ms', 500],
    ['30s', 30_000],
    ['15m', 15 * MINUTE],
    ['8h', 8 * HOUR],
    ['7d', 7 * DAY],
    ['2w', 14 * DAY],
    ['1y', 365 * DAY],
    [' 5m\n', 5 * MINUTE],
    ['007d', 7 * DAY],
    ['100000000d', 100_000_000 * DAY],
  ])('parses %j as %i ms', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  it.each([
    ...['1M', '1mo', '1month', '1 m', '1min', '5', '', 'm', '-5m', '+5m', '1.5h', '1e3s', '1h30m', '5 minutes', '1H'],
    ...['٣m', '1m;rm', '0x5s', 'NaNs', 'Infinityd', '999999999999y', '100000001d', '1234567890123ms', '5m\u00005m'],
  ])('rejects %j', (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });
});

describe('formatDuration', () => {
  it.each([
    [0, '0ms'],
    [450.4, '450ms'],
    [999.4, '999ms'],
    [999.6, '1s'],
    [1000, '1s'],
    [12_000, '12s'],
    [59_499, '59s'],
    [59_500, '1m'],
    [3 * MINUTE + 20_000, '3m 20s'],
    [HOUR - 1, '1h'],
    [8 * HOUR + 5 * MINUTE + 59_000, '8h 5m'],
    [8 * HOUR + 5000, '8h'],
    [DAY - 1, '1d'],
    [7 * DAY, '7d'],
    [400 * DAY + HOUR, '400d 1h'],
    [-90_000, '-1m 30s'],
  ])('formats %d ms as %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });

  it('round-trips every whole number of seconds or minutes below 60', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 59 }), fc.constantFrom('s', 'm'), (count, unit) => {
        expect(formatDuration(parseDuration(`${count}${unit}`) ?? 0)).toBe(`${count}${unit}`);
      }),
    );
  });

  it('rounds by at most 5% or half a second', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1000 * DAY }), (ms) => {
        const shown = formatDuration(ms).split(' ');
        const sum = shown.reduce((total, part) => total + (parseDuration(part) ?? Number.NaN), 0);
        expect(shown.length).toBeLessThanOrEqual(2);
        expect(Math.abs(sum - ms)).toBeLessThanOrEqual(Math.max(500, ms / 20));
      }),
    );
  });
});

describe('isCalendarDay', () => {
  it('agrees with Date on the first and last days of every month from 1900 to 2299', () => {
    for (let year = 1900; year < 2300; year++) {
      for (let month = 1; month <= 12; month++) {
        const days = new Date(Date.UTC(year, month, 0)).getUTCDate();
        const known = [0, 1, 28, 29, 30, 31, 32].filter((day) => isCalendarDay(year, month, day));
        expect(known, `${year}-${month}`).toEqual([1, 28, 29, 30, 31].filter((day) => day <= days));
      }
    }
  });

  it.each([
    [2000, 2, 29],
    [4, 2, 29],
    [0, 2, 29],
  ])('accepts %i-%i-%i', (year, month, day) => {
    expect(isCalendarDay(year, month, day)).toBe(true);
  });

  it.each([
    [1900, 2, 29],
    [99, 2, 29],
    [2026, 0, 1],
    [2026, 13, 1],
    [2026, -1, 1],
    [2026, 1, -1],
  ])('rejects %i-%i-%i', (year, month, day) => {
    expect(isCalendarDay(year, month, day)).toBe(false);
  });
});

describe('parseIso', () => {
  const anyMoment = fc.date({
    min: new Date('0000-01-01T00:00:00Z'),
    max: new Date('9999-12-31T23:59:59.999Z'),
    noInvalidDate: true,
  });

  it('reads the output of isoMillis and isoSeconds', () => {
    fc.assert(
      fc.property(anyMoment, (date) => {
        const ms = date.getTime();
        expect(parseIso(isoMillis(ms))).toBe(ms);
        expect(parseIso(isoSeconds(ms))).toBe(Math.floor(ms / 1000) * 1000);
        expect(manifestTime(ms)).toBe(isoSeconds(ms).replace('T', ' ').replace('Z', ''));
      }),
    );
  });

  it('reads the same moment from any time zone offset', () => {
    fc.assert(
      fc.property(
        anyMoment,
        fc.integer({ min: -1439, max: 1439 }),
        fc.constantFrom(':', ''),
        (date, minutes, colon) => {
          const local = new Date(date.getTime() + minutes * MINUTE);
          fc.pre(local.getUTCFullYear() >= 0 && local.getUTCFullYear() <= 9999);
          const two = (value: number): string => String(value).padStart(2, '0');
          const size = Math.abs(minutes);
          const zone = `${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}${colon}${two(size % 60)}`;
          expect(parseIso(local.toISOString().replace('Z', zone))).toBe(date.getTime());
        },
      ),
    );
  });

  it.each([
    ['2026-11-21T08:00Z', Date.UTC(2026, 10, 21, 8)],
    ['2026-11-21T08:00:00.5Z', Date.UTC(2026, 10, 21, 8, 0, 0, 500)],
    ['2026-11-21T08:00:00.123999999Z', Date.UTC(2026, 10, 21, 8, 0, 0, 123)],
    ['2026-01-01T00:30:00+05:30', Date.UTC(2025, 11, 31, 19)],
    ['2024-02-29T23:59:59-02:30', Date.UTC(2024, 2, 1, 2, 29, 59)],
    ['1970-01-01T00:00:00-00:00', 0],
    ['1969-12-31T23:59:59.999Z', -1],
  ])('reads %s', (text, ms) => {
    expect(parseIso(text)).toBe(ms);
  });

  it.each([
    ...['', '2026-11-21', '2026-11-21T08:00:00', '2026-11-21 08:00:00Z', '2026-11-21T08Z', '20261121T080000Z'],
    ...[
      '2026-02-30T00:00:00Z',
      '2025-02-29T00:00:00Z',
      '2026-13-01T00:00:00Z',
      '2026-00-10T00:00:00Z',
      '2026-04-31T00:00:00Z',
    ],
    ...['2026-11-21T24:00:00Z', '2026-11-21T25:00:00Z', '2026-11-21T08:60:00Z', '2026-11-21T08:00:60Z'],
    ...['2026-11-21T08:00:00+24:00', '2026-11-21T08:00:00+05:60', '2026-11-21T08:00:00+5:30', '2026-11-21T08:00:00+05'],
    ...['2026-11-21T08:00:00.Z', '2026-11-21T08:00:00,5Z', '2026-11-21T08:00:00.1234567890Z', '2026-11-21T08:00:00ZZ'],
    ...[
      '2026-11-21T08:00:00Z\n',
      ' 2026-11-21T08:00:00Z',
      '+02026-11-21T08:00:00Z',
      '-2026-11-21T08:00:00Z',
      '٢٠٢٦-11-21T08:00:00Z',
    ],
  ])('rejects %j', (text) => {
    expect(parseIso(text)).toBeUndefined();
  });
});

describe('isoOf', () => {
  it.each([
    ['2024-01-31 10:00:00 UTC', '2024-01-31T10:00:00Z'],
    ['2024-01-31 10:00:00.123456 Z', '2024-01-31T10:00:00.123456Z'],
    ['2024-01-31 10:00:00+00', '2024-01-31T10:00:00+00:00'],
    ['2024-01-31 10:00:00.000 -0830', '2024-01-31T10:00:00.000-08:30'],
    ['2024-01-31T10:00:00 +05:30', '2024-01-31T10:00:00+05:30'],
    ['2024-01-31 10:00:00', '2024-01-31T10:00:00'],
  ])('converts %s, as a warehouse writes it, to %s', (text, iso) => {
    expect(isoOf(text)).toBe(iso);
  });

  it.each(['2024-01-31', '2024-01-31 10:00:00 ', '2024-01-31 10:00:00 CET', '2024-01-31 10:00:00+0', '31.01.2024 10:00:00'])(
    'does not change %j',
    (text) => expect(isoOf(text)).toBe(text),
  ); // prettier-ignore
});
