// `roles rollback`: puts a saved manifest back, through the same diff and guards as a push.
import { fromReply } from '../../lib/domain/roles/manifest.ts';
import type { KnownError } from '../../lib/kernel/errors.ts';
import { nearestHint } from '../../lib/kernel/nearest.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { openRolesMemory } from '../../lib/runtime/memory/roles.ts';
import { applyIntent, emitOutcome, outcomeRecord } from './apply.ts';
import { guardFlags, type RawGuardFlags } from './guards.ts';
import { fail } from '../../lib/errors/fail.ts';

export const rollBackRoles = defineCommand({
  ...outcomeRecord,
  path: 'roles rollback',
  summary: 'put a saved manifest back',
  args: { revision: { help: 'a revision of `roles history`, or the beginning of one' } },
  flags: { ...guardFlags },
  notes: ['What is there now is saved first: a rollback can be rolled back.'],
  examples: [
    'cdpadm roles rollback 20261121T080000123Z-1f3a9c --dry-run',
    'cdpadm roles rollback 20261121T08 --allow-delete',
  ],
  exits: {
    notFound: 'there is no such revision',
    conflict: 'a deleted role is assigned, or another plan than the expected one',
    guard: 'a guard refused, or you answered no',
  },
  run: (ctx, { args, flags }) => rollBack(ctx, args.revision, flags),
});

async function rollBack(ctx: Context, name: string, flags: RawGuardFlags): Promise<void> {
  const memory = await openRolesMemory(ctx);
  const saved = memory.store.findRevision(name);
  if (!saved)
    throw noSuchRevision(
      name,
      memory.store.revisions().map((item) => item.revision),
    );
  const { roles } = fromReply(saved.manifest);
  const outcome = await applyIntent(
    ctx,
    memory,
    { reason: 'rollback', want: () => ({ roles, conflicts: [], rebased: [], stale: false }) },
    flags,
  );
  await emitOutcome(ctx, outcome);
}

function noSuchRevision(name: string, known: readonly string[]): KnownError {
  const several = known.filter((revision) => revision.startsWith(name)).length > 1;
  const list = { text: 'To list them:', command: 'cdpadm roles history' };
  return fail('roles.revision_not_found', {
    message: several ? `${name} is the beginning of several revisions.` : `There is no revision ${name}.`,
    hint: several ? list : nearestHint(name, known, list),
  });
}
