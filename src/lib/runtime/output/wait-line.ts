// How the waits of calls are told: a live line with its seconds, now and then a line, an event, or nothing.
import type { Wait } from '../../http/types.ts';
import { formatDuration, isoMillis } from '../../kernel/timestamps.ts';
import { stringifyJson } from '../../kernel/json.ts';
import { cleanLine } from '../../render/clean.ts';
import { fitText } from '../../render/width.ts';
import type { GlobalFlags, Io } from '../context.ts';
import type { Messages } from './messages.ts';
import { automaticMode, PLAIN_INTERVAL_MS } from './progress.ts';

/** Under `-o json`, where a program reads standard error, only `--progress` brings anything (decision: D199). */
export function createWaitLine(io: Io, flags: GlobalFlags, messages: Messages) {
  const mode = flags.progress === 'auto' ? automaticMode(io, flags) : flags.progress;
  let told: Wait | undefined;
  let toldAt = Number.NEGATIVE_INFINITY;

  function tell(wait: Wait, silentMs: number, every: boolean): void {
    const isNews = told !== wait && (wait.isAsked === true || every);
    if (!isNews && (silentMs < PLAIN_INTERVAL_MS || io.clock.now() - toldAt < PLAIN_INTERVAL_MS)) return;
    // With -v each pause is a line already, and a long one always.
    if (mode !== 'json' && (wait.isTold || (wait.isAsked && (flags.verbose || flags.debug)))) return;
    told = wait;
    toldAt = io.clock.now();
    const text = cleanLine(wait.text);
    if (mode === 'json') {
      const progress = { event: 'wait', title: 'Calling the platform', at: isoMillis(toldAt), text };
      messages.write(`${stringifyJson({ progress })}\n`);
    } else messages.line(`${text}${wait.isAsked ? '' : `, ${secondsOf(silentMs)} so far`}.`);
  }

  return {
    /** `wait` goes on, and nothing was heard for `silentMs`. */
    show: (wait: Wait, silentMs: number): void => {
      if (mode === 'none' || mode === 'paced-json') return;
      if (mode === 'live')
        messages.beneath(fitText(cleanLine(`${wait.text}, ${secondsOf(silentMs)} so far`), io.columns() - 1));
      else tell(wait, silentMs, mode === 'json');
    },
    /** It is over: nothing of it is left on a terminal. */
    hide: (): void => messages.beneath(undefined),
  };
}

function secondsOf(ms: number): string {
  return formatDuration(Math.floor(ms / 1000) * 1000);
}
