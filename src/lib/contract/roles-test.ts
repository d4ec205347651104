// The schema of a `roles test` file: assertions about what roles may do.
import * as z from 'zod/mini';

/** Returns the schema of a map of assertions that must all hold. Built on demand, because help loads this file. */
export function rolesAssertion() {
  const only = z.strictObject({ task: z.string(), roles: z.array(z.string()) });
  const some = z.array(z.string()).check(z.refine((tasks) => tasks.length > 0, 'must name at least one task'));
  const never = z.strictObject({ role: z.string(), tasks: some });
  const each = z.strictObject({ max_tasks: z.int().check(z.nonnegative()) });
  return z
    .strictObject({ only: z.optional(only), never: z.optional(never), each: z.optional(each) })
    .check(z.refine((one) => Object.keys(one).length > 0, 'an assertion must contain `only`, `never` or `each`'));
}

export type RolesAssertion = z.infer<ReturnType<typeof rolesAssertion>>;

/** Returns the schema of the file: a list of assertion maps, or a map with an `assertions` list. */
export function rolesTestFile() {
  const assertions = z.array(rolesAssertion());
  return z.union([assertions, z.strictObject({ $schema: z.optional(z.string()), assertions })]);
}
