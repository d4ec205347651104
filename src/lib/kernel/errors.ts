// The class of expected errors and its parts: issues with positions, and hints with commands to copy. Also converts
// file system errors.

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

export const isAbsent = (error: unknown): boolean => ['ENOENT', 'ENOTDIR'].includes(systemErrorCode(error) ?? '');

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

export const hintLine = ({ text, command }: Hint): string => (command === undefined ? text : `${text} ${command}`);

/** Returns several hints as one string. A command is in backticks if more text follows. */
export function hintText(hints: readonly Hint[]): string {
  const last = hints.length - 1;
  return hints
    .map((hint, at) =>
      hint.command === undefined || at === last ? hintLine(hint) : `${hint.text} \`${hint.command}\`.`,
    )
    .join(' ');
}

export const OTHER_FOLDERS =
  'set other folders with CDPADM_CONFIG_DIR, CDPADM_STATE_DIR, CDPADM_CACHE_DIR and CDPADM_DATA_DIR.';

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file would be larger than allowed',
  ENOENT: 'the folder does not exist',
  ENOTDIR: 'a part of the path is not a folder',
  EISDIR: 'it is a folder',
  ERR_FS_EISDIR: 'it is a folder',
  EEXIST: 'there is a file where the folder should be',
  ELOOP: 'its symbolic links form a loop',
  ENAMETOOLONG: 'the name is too long',
  EMFILE: 'too many files are open',
  EBUSY: 'it is a mount point, or another program uses it',
  EIO: 'the disk reported an error',
};

const ROOM = 'Free some space';
const PERMISSION = 'Make its folder writable by you';
const REMEDIES: Readonly<Record<string, string>> = {
  ENOSPC: ROOM,
  EDQUOT: ROOM,
  EFBIG: ROOM,
  EBUSY: 'Mount the folder instead of the file',
  EROFS: PERMISSION,
  EACCES: PERMISSION,
  EPERM: PERMISSION,
};

/** Returns the error for a failed write; returns a KnownError unchanged. The default hint may suggest a fix. */
export function cannotWrite(path: string, error: unknown, hint?: Hints): KnownError {
  const remedy = REMEDIES[systemErrorCode(error) ?? ''] ?? (isAbsent(error) ? 'Create the folder' : undefined);
  const ours = `The file was not written.${remedy ? ` ${remedy}, or use another folder.` : ''}`;
  return failure('files.write', `Cannot write ${path}`, error, hint ?? ours);
}

/** Returns the result of `work`. Converts its error with `cannotWrite`. */
export function writing<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw cannotWrite(path, error);
  }
}

/** Returns the error for a private folder that cannot be created. Returns a KnownError unchanged. */
export function cannotCreate(path: string, error: unknown): KnownError {
  const remedy = REMEDIES[systemErrorCode(error) ?? ''] ?? 'Fix the path';
  return failure('files.write', `Cannot create the folder ${path}`, error, `${remedy}, or ${OTHER_FOLDERS}`);
}

export function cannotRead(path: string, error: unknown): KnownError {
  return failure(
    'files.read',
    `Cannot read ${path}`,
    error,
    systemErrorCode(error) === 'ENOENT'
      ? 'Check the path.'
      : 'Check the owner and the mode of the file and of its folder.',
  );
}

function failure(code: string, what: string, error: unknown, hint: Hints): KnownError {
  if (error instanceof KnownError) return error;
  return new KnownError({ code, message: `${what}: ${reasonOf(error)}.`, hint, cause: error });
}

export const reasonOf = (error: unknown): string => REASONS[systemErrorCode(error) ?? ''] ?? (error as Error).message;
