// Results that several groups share: their schemas and views.
import * as z from 'zod/mini';
import type { RecordView } from '../lib/render/view.ts';
import type { Target } from '../lib/runtime/target.ts';

/** A result, with the target that `startWrite` returns. */
export type WithTarget<Schema extends () => z.ZodMiniType> = Omit<z.infer<ReturnType<Schema>>, 'target'> & {
  target: Target;
};

/** The target of a write to a workspace. */
export function workspaceTarget() {
  return z.object({
    profile: z.nullable(z.string()),
    environment: z.nullable(z.string()),
    workspace_id: z.nullable(z.string()),
    address: z.string(),
  });
}

/** Describes in messages where a run sent its rows. */
export function targetName({
  address,
  environment,
  workspace_id,
}: z.infer<ReturnType<typeof workspaceTarget>>): string {
  return `workspace ${workspace_id} (${environment}) at ${address}`;
}

/** The target of a write to the manifest of an organization. */
export function organizationTarget() {
  return z.object({
    profile: z.nullable(z.string()),
    environment: z.nullable(z.string()),
    org_id: z.nullable(z.string()),
    account_id: z.nullable(z.string()),
    address: z.string(),
  });
}

/** The result of a deletion. */
export function deletedResult() {
  return z.object({ id: z.string(), deleted: z.literal(true), target: workspaceTarget() });
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
  return z.object({ accepted: z.literal(true), target: workspaceTarget() });
}
