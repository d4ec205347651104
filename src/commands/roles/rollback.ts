// `roles rollback`: restores a saved manifest, with the same diff and guards as a push.
import { fromReply } from '../../lib/domain/roles/manifest.ts';
import { nearestHint } from '../../lib/kernel/nearest.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { openRolesMemory } from '../../lib/runtime/memory/roles.ts';
import { applyIntent, emitOutcome, outcomeRecord } from './apply.ts';
import { fail } from '../../lib/errors/fail.ts';

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
