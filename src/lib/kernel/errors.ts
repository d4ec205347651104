// The class of expected errors and its parts: issues with positions, and hints with commands to copy.

/** A problem in an input. `path` is dotted (`roles[3].name`). `line` and `column` are 1-based. */
export interface Issue {
  path: string;
  message: string;
  file?: string;
  line?: number;
  column?: number;
  /** Set if the field itself is the problem, not its value. */
  at?: 'key';
}

export function placeOf({ file, line, column }: Issue): string {
  return [file, line, column].filter((part) => part !== undefined).join(':');
}

/** Maximum number of issues in an error. Any more are only counted. */
export const MOST_ISSUES = 1000;

/** The request that caused an error. `id` is the client request id that was sent. */
export interface FailedRequest {
  id: string;
  method: string;
  path: string;
}

export interface KnownErrorOptions {
  /** Stable error code for programs, such as `roles.assigned`. */
  code: string;
  message: string;
  hint?: Hints | undefined;
  status?: number | undefined;
  request?: FailedRequest | undefined;
  issues?: readonly Issue[];
  issuesOmitted?: number;
  /** Additional data for `-o json`. Never contains secrets. */
  details?: Record<string, unknown> | undefined;
  cause?: unknown;
}

/** Every expected failure. Any other error is reported as a bug. */
export class KnownError extends Error {
  readonly code: string;
  readonly hints: readonly Hint[];
  /** All hints as one string, for JSON and for programs that use the library. */
  readonly hint: string | undefined;
  readonly status: number | undefined;
  readonly request: FailedRequest | undefined;
  readonly issues: readonly Issue[];
  readonly issuesOmitted: number;
  readonly details: Record<string, unknown> | undefined;

  constructor(options: KnownErrorOptions) {
    super(options.message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'KnownError';
    this.code = options.code;
    this.hints = toHints(options.hint);
    this.hint = this.hints.length === 0 ? undefined : hintText(this.hints);
    this.status = options.status;
    this.request = options.request;
    const issues = options.issues ?? [];
    this.issues = issues.length > MOST_ISSUES ? issues.slice(0, MOST_ISSUES) : issues;
    this.issuesOmitted = issues.length - this.issues.length + (options.issuesOmitted ?? 0);
    this.details = options.details;
  }

  get parts(): KnownErrorOptions {
    const { code, details, hints, issues, issuesOmitted, message, request, status } = this;
    return { code, message, issues, issuesOmitted, hint: hints, status, request, details };
  }

  /** Returns a copy with some parts changed and this error as its cause. */
  with(change: Partial<Pick<KnownErrorOptions, 'message' | 'hint' | 'details'>>): KnownError {
    return new KnownError({ ...this.parts, ...change, cause: this });
  }
}

/** True if the platform reported that a resource does not exist. False for a web page with status 404. */
export function isNotFound(error: unknown): error is KnownError & { code: 'http.not_found' } {
  return error instanceof KnownError && error.code === 'http.not_found';
}

/** Returns the result; undefined if the platform reported that the resource does not exist. */
export function ifFound<T>(read: Promise<T>): Promise<T | undefined> {
  return read.catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
    return undefined;
  });
}

export function usageError(message: string, hint?: Hints): KnownError {
  return new KnownError({ code: 'usage', message, hint });
}

/** Returns the error for an input file with issues. `omitted` is the number of issues that are not in `issues`. */
export function invalidInput(message: string, issues: readonly Issue[], hint?: Hints, omitted = 0): KnownError {
  return new KnownError({ code: 'input.invalid', message, issues, issuesOmitted: omitted, hint });
}

/** True if a system call failed because the file or its folder does not exist. */
export function isAbsent(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes(systemErrorCode(error) ?? '');
}

/** Returns the `code` of an error, such as `ENOENT`; undefined if it has none. */
export function systemErrorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Line and column are 1-based. Columns count UTF-16 units, as in editors. */
export interface Place {
  line: number;
  column: number;
}

/** Scans all text before the offset, so use this function for errors, not for every row. */
export function placeAt(text: string, offset: number): Place {
  const before = text.slice(0, offset);
  return { line: before.split('\n').length, column: before.length - before.lastIndexOf('\n') };
}

export interface Hint {
  /** One or more sentences, or what the command is for, such as `To list them:`. */
  readonly text: string;
  /** A complete command line to copy, such as `cdpadm roles list`, without flags for the profile or its ids. */
  readonly command?: string;
}

/** A string is a hint without a command. Each hint in an array is a separate line. */
export type Hints = string | Hint | readonly (string | Hint)[];

export function toHints(hints: Hints | undefined): readonly Hint[] {
  if (hints === undefined) return [];
  const list = typeof hints === 'string' || 'text' in hints ? [hints] : hints;
  return list.map((hint) => (typeof hint === 'string' ? { text: hint } : hint));
}

export function hintLine({ text, command }: Hint): string {
  return command === undefined ? text : `${text} ${command}`;
}

/** Returns several hints as one string. A command is in backticks if more text follows. */
export function hintText(hints: readonly Hint[]): string {
  const last = hints.length - 1;
  return hints
    .map((hint, at) =>
      hint.command === undefined || at === last ? hintLine(hint) : `${hint.text} \`${hint.command}\`.`,
    )
    .join(' ');
}
