// Results shared by several groups: their schemas and views.
import * as z from 'zod/mini';
import type { RecordView } from '../lib/render/view.ts';
import { isEmbedded, type Target } from '../lib/runtime/target.ts';
import type { PageSource } from '../lib/render/html-page.ts';
import type { Context } from '../lib/runtime/context.ts';

/** A result, with the target that `startWrite` returns. */
export type WithTarget<Schema extends () => z.ZodMiniType> = Omit<z.infer<ReturnType<Schema>>, 'target'> & {
  target: Target;
};

/** Returns fields that have the same schema. */
export function each<Name extends string, Schema extends z.ZodMiniType>(schema: Schema, ...names: Name[]) {
  return Object.fromEntries(names.map((name) => [name, schema])) as Record<Name, Schema>;
}

function targetWith<Id extends string>(...ids: Id[]) {
  const text = z.nullable(z.string());
  return z.object({ profile: text, environment: text, ...each(text, ...ids), address: z.string() });
}

export const workspaceTarget = () => targetWith('workspace_id');

export const organizationTarget = () => targetWith('org_id', 'account_id');

export const targetName = (target: z.infer<ReturnType<typeof workspaceTarget>>): string =>
  `workspace ${target.workspace_id} (${target.environment}) at ${target.address}`;

export const deletedResult = () => z.object({ id: z.string(), deleted: z.literal(true), target: workspaceTarget() });

export const deletedView: RecordView<WithTarget<typeof deletedResult>> = {
  kind: 'record',
  columns: [
    { key: 'id', id: true, value: (it) => it.id },
    { key: 'deleted', value: (it) => it.deleted },
  ],
};

/** Returns the platform that the command called, and the time. Omits the embedded platform's port, which changes. */
export async function pageSource(ctx: Context, address: 'base_url' | 'dsr_base_url' = 'base_url'): Promise<PageSource> {
  const settings = await ctx.settings();
  return {
    platform: isEmbedded(settings, address) ? 'embedded platform' : settings.get(address)?.value,
    ...(address === 'base_url' && { organization: settings.get('org_id')?.value }),
    workspace: settings.get('workspace_id')?.value,
    made_on: ctx.clock.now(),
  };
}
