// The exit codes, and an entry of the error registry.

/** Scripts rely on these codes. `cdpadm help exit-codes` shows them to users. */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  partial: 3,
  auth: 4,
  notFound: 5,
  conflict: 6,
  unavailable: 7,
  network: 8,
  invalidInput: 9,
  differences: 10,
  waitTimedOut: 11,
  guard: 12,
  hungUp: 129,
  interrupted: 130,
  terminated: 143,
} as const;
export type ExitName = keyof typeof EXIT;

export interface ErrorEntry {
  /** The exit code, unless the cause needs a different one. */
  readonly exit: ExitName;
  readonly summary: string;
  readonly explanation: string;
  readonly fix: string;
}

type CreateEntry = (summary: string, explanation: string, fix: string) => ErrorEntry;

/** For each exit code, a function that creates an entry: what happened, why, and how to fix it. */
export const exit = Object.fromEntries(
  (Object.keys(EXIT) as ExitName[]).map((name): [ExitName, CreateEntry] => [
    name,
    (summary, explanation, fix) => ({ exit: name, summary, explanation, fix }),
  ]),
) as Record<ExitName, CreateEntry>;
