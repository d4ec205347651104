// Guards that plans for roles and for warehouse resources share.

/** Why a guard stops a plan. */
export interface Refusal<Guard extends string> {
  guard: Guard;
  /** Flag that lifts the guard; absent for `--fail-on`, which sets the guard. */
  flag?: string;
  message: string;
  /** Text that a user on a terminal may type instead of passing the flag. */
  typed?: string;
}

/** The text to type is the id of the only deletion, or the number of deletions. */
export function refuseDeletions([id, ...others]: readonly string[], message: string): Refusal<'delete'>[] {
  if (id === undefined) return [];
  return [{ guard: 'delete', flag: '--allow-delete', message, typed: others.length ? String(others.length + 1) : id }];
}

/** Stops a plan that changes or deletes more than 30% of ten or more live objects. */
export function refuseMany(touched: number, live: number, objects: string): Refusal<'threshold'>[] {
  if (live < 10 || touched * 100 <= live * 30) return [];
  const message = `${touched} of ${live} ${objects} would be changed or deleted, more than 30%`;
  return [{ guard: 'threshold', flag: '--force', message }];
}
