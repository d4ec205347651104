// Guards shared by the plans for roles and for warehouse resources.

export interface Refusal<Guard extends string> {
  guard: Guard;
  /** Flag that turns the guard off; absent for a guard that `--fail-on` turns on. */
  flag?: string;
  message: string;
  /** Text that a user at a terminal may type instead of passing the flag. */
  typed?: string;
}

/** The text to type is the id of the only object to delete or, for several objects, their number. */
export function refuseDeletions([id, ...others]: readonly string[], message: string): Refusal<'delete'>[] {
  if (id === undefined) return [];
  return [{ guard: 'delete', flag: '--allow-delete', message, typed: others.length ? String(others.length + 1) : id }];
}

/** If there are at least ten live objects, stops a plan that changes or deletes more than 30% of them. */
export function refuseMany(touched: number, live: number, objects: string): Refusal<'threshold'>[] {
  if (live < 10 || touched * 100 <= live * 30) return [];
  const message = `${touched} of ${live} ${objects} would be changed or deleted, more than 30%`;
  return [{ guard: 'threshold', flag: '--force', message }];
}
