// Results that several groups share: their schemas and views.
import { type infer as Infer, literal, nullable, object, string, type ZodMiniType } from 'zod/mini';
import type { RecordView } from '../lib/render/view.ts';
import type { Target } from '../lib/runtime/target.ts';

/** A result, with the target that `startWrite` returns. */
export type WithTarget<Schema extends () => ZodMiniType> = Omit<Infer<ReturnType<Schema>>, 'target'> & {
  target: Target;
};

/** The target of a write to a workspace. */
export function workspaceTarget() {
  return object({
    profile: nullable(string()),
    environment: nullable(string()),
    workspace_id: nullable(string()),
    address: string(),
  });
}

/** Describes in messages where a run sent its rows. */
export function targetName({ address, environment, workspace_id }: Infer<ReturnType<typeof workspaceTarget>>): string {
  return `workspace ${workspace_id} (${environment}) at ${address}`;
}

/** The target of a write to the manifest of an organization. */
export function organizationTarget() {
  return object({
    profile: nullable(string()),
    environment: nullable(string()),
    org_id: nullable(string()),
    account_id: nullable(string()),
    address: string(),
  });
}

/** The result of a deletion. */
export function deletedResult() {
  return object({ id: string(), deleted: literal(true), target: workspaceTarget() });
}

export const deletedView: RecordView<WithTarget<typeof deletedResult>> = {
  kind: 'record',
  columns: [
    { key: 'id', id: true, value: (it) => it.id },
    { key: 'deleted', value: (it) => it.deleted },
  ],
};

/** The result of a write that the platform confirms only by a status code. */
export function acceptedResult() {
  return object({ accepted: literal(true), target: workspaceTarget() });
}
