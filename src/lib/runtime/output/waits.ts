// Which waits of calls are under way, and since when nothing was heard. What draws them is loaded when a second is over.
import type { Wait } from '../../http/types.ts';
import type { GlobalFlags, Io } from '../context.ts';
import type { Messages } from './messages.ts';

/** As long as nobody wonders. */
const UNNOTICED_MS = 1000;

/** Calls that follow each other this closely are one silence, and a line is drawn no more often. */
const GAP_MS = 100;

/** Returns what begins a wait, and whose result ends it. */
export function createWaits(io: Io, flags: GlobalFlags, messages: Messages): (wait: Wait) => () => void {
  const open = new Set<Wait>();
  let since = 0;
  let overAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  let line: Promise<ReturnType<typeof import('./wait-line.ts').createWaitLine>> | undefined;
  let hide: (() => void) | undefined;

  /** A wait keeps no process alive: what is waited for does. */
  function lookIn(ms: number): void {
    timer = setTimeout(() => void look(), ms).unref();
  }

  async function look(): Promise<void> {
    const mine = timer;
    line ??= import('./wait-line.ts').then((it) => it.createWaitLine(io, flags, messages));
    const drawn = await line;
    const [wait] = open;
    if (mine !== timer || !wait) return;
    hide = drawn.hide;
    // A timer may fire a little early by this clock.
    const left = since + UNNOTICED_MS - io.clock.now();
    if (left <= 0) drawn.show(wait, UNNOTICED_MS - left);
    lookIn(left <= 0 ? UNNOTICED_MS : Math.max(GAP_MS, left));
  }

  return (wait) => {
    const now = io.clock.now();
    if (open.size === 0) {
      if (now - overAt > GAP_MS) since = now;
      lookIn(Math.max(GAP_MS, since + UNNOTICED_MS - now));
    }
    open.add(wait);
    return () => {
      open.delete(wait);
      if (open.size > 0) return;
      clearTimeout(timer);
      timer = undefined;
      overAt = io.clock.now();
      hide?.();
    };
  };
}
