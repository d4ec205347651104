// `roles history` and `rollback`: the manifests that this machine saved before its writes.
import { array, nullable, number, object, string } from 'zod/mini';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { openRolesMemory } from '../../lib/runtime/memory/roles.ts';
import { fromReply } from '../../lib/domain/roles/manifest.ts';
import { nearestHint } from '../../lib/kernel/nearest.ts';
import { applyIntent, emitOutcome, outcomeRecord } from './apply.ts';
import { fail } from '../../lib/errors/fail.ts';

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

export const rollBackRoles = defineCommand({
  ...outcomeRecord,
  path: 'roles rollback',
  summary: 'restore a saved manifest',
  args: { revision: { help: 'a revision of `roles history`, or the beginning of one' } },
  notes: ['The current manifest is saved first: a rollback can be rolled back.'],
  examples: [
    'cdpadm roles rollback 20261121T080000123Z-1f3a9c --dry-run',
    'cdpadm roles rollback 20261121T08 --allow-delete',
  ],
  exits: {
    notFound: 'revision not found',
    conflict: 'a deleted role is assigned, or the plan is not the expected one',
    guard: 'a guard stopped it, or you answered no',
  },
  run: async (ctx, { args: { revision }, flags }) => {
    const memory = await openRolesMemory(ctx);
    const saved = memory.store.findRevision(revision);
    if (!saved) {
      const known = memory.store.revisions().map((item) => item.revision);
      const several = known.filter((one) => one.startsWith(revision)).length > 1;
      const list = { text: 'To list them:', command: 'cdpadm roles history' };
      throw fail('roles.revision_not_found', {
        message: several ? `Several revisions begin with ${revision}.` : `Unknown revision ${revision}.`,
        hint: several ? list : nearestHint(revision, known, list),
      });
    }
    const { roles } = fromReply(saved.manifest);
    const want = () => ({ roles, conflicts: [], rebased: [], stale: false });
    await emitOutcome(ctx, await applyIntent(ctx, memory, { reason: 'rollback', want }, flags));
  },
});
