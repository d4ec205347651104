// The parts of the program that commands may use. Expensive parts are functions, so that they are loaded on demand.
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
import type { Issue, Hint, KnownError } from '../kernel/errors.ts';
import type { Redactor } from '../kernel/redact.ts';
import type { ProgressState } from '../render/progress.ts';
import type { Style } from '../render/style.ts';
import type { ListView, View } from '../render/view.ts';
import type { Target, TargetIds, WriteScope } from './target.ts';

export type OutputFormat = 'table' | 'json' | 'ndjson' | 'yaml' | 'csv' | 'markdown' | 'name' | 'html';

/** The flags that every command accepts (`cdpadm help flags`), already checked. */
export interface GlobalFlags {
  profile: string | undefined;
  /** `--profile` values in the given order, without duplicates. Read commands and some write commands allow several. */
  profiles: string[];
  workspace: string | undefined;
  org: string | undefined;
  account: string | undefined;
  output: OutputFormat;
  /** `-o wide`: a table with all columns, regardless of its width. */
  wide: boolean;
  /** True if `output` is inferred from the extension of `--out`. Results that are scripts or templates ignore it. */
  formatOfFile?: true;
  query: string | undefined;
  fields: string[] | undefined;
  header: boolean;
  out: string | undefined;
  /** True to also append the result to the step summary as Markdown. */
  summary: boolean;
  /** Format of annotations for issues in files. `auto` uses `github` if GITHUB_ACTIONS is true. */
  annotations: 'auto' | 'github' | 'none';
  dryRun: boolean;
  yes: boolean;
  /** Answers to confirmations that require typed text. Each value answers one confirmation. */
  confirm: string[];
  input: boolean;
  quiet: boolean;
  verbose: boolean;
  debug: boolean;
  traceFile: string | undefined;
  curl: boolean;
  requestTimeoutMs: number;
  retries: number;
  /** Time limit for the whole command; undefined means no limit. */
  timeoutMs: number | undefined;
  caFile: string | undefined;
  color: 'auto' | 'always' | 'never';
  progress: 'auto' | 'plain' | 'json' | 'none';
}

export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly stdin: Readable;
  readonly stdout: TextSink;
  readonly stderr: TextSink;
  readonly tty: { readonly stdin: boolean; readonly stdout: boolean; readonly stderr: boolean };
  columns(): number;
  rows(): number;
  readonly clock: Clock;
  random(): number;
  /** If set (by the MCP server), input files must be in this folder, and references to secrets are not followed. */
  readonly inputsBelow?: string;
  /** Receives each call to a platform service, and its response, except token responses. */
  onResponse?(call: string, text: string): void;
  /** Called before a request that may change the platform. Throws to prevent it. */
  beforeWrite?(): void;
}

export interface TextSink {
  write(chunk: string | Uint8Array, done?: (error?: Error | null) => void): boolean;
  /** True for a regular file. CI systems do not run workflow commands from it. */
  readonly isFile?: boolean;
  /** The first error, after which nothing is written. */
  readonly errored: Error | null;
}

/** Progress of a running operation, shown according to `--progress`. */
export interface Progress {
  /** `isPassing` marks one of many states in quick succession: only the last and some of the others are shown. */
  update(state: ProgressState & { data?: Record<string, unknown>; isPassing?: boolean }): void;
  /** Reports that the operation pauses for `ms`. For a long pause, mentions that the run can be resumed later. */
  wait(ms: number, why: string): void;
  end(text?: string): void;
}

export interface Output {
  /** Shows a write's target as `line` on stderr, and adds `target` to a dry run's result. */
  target(target: Target, line: string): void;
  /** Writes the command's result: `data` for programs, `view` for humans. Call it once. */
  emit<T>(data: T, view: View<T>): Promise<void>;
  /** Writes a list that is too long for memory. JSON, NDJSON, CSV and piped lines are written in parts. */
  emitParts<T>(parts: AsyncIterable<T[]>, view: ListView<T>): Promise<void>;
  /** Writes one object per line in JSON formats, what `--query` finds, or otherwise `text`. For commands that keep running. */
  emitLine(data: unknown, text: string | ((style: Style) => string)): Promise<void>;
  /** `text` is for humans (default: the requests). `ids` are the ids that `-o name` would print without `--dry-run`. */
  emitDryRun(
    requests: DescribedRequest[],
    plan?: unknown,
    text?: string | ((style: Style, width: number) => string),
    ids?: readonly string[],
  ): Promise<undefined>;
  emitText(text: string): Promise<void>;
  /** Writes to stderr what was done or what is next. Silent with `--quiet`, or if a program reads JSON from stderr. */
  note(text: string | Hint): void;
  /** Writes to stderr, even with `--quiet`. An issue is shown with its position. */
  warn(about: string | Hint | Issue): void;
  /** Adds a message to the job's page, in GitHub Actions or with `--annotations github`. */
  annotate(level: 'error' | 'warning', about: string | Issue): void;
  verbose(text: string): void;
  /** Draws text on stderr, such as a diff before a confirmation. Silent like `note`, unless the user is prompted. */
  show(text: (style: Style, width: number) => string): void;
  progress(title: string): Progress;
  /** Starts a wait, which is shown after a second of silence. Call the returned function when the wait ends. */
  waits(wait: Wait): () => void;
  /** Returns the hints as one string. Commands in hints get the current command's target flags. */
  advice(hints: readonly Hint[]): string;
  /** Returns the same output without `--out`, for a command that itself writes a file there. */
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
  readonly possible: boolean;
  /** False if the user goes back (`canGoBack`). Throws usage (2) if no one can answer, and guard (12) for a no. */
  confirm(question: string, canGoBack?: boolean): Promise<boolean>;
  /** Requires `expected`, typed or from `--confirm`. Throws guard (12), or `exit` (default 2) if no one can answer. */
  typed(question: string, expected: string, options?: { flag?: string; exit?: 'usage' | 'guard' }): Promise<void>;
  input(question: string, options?: PromptOptions): Promise<string>;
  secret(question: string, options?: PromptOptions): Promise<string>;
  select<T extends string>(question: string, choices: Choice<T>[], options?: PromptOptions): Promise<T>;
  ask(question: string, fallback: boolean): Promise<boolean>;
}

export interface PromptOptions {
  flag?: string;
  initial?: string;
  /** Shown in parentheses after the question until it is answered. */
  note?: string;
  /** Returns the text that a prompt shows for an answer, if it differs from the answer. */
  shown?(text: string): string;
  /** For a choice: true if typing narrows the list. */
  search?: true;
  /** For a `search`: true if typed text that is not in the list is also an answer. */
  open?: boolean;
  /** Returns the problem with the text, or undefined. Called when the user presses Enter. */
  check?(text: string): string | undefined;
}

export interface WriteFacts {
  plan?: string;
  /** Numbers of changes that were made, as opposed to planned. */
  counts?: Record<string, number>;
  /** Words of the commands that would undo the write. */
  undo?: readonly (readonly string[])[];
  /** Side effects of `undo`, or why the write cannot be undone. */
  undoNote?: string | undefined;
  /** Number of confirmed writes if others failed. */
  confirmed?: number | undefined;
  /** Ids that the command writes, except those passed as arguments. */
  ids?: readonly string[];
  /** Digest of the content that a bulk run sends. The log stores only its keyed hash. */
  content?: string;
  journal?: string;
}

export interface LoggedCommand extends WriteFacts {
  path: string;
  args: readonly unknown[];
  files: readonly unknown[];
}

export interface Context {
  readonly io: Io;
  readonly clock: Clock;
  /** Valid once the command's action has started. */
  readonly flags: GlobalFlags;
  readonly out: Output;
  readonly prompt: Prompts;
  readonly redactor: Redactor;
  readonly paths: SettingsPaths;
  /** The cache. If the home folder is read-only or full, the cache is kept in memory, after one warning. */
  readonly cacheFiles: CacheFiles;
  /** Aborted by Ctrl-C, by SIGTERM or SIGHUP, or by the command's `--timeout`. */
  readonly signal: AbortSignal;
  /** Returns the settings for these flags, or for `--profile PROFILE`, each with its origin. */
  settings(profile?: string): Promise<Settings>;
  profiles(): Promise<Profiles>;
  commands(): Promise<Command>;
  /** Runs another command line with its own streams and context, and returns the exit code. */
  runCommand(argv: readonly string[], io: Io, stop: AbortController): Promise<number>;
  /** Returns the API clients. Opens the embedded platform for the profile `local`. */
  api(): Promise<Api>;
  /** Shows the target before the plan. Call it once the input is valid. Throws guard (12) under `access: read`. */
  startWrite(scope: WriteScope, ids?: TargetIds): Promise<Target>;
  /**
   * Asks for confirmation. Call it after `startWrite`. The user must type the name of a protected profile and, if set,
   * `typed`. Otherwise, `--yes` or an answer confirms the write. Does not ask in a dry run or with `--curl`. Returns
   * false if the user goes back to the previous questions.
   */
  confirmWrite(question: string, options?: { typed?: string; canGoBack?: boolean }): Promise<boolean>;
  /** Sets the exit code of a command that did not fail outright: it found differences, or some rows failed. */
  setExit(code: ExitName): void;
  /** Records a request that may change the platform, before it is sent. */
  noteWrite(write: SentWrite): Promise<void>;
  noteAccepted(): void;
  logged(command: LoggedCommand, run: () => Promise<void>): Promise<void>;
  /** Adds facts to the command's log entry. Facts added before the first write survive a crash. */
  logFacts(facts: WriteFacts): void;
  /** Adds to a stop's error what the unfinished operation reports, such as the command that resumes it. */
  lastWords: (error: KnownError) => KnownError;
  /** Registers a function to call when the command ends. Functions are called in reverse order of registration. */
  onClose(close: () => Promise<void>): void;
  close(): Promise<void>;
}
