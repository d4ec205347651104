// What is learned of a platform's limit from where it said "too many".
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { createLearnedRate, type LearnedRate } from '../../../../../src/lib/domain/pacing/learned-rate.ts';
import { runs } from '../../../../helpers/size.ts';

/** So many requests a second are taken from `from` to `to`. */
function take(rate: LearnedRate, perSecond: number, from: number, to: number): void {
  for (let at = from; at < to; at += 1000 / perSecond) rate.accepted(at);
}

/** Limited at `at`, and going on a second later. */
function hit(rate: LearnedRate, at: number, askedMs: number | undefined = 1000): number | undefined {
  rate.limited(at, askedMs);
  return rate.resumed(at + 1000);
}

function taught(): LearnedRate {
  const rate = createLearnedRate();
  take(rate, 100, 0, 2000);
  hit(rate, 2000);
  return rate;
}

describe('the first limit', () => {
  it('tells what was taken of the second before it, of which a little less is kept', () => {
    const rate = createLearnedRate();
    expect(rate.at(0)).toBe(Infinity);
    take(rate, 100, 0, 2000);
    expect(hit(rate, 2000)).toBeCloseTo(97 * 0.99, 0);
    expect(rate.at(3000)).toBeCloseTo(97 * 0.99, 0);
  });

  test.each([
    ['a long wait, which others may have brought about', 100, 0, 2000, 30_000],
    ['less than a second of requests', 100, 1500, 2000, 1000],
    ['few requests', 15, 0, 2000, 1000],
    ['no request', 1, 5000, 5000, 1000],
  ])('tells nothing after %s, but the next one does', (_what, perSecond, from, to, askedMs) => {
    const rate = createLearnedRate();
    take(rate, perSecond, from, to);
    expect(hit(rate, to, askedMs)).toBeUndefined();
    expect(rate.at(to + 1000)).toBe(Infinity);
    take(rate, 50, to + 1000, to + 8000);
    expect(hit(rate, to + 8000, askedMs)).toBeGreaterThan(45);
  });
});

describe('the rate', () => {
  it('is what was too much after 45 seconds, hardly more for a while, and much more later', () => {
    const rate = taught();
    const at = (second: number): number => rate.at(3000 + second * 1000);
    const high = at(45);
    expect([at(0) / high, at(20) / high, at(70) / high].map((part) => part.toFixed(3))).toEqual([
      '0.970',
      '0.995',
      '1.005',
    ]);
    expect(at(200) / high).toBeGreaterThan(2);
  });

  it('is tried again later each time that the limit is where it had been', () => {
    const rate = taught();
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
      hit(rate, now);
      now += 1000;
    }
    expect(gaps[1]).toBeGreaterThan((gaps[0] ?? 0) * 1.5);
    expect(gaps[2]).toBeGreaterThan((gaps[1] ?? 0) * 1.5);
    expect(gaps[3]).toBeLessThanOrEqual((gaps[2] ?? 0) * 1.1);
  });

  it('goes down in larger steps while limits follow soon, but not below what went through between them', () => {
    const rate = taught();
    const before = rate.at(3000);
    take(rate, before, 3000, 5000);
    const second = hit(rate, 5000) ?? 0;
    expect(second / before).toBeCloseTo(0.85, 1);
    // 195 in the three seconds from limit to limit, 70 of them in the last.
    take(rate, 125, 6000, 7000);
    take(rate, 70, 7001, 8000);
    expect(hit(rate, 8000)).toBeCloseTo((195 / 3) * 0.97, 0);
  });

  it('of a platform that takes fewer now is what it takes now', () => {
    const rate = taught();
    take(rate, 20, 3000, 30_000);
    // Of any second there are 19 whole intervals at least.
    expect(hit(rate, 30_000)).toBeCloseTo(19 * 0.97, 1);
  });

  it('goes down no further than usual when the limit before told nothing', () => {
    const rate = createLearnedRate();
    take(rate, 100, 0, 500);
    hit(rate, 500);
    take(rate, 100, 1500, 3500);
    expect(hit(rate, 3500)).toBeCloseTo(99 * 0.97, 0);
  });

  it('of few requests is what was kept, since a second holds whole requests only', () => {
    const rate = createLearnedRate();
    take(rate, 5, 0, 2000);
    hit(rate, 2000);
    take(rate, 5, 3000, 11_000);
    const before = hit(rate, 11_000) ?? 0;
    expect(before).toBeCloseTo(4 * 0.97);
    // At 4.1 a second the limit is met again; of the second before it four are whole.
    let now = 12_000;
    while (rate.at(now) < 4.1) {
      rate.accepted(now);
      now += 1000 / rate.at(now);
    }
    expect(hit(rate, now)).toBeCloseTo(4.1 * 0.97, 1);
  });

  it('that was told is right, unless clearly fewer are taken', () => {
    for (const [wanted, learned] of [
      [110, undefined],
      [200, 97],
    ] as const) {
      const rate = createLearnedRate(wanted);
      take(rate, 100, 0, 2000);
      expect(hit(rate, 2000)?.toFixed(0)).toBe(learned === undefined ? undefined : (learned * 0.99).toFixed(0));
    }
  });

  it('of thousands a second is known too', () => {
    const rate = createLearnedRate();
    take(rate, 20_000, 0, 2000);
    expect((hit(rate, 2000) ?? 0) / 20_000).toBeCloseTo(0.97, 2);
  });
});

test('whatever happens, the rate is more than nothing, and grows until the next limit', () => {
  const event = fc.record({ afterMs: fc.integer({ min: 0, max: 20_000 }), taken: fc.integer({ min: 0, max: 50 }) });
  fc.assert(
    fc.property(fc.array(event, { maxLength: 40 }), fc.constantFrom(undefined, 0, 1000, 60_000), (events, asked) => {
      const rate = createLearnedRate();
      let now = 0;
      for (const { afterMs, taken } of events) {
        for (let one = 0; one < taken; one++) rate.accepted(now + (afterMs * one) / taken);
        now += afterMs;
        rate.limited(now, asked);
        rate.limited(now + 1, asked);
        now += 1000;
        rate.resumed(now);
        const rates = [-5000, 0, 1000, 45_000, 1_000_000].map((later) => rate.at(now + later));
        expect(rates.every((one) => one > 0)).toBe(true);
        expect(rates).toEqual(rates.toSorted((a, b) => a - b));
      }
    }),
    runs(300),
  );
});
