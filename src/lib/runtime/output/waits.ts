// Shows that a call is waiting: a live line that counts seconds, a plain line now and then, an event, or nothing.
import type { Wait } from '../../http/types.ts';
import { steadyClock } from '../../kernel/clock.ts';
import { stringifyJson } from '../../kernel/json.ts';
import { formatDuration, isoMillis } from '../../kernel/timestamps.ts';
import { cleanLine } from '../../render/clean.ts';
import { fitText } from '../../render/width.ts';
import type { GlobalFlags, Io } from '../context.ts';
import { liveWidth, type Messages } from './messages.ts';
import { PLAIN_INTERVAL_MS, progressMode } from './progress.ts';

/** Shorter waits are not shown. */
const UNNOTICED_MS = 1000;

/** Calls within this time of each other count as one wait. Also the minimum delay before a wait is shown. */
const GAP_MS = 100;

export function createWaits(io: Io, flags: GlobalFlags, messages: Messages): (wait: Wait) => () => void {
  const { now } = steadyClock(io.clock);
  const open = new Set<Wait>();
  let since = 0;
  let overAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  let shown: Wait | undefined;
  let shownAt = Number.NEGATIVE_INFINITY;

  function schedule(ms: number): void {
    // The call keeps the process alive, so the timer need not.
    timer = setTimeout(check, ms).unref();
  }

  function check(): void {
    const [wait] = open;
    if (!wait) return;
    // By this clock, a timer may fire slightly early.
    const left = since + UNNOTICED_MS - now();
    if (left <= 0) show(wait, UNNOTICED_MS - left);
    schedule(left <= 0 ? UNNOTICED_MS : Math.max(GAP_MS, left));
  }

  function show(wait: Wait, silentMs: number): void {
    // If a program reads JSON from standard error, waits are shown only with `--progress` (decision: D199).
    const mode = progressMode(io, flags);
    if (mode === 'none' || mode === 'paced-json') return;
    const text = cleanLine(wait.text);
    const silence = `${formatDuration(Math.floor(silentMs / 1000) * 1000)} so far`;
    if (mode === 'live') messages.beneath(fitText(`${text}, ${silence}`, liveWidth(io)));
    else if (isDue(wait, silentMs, mode === 'json')) {
      // The first line of a requested wait already states its length.
      const isAnnounced = wait.isRequested === true && shown !== wait;
      shown = wait;
      shownAt = now();
      if (mode === 'json') {
        const title = wait.isLock ? 'Waiting for a lock' : 'Calling the platform';
        const progress = { event: 'wait', title, at: isoMillis(io.clock.now()), text };
        messages.write(`${stringifyJson({ progress })}\n`);
      } else messages.line(`${text}${isAnnounced ? '' : `, ${silence}`}.`);
    }
  }

  /** True if a plain line or an event is due: for a new wait, or after a long silence. */
  function isDue(wait: Wait, silentMs: number, isEvent: boolean): boolean {
    const isNew = shown !== wait && (wait.isRequested === true || wait.isLock === true || isEvent);
    if (!isNew && (silentMs < PLAIN_INTERVAL_MS || now() - shownAt < PLAIN_INTERVAL_MS)) return false;
    // -v already prints each pause.
    return isEvent || !(wait.isRequested && (flags.verbose || flags.debug));
  }

  return (wait) => {
    if (open.size === 0) {
      if (now() - overAt > GAP_MS) since = now();
      schedule(Math.max(GAP_MS, since + UNNOTICED_MS - now()));
    }
    open.add(wait);
    return () => {
      open.delete(wait);
      if (open.size > 0) return;
      clearTimeout(timer);
      overAt = now();
      messages.beneath(undefined);
    };
  };
}
