// The retry decision and the parsing of Retry-After.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Safety } from '../../../../src/lib/contract/endpoint.ts';
import { backoffCeiling, decide, parseRetryAfter, type RetryDecision } from '../../../../src/lib/http/call/retry.ts';
import { type Phase, TransportError } from '../../../../src/lib/http/transport-error.ts';

const NOW = Date.parse('2026-11-21T08:00:00Z');
const SAFETIES: Safety[] = ['repeat', 'confirm', 'once'];

type Outcome = Parameters<typeof decide>[0];

function judge(outcome: Outcome, safety: Safety, attempt = 1, random = 0.5): RetryDecision {
  return decide(outcome, { safety, attempt, attempts: 5, now: NOW, random: () => random });
}
const status = (code: number, retryAfter?: string): Outcome => ({
  status: code,
  headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter },
});
const lost = (phase: Phase, permanent = false): Outcome => new TransportError(permanent ? 'proxy' : 'reset', phase);

describe('the retry decision', () => {
  const RETRY = 'again';
  const TABLE: [string, Outcome, Record<Safety, RetryDecision['act']>][] = [
    ['status 429', status(429), { repeat: RETRY, confirm: RETRY, once: RETRY }],
    ['status 500', status(500), { repeat: RETRY, confirm: 'unknown', once: 'unknown' }],
    ['status 408', status(408), { repeat: RETRY, confirm: 'unknown', once: 'unknown' }],
    ['status 425', status(425), { repeat: RETRY, confirm: 'unknown', once: 'unknown' }],
    ['status 503 with Retry-After', status(503, '1'), { repeat: RETRY, confirm: 'unknown', once: 'unknown' }],
    ['status 501', status(501), { repeat: 'give-up', confirm: 'give-up', once: 'give-up' }],
    ['status 505', status(505), { repeat: 'give-up', confirm: 'give-up', once: 'give-up' }],
    ['status 404', status(404), { repeat: 'give-up', confirm: 'give-up', once: 'give-up' }],
    ['status 302', status(302), { repeat: 'give-up', confirm: 'give-up', once: 'give-up' }],
    ['a request that was not delivered', lost('not-delivered'), { repeat: RETRY, confirm: RETRY, once: RETRY }],
    [
      'a request that can never be delivered',
      lost('not-delivered', true),
      { repeat: 'give-up', confirm: 'give-up', once: 'give-up' },
    ],
    [
      'a request that may have been delivered',
      lost('perhaps-delivered'),
      { repeat: RETRY, confirm: 'unknown', once: 'unknown' },
    ],
  ];
  test.each(TABLE)("depends on the call's safety after %s", (_name, outcome, expected) => {
    for (const safety of SAFETIES) expect(judge(outcome, safety).act).toBe(expected[safety]);
  });

  test('never retries a request that may have been executed, unless its safety is `repeat`', () => {
    fc.assert(
      fc.property(
        fc.constantFrom<Safety>('confirm', 'once'),
        fc.oneof(
          fc.integer({ min: 500, max: 599 }).map((code) => status(code, '1')),
          fc.boolean().map((permanent) => lost('perhaps-delivered', permanent)),
        ),
        fc.integer({ min: 1, max: 5 }),
        (safety, outcome, attempt) => {
          expect(judge(outcome, safety, attempt).act).not.toBe('again');
        },
      ),
    );
  });

  test('stops after the last attempt', () => {
    for (const outcome of [status(429, '1'), status(503), lost('not-delivered')]) {
      expect(judge(outcome, 'repeat', 4).act).toBe('again');
      expect(judge(outcome, 'repeat', 5).act).toBe('give-up');
    }
  });

  test('uses full jitter up to a ceiling that doubles with each attempt', () => {
    const pauses = [1, 2, 3, 4].map((attempt) => judge(status(500), 'repeat', attempt, 0.999_999));
    expect(pauses.map((verdict) => verdict.act === 'again' && Math.round(verdict.afterMs))).toEqual([
      500, 1000, 2000, 4000,
    ]);
    expect(judge(status(500), 'repeat', 4, 0)).toEqual({ act: 'again', afterMs: 0 });
    expect(backoffCeiling(40)).toBe(30_000);
  });

  test('waits for Retry-After plus up to half a second of jitter', () => {
    expect(judge(status(429, '7'), 'once', 1, 0.5)).toEqual({ act: 'again', afterMs: 7250 });
    expect(judge(status(503, '0'), 'repeat', 3, 0)).toEqual({ act: 'again', afterMs: 0 });
    expect(judge(status(429, 'soon'), 'once', 2, 0.5)).toEqual({ act: 'again', afterMs: 500 });
  });

  test('never retries before Retry-After', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 1e9 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (seconds, random) => {
          const verdict = judge(status(429, String(seconds)), 'once', 1, random);
          expect(verdict.act === 'again' && verdict.afterMs).toBeGreaterThanOrEqual(seconds * 1000);
        },
      ),
    );
  });
});

describe('parseRetryAfter', () => {
  test.each([
    ['0', 0],
    ['7', 7000],
    [' 7 ', 7000],
    ['1.5', 1500],
    ['1.2345', 1235],
    ['0007', 7000],
    ['31536000', 31_536_000_000],
    ['9'.repeat(400), Number.MAX_SAFE_INTEGER],
    ['Sat, 21 Nov 2026 08:01:30 GMT', 90_000],
    ['Saturday, 21-Nov-26 08:01:30 GMT', 90_000],
    ['Sat Nov 21 08:01:30 2026', 90_000],
    ['Sun Nov  1 08:00:00 2026', 0],
    ['Fri, 31 Dec 1999 23:59:59 GMT', 0],
    ['Friday, 31-Dec-99 23:59:59 GMT', 0],
    ['Mon, 23 Nov 2026 00:00:00 GMT', 144_000_000],
    ['Sat, 21 Nov 2026 23:59:59 GMT', 57_599_000],
    ['tue, 01 dec 2026 08:00:00 GMT', 864_000_000],
    ['Tue Dec 01 08:00:00 2026', 864_000_000],
    ['Thu, 31 Dec 2026 08:00:00 GMT', 3_456_000_000],
    ['Monday, 21-Nov-77 08:00:00 GMT', 0],
  ])('parses %s', (value, ms) => {
    expect(parseRetryAfter(value, NOW)).toBe(ms);
  });

  test.each([
    '',
    'soon',
    '-5',
    '5s',
    '1e3',
    '0x10',
    'NaN',
    'Infinity',
    '2026-11-21T08:01:30Z',
    'Sat, 32 Nov 2026 08:01:30 GMT',
    'Sat, 21 Foo 2026 08:01:30 GMT',
    '5, 6',
    '5.',
    '.5',
    '1.5.5',
    'Sat, 21 Nov 2026 24:00:00 GMT',
    'Sat, 21 Nov 2026 08:60:00 GMT',
    'Sat, 21 Nov 2026 08:01:61 GMT',
    'Sat, 00 Nov 2026 08:01:30 GMT',
    'Sat, 21 Nov 2026 08:01:30 UTC',
    'Sat, 21 Nov 2026 08:01:30 GMT+1',
    'x Sat, 21 Nov 2026 08:01:30 GMT',
    'Sa, 21 Nov 2026 08:01:30 GMT',
    'Somebodyday, 21 Nov 2026 08:01:30 GMT',
    'Sat, 1 Nov 2026 08:01:30 GMT',
    'Sat, 21 Novem 2026 08:01:30 GMT',
    'Sat, 21 Nov 202 08:01:30 GMT',
    'Sat, 21 Nov 2026 8:01:30 GMT',
    'Sat, 21 Nov 2026 08:1:30 GMT',
    'Sat, 21 Nov 2026 08:01:3 GMT',
    'Sat Nov 32 08:01:30 2026',
    'Sat Nov 1 08:01:30 2026',
    'Satur Nov 21 08:01:30 2026',
    'x Sat Nov 21 08:01:30 2026',
    'Sat Nov 21 08:01:30 2026 GMT',
    'Sat Novem 21 08:01:30 2026',
    'Sat Nov 21 8:01:30 2026',
    'Sat Nov 21 08:01:30 26',
  ])('rejects %j', (value) => {
    expect(parseRetryAfter(value, NOW)).toBeUndefined();
  });

  test('parses every HTTP date to the second', () => {
    const dates = fc.date({ min: new Date(NOW), max: new Date('2099-12-31T23:59:59Z'), noInvalidDate: true });
    fc.assert(
      fc.property(dates, (date) => {
        expect(parseRetryAfter(date.toUTCString(), NOW)).toBe(Math.floor(date.getTime() / 1000) * 1000 - NOW);
      }),
    );
  });

  test('never throws, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const ms = parseRetryAfter(text, NOW);
        expect(ms === undefined || (ms >= 0 && Number.isFinite(ms))).toBe(true);
      }),
    );
  });
});
