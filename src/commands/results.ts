// Schemas of results that commands of several groups print.
import { type infer as Infer, literal, nullable, object, string, type ZodMiniType } from 'zod/mini';
import type { Target } from '../lib/runtime/target.ts';

/** A result with the target as `startWrite` gives it. */
export type WithTarget<Schema extends () => ZodMiniType> = Omit<Infer<ReturnType<Schema>>, 'target'> & {
  target: Target;
};

/** Where a write went. */
export function workspaceTarget() {
  return object({
    profile: nullable(string()),
    environment: nullable(string()),
    workspace_id: nullable(string()),
    address: string(),
  });
}

/** Where a write to the manifest of an organization went. */
export function organizationTarget() {
  return object({
    profile: nullable(string()),
    environment: nullable(string()),
    org_id: nullable(string()),
    account_id: nullable(string()),
    address: string(),
  });
}

/** What a deletion prints. */
export function deletedResult() {
  return object({ id: string(), deleted: literal(true), target: workspaceTarget() });
}

/** What a write prints that the platform confirms by a status alone. */
export function acceptedResult() {
  return object({ accepted: literal(true), target: workspaceTarget() });
}
