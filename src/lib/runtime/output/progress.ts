// Reports the progress of an operation: as a live line, plain lines, NDJSON events, or not at all.
import { formatDuration, isoMillis } from '../../kernel/timestamps.ts';
import { steadyClock } from '../../kernel/clock.ts';
import { stringifyJson } from '../../kernel/json.ts';
import { cleanLine } from '../../render/clean.ts';
import { progressBar, progressText, shareOf, waitBar } from '../../render/progress.ts';
import type { GlobalFlags, Io, Progress } from '../context.ts';
import { liveWidth, mayRedraw, type Messages } from './messages.ts';

type State = Parameters<Progress['update']>[0];

/** Minimum time between live lines, and maximum time between plain lines. */
const LIVE_INTERVAL_MS = 100;
export const PLAIN_INTERVAL_MS = 10_000;
const SECOND_MS = 1000;
/** Plain lines do not report operations shorter than this. */
const UNNOTICED_MS = 1000;
/** Minimum time between events for states that change quickly, so that the log of a long run stays small. */
const PASSING_INTERVAL_MS = 1000;
/** Without an update for this time, the rate and the remaining time of the last state are not shown. */
const STALE_MS = 5000;
/** If a pause is longer than this, the user may prefer to resume later. */
const LONG_WAIT_MS = 60_000;

export function createProgress(title: string, io: Io, flags: GlobalFlags, messages: Messages): Progress {
  const mode = progressMode(io, flags);
  let shown = NOTHING;
  if (mode === 'live') shown = liveProgress(title, io, messages);
  else if (mode === 'plain') shown = plainProgress(title, io, messages);
  else if (mode !== 'none') {
    const pace = mode === 'paced-json' ? createPace(io, PLAIN_INTERVAL_MS) : undefined;
    shown = jsonProgress(title, io, messages, pace);
  }
  return {
    update: (state) => shown.update(state),
    wait: (ms, why) => shown.wait(ms, why),
    end: (text) => {
      shown.end(text);
      shown = NOTHING;
    },
  };
}

const NOTHING: Progress = { update: () => undefined, wait: () => undefined, end: () => undefined };

/** Returns the mode from `--progress` or the terminal. `paced-json` emits no more events than `plain` prints lines. */
export function progressMode(io: Io, flags: GlobalFlags): 'live' | 'plain' | 'json' | 'paced-json' | 'none' {
  if (flags.progress !== 'auto') return flags.progress;
  if (flags.quiet) return 'none';
  // With -o json, a program that reads standard error gets only JSON (decision: D33).
  if (!io.tty.stderr && (flags.output === 'json' || flags.output === 'ndjson')) return 'paced-json';
  return io.tty.stderr && mayRedraw(io) && !io.env.CI ? 'live' : 'plain';
}

function liveProgress(title: string, io: Io, messages: Messages): Progress {
  const { now } = steadyClock(io.clock);
  const begun = now();
  let drawn = Number.NEGATIVE_INFINITY;
  let latest: State | undefined;
  let updated = begun;
  const reached = () => {
    const text = now() - updated < STALE_MS ? latest?.text : latest?.outcomes;
    return { done: 0, ...latest, ...(text !== undefined && { text }), elapsedMs: now() - begun };
  };
  const line = (): string => progressBar(title, reached(), liveWidth(io));
  let timer = setTimeout(draw, SECOND_MS, line).unref();

  /** Draws the line now, and again every second as a sign of life. The timer does not keep the process alive. */
  function draw(line: () => string | undefined): void {
    clearTimeout(timer);
    const text = line();
    if (text === undefined) return;
    drawn = now();
    messages.live(text);
    timer = setTimeout(draw, SECOND_MS, line).unref();
  }

  return {
    update: (state) => {
      latest = state;
      updated = now();
      if (updated - drawn < LIVE_INTERVAL_MS) return;
      draw(line);
    },
    wait: (ms, why) => {
      const until = now() + ms;
      draw(() => {
        const leftMs = until - now();
        return leftMs <= 0 ? undefined : waitBar(title, waitText(leftMs, why), reached(), liveWidth(io));
      });
    },
    end: (text) => {
      clearTimeout(timer);
      messages.live(undefined);
      if (text !== undefined) messages.line(text);
    },
  };
}

function plainProgress(title: string, io: Io, messages: Messages): Progress {
  const { now } = steadyClock(io.clock);
  const begun = now();
  const pace = createPace(io, UNNOTICED_MS);
  let isShown = false;
  let latest: State | undefined;
  const show = (state: State): void => {
    messages.line(progressText(title, { ...state, elapsedMs: now() - begun }));
    [isShown, latest] = [true, undefined];
  };
  return {
    update: (state) => {
      if (pace.isDue(state)) show(state);
      else latest = state;
    },
    wait: (ms, why) => {
      if (pace.isWaitDue(ms)) messages.line(cleanLine(`${title}: ${waitText(ms, why)}`));
    },
    end: (text) => {
      // The last line shows how far the operation got.
      if (text !== undefined) messages.line(text);
      else if (isShown && latest !== undefined) show(latest);
    },
  };
}

/** Without a pace, reports every event. */
function jsonProgress(title: string, io: Io, messages: Messages, pace?: ReturnType<typeof createPace>): Progress {
  const { now } = steadyClock(io.clock);
  let isStarted = false;
  let passedAt = Number.NEGATIVE_INFINITY;
  let passed: object | undefined;
  const write = (event: string, fields: object): void => {
    const progress = { event, title, at: isoMillis(io.clock.now()), ...fields };
    messages.write(`${stringifyJson({ progress })}\n`);
  };
  const report = (event: string, fields: object): void => {
    if (!isStarted) write('start', {});
    isStarted = true;
    write(event, fields);
  };
  // With a pace, an operation without events is not reported.
  if (!pace) {
    write('start', {});
    isStarted = true;
  }
  return {
    update: ({ data, isPassing = false, outcomes: _outcomes, share, unit: _unit, ...state }) => {
      if (pace?.isDue({ ...state, ...(share !== undefined && { share }) }) === false) return;
      const fields = { ...state, ...(share !== undefined && { share: Math.round(share * 1000) / 1000 }), ...data };
      if (isPassing && now() - passedAt < PASSING_INTERVAL_MS) passed = fields;
      else {
        passed = undefined;
        passedAt = now();
        report('progress', fields);
      }
    },
    wait: (ms, why) => {
      if (pace?.isWaitDue(ms) !== false) report('wait', { seconds: Math.ceil(ms / 1000), text: why });
    },
    end: (text) => {
      if (passed !== undefined) report('progress', passed);
      if (isStarted) report('end', { text });
    },
  };
}

/** Returns a pace: a report is due after `firstMs`, at each tenth of the work, and after a long silence. */
function createPace(io: Io, firstMs: number) {
  const { now } = steadyClock(io.clock);
  let reportedAt = now() + firstMs - PLAIN_INTERVAL_MS;
  let tenths = 0;
  return {
    isDue: (state: State): boolean => {
      const reached = Math.floor((shareOf(state) ?? 0) * 10);
      if (now() - reportedAt < PLAIN_INTERVAL_MS && reached <= tenths) return false;
      reportedAt = now();
      tenths = reached;
      return true;
    },
    // Short pauses are reported at the same interval.
    isWaitDue: (ms: number): boolean => {
      if (now() + ms - reportedAt < PLAIN_INTERVAL_MS) return false;
      reportedAt = now();
      return true;
    },
  };
}

function waitText(ms: number, why: string): string {
  const advice = ms < LONG_WAIT_MS ? '' : ' (press Ctrl-C to stop; --resume continues later)';
  return `${why}, waiting ${formatDuration(Math.ceil(ms / SECOND_MS) * SECOND_MS)}${advice}`;
}
