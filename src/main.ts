// Runs a command line and exits. No other file ends the process.
import { exitOf } from './lib/errors/fail.ts';
import type { Command } from 'commander';
import { ownTurn, steadyClock, systemClock } from './lib/kernel/clock.ts';
import { KnownError, systemErrorCode } from './lib/kernel/errors.ts';
import { EXIT, type ExitName } from './lib/errors/entry.ts';
import { host } from './lib/kernel/host.ts';
import { createRedactor, type Redactor } from './lib/kernel/redact.ts';
import type { Context, GlobalFlags, Io, Output } from './lib/runtime/context.ts';
import { RunContext } from './lib/runtime/run-context.ts';
import { lenientFlags, preferredFormat, readGlobalFlags } from './lib/runtime/command-line/global-flags.ts';
import {
  explainStop,
  hungUp,
  interrupted,
  isQuietEnd,
  stopped,
  terminated,
  timedOut,
} from './lib/runtime/interrupt.ts';
import { processIo } from './lib/runtime/io.ts';
import { checkOutput, formatsOf, helpOf } from './lib/runtime/command-line/help.ts';
import { HelpShown } from './lib/runtime/command-line/usage-failure.ts';
import { asking, commandNameOf, createProgram, entries, load, loadAll, operandsOf, wantedVersion } from './program.ts';

/** The word that completion scripts pass to the program. It is not a command. */
const COMPLETE = '__complete';

/** Thrown instead of running the action if the command line must be run separately for each of several profiles. */
class SeveralProfiles extends Error {}

/** A stopped command must end within this many 100 ms pauses. Time spent blocking the event loop does not count. */
const LAST_TURNS = 9;
const TURN_MS = 100;
/** Maximum number of 10 ms pauses to wait for the threads of a stopped command. */
const THREAD_TURNS = 5;
const THREAD_TURN_MS = 10;

export async function main(): Promise<void> {
  // If a prompt's input closes, the process ends before the command sets its exit code: the command has failed.
  host.setExitCode(EXIT.failed);
  const io = processIo({ isShort: host.argv()[0] === COMPLETE });
  const stop = new AbortController();
  const hurry = new AbortController();
  const redactor = createRedactor();
  onSignal('SIGINT', interrupted);
  onSignal('SIGTERM', terminated);
  // The kernel and the shell may each send a SIGHUP, so later ones are ignored.
  host.on('SIGHUP', () => stop.abort(hungUp()));
  host.onUncaught((error) => {
    const flags = lenientFlags({ debug: host.argv().includes('--debug') }, io.env);
    // If too many files are open, the code for the report cannot be loaded.
    const reported = report(error, io, flags, redactor).catch(() =>
      io.stderr.write(`${redactor.text(String(error))}\n`),
    );
    void reported.finally(() => host.exitNow(EXIT.failed));
  });
  let isOverdue = false;
  const onOverdue = (): unknown => (isOverdue = true);
  const code = await run(host.argv(), io, stop, redactor, { onOverdue, hurry: hurry.signal });
  await endProcess(code, isOverdue);

  /** The first signal stops the command, the second cuts short its time to stop, and the third ends the process. */
  function onSignal(signal: 'SIGINT' | 'SIGTERM', reason: () => KnownError): void {
    host.on(signal, () => {
      if (hurry.signal.aborted) host.endBySignal(signal);
      if (stop.signal.aborted) hurry.abort();
      stop.abort(reason());
    });
  }
}

const SIGNALS: Partial<Record<number, 'SIGHUP' | 'SIGINT' | 'SIGTERM'>> = {
  [EXIT.hungUp]: 'SIGHUP',
  [EXIT.interrupted]: 'SIGINT',
  [EXIT.terminated]: 'SIGTERM',
};

/** Exits even if handles are still open. The signal ends a thread that Node cannot stop by itself. */
async function endProcess(code: number, isOverdue: boolean): Promise<void> {
  const signal = SIGNALS[code];
  if (signal === undefined) return host.exitNow(code);
  for (let turn = 0; turn < THREAD_TURNS && host.hasThreadWork(); turn++) await systemClock.sleep(THREAD_TURN_MS);
  if (signal === 'SIGHUP' || isOverdue || host.hasThreadWork()) host.endBySignal(signal);
  else host.exitNow(code);
}

interface Lateness {
  /** Called if the command does not stop in time. */
  onOverdue?: () => void;
  /** Aborted to cut short a stopped command's remaining time. */
  hurry?: AbortSignal;
}

/** Returns the exit code once all output is written. */
export async function run(
  argv: readonly string[],
  io: Io,
  stop = new AbortController(),
  redactor = createRedactor(),
  { hurry, onOverdue }: Lateness = {},
): Promise<number> {
  const state: RunState = { flags: () => lenientFlags({}, io.env), explain: (error) => error, isReported: false };
  const finished = new AbortController();
  const ended = async (): Promise<number> => {
    const code = await runCommand(argv, io, { stop, redactor, finished: finished.signal }, state);
    // An empty write ends once the stream has written everything or has failed.
    await Promise.all([io.stdout, io.stderr].map((sink) => new Promise<void>((done) => sink.write('', () => done()))));
    return code;
  };
  const overdue = async (): Promise<number> => {
    await stopped(stop.signal);
    const hurried = hurry ? stopped(hurry) : new Promise<void>(() => undefined);
    for (let turn = 0; turn < LAST_TURNS && hurry?.aborted !== true; turn++)
      await Promise.race([systemClock.sleep(TURN_MS, finished.signal), hurried]);
    onOverdue?.();
    const reason = stop.signal.reason as KnownError;
    if (state.isReported) return EXIT[exitOf(reason)];
    return await report(state.explain(reason), io, state.flags(), redactor);
  };
  try {
    const left = overdue();
    // `left` rejects if the command finishes before it is overdue.
    left.catch(() => undefined);
    return await Promise.race([ended(), left]);
  } finally {
    finished.abort();
  }
}

interface RunState {
  flags: () => GlobalFlags;
  /** Adds the platform's state and how to continue to the error of a stop. */
  explain: (error: KnownError) => KnownError;
  isReported: boolean;
}

async function runCommand(
  argv: readonly string[],
  io: Io,
  { finished, redactor, stop }: { stop: AbortController; redactor: Redactor; finished: AbortSignal },
  state: RunState,
): Promise<number> {
  const ctx = new RunContext(io, stop.signal, redactor, { asking, loadAll, run });
  let throwIfLate = (): void => undefined;
  const args = wantedHelp(argv) ?? wantedVersion(argv) ?? argv;
  const contexts = [ctx];
  let isWrite = false;
  const hasWritten = () => contexts.some((one) => one.hasWritten);
  state.explain = (error) => explainStop(ctx.lastWords(error), hasWritten());

  /** Parses the command line, and runs its action after `begin` completes the context. */
  async function act(within: RunContext, begin: (flags: GlobalFlags, command: Command) => Promise<void>) {
    const wanted = commandNameOf(args);
    const root = await createProgram(within, (name) => name === wanted);
    state.flags = () => lenientFlags(root.opts(), io.env, preferredFormat(io));
    root.hook('preAction', async (_root, command) => {
      const flags = readGlobalFlags(root.opts(), io.env, formatsOf(command), {
        outSetsFormat: !helpOf(command)?.ownsOut,
        preferred: preferredFormat(io),
      });
      state.flags = () => flags;
      await begin(flags, command);
    });
    await root.parseAsync([...args], { from: 'user' });
  }

  /** A busy process does not receive signals. A pending signal takes precedence over an input error. */
  async function stopAmid(error: unknown): Promise<unknown> {
    if (!(error instanceof KnownError) || exitOf(error) !== 'invalidInput') return error;
    try {
      // Node delivers signals between turns of the event loop, so yield once before reporting an input error.
      await ownTurn();
      await ownTurn(stop.signal);
      throwIfLate();
      return error;
    } catch (stopped) {
      return stopped;
    }
  }

  async function runOnce(flags: GlobalFlags, output: (out: Output) => Output, ownIo: Io): Promise<ExitName> {
    const own = new RunContext(ownIo, stop.signal, redactor, { asking, loadAll, run });
    contexts.push(own);
    try {
      await act(own, () => own.begin(flags, output));
    } finally {
      await own.close();
    }
    return own.exit;
  }

  try {
    try {
      if (argv[0] === COMPLETE) return await answerCompletionCall(argv.slice(1), ctx);
      await act(ctx, async (flags, command) => {
        checkOutput(flags, command);
        const isRepeated = flags.profiles.length > 1;
        if (isRepeated) (await import('./lib/runtime/each-profile.ts')).checkSeveralProfiles(command, flags);
        await ctx.begin(flags);
        if (flags.timeoutMs !== undefined) throwIfLate = stopAfter(flags.timeoutMs, stop, finished, io);
        isWrite = helpOf(command)?.effect === 'write';
        if (isRepeated) throw new SeveralProfiles();
      });
      throwIfLate();
    } catch (error) {
      if (!(error instanceof SeveralProfiles)) throw error;
      const { runForEachProfile } = await import('./lib/runtime/each-profile.ts');
      ctx.setExit(await runForEachProfile(ctx, isWrite, runOnce));
      throwIfLate();
    } finally {
      await ctx.close();
    }
    const reason: unknown = stop.signal.reason;
    return EXIT[reason instanceof KnownError ? exitOf(reason) : ctx.exit];
  } catch (error) {
    if (error instanceof HelpShown) {
      // A full disk is a failure, but a closed pipe is not.
      const isLost = io.stdout.errored && systemErrorCode(io.stdout.errored) !== 'EPIPE';
      return !error.wanted ? EXIT.usage : isLost ? EXIT.failed : EXIT.ok;
    }
    // A closed pipe is not a failure, but must not hide failed rows.
    if (isQuietEnd(error)) return EXIT[ctx.exit];
    const final = hasWritten() ? error : await stopAmid(error);
    state.isReported = true;
    const known = final instanceof KnownError ? explainStop(final, hasWritten()) : final;
    return await report(known, io, state.flags(), redactor);
  }
}

/** Returns every help screen, keyed by command (`roles push`; empty for the root). The build stores these screens. */
export async function helpScreens(io: Io): Promise<Map<string, string>> {
  const screens = new Map<string, string>();
  const add = (command: Command, path: readonly string[]): void => {
    screens.set(path.join(' '), command.helpInformation());
    // `help --help` prints the root's help, like `help` without a flag.
    for (const child of command.commands) if (child.name() !== 'help') add(child, [...path, child.name()]);
  };
  add(await loadAll(new RunContext(io, new AbortController().signal)), []);
  return screens;
}

export async function reference(io: Io) {
  const { describeProgram } = await import('./commands/help/describe.ts');
  return describeProgram(await loadAll(new RunContext(io, new AbortController().signal)));
}

/** Prints the candidates for the word at the cursor. Loads only the named group. */
async function answerCompletionCall(args: readonly string[], ctx: Context): Promise<number> {
  const { answerCompletion } = await import('./lib/runtime/completion/answer.ts');
  const root = await createProgram(ctx, () => false);
  await answerCompletion(args, ctx, { root, load: (name) => load(name, ctx) });
  return EXIT.ok;
}

async function report(error: unknown, io: Io, flags: GlobalFlags, redactor: Redactor): Promise<number> {
  const { showFailure } = await import('./lib/runtime/output/show-failure.ts');
  return await showFailure(error, io, flags, redactor, asking);
}

/** Rewrites `help roles push` to `roles push --help`, and `roles push --help --json` to `help roles push --json`. */
function wantedHelp(argv: readonly string[]): string[] | undefined {
  const isHelp = commandNameOf(argv) === 'help';
  const end = argv.indexOf('--');
  const wantsScreen = argv.slice(0, end === -1 ? undefined : end).some((word) => word === '--help' || word === '-h');
  if (!isHelp && !wantsScreen) return undefined;
  const words = operandsOf(argv);
  if (/(?:^| )(?:--json|(?:-o|--output)[ =]?json)(?: |$)/.test(argv.join(' '))) {
    return isHelp ? undefined : ['help', ...words, '--json'];
  }
  if (!isHelp) return undefined;
  const [, first, ...more] = words;
  const isCommand = first === undefined || entries.some(({ name }) => name === first);
  return isCommand ? [...(first === undefined ? [] : [first]), ...more, '--help'] : undefined;
}

/** Aborts `stop` after `ms`. The returned function throws if that time passed while no timer could fire. */
function stopAfter(ms: number, stop: AbortController, finished: AbortSignal, io: Io): () => void {
  const { now, sleep } = steadyClock(io.clock);
  const deadline = now() + ms;
  const over = sleep(ms, finished).then(() => stop.abort(timedOut(ms)));
  over.catch(() => undefined);
  return () => {
    if (now() > deadline && !stop.signal.aborted) throw timedOut(ms);
  };
}
