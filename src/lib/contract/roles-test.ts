// The schema of a `roles test` file: assertions about what roles may do.
import { array, type infer as Infer, int, nonnegative, optional, refine, strictObject, string, union } from 'zod/mini';

/** One assertion. If a map contains several, all must hold. Built on first use, because help loads this file. */
export function rolesAssertion() {
  const only = strictObject({ task: string(), roles: array(string()) });
  const some = array(string()).check(refine((tasks) => tasks.length > 0, 'must name at least one task'));
  const never = strictObject({ role: string(), tasks: some });
  const each = strictObject({ max_tasks: int().check(nonnegative()) });
  return strictObject({ only: optional(only), never: optional(never), each: optional(each) }).check(
    refine((one) => Object.keys(one).length > 0, 'an assertion is `only`, `never` or `each`'),
  );
}

export type RolesAssertion = Infer<ReturnType<typeof rolesAssertion>>;

/** The whole file: a list, or a map with an `assertions` list. */
export function rolesTestFile() {
  const assertions = array(rolesAssertion());
  return union([assertions, strictObject({ $schema: optional(string()), assertions })]);
}
