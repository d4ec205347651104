// `roles history`: every manifest that this machine saw before a write.
import { array, type infer as Infer, nullable, number, object, string } from 'zod/mini';
import type { ListView } from '../../lib/render/view.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { openRolesMemory } from '../../lib/runtime/memory/roles.ts';

function historyItem() {
  return object({
    revision: string(),
    saved_at: string(),
    reason: string(),
    profile: nullable(string()),
    plan: string(),
    roles: number(),
    last_modified_on: nullable(string()),
    last_modified_by: nullable(string()),
  });
}

type HistoryItem = Infer<ReturnType<typeof historyItem>>;

const view: ListView<HistoryItem> = {
  kind: 'list',
  columns: [
    { key: 'revision', id: true, value: (item) => item.revision },
    {
      key: 'saved_at',
      rank: 1,
      value: (item) => item.saved_at,
      // As the platform writes the time beside it.
      said: (item) => item.saved_at.slice(0, 19).replace('T', ' '),
    },
    { key: 'reason', title: 'BEFORE', value: (item) => item.reason },
    { key: 'roles', align: 'right', value: (item) => item.roles },
    { key: 'last_modified_on', rank: 2, value: (item) => item.last_modified_on },
    { key: 'last_modified_by', rank: 3, value: (item) => item.last_modified_by },
  ],
  empty: 'Nothing was written to this organization from this machine yet.',
};

export const listRevisions = defineCommand({
  path: 'roles history',
  summary: 'list the manifests saved before each write from this machine',
  effect: 'read',
  calls: 'settings',
  output: () => array(historyItem()),
  columns: view.columns,
  examples: ['cdpadm roles history', 'cdpadm roles history -o json --query "[0].revision"'],
  run: showHistory,
});

async function showHistory(ctx: Context): Promise<void> {
  const { store } = await openRolesMemory(ctx);
  const items = store.revisions().map(({ revision, saved_at, reason, profile, plan, manifest }): HistoryItem => ({
    revision,
    saved_at,
    reason,
    profile,
    plan,
    roles: manifest.roles.length,
    last_modified_on: manifest.last_modified_on ?? null,
    last_modified_by: manifest.last_modified_by ?? null,
  }));
  await ctx.out.emit(items, view);
}
