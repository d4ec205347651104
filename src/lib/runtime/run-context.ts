// Builds the Context of one run. `--help` needs only part of it; `begin` adds the rest once the flags have been read.
import type { Command } from 'commander';
import type { Api } from '../api/index.ts';
import { resolvePaths } from '../config/paths.ts';
import type { Settings } from '../config/resolve-settings.ts';
import { type CacheFiles, createCacheFiles } from '../kernel/cache-files.ts';
import type { KnownError } from '../kernel/errors.ts';
import type { ExitName } from '../errors/entry.ts';
import { host } from '../kernel/host.ts';
import { createRedactor, type Redactor } from '../kernel/redact.ts';
import type { Context, GlobalFlags, Io, LoggedCommand, Output, Prompts, WriteFacts } from './context.ts';
import type { WriteRecorder } from './memory/write-log.ts';
import type { SentWrite } from '../http/types.ts';
import type { Target } from './target.ts';

export interface Program {
  asking: readonly string[];
  loadAll(ctx: Context): Promise<Command>;
  run(argv: readonly string[], io: Io, stop: AbortController, redactor: Redactor): Promise<number>;
}

const noCommands = () => Promise.reject(new Error('there are no commands'));
const NO_PROGRAM: Program = { asking: [], loadAll: noCommands, run: noCommands };

/** Runs that have already warned about a read-only or full home folder. */
const warned = new WeakSet<Io>();

/** The context of a run, which `begin` completes before the command's action runs. */
export class RunContext implements Context {
  readonly io: Io;
  readonly signal: AbortSignal;
  readonly redactor: Redactor;
  readonly clock;
  readonly paths;
  exit: ExitName = 'ok';
  /** True if a request was sent that may have changed the platform. */
  hasWritten = false;
  lastWords = (error: KnownError): KnownError => error;
  flags!: GlobalFlags;
  out!: Output;
  prompt!: Prompts;
  readonly #program;
  readonly #closers: (() => Promise<void>)[] = [];
  readonly #settings = new Map<string | undefined, Promise<Settings>>();
  #cacheFiles: CacheFiles | undefined;
  #api: Promise<Api> | undefined;
  #target: Promise<Target> | undefined;
  #command: LoggedCommand | undefined;
  #writes: Promise<WriteRecorder> | undefined;
  #isShown = false;

  /** All contexts of a process share `redactor`. */
  constructor(io: Io, signal: AbortSignal, redactor = createRedactor(), program = NO_PROGRAM) {
    this.io = io;
    this.signal = signal;
    this.redactor = redactor;
    const { clock } = io;
    this.clock = {
      ...clock,
      // Build the text when it is shown: the lock may have another holder by then.
      onWait: (text: () => string) =>
        this.out.waits(Object.defineProperty({ isLock: true, text: '' }, 'text', { get: text })),
    };
    this.paths = resolvePaths(io.env, host.platform, host.home(io.env));
    this.#program = program;
  }

  /** Sets the checked flags, and loads what the action needs. `output` may wrap the action's output. */
  async begin(flags: GlobalFlags, output = (out: Output): Output => out): Promise<void> {
    const { begin } = await import('./output/output.ts');
    const begun = await begin(this.io, flags, this.redactor, this.signal, this.#program.asking);
    const out = output(begun.out);
    const emit: Output['emit'] = (data, view) => {
      this.#isShown = this.#writes !== undefined;
      return out.emit(data, view);
    };
    Object.assign(this, { flags, prompt: begun.prompt, out: { ...out, emit } });
  }

  get cacheFiles(): CacheFiles {
    return (this.#cacheFiles ??= createCacheFiles(({ message }) => {
      // A run with several profiles warns only once.
      if (warned.has(this.io)) this.out.verbose(message);
      else this.out.warn(`${message} This command continues without it.`);
      warned.add(this.io);
    }));
  }

  async profiles() {
    const { openProfiles } = await import('../config/profiles.ts');
    const { clock, io, paths, redactor, signal } = this;
    return openProfiles({ folder: paths.config, env: io.env, clock, redactor, signal });
  }

  settings(profile?: string): Promise<Settings> {
    const known = this.#settings.get(profile) ?? import('./connect.ts').then((it) => it.resolveFor(this, profile));
    this.#settings.set(profile, known);
    return known;
  }

  commands(): Promise<Command> {
    return this.#program.loadAll(this);
  }

  runCommand(argv: readonly string[], io: Io, stop: AbortController): Promise<number> {
    return this.#program.run(argv, io, stop, this.redactor);
  }

  api(): Promise<Api> {
    const open = async (): Promise<Api> => (await import('./connect.ts')).connect(this, await this.settings());
    return (this.#api ??= open());
  }

  startWrite(...write: Parameters<Context['startWrite']>): Promise<Target> {
    this.#target ??= import('./prompts/confirm-write.ts').then(({ startWrite }) => startWrite(this, ...write));
    return this.#target;
  }

  async confirmWrite(question: string, options: Parameters<Context['confirmWrite']>[1] = {}): Promise<boolean> {
    if (!this.#target) throw new Error('a write is confirmed before it has a target');
    if (this.flags.curl || this.flags.dryRun) return true;
    const { confirmWrite } = await import('./prompts/confirm-write.ts');
    return await confirmWrite(this, question, options);
  }

  setExit(code: ExitName): void {
    this.exit = code;
  }

  async noteWrite(write: SentWrite): Promise<void> {
    this.hasWritten = true;
    // A request without a target changes nothing. For example, `auth test` probes an address with an empty body.
    if (!this.#target || !this.#command) return;
    const start = async (command: LoggedCommand, target: Promise<Target>): Promise<WriteRecorder> =>
      (await import('./memory/write-log.ts')).recordWrites(this, command, await target, await this.settings());
    const recorder = await (this.#writes ??= start(this.#command, this.#target));
    await recorder.sending(write);
  }

  noteAccepted(): void {
    void this.#writes?.then((writes) => writes.accepted());
  }

  logFacts(facts: WriteFacts): void {
    this.#command = this.#command && Object.assign(this.#command, facts);
  }

  async logged(command: LoggedCommand, run: () => Promise<void>): Promise<void> {
    this.#command = command;
    const end = async (error?: unknown): Promise<void> =>
      (await this.#writes)?.end({ error, exit: this.exit, isShown: this.#isShown });
    try {
      await run();
    } catch (error) {
      await end(error);
      throw error;
    }
    await end();
  }

  onClose(close: () => Promise<void>): void {
    this.#closers.push(close);
  }

  async close(): Promise<void> {
    for (const close of this.#closers.splice(0).reverse()) await close();
  }
}
