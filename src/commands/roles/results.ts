// Result schemas of the roles commands.
import { array, boolean, catchall, nullable, number, object, optional, string, unknown } from 'zod/mini';
import { RoleReply } from '../../lib/contract/roles.ts';
import { organizationTarget } from '../results.ts';

/** The result of `roles diff`; `plan` is null if it compares two files. */
export function diffResult() {
  return object({ plan: nullable(string()), ...planFields() });
}

/** The result of a push: the plan, whether it was applied, and the revision of the previous manifest. */
export function outcomeResult() {
  return object({
    plan: string(),
    ...planFields(),
    applied: boolean(),
    revision: nullable(string()),
    target: organizationTarget(),
  });
}

function planFields() {
  return {
    base: object({ last_modified_on: nullable(string()), last_modified_by: nullable(string()) }),
    created: array(RoleReply),
    modified: array(modifiedRole()),
    deleted: array(RoleReply),
    unchanged: array(string()),
    summary: object({ create: number(), modify: number(), delete: number(), unchanged: number() }),
    warnings: optional(array(string())),
    kept: optional(array(string())),
  };
}

function modifiedRole() {
  const text = object({ from: nullable(string()), to: nullable(string()) });
  const tasks = object({ added: array(string()), removed: array(string()) });
  const known = object({ name: optional(text), description: optional(text), tasks: optional(tasks) });
  // Fields that the specification does not know hold any JSON.
  const changes = catchall(known, object({ from: unknown(), to: unknown() }));
  return object({ role_id: string(), changes, escalations: array(string()) });
}
