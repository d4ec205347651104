// The system clock: long, short and aborted waits, waiting for work with a time limit, and actions on abort.
import { getEventListeners } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { onAbort, steadyClock, systemClock, waitAtMost } from '../../../../src/lib/kernel/clock.ts';
import { fakeTimersOf } from '../../../helpers/fake-timers.ts';

const DAY = 86_400_000;
const openTimers = fakeTimersOf('/src/lib/kernel/clock.ts', { now: 1_000_000 });

describe('systemClock', () => {
  /** Reports whether the wait is over, without advancing the time. */
  async function isOver(wait: Promise<void>): Promise<boolean> {
    let over = false;
    void wait.then(() => (over = true));
    await vi.advanceTimersByTimeAsync(0);
    return over;
  }

  it('returns the time', () => {
    expect(systemClock.now()).toBe(1_000_000);
  });

  it('measures durations even if it is set', async () => {
    const { now } = steadyClock(systemClock);
    const before = now();
    vi.setSystemTime(5);
    await vi.advanceTimersByTimeAsync(1000);
    expect([now() - before, systemClock.now()]).toEqual([1000, 1005]);
  });

  it.each([1, 1000, 24 * DAY, 25 * DAY, 100 * DAY])('waits exactly %i ms', async (ms) => {
    const wait = systemClock.sleep(ms);
    await vi.advanceTimersByTimeAsync(ms - 1);
    expect(await isOver(wait)).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await isOver(wait)).toBe(true);
    expect(openTimers()).toBe(0);
  });

  it.each([0, -5])('returns immediately for %i ms', async (ms) => {
    expect(await isOver(systemClock.sleep(ms))).toBe(true);
  });

  it.each([10, 100 * DAY])("rejects with the abort's reason if a wait of %i ms is aborted", async (ms) => {
    const stop = new AbortController();
    const wait = systemClock.sleep(ms, stop.signal);
    const end = expect(wait).rejects.toThrow('Ctrl-C');
    stop.abort(new Error('Ctrl-C'));
    await end;
    expect(openTimers()).toBe(0);
    await expect(systemClock.sleep(ms, stop.signal)).rejects.toThrow('Ctrl-C');
    expect(openTimers()).toBe(0);
  });

  it('removes its listener from the signal after each wait', async () => {
    const { signal } = new AbortController();
    const wait = systemClock.sleep(100 * DAY, signal);
    await vi.advanceTimersByTimeAsync(100 * DAY);
    await wait;
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

describe('waitAtMost', () => {
  it.each([
    ['finished work', Promise.resolve(1)],
    ['no work', undefined],
  ])('returns immediately for %s', async (_what, work) => {
    await waitAtMost(work, 5000, systemClock);
    expect(openTimers()).toBe(0);
  });

  it('returns at the time limit if the work continues', async () => {
    let over = false;
    const wait = waitAtMost(new Promise(() => undefined), 5000, systemClock).then(() => (over = true));
    await vi.advanceTimersByTimeAsync(4999);
    expect(over).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await wait;
  });

  it('fails if the work fails', async () => {
    await expect(waitAtMost(Promise.reject(new Error('no luck')), 5000, systemClock)).rejects.toThrow('no luck');
    expect(openTimers()).toBe(0);
  });

  it("rejects with the abort's reason, and does not leave a timer", async () => {
    const stop = new AbortController();
    const end = expect(waitAtMost(new Promise(() => undefined), 5000, systemClock, stop.signal)).rejects.toThrow(
      'Ctrl-C',
    );
    stop.abort(new Error('Ctrl-C'));
    await end;
    expect(openTimers()).toBe(0);
  });
});

describe('onAbort', () => {
  it('calls the action when the signal is aborted', () => {
    const stop = new AbortController();
    const act = vi.fn();
    onAbort(stop.signal, act);
    stop.abort();
    expect(act).toHaveBeenCalledTimes(1);
  });

  it('releases a canceled action, even while something else refers to its listener', () => {
    const { signal } = new AbortController();
    const add = vi.spyOn(signal, 'addEventListener');
    const act = vi.fn();
    onAbort(signal, act)();
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    (add.mock.calls[0]?.[1] as () => void)();
    expect(act).not.toHaveBeenCalled();
  });
});
