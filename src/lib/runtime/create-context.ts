// Builds the Context of one run: light at first, for `--help` needs none of it; complete once the flags are read.
import type { Command } from 'commander';
import { homedir } from 'node:os';
import type { Api } from '../api/index.ts';
import { resolvePaths } from '../config/paths.ts';
import type { Settings } from '../config/settings.ts';
import { type CacheFiles, createCacheFiles } from '../kernel/cache-files.ts';
import type { KnownError } from '../kernel/errors.ts';
import type { ExitName } from '../errors/entry.ts';
import { host } from '../kernel/host.ts';
import { createRedactor } from '../kernel/redact.ts';
import type { Begun } from './begin.ts';
import type { Context, GlobalFlags, Io, Output } from './context.ts';
import type { Target, WriteScope } from './target.ts';

/** A context that `begin` completes before the command's action runs. */
export interface StartedContext extends Context {
  /** Takes the checked flags, and what stands between the action and its output; loads what the action needs at hand (colour, the query's language). */
  begin(flags: GlobalFlags, output?: (out: Output) => Output): Promise<void>;
  /** What the command set by `setExit`; 0 unless it did. */
  readonly exit: ExitName;
  /** Whether anything was sent that may have changed the platform. */
  readonly hasWritten: boolean;
}

/** The commands that a context belongs to. */
export interface Program {
  /** How the command lines begin that mean a platform; see `createSameTarget`. */
  asking: readonly string[];
  /** The root with all commands. */
  loadAll(ctx: Context): Promise<Command>;
}

const NO_PROGRAM: Program = { asking: [], loadAll: () => Promise.reject(new Error('there are no commands')) };

/** Runs that were told that their home is read-only or full. */
const warned = new WeakSet<Io>();

/**
 * `redactor` is one for all contexts of a process: its `main` masks by it what ends the process unforeseen. `program` is
 * what the root knows of all commands.
 */
export function createContext(
  io: Io,
  signal: AbortSignal,
  redactor = createRedactor(),
  program: Program = NO_PROGRAM,
): StartedContext {
  const paths = resolvePaths(io.env, host.platform, io.env.HOME || homedir());
  const closers: (() => Promise<void>)[] = [];
  let exit: ExitName = 'ok';
  let hasWritten = false;
  let begun: Begun | undefined;
  let api: Promise<Api> | undefined;
  let target: Promise<Target> | undefined;
  let cacheFiles: CacheFiles | undefined;
  const settings = new Map<string | undefined, Promise<Settings>>();

  function current(): Begun {
    if (!begun) throw new Error('the context is complete only when an action runs');
    return begun;
  }

  const context: StartedContext = {
    io,
    clock: io.clock,
    redactor,
    paths,
    signal,
    get cacheFiles() {
      return (cacheFiles ??= createCacheFiles(warnOnce));
    },
    get flags() {
      return current().flags;
    },
    get out() {
      return current().out;
    },
    get prompt() {
      return current().prompt;
    },
    profiles: async () => {
      const { openProfiles } = await import('../config/profiles.ts');
      return openProfiles({ folder: paths.config, env: io.env, clock: io.clock, redactor, signal });
    },
    settings: (profile) => {
      const known = settings.get(profile) ?? loadSettings(profile);
      settings.set(profile, known);
      return known;
    },
    api: () => (api ??= openApi()),
    commands: () => program.loadAll(context),
    startWrite: (scope) => (target ??= startWrite(scope)),
    confirmWrite: async (question, typed) => {
      if (!target) throw new Error('a write is confirmed before it has a target');
      const { curl, dryRun } = current().flags;
      if (curl || dryRun) return;
      const { confirmWrite } = await import('./prompts/confirm-write.ts');
      await confirmWrite(context, question, typed);
    },
    setExit: (code) => {
      exit = code;
    },
    get exit() {
      return exit;
    },
    noteWrite: () => {
      hasWritten = true;
    },
    get hasWritten() {
      return hasWritten;
    },
    begin: async (flags, output) => {
      const { begin } = await import('./begin.ts');
      begun = await begin(io, flags, redactor, signal, program.asking);
      if (output) begun = { ...begun, out: output(begun.out) };
    },
    onClose: (close) => {
      closers.push(close);
    },
    close: async () => {
      for (const close of closers.splice(0).reverse()) await close();
    },
  };

  /** However many profiles a run has, it says so once. */
  function warnOnce({ message }: KnownError): void {
    if (warned.has(io)) context.out.verbose(message);
    else context.out.warn(`${message} This command goes on without it.`);
    warned.add(io);
  }

  async function loadSettings(profile: string | undefined): Promise<Settings> {
    const { resolveFor } = await import('./connect.ts');
    return await resolveFor(context, profile);
  }

  async function startWrite(scope: WriteScope): Promise<Target> {
    const { startWrite: start } = await import('./prompts/confirm-write.ts');
    return await start(context, scope);
  }

  async function openApi(): Promise<Api> {
    const { connect } = await import('./connect.ts');
    return connect(context, await context.settings());
  }

  return context;
}
