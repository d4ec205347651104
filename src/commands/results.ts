// Schemas of results that commands of several groups print.
import { literal, nullable, object, string } from 'zod/mini';

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
