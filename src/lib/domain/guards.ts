// Guards against changes that are easy to regret: what stops a plan, and how a user allows it.
export interface Refusal<Guard extends string> {
  guard: Guard;
  /** The flag that lifts the guard. Absent for `--fail-on`, which sets the guard. */
  flag?: string;
  message: string;
  /** The text that a user on a terminal may type instead of passing the flag. */
  typed?: string;
}

/** From this many live items, changing more than the share below at once is suspicious. */
const LEAST_ITEMS = 10;
const MOST_PERCENT = 30;

/** `touched` is the number of items to change or delete, out of `total`. */
export function thresholdRefusals(noun: string, total: number, touched: number): Refusal<'threshold'>[] {
  if (total < LEAST_ITEMS || touched * 100 <= total * MOST_PERCENT) return [];
  const message = `${touched} of ${total} ${noun} would be changed or deleted, more than ${MOST_PERCENT} %`;
  return [{ guard: 'threshold', flag: '--force', message }];
}
