// An entry of the error registry.

/** Names of exit codes. `runtime/exit-codes.ts` contains their numbers. */
export type ExitName =
  | 'ok'
  | 'failed'
  | 'usage'
  | 'partial'
  | 'auth'
  | 'notFound'
  | 'conflict'
  | 'unavailable'
  | 'network'
  | 'invalidInput'
  | 'differences'
  | 'waitTimedOut'
  | 'guard'
  | 'hungUp'
  | 'interrupted'
  | 'terminated';

export interface ErrorEntry {
  /** The exit code, unless the cause needs a different one. */
  readonly exit: ExitName;
  readonly summary: string;
  readonly explanation: string;
  readonly fix: string;
}
