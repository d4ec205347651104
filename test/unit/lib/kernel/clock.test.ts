// The machine's clock: waits that are long, short, aborted, and leave no listener behind; and work that is waited for only so long.
import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock, waitAtMost } from '../../../../src/lib/kernel/clock.ts';

const DAY = 86_400_000;

describe('systemClock', () => {
  beforeEach(() => vi.useFakeTimers({ now: 1_000_000 }));
  afterEach(() => vi.useRealTimers());

  /** Whether the wait is over, without changing the time. */
  async function isOver(wait: Promise<void>): Promise<boolean> {
    let over = false;
    void wait.then(() => (over = true));
    await vi.advanceTimersByTimeAsync(0);
    return over;
  }

  it('tells the time', () => {
    expect(systemClock.now()).toBe(1_000_000);
  });

  it.each([1, 1000, 24 * DAY, 25 * DAY, 100 * DAY])('waits %i ms and no less', async (ms) => {
    const wait = systemClock.sleep(ms);
    await vi.advanceTimersByTimeAsync(ms - 1);
    expect(await isOver(wait)).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await isOver(wait)).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each([0, -5])('does not wait %i ms', async (ms) => {
    expect(await isOver(systemClock.sleep(ms))).toBe(true);
  });

  it.each([10, 100 * DAY])('ends a wait of %i ms when it is aborted, with the reason', async (ms) => {
    const stop = new AbortController();
    const wait = systemClock.sleep(ms, stop.signal);
    const end = expect(wait).rejects.toThrow('Ctrl-C');
    stop.abort(new Error('Ctrl-C'));
    await end;
    expect(vi.getTimerCount()).toBe(0);
    await expect(systemClock.sleep(ms, stop.signal)).rejects.toThrow('Ctrl-C');
    expect(vi.getTimerCount()).toBe(0);
  });

  it('leaves no listener on a signal that outlives the wait', async () => {
    const { signal } = new AbortController();
    const wait = systemClock.sleep(100 * DAY, signal);
    await vi.advanceTimersByTimeAsync(100 * DAY);
    await wait;
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

describe('waitAtMost', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  it.each([
    ['work that is over', Promise.resolve(1)],
    ['no work', undefined],
  ])('does not wait for %s', async (_what, work) => {
    await waitAtMost(work, 5000, systemClock);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('ends with the time that was given when the work goes on', async () => {
    let over = false;
    const wait = waitAtMost(new Promise(() => undefined), 5000, systemClock).then(() => (over = true));
    await vi.advanceTimersByTimeAsync(4999);
    expect(over).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await wait;
  });

  it('fails as the work does', async () => {
    await expect(waitAtMost(Promise.reject(new Error('no luck')), 5000, systemClock)).rejects.toThrow('no luck');
    expect(vi.getTimerCount()).toBe(0);
  });

  it('ends when it is aborted, with the reason, and leaves nothing behind', async () => {
    const stop = new AbortController();
    const end = expect(waitAtMost(new Promise(() => undefined), 5000, systemClock, stop.signal)).rejects.toThrow(
      'Ctrl-C',
    );
    stop.abort(new Error('Ctrl-C'));
    await end;
    expect(vi.getTimerCount()).toBe(0);
  });
});
