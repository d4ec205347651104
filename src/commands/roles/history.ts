// `roles history`: every manifest that this machine saw before a write.
import { Command } from 'commander';
import type { ListView } from '../../lib/render/view.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { withHelp } from '../../lib/runtime/command-line/help.ts';
import { openRolesMemory } from '../../lib/runtime/memory/roles.ts';

interface HistoryItem {
  revision: string;
  saved_at: string;
  reason: string;
  profile: string | null;
  plan: string;
  roles: number;
  last_modified_on: string | null;
  last_modified_by: string | null;
}

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

export function historyCommand(ctx: Context): Command {
  const command = new Command('history')
    .description('list the manifests saved before each write from this machine')
    .action(() => showHistory(ctx));
  return withHelp(command, {
    calls: 'settings',
    reads: true,
    columns: view.columns,
    examples: ['cdpadm roles history', 'cdpadm roles history -o json --query "[0].revision"'],
    json: '[{"revision","saved_at","reason","profile","plan","roles","last_modified_on","last_modified_by"}]',
  });
}

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
