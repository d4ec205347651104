// The concurrency window: the number of concurrent requests, adjusted according to responses.
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { createWindow, type Window } from '../../../../../src/lib/domain/pacing/window.ts';
import { runs } from '../../../../helpers/size.ts';

/** Records a full window of responses that took `ms` each, and returns the new size. */
function round(window: Window, ms: number): number {
  for (let left = window.size; left > 0; left--) window.answered(ms, false);
  return window.size;
}

describe('the concurrency window', () => {
  it('starts with four requests, or the maximum if that is lower', () => {
    expect([1, 3, 4, 64].map((max) => createWindow(max).size)).toEqual([1, 3, 4, 4]);
  });

  it('doubles after each complete round of fast responses, up to the maximum', () => {
    const window = createWindow(50);
    for (let answer = 0; answer < 3; answer++) window.answered(100, false);
    expect(window.size).toBe(4);
    window.answered(100, false);
    expect(window.size).toBe(8);
    expect([round(window, 100), round(window, 100), round(window, 100), round(window, 100)]).toEqual([16, 32, 50, 50]);
  });

  it('shrinks if responses take longer than twice the best time plus a margin, and then grows by a quarter', () => {
    const window = createWindow(100);
    round(window, 100);
    round(window, 100);
    expect(round(window, 200)).toBe(32);
    expect(round(window, 215)).toBe(27);
    // The size is between 27 and 28, so a round takes 28 responses.
    expect(round(window, 100)).toBe(27);
    window.answered(100, false);
    expect(window.size).toBe(34);
  });

  it('ignores response time differences of a few milliseconds', () => {
    const window = createWindow(64);
    round(window, 1);
    expect(round(window, 7)).toBe(16);
    expect(round(window, 8)).toBe(13);
  });

  it('uses the average response time of a round', () => {
    const window = createWindow(64);
    round(window, 100);
    for (const ms of [700, 100, 100, 100, 100, 100, 100, 100]) window.answered(ms, false);
    expect(window.size).toBe(16);
    for (let answer = 0; answer < 16; answer++) window.answered(answer < 3 ? 1000 : 100, false);
    expect(window.size).toBe(13);
  });

  it('grows by at least one', () => {
    const window = createWindow(64);
    window.overloaded();
    expect(window.size).toBe(2);
    expect([round(window, 100), round(window, 100), round(window, 100)]).toEqual([3, 4, 5]);
  });

  it('forgets an old best response time', () => {
    const window = createWindow(64);
    round(window, 100);
    let sizes = 0;
    for (let rounds = 0; rounds < 30; rounds++) round(window, 210);
    for (let rounds = 0; rounds < 200; rounds++) sizes = round(window, 210);
    expect(sizes).toBe(64);
  });

  it('shrinks and starts a new round after each warning that a limit is near', () => {
    const window = createWindow(64);
    round(window, 100);
    for (let answer = 0; answer < 7; answer++) window.answered(100, false);
    window.answered(100, true);
    expect(window.size).toBe(6);
    for (let answer = 0; answer < 6; answer++) window.answered(100, false);
    expect(window.size).toBe(6);
    window.answered(100, false);
    expect(window.size).toBe(13);
    for (let answer = 0; answer < 40; answer++) window.answered(100, true);
    expect(window.size).toBe(1);
  });

  it('is halved once for all requests that were in flight when a limit was hit', () => {
    const window = createWindow(64);
    round(window, 100);
    round(window, 100);
    for (let rejection = 0; rejection < 17; rejection++) window.overloaded();
    expect(window.size).toBe(8);
    window.overloaded();
    expect(window.size).toBe(4);
    // These eight responses belong to requests sent before the limit was hit.
    for (let answer = 0; answer < 8; answer++) window.answered(100, false);
    expect(window.size).toBe(5);
    window.overloaded();
    expect(window.size).toBe(2);
  });

  it('starts a new round when a limit is hit, without counting earlier responses', () => {
    const window = createWindow(64);
    round(window, 100);
    for (let answer = 0; answer < 7; answer++) window.answered(100, false);
    window.overloaded();
    window.answered(100, false);
    expect(window.size).toBe(4);
    for (let answer = 0; answer < 3; answer++) window.answered(100, false);
    expect(window.size).toBe(5);
  });
});

test('always allows at least one request and at most the maximum', () => {
  const anyEvent = fc.oneof(
    fc.constant(undefined),
    fc.tuple(fc.double({ min: 0, max: 10_000, noNaN: true }), fc.boolean()),
  );
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 256 }), fc.array(anyEvent, { maxLength: 300 }), (max, events) => {
      const window = createWindow(max);
      for (const event of events) {
        if (event) window.answered(...event);
        else window.overloaded();
        expect(window.size >= 1 && window.size <= max && Number.isInteger(window.size)).toBe(true);
      }
    }),
    runs(300),
  );
});
