// Fake timers, and the number of timers that a module leaves pending.
import { afterEach, beforeEach, vi } from 'vitest';

/**
 * Installs fake timers for each test in the file. The returned function counts the pending timers that the module at
 * `path` set. `vi.getTimerCount` also counts the timers of servers that earlier test files left open in this process.
 */
export function fakeTimersOf(path: string, options?: Parameters<typeof vi.useFakeTimers>[0]): () => number {
  const pending = new Set<unknown>();
  beforeEach(() => {
    pending.clear();
    vi.useFakeTimers(options);
    const { setTimeout: set, clearTimeout: clear } = globalThis;
    const start = <Args extends unknown[]>(
      run: (...args: Args) => void,
      ms?: number,
      ...args: Args
    ): NodeJS.Timeout => {
      const timer = set(() => {
        pending.delete(timer);
        run(...args);
      }, ms);
      if (new Error().stack?.includes(path)) pending.add(timer);
      return timer;
    };
    vi.stubGlobal('setTimeout', start);
    vi.stubGlobal('clearTimeout', (timer: NodeJS.Timeout | undefined) => {
      pending.delete(timer);
      clear(timer);
    });
  });
  afterEach(() => {
    vi.unstubAllGlobals();
    vi.useRealTimers();
  });
  return () => pending.size;
}
