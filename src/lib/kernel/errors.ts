// The one class of expected errors, and how its parts are told.
import { type Hint, type Hints, hintText, toHints } from './hint.ts';

/**
 * One thing wrong with an input. `path` is the field, dotted (`roles[3].name`); `line` and `column` count from 1
 * and are absent when the input has no text of its own.
 */
export interface Issue {
  path: string;
  message: string;
  file?: string;
  line?: number;
  column?: number;
  /** Set when the field itself is wrong and not its value. */
  at?: 'key';
}

/** `file:line:column`, as far as it is known. */
export function placeOf({ file, line, column }: Issue): string {
  return [file, line, column].filter((part) => part !== undefined).join(':');
}

/** An error keeps no more issues than this; the others it counts. */
export const MOST_ISSUES = 1000;

/** The request an error belongs to; `id` is the client request id that was sent along. */
export interface FailedRequest {
  id: string;
  method: string;
  path: string;
}

export interface KnownErrorOptions {
  /** A stable dotted word for programs, such as `roles.assigned`. */
  code: string;
  message: string;
  /** What to do about it. */
  hint?: Hints | undefined;
  /** The HTTP status, where one caused it. */
  status?: number | undefined;
  request?: FailedRequest | undefined;
  issues?: readonly Issue[];
  /** How many issues there are that `issues` does not hold. */
  issuesOmitted?: number;
  /** Further data for `-o json`; never secrets. */
  details?: Record<string, unknown> | undefined;
  cause?: unknown;
}

/** Every failure the program expects. Anything else that reaches the top is a bug and is reported as one. */
export class KnownError extends Error {
  readonly code: string;
  readonly hints: readonly Hint[];
  /** The hints as one text, for JSON and for programs that use the library. */
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

  /** What another error is made of that says the same. */
  get parts(): KnownErrorOptions {
    const { code, details, hints, issues, issuesOmitted, message, request, status } = this;
    return { code, message, issues, issuesOmitted, hint: hints, status, request, details };
  }

  /** The same failure told anew: what is not given stays as it is, and this one is the cause. */
  with(change: Partial<Pick<KnownErrorOptions, 'message' | 'hint' | 'details'>>): KnownError {
    return new KnownError({ ...this.parts, ...change, cause: this });
  }
}

/** Whether the platform said that something does not exist; a web page with status 404 says nothing. */
export function isNotFound(error: unknown): error is KnownError & { code: 'http.not_found' } {
  return error instanceof KnownError && error.code === 'http.not_found';
}

/** A word or flag that the command line got wrong. */
export function usageError(message: string, hint?: Hints): KnownError {
  return new KnownError({ code: 'usage', message, hint });
}

/** An input file with one or more issues. `omitted` counts the issues that `issues` does not hold. */
export function invalidInput(message: string, issues: readonly Issue[], hint?: Hints, omitted = 0): KnownError {
  return new KnownError({ code: 'input.invalid', message, issues, issuesOmitted: omitted, hint });
}

/** Whether a system call failed because there is no such file, or no folder where one would have to be. */
export function isAbsent(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes(systemErrorCode(error) ?? '');
}

/** The code of a failed system call (`ENOENT` …), or undefined for any other value. */
export function systemErrorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
