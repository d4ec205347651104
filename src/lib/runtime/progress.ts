// How a running operation tells where it is: one live line, a plain line now and then, NDJSON events, or nothing.
import { formatDuration, isoMillis } from '../kernel/timestamps.ts';
import { stringifyJson } from '../kernel/json.ts';
import { cleanLine } from '../render/clean.ts';
import { fitText } from '../render/width.ts';
import type { GlobalFlags, Io, Progress } from './context.ts';
import type { Messages } from './messages.ts';

type State = Parameters<Progress['update']>[0];

/** A live line is drawn at most this often; a plain one at least this often, and at every tenth of the way. */
const LIVE_INTERVAL_MS = 100;
const PLAIN_INTERVAL_MS = 10_000;
/** Who waits for longer may want to come back another time. */
const LONG_WAIT_MS = 60_000;

/** Starts the progress of one operation as `--progress` says; without it, as the terminal allows. */
export function createProgress(title: string, io: Io, flags: GlobalFlags, messages: Messages): Progress {
  const mode = flags.progress === 'auto' ? automaticMode(io, flags) : flags.progress;
  if (mode === 'none') return { update: () => undefined, wait: () => undefined, end: () => undefined };
  if (mode === 'json') return jsonProgress(title, io, messages);
  return mode === 'live' ? liveProgress(title, io, messages) : plainProgress(title, io, messages);
}

function automaticMode(io: Io, flags: GlobalFlags): 'live' | 'plain' | 'none' {
  if (flags.quiet) return 'none';
  const still = io.env.TERM === 'dumb' || Boolean(io.env.CDPADM_ACCESSIBLE) || Boolean(io.env.CI);
  return io.tty.stderr && !still ? 'live' : 'plain';
}

function liveProgress(title: string, io: Io, messages: Messages): Progress {
  let drawn = Number.NEGATIVE_INFINITY;
  return {
    update: (state) => {
      if (io.clock.now() - drawn < LIVE_INTERVAL_MS) return;
      drawn = io.clock.now();
      messages.live(fitText(sentence(title, state), io.columns() - 1));
    },
    wait: (ms, why) => {
      drawn = io.clock.now();
      messages.live(fitText(waitSentence(title, ms, why), io.columns() - 1));
    },
    end: (text) => {
      messages.live(undefined);
      if (text !== undefined) messages.line(text);
    },
  };
}

function plainProgress(title: string, io: Io, messages: Messages): Progress {
  let told = io.clock.now();
  let tenths = 0;
  return {
    update: (state) => {
      const reached = state.total ? Math.floor((state.done * 10) / state.total) : 0;
      if (io.clock.now() - told < PLAIN_INTERVAL_MS && reached <= tenths) return;
      told = io.clock.now();
      tenths = reached;
      messages.line(sentence(title, state));
    },
    wait: (ms, why) => {
      // Short waits are told now and then, as all else is.
      if (io.clock.now() + ms - told < PLAIN_INTERVAL_MS) return;
      told = io.clock.now();
      messages.line(waitSentence(title, ms, why));
    },
    end: (text) => {
      if (text !== undefined) messages.line(text);
    },
  };
}

function jsonProgress(title: string, io: Io, messages: Messages): Progress {
  const event = (name: string, fields: object): void => {
    messages.write(`${stringifyJson({ event: name, title, at: isoMillis(io.clock.now()), ...fields })}\n`);
  };
  event('start', {});
  return {
    update: ({ data, ...state }) => event('progress', { ...state, ...data }),
    wait: (ms, why) => event('wait', { seconds: Math.ceil(ms / 1000), text: why }),
    end: (text) => event('end', { text }),
  };
}

function waitSentence(title: string, ms: number, why: string): string {
  const advice = ms < LONG_WAIT_MS ? '' : ' (Ctrl-C ends it; --resume goes on later)';
  return cleanLine(`${title}: ${why}, waiting ${formatDuration(Math.ceil(ms))}${advice}`);
}

function sentence(title: string, state: State): string {
  const count = state.total === undefined ? `${state.done}` : `${state.done} of ${state.total}`;
  const percent = state.total ? ` (${Math.floor((state.done / state.total) * 100)} %)` : '';
  return cleanLine(`${title}: ${count}${percent}${state.text === undefined ? '' : `, ${state.text}`}`);
}
