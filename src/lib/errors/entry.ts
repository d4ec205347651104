// What the registry says of one error.

/** How a process ends; `runtime/exit-codes.ts` has the number of each. */
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
  /** The usual ending. */
  readonly exit: ExitName;
  readonly summary: string;
  readonly explanation: string;
  readonly fix: string;
}
