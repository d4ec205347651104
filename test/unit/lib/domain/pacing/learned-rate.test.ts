// Learns a platform's rate limit from its 429 responses.
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { LearnedRate } from '../../../../../src/lib/domain/pacing/learned-rate.ts';
import { runs } from '../../../../helpers/size.ts';

/** Records `perSecond` accepted requests per second from `from` to `to`. */
function accept(rate: LearnedRate, perSecond: number, from: number, to: number): void {
  for (let at = from; at < to; at += 1000 / perSecond) rate.accepted(at);
}

/** The balance after many 429s. It is negative, so no more 429s are excused. */
const MANY = -5;

/** Records a 429 at `at` and a resumption one second later, and returns the new rate, if any. */
function hitLimit(rate: LearnedRate, at: number, askedMs: number | undefined = 1000): number | undefined {
  rate.limited(at, askedMs);
  return rate.resumed(at + 1000, MANY);
}

function learnedRate(): LearnedRate {
  const rate = new LearnedRate();
  accept(rate, 100, 0, 2000);
  hitLimit(rate, 2000);
  return rate;
}

describe('the first 429', () => {
  it('sets the rate slightly below the number of requests accepted in the last second', () => {
    const rate = new LearnedRate();
    expect(rate.at(0)).toBe(Infinity);
    accept(rate, 100, 0, 2000);
    expect(hitLimit(rate, 2000)).toBeCloseTo(97 * 0.99, 0);
    expect(rate.at(3000)).toBeCloseTo(97 * 0.99, 0);
  });

  test.each([
    ['a long Retry-After, which other clients may have caused', 100, 0, 2000, 30_000],
    ['requests for less than a second', 100, 1500, 2000, 1000],
    ['few requests', 15, 0, 2000, 1000],
    ['no requests', 1, 5000, 5000, 1000],
  ])('is ignored in this case, but the next 429 is not: %s', (_what, perSecond, from, to, askedMs) => {
    const rate = new LearnedRate();
    accept(rate, perSecond, from, to);
    expect(hitLimit(rate, to, askedMs)).toBeUndefined();
    expect(rate.at(to + 1000)).toBe(Infinity);
    accept(rate, 50, to + 1000, to + 8000);
    expect(hitLimit(rate, to + 8000, askedMs)).toBeGreaterThan(45);
  });
});

describe('a limit that is not known yet', () => {
  /**
   * Sends requests until each 429, and pauses after it. `counts` contains the number of requests accepted before each
   * 429.
   */
  function pausesAfter(counts: number[], balance: number): number | undefined {
    const rate = new LearnedRate();
    let now = 0;
    let learned: number | undefined;
    for (const taken of counts) {
      accept(rate, 1000, now, now + taken);
      rate.limited(now + taken, 1000);
      now += 1500;
      learned = rate.resumed(now, balance);
    }
    return learned;
  }

  test.each([
    ['stays unknown if few requests are accepted between pauses of random length', [12, 4, 9, 2], 0, undefined],
    ['stays unknown if many 429s come after different numbers of requests', [12, 4, 9, 2], MANY, undefined],
    ['is learned if many 429s come, two in a row after the same number of requests', [5, 5], MANY, 4.85],
  ])('%s', (_what, counts, balance, learned) => {
    const rate = pausesAfter(counts, balance);
    expect(rate === undefined ? undefined : Number(rate.toFixed(2))).toBe(learned);
  });
});

describe('the learned rate', () => {
  it('takes 45 seconds to climb back to the rate that failed, stays close to it, and then increases fast', () => {
    const rate = learnedRate();
    const at = (second: number): number => rate.at(3000 + second * 1000);
    const high = at(45);
    expect([at(0) / high, at(20) / high, at(70) / high].map((part) => part.toFixed(3))).toEqual([
      '0.970',
      '0.995',
      '1.005',
    ]);
    expect(at(200) / high).toBeGreaterThan(2);
  });

  it('takes longer each time to return to an unchanged limit, up to a maximum', () => {
    const rate = learnedRate();
    const gaps: number[] = [];
    let now = 3000;
    for (let time = 0; time < 4; time++) {
      const from = now;
      const high = 100;
      while (rate.at(now) < high) {
        rate.accepted(now);
        now += 1000 / rate.at(now);
      }
      gaps.push(Math.round((now - from) / 1000));
      hitLimit(rate, now);
      now += 1000;
    }
    expect(gaps[1]).toBeGreaterThan((gaps[0] ?? 0) * 1.5);
    expect(gaps[2]).toBeGreaterThan((gaps[1] ?? 0) * 1.5);
    expect(gaps[3]).toBeLessThanOrEqual((gaps[2] ?? 0) * 1.1);
  });

  it('ignores one 429 below the limit, then decreases more, but not below 97% of the accepted rate', () => {
    const rate = learnedRate();
    const before = rate.at(3000);
    accept(rate, before, 6000, 8000);
    expect(hitLimit(rate, 8000)).toBeUndefined();
    expect(rate.at(9000)).toBeCloseTo(before);
    accept(rate, before, 9000, 11_000);
    expect((hitLimit(rate, 11_000) ?? 0) / before).toBeCloseTo(0.85, 1);
    // Between the 429s, accept 195 requests in three seconds, 70 of them in the last second.
    accept(rate, 125, 12_000, 13_000);
    accept(rate, 70, 13_001, 14_000);
    expect(hitLimit(rate, 14_000)).toBeCloseTo((195 / 3) * 0.97, 0);
  });

  it('is not changed by a 429 that does not follow any requests', () => {
    const rate = learnedRate();
    const before = rate.at(3000);
    accept(rate, before, 6000, 8000);
    hitLimit(rate, 8000);
    expect(rate.at(9000)).toBeCloseTo(before);
    const risen = rate.at(21_000);
    expect(hitLimit(rate, 20_000)).toBeUndefined();
    expect(rate.at(21_000)).toBe(risen);
    expect(risen).toBeGreaterThan(before);
  });

  it('falls if the platform accepts fewer requests', () => {
    const rate = learnedRate();
    accept(rate, 20, 3000, 30_000);
    // The last second contains 19 requests: the one at its start does not count, and none was sent at its end.
    expect(hitLimit(rate, 30_000)).toBeCloseTo(19 * 0.97, 1);
  });

  it('does not decrease more than usual if the previous 429 was ignored', () => {
    const rate = new LearnedRate();
    accept(rate, 100, 0, 500);
    hitLimit(rate, 500);
    accept(rate, 100, 1500, 3500);
    expect(hitLimit(rate, 3500)).toBeCloseTo(99 * 0.97, 0);
  });

  it('is not rounded if it is low, even though only whole requests can be counted', () => {
    const rate = new LearnedRate();
    accept(rate, 5, 0, 2000);
    hitLimit(rate, 2000);
    accept(rate, 5, 3000, 5000);
    const before = hitLimit(rate, 5000) ?? 0;
    expect(before).toBeCloseTo(4 * 0.97);
    // The limit is hit again at 4.1 requests per second; the second before that contains four whole requests.
    let now = 6000;
    while (rate.at(now) < 4.1) {
      rate.accepted(now);
      now += 1000 / rate.at(now);
    }
    expect(hitLimit(rate, now)).toBeCloseTo(4.1 * 0.97, 1);
  });

  it('stays at the configured rate unless clearly fewer requests are accepted', () => {
    for (const [wanted, learned] of [
      [110, undefined],
      [200, 97],
    ] as const) {
      const rate = new LearnedRate(wanted);
      accept(rate, 100, 0, 2000);
      expect(hitLimit(rate, 2000)?.toFixed(0)).toBe(learned === undefined ? undefined : (learned * 0.99).toFixed(0));
    }
  });

  it('falls below the configured rate if a second 429 follows soon, even if almost as many requests are accepted', () => {
    const rate = new LearnedRate(110);
    accept(rate, 100, 0, 2000);
    expect(hitLimit(rate, 2000)).toBeUndefined();
    accept(rate, 100, 3000, 4500);
    expect(hitLimit(rate, 4500)).toBeCloseTo(99 * 0.97, 0);
  });

  it('can be thousands of requests per second', () => {
    const rate = new LearnedRate();
    accept(rate, 20_000, 0, 2000);
    expect((hitLimit(rate, 2000) ?? 0) / 20_000).toBeCloseTo(0.97, 2);
  });
});

test('keeps the rate positive, and raises it until the next 429', () => {
  const event = fc.record({ afterMs: fc.integer({ min: 0, max: 20_000 }), accepted: fc.integer({ min: 0, max: 50 }) });
  fc.assert(
    fc.property(fc.array(event, { maxLength: 40 }), fc.constantFrom(undefined, 0, 1000, 60_000), (events, asked) => {
      const rate = new LearnedRate();
      let now = 0;
      for (const { afterMs, accepted } of events) {
        for (let one = 0; one < accepted; one++) rate.accepted(now + (afterMs * one) / accepted);
        now += afterMs;
        rate.limited(now, asked);
        rate.limited(now + 1, asked);
        now += 1000;
        rate.resumed(now, MANY);
        const rates = [-5000, 0, 1000, 45_000, 1_000_000].map((later) => rate.at(now + later));
        expect(rates.every((one) => one > 0)).toBe(true);
        expect(rates).toEqual(rates.toSorted((a, b) => a - b));
      }
    }),
    runs(300),
  );
});
