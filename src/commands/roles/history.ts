// `roles history`: the manifests that this machine saved before its writes.
import { array, nullable, number, object, string } from 'zod/mini';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { openRolesMemory } from '../../lib/runtime/memory/roles.ts';

export const listRevisions = defineCommand({
  path: 'roles history',
  summary: 'list the manifests that this machine saved before each write',
  effect: 'read',
  calls: 'settings',
  output: () =>
    array(
      object({
        revision: string(),
        saved_at: string(),
        reason: string(),
        profile: nullable(string()),
        plan: string(),
        roles: number(),
        last_modified_on: nullable(string()),
        last_modified_by: nullable(string()),
      }),
    ),
  examples: ['cdpadm roles history', 'cdpadm roles history -o json --query "[0].revision"'],
  run: async (ctx) => {
    const { store } = await openRolesMemory(ctx);
    return store.revisions().map(({ revision, saved_at, reason, profile, plan, manifest }) => ({
      revision,
      saved_at,
      reason,
      profile,
      plan,
      roles: manifest.roles.length,
      last_modified_on: manifest.last_modified_on ?? null,
      last_modified_by: manifest.last_modified_by ?? null,
    }));
  },
  view: {
    kind: 'list',
    columns: [
      { key: 'revision', id: true, value: (item) => item.revision },
      {
        key: 'saved_at',
        rank: 1,
        value: (item) => item.saved_at,
        // In the platform's own time format, like `last_modified_on`.
        said: (item) => item.saved_at.slice(0, 19).replace('T', ' '),
      },
      { key: 'reason', title: 'BEFORE', value: (item) => item.reason },
      { key: 'roles', align: 'right', value: (item) => item.roles },
      { key: 'last_modified_on', rank: 2, value: (item) => item.last_modified_on },
      { key: 'last_modified_by', rank: 3, value: (item) => item.last_modified_by },
    ],
    empty: 'This machine has not written to this organization yet.',
  },
});
