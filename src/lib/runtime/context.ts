// The parts that a command may use. Expensive parts are functions, so that they are loaded on demand.
import type { Command } from 'commander';
import type { Readable } from 'node:stream';
import type { Api } from '../api/index.ts';
import type { SettingsPaths } from '../config/paths.ts';
import type { Profiles } from '../config/profiles.ts';
import type { Settings } from '../config/resolve-settings.ts';
import type { DescribedRequest, SentWrite, Wait } from '../http/types.ts';
import type { CacheFiles } from '../kernel/cache-files.ts';
import type { Clock } from '../kernel/clock.ts';
import type { ExitName } from '../errors/entry.ts';
import type { Issue, Hint } from '../kernel/errors.ts';
import type { Redactor } from '../kernel/redact.ts';
import type { Style } from '../render/style.ts';
import type { ListView, View } from '../render/view.ts';
import type { Target, WriteScope } from './target.ts';

export type OutputFormat = 'table' | 'json' | 'ndjson' | 'yaml' | 'csv' | 'markdown' | 'name' | 'html';

/** The flags that every command understands (`cdpadm help flags`), already checked. */
export interface GlobalFlags {
  profile: string | undefined;
  /** Every `--profile` once, in the order given: more than one for commands that only read. */
  profiles: string[];
  workspace: string | undefined;
  org: string | undefined;
  account: string | undefined;
  output: OutputFormat;
  /** `-o wide`: a table with all columns, however wide. */
  wide: boolean;
  /** Set if only the `--out` extension chose `output`. A script or template ignores that. */
  formatOfFile?: true;
  query: string | undefined;
  fields: string[] | undefined;
  header: boolean;
  out: string | undefined;
  /** Whether the result is also appended to the step summary as Markdown. */
  summary: boolean;
  /** Whether issues in files become annotations in the code view. `auto`: if GITHUB_ACTIONS is true. */
  annotations: 'auto' | 'github' | 'none';
  dryRun: boolean;
  yes: boolean;
  /** Answers to questions that must be typed. Each value answers one question. */
  confirm: string[];
  input: boolean;
  quiet: boolean;
  verbose: boolean;
  debug: boolean;
  traceFile: string | undefined;
  curl: boolean;
  requestTimeoutMs: number;
  retries: number;
  /** For the whole command. Undefined: no limit. */
  timeoutMs: number | undefined;
  caFile: string | undefined;
  color: 'auto' | 'always' | 'never';
  progress: 'auto' | 'plain' | 'json' | 'none';
}

/** The environment of the program. Tests pass their own. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly stdin: Readable;
  readonly stdout: TextSink;
  readonly stderr: TextSink;
  /** Whether each stream is a terminal. */
  readonly tty: { readonly stdin: boolean; readonly stdout: boolean; readonly stderr: boolean };
  /** Columns of the terminal, 80 without one. */
  columns(): number;
  readonly clock: Clock;
  random(): number;
  /** Reads input files only below this folder, and never follows references. Set by the MCP server. */
  readonly inputsBelow?: string;
  /** Receives each response of a platform service, except tokens. */
  onResponse?(text: string): void;
}

/** A part of `Writable`. */
export interface TextSink {
  /** Calls `done` when the text was written, or with the error. */
  write(chunk: string | Uint8Array, done?: (error?: Error | null) => void): boolean;
  /** True if it is a regular file, which no log viewer reads. */
  readonly isFile?: boolean;
  /** The first error. Nothing is written after it. */
  readonly errored: Error | null;
}

/** The progress of a running operation, drawn as `--progress` says. */
export interface Progress {
  /** `isPassing`: one of many states in quick succession. Only some of them are shown, and the last. */
  update(state: {
    done: number;
    total?: number;
    /** From 0 to 1, if there is no total. */
    share?: number;
    text?: string;
    data?: Record<string, unknown>;
    isPassing?: boolean;
  }): void;
  /** The operation pauses for `ms`. A long pause mentions that the run can be resumed later. */
  wait(ms: number, why: string): void;
  /** Removes the line, or replaces it by `text`. */
  end(text?: string): void;
}

export interface Output {
  /** Shows the target of a write as `line` on stderr, and adds `target` to the result of a dry run. */
  target(target: Target, line: string): void;
  /** Writes the result of the command: `data` for programs, `view` for people. Call it once. */
  emit<T>(data: T, view: View<T>): Promise<void>;
  /** Writes a list that is too long for memory. JSON, NDJSON, CSV and piped lines are written part by part. */
  emitParts<T>(parts: AsyncIterable<T[]>, view: ListView<T>): Promise<void>;
  /** Writes one object per line under JSON formats, else `text`. For commands that keep running. */
  emitLine(data: unknown, text: string | ((style: Style) => string)): Promise<void>;
  /**
   * Writes the result of a dry run: `{dry_run, target, requests, plan}`. `text` is for people (default: the requests).
   * `ids` are those that `-o name` would print without the dry run (default: none).
   */
  emitDryRun(
    requests: DescribedRequest[],
    plan?: unknown,
    text?: string | ((style: Style, width: number) => string),
    ids?: readonly string[],
  ): Promise<undefined>;
  /** Writes text as the result, such as a script. */
  emitText(text: string): Promise<void>;
  /** Writes to stderr what was done or comes next. Silent under `--quiet` and if a program reads stderr. */
  note(text: string | Hint): void;
  /** Writes to stderr, under `--quiet` too. An issue is shown with its position. */
  warn(about: string | Hint | Issue): void;
  /** Adds a message to the page of the job, in GitHub Actions or with `--annotations github`. */
  annotate(level: 'error' | 'warning', about: string | Issue): void;
  /** Writes to stderr with `-v`. */
  verbose(text: string): void;
  /** Draws on stderr, such as a diff before its confirmation. Silent like a note, unless the user is asked. */
  show(text: (style: Style, width: number) => string): void;
  progress(title: string): Progress;
  /** Starts a wait, which is shown after a second of silence. Call the result when the wait is over. */
  waits(wait: Wait): () => void;
  /** The hints as one text. Their commands get the target flags of this one. */
  advice(hints: readonly Hint[]): string;
  /** The same output without `--out`, for a command that writes a file of its own there. */
  beside(): Output;
  /** Style of stderr. */
  readonly style: Style;
}

export interface Choice<T extends string = string> {
  value: T;
  label?: string;
  hint?: string;
}

export interface Prompts {
  /** True if the user can answer. */
  readonly possible: boolean;
  /**
   * Asks for an ordinary confirmation, which `--yes` answers. Throws KnownError usage (2) if no one can answer, or
   * guard (12) if the answer is no.
   */
  confirm(question: string): Promise<void>;
  /**
   * Asks the user to type `expected`. A matching `--confirm` answers it, `--yes` does not. Throws KnownError with
   * `exit` (default 2) if no one can answer, or guard (12) if the typed text differs.
   */
  typed(question: string, expected: string, options?: { flag?: string; exit?: 'usage' | 'guard' }): Promise<void>;
  input(question: string, options?: PromptOptions): Promise<string>;
  secret(question: string, options?: PromptOptions): Promise<string>;
  select<T extends string>(question: string, choices: Choice<T>[], options?: PromptOptions): Promise<T>;
  /** Asks a yes-or-no question with a default and returns the answer. */
  ask(question: string, fallback: boolean, options?: PromptOptions): Promise<boolean>;
}

export interface PromptOptions {
  /** The flag that the usage error names if no one can answer. */
  flag?: string;
  initial?: string;
  /** Shown in brackets after the question until it is answered. */
  note?: string;
  /** For a choice: typed text narrows the list. */
  search?: true;
  /** With `search`: typed text that is not in the list is an answer too. */
  open?: boolean;
  /** Returns the problem of the text, or undefined. Called on Enter. */
  check?(text: string): string | undefined;
}

/** What a command tells the log about its writes. */
export interface WriteFacts {
  plan?: string;
  /** What was done, not what was planned. */
  counts?: Record<string, number>;
  /** The words of the command that undoes the write. */
  undo?: readonly string[];
}

/** What the log records about a command. */
export interface LoggedCommand extends WriteFacts {
  path: string;
  args: readonly unknown[];
}

export interface Context {
  readonly io: Io;
  readonly clock: Clock;
  /** Valid from the moment a command's action runs. */
  readonly flags: GlobalFlags;
  readonly out: Output;
  readonly prompt: Prompts;
  readonly redactor: Redactor;
  readonly paths: SettingsPaths;
  /** The cache. Kept in memory, after one warning, if the home is read-only or full. */
  readonly cacheFiles: CacheFiles;
  /** Aborted by Ctrl-C, SIGTERM, or the command's `--timeout`. */
  readonly signal: AbortSignal;
  /**
   * The settings of profile, project file, environment and flags, each with its origin. `profile`: as if
   * `--profile NAME` was given.
   */
  settings(profile?: string): Promise<Settings>;
  /** The settings file: reading, creating, choosing and deleting profiles. */
  profiles(): Promise<Profiles>;
  /** The root with all commands. */
  commands(): Promise<Command>;
  /** Runs another command line with its own streams and context. Returns its exit code. */
  runCommand(argv: readonly string[], io: Io, stop: AbortController): Promise<number>;
  /** The API clients. Opens the embedded platform for profile `local`. */
  api(): Promise<Api>;
  /**
   * Starts a write once its input is valid, before its plan is shown. Shows the target, which the JSON result includes.
   * Throws guard (12) under `access: read`. Later calls return the same target.
   */
  startWrite(scope: WriteScope): Promise<Target>;
  /**
   * Asks before a write that `startWrite` started. The name of a protected profile must be typed, and so must `typed`;
   * otherwise `--yes` or an answer confirms. Asks nothing in a dry run or under `--curl`.
   */
  confirmWrite(question: string, typed?: string): Promise<void>;
  /** Sets the exit code of a command that did not fail outright: differences found, some rows failed. */
  setExit(code: ExitName): void;
  /** Records a request that may change the platform, before it is sent. */
  noteWrite(write: SentWrite): Promise<void>;
  /** Records that the platform accepted such a request. */
  noteAccepted(): void;
  /** Runs a command and logs its writes with its outcome. */
  logged(command: LoggedCommand, run: () => Promise<void>): Promise<void>;
  /** Adds to the entry of the log. Facts that are known before the first write survive a crash. */
  logFacts(facts: WriteFacts): void;
  /** Registers a function to call at the end of the command; the last one registered is called first. */
  onClose(close: () => Promise<void>): void;
  /** Closes everything that was opened. Called once by `main`. */
  close(): Promise<void>;
}
