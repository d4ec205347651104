// Everything a command may need, in one record; costly things are functions called on demand.
import type { Command } from 'commander';
import type { Readable } from 'node:stream';
import type { Api } from '../api/index.ts';
import type { SettingsPaths } from '../config/paths.ts';
import type { Profiles } from '../config/profiles.ts';
import type { Settings } from '../config/settings.ts';
import type { DescribedRequest, Wait } from '../http/types.ts';
import type { CacheFiles } from '../kernel/cache-files.ts';
import type { Clock } from '../kernel/clock.ts';
import type { ExitName } from '../errors/entry.ts';
import type { Issue } from '../kernel/errors.ts';
import type { Hint } from '../kernel/hint.ts';
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
  /** Set when only the extension of `--out` chose `output`: a text that is its own format ignores it. */
  formatOfFile?: true;
  query: string | undefined;
  fields: string[] | undefined;
  header: boolean;
  out: string | undefined;
  /** Whether the result goes to the step summary of continuous integration too, as Markdown. */
  summary: boolean;
  /** Whether issues in files are told in the way that shows them beside the code; auto: where GITHUB_ACTIONS is true. */
  annotations: 'auto' | 'github' | 'none';
  dryRun: boolean;
  yes: boolean;
  /** What would have been typed; each value answers one question. */
  confirm: string[];
  input: boolean;
  quiet: boolean;
  verbose: boolean;
  debug: boolean;
  traceFile: string | undefined;
  curl: boolean;
  requestTimeoutMs: number;
  retries: number;
  /** Milliseconds for the whole command; undefined is no limit. */
  timeoutMs: number | undefined;
  caFile: string | undefined;
  color: 'auto' | 'always' | 'never';
  progress: 'auto' | 'plain' | 'json' | 'none';
}

/** The outside of the program as a command sees it; tests pass another. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly stdin: Readable;
  readonly stdout: TextSink;
  readonly stderr: TextSink;
  /** Whether each stream is a terminal. */
  readonly tty: { readonly stdin: boolean; readonly stdout: boolean; readonly stderr: boolean };
  /** Columns of the terminal; 80 where there is none. */
  columns(): number;
  readonly clock: Clock;
  random(): number;
}

/** Where text goes; a `Writable` is one. */
export interface TextSink {
  /** `done` is called when the text was handed over, or with what went wrong. */
  write(chunk: string | Uint8Array, done?: (error?: Error | null) => void): boolean;
  /** Whether it is a regular file: no log reads what is redirected. */
  readonly isFile?: boolean;
  /** What went wrong first; nothing is written after it. */
  readonly errored: Error | null;
}

/** What a running operation tells while it goes on; drawn as `--progress` says. */
export interface Progress {
  /** `isPassing`: one of very many that follow each other closely, of which one now and then is enough, and the last. */
  update(state: {
    done: number;
    total?: number;
    /** How much is done, from 0 to 1, where no total says it. */
    share?: number;
    text?: string;
    data?: Record<string, unknown>;
    isPassing?: boolean;
  }): void;
  /** Nothing goes on for so many milliseconds; long waits say that the run may be ended and resumed. */
  wait(ms: number, why: string): void;
  /** Takes the line away; `text` is left standing in its place. */
  end(text?: string): void;
}

export interface Output {
  /** Where the write goes: `line` is shown on stderr, and the result of a dry run has `target`. */
  target(target: Target, line: string): void;
  /** The result of the command: `data` as the format asks, `view` for people. Call it once. */
  emit<T>(data: T, view: View<T>): Promise<void>;
  /** The same for a list too long to be held: JSON, NDJSON, CSV and lines for pipes go out part by part. */
  emitParts<T>(parts: AsyncIterable<T[]>, view: ListView<T>): Promise<void>;
  /** One object a line under JSON formats, `text` elsewhere (a function draws it): for commands that go on. */
  emitLine(data: unknown, text: string | ((style: Style) => string)): Promise<void>;
  /**
   * The result of a dry run: `{dry_run, target, requests, plan}`; `text` is what people see (default: the requests), `ids` what
   * `-o name` prints: whatever the command itself would (default: none).
   */
  emitDryRun(
    requests: DescribedRequest[],
    plan?: unknown,
    text?: (style: Style, width: number) => string,
    ids?: readonly string[],
  ): Promise<undefined>;
  /** Raw text as the result (a file's content, a script). */
  emitText(text: string): Promise<void>;
  /** To stderr: what was done and what may come next. Silent under `--quiet` and where a program reads stderr. */
  note(text: string | Hint): void;
  /** To stderr, under `--quiet` too. An issue is shown with its place. */
  warn(about: string | Hint | Issue): void;
  /** Where GitHub Actions reads along, or with `--annotations github`: a message of its own on the run's page. */
  annotate(level: 'error' | 'warning', message: string): void;
  /** To stderr with `-v`. */
  verbose(text: string): void;
  /** To stderr, drawn for people: a diff before its confirmation. Silent where nobody is asked and a note would be. */
  show(text: (style: Style, width: number) => string): void;
  progress(title: string): Progress;
  /** A wait of a call begins, of which something is told once nothing was heard for a second; call the result when it is over. */
  waits(wait: Wait): () => void;
  /** The hints as one text, their commands with the flags that say where this one was sent. */
  advice(hints: readonly Hint[]): string;
  /** The same output on standard output whatever `--out` says: for a command that writes a file of its own there. */
  beside(): Output;
  /** Style of stderr. */
  readonly style: Style;
}

export interface Prompts {
  /** Whether a person can be asked at all. */
  readonly possible: boolean;
  /**
   * An ordinary confirmation. `--yes` answers it. Where nobody can be asked: KnownError usage (2) naming `--yes`.
   * Answered no: KnownError guard (12).
   */
  confirm(question: string): Promise<void>;
  /**
   * Something that must be typed. A matching `--confirm` answers it, `--yes` never does. Where nobody can be asked:
   * KnownError with exit `exit` (default 2) naming `--confirm VALUE`. Typed wrongly: KnownError guard (12).
   */
  typed(question: string, expected: string, options?: { flag?: string; exit?: 'usage' | 'guard' }): Promise<void>;
  input(question: string, options?: PromptOptions): Promise<string>;
  secret(question: string, options?: PromptOptions): Promise<string>;
  select<T extends string>(
    question: string,
    choices: { value: T; label?: string; hint?: string }[],
    options?: PromptOptions,
  ): Promise<T>;
  /** Ordinary yes or no with a default, as data rather than as a gate. */
  ask(question: string, fallback: boolean, options?: PromptOptions): Promise<boolean>;
}

export interface PromptOptions {
  /** The flag to name in the usage error when nobody can be asked. */
  flag?: string;
  initial?: string;
  /** A sentence that says what is wrong, or undefined when the text is right. Called as one types Enter. */
  check?(text: string): string | undefined;
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
  /** Files that only save work; memory, after one warning, where the home is read-only or full. */
  readonly cacheFiles: CacheFiles;
  /** Aborted by Ctrl-C, SIGTERM, or the command's `--timeout`. */
  readonly signal: AbortSignal;
  /**
   * Profile, project file, environment and flags, resolved with the origin of each value. With a name: as if
   * `--profile NAME` had been given.
   */
  settings(profile?: string): Promise<Settings>;
  /** The settings file: reading, creating, choosing and deleting profiles. */
  profiles(): Promise<Profiles>;
  /** The root with all commands, for those that tell of them. */
  commands(): Promise<Command>;
  /** The API clients over the shared HTTP core; opens the embedded platform for profile `local`. */
  api(): Promise<Api>;
  /**
   * Begins a write once its input is valid, before its plan is shown: throws guard (12) under `access: read`, and shows
   * the target, which belongs into the JSON result. The first call decides; later ones return the same target.
   */
  startWrite(scope: WriteScope): Promise<Target>;
  /**
   * Asks before a write that `startWrite` began: a protected profile must be typed or come by `--confirm`; an ordinary
   * one is confirmed by `--yes` or an answer, or by `typed`, where the question is for that. Asks nothing in a dry run or under `--curl`.
   */
  confirmWrite(question: string, typed?: string): Promise<void>;
  /** The exit code of a command that ended well in a way of its own: differences found, some rows failed. */
  setExit(code: ExitName): void;
  /** Something that may change the platform is being sent: a stop says so. */
  noteWrite(): void;
  /** Has `close` called when the command ends, however it ends; the last registered is called first. */
  onClose(close: () => Promise<void>): void;
  /** Frees what was opened (connections, the embedded platform). Called once by `main`. */
  close(): Promise<void>;
}
