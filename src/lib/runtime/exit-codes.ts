// The exit codes that scripts rely on. `cdpadm help exit-codes` shows these codes to users.
import type { ExitName } from '../errors/entry.ts';

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
} as const satisfies Record<ExitName, number>;
