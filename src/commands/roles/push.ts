// `roles push`: replaces the live manifest with a roles file after every possible check.
import { type Manifest, toReply } from '../../lib/domain/roles/manifest.ts';
import { type WantedRoles, wantedRoles } from '../../lib/domain/roles/merge.ts';
import * as z from 'zod/mini';
import { ManifestReply, RoleReply } from '../../lib/contract/roles.ts';
import { diffCommand, readSavedPlan, requireSameTarget } from '../../lib/files/saved-plan.ts';
import { usageError } from '../../lib/kernel/errors.ts';
import { shellWord } from '../../lib/kernel/words.ts';
import { resolvePath } from '../../lib/files/read-input.ts';
import { updateManifestText, writeBack } from '../../lib/files/roles-file.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { openRolesMemory } from '../../lib/runtime/memory/roles.ts';
import { applyIntent, emitOutcome, guardFlags, outcomeRecord } from './apply.ts';
import { askConflicts } from './merge.ts';
import { baseFlag, DEFAULT_FILE, openRolesFile, type RolesFile, tellAdvice } from './session.ts';

export const pushRoles = defineCommand({
  ...outcomeRecord,
  path: 'roles push',
  summary: 'replace the live manifest with a roles file',
  args: { file: { optional: true, help: `roles file (default: ${DEFAULT_FILE}); - reads standard input` } },
  flags: {
    base: baseFlag,
    plan: {
      value: 'file',
      conflicts: ['base', 'expectPlan'],
      help: 'apply only the plan that `roles diff --save-plan` wrote',
    },
    writeBack: { default: true, help: 'do not update the stamps in the file' },
    ...guardFlags,
  },
  notes: [
    'A role that is missing from the file is deleted for the whole organization. The command shows the changes, and asks for confirmation before it changes anything.',
    "On a terminal, the command asks about each field that both you and the platform changed: yours, the platform's, or a different value.",
    'After the push, the file gets the new stamps and the roles that the merge kept from the platform. Nothing else in the file changes.',
    '--plan does not need a roles file: the plan contains the roles. If you also pass a roles file, it must still produce the same plan. If the platform has changed since the plan was saved, nothing is sent (exit 6).',
  ],
  examples: [
    'cdpadm roles push',
    'cdpadm roles push roles.yaml --dry-run -o json',
    'cdpadm roles push --plan roles.plan --yes',
    'cdpadm roles push roles.yaml --allow-delete --yes',
  ],
  exits: {
    conflict:
      'the platform changed the same fields or did not store what was sent, the plan is not the expected one, or a role to be deleted is assigned to a user',
    invalidInput: 'the file is invalid, or a task does not exist',
    guard: 'a guard stopped the push, or you answered no',
  },
  run: async (ctx, { args: { file }, flags }) => {
    if (file === '-' && flags.plan === '-') throw usageError('Only one of the two files can be standard input.');
    const memory = await openRolesMemory(ctx);
    // Earlier versions did not save `file`.
    const content = z.object({ roles: z.array(RoleReply), file: z.optional(ManifestReply) });
    const saved = flags.plan === undefined ? undefined : await readSavedPlan(flags.plan, ctx, 'roles', content);
    const path = file ?? (saved ? undefined : DEFAULT_FILE);
    const roles = path === undefined ? undefined : await openRolesFile(ctx, path, memory, flags.base);
    const base = flags.base === undefined ? [] : ['--base', flags.base];
    const again = diffCommand({ kind: 'roles', from: path === undefined ? saved?.from : [path, ...base] });
    if (saved) {
      await ctx.startWrite('organization');
      requireSameTarget(saved, memory.scope);
    }
    let wanted: WantedRoles | undefined;
    const want = async (live: Manifest, liveTasks: ReadonlySet<string>) => {
      if (!roles) return { roles: saved?.content.roles ?? [], conflicts: [], rebased: [], stale: false, again };
      const checked = roles.check({ live, liveTasks });
      tellAdvice(ctx, roles.document, checked.warnings);
      await ctx.startWrite('organization');
      const merged = await askConflicts(ctx, wantedRoles(checked.manifest, roles.base, live));
      return (wanted = { ...merged, again, file: roles.document.name === '<stdin>' ? '-' : roles.document.name });
    };
    const guards = saved ? { ...flags, expectPlan: saved.plan } : flags;
    const outcome = await applyIntent(ctx, memory, { reason: 'push', want }, guards);
    // The file keeps its old stamp. Save its content as a base, so that it no longer counts as edits.
    if (!ctx.flags.dryRun && saved?.content.file) await memory.store.saveBase(saved.content.file);
    if (!ctx.flags.dryRun && flags.writeBack && path !== undefined && path !== '-' && roles && wanted) {
      await memory.store.saveBase(toReply(outcome.manifest));
      await updateFile(ctx, path, roles.document, wanted, outcome.manifest);
    }
    if (outcome.kind === 'applied' && !flags.writeBack && path !== undefined && path !== '-' && roles?.base)
      ctx.out.note({
        text: `${path} keeps its old stamp. Before you change the file again:`,
        command: `cdpadm roles pull ${shellWord(path)} --merge`,
      });
    await emitOutcome(ctx, outcome);
  },
});

/** Updates only the stamps in the file, and the roles that the merge took from the platform. */
async function updateFile(
  ctx: Context,
  file: string,
  { text, format }: RolesFile['document'],
  { roles, rebased }: WantedRoles,
  { last_modified_on, last_modified_by }: Manifest,
): Promise<void> {
  // Without a new stamp, the file keeps its old one.
  const stamps = last_modified_on === null ? {} : { last_modified_on, last_modified_by };
  const updated = await updateManifestText(text, format, { ...stamps, roles });
  if (updated === text) return;
  const result = updated === undefined ? 'not-editable' : writeBack(resolvePath(file, ctx.io.cwd), text, updated);
  if (result === 'written') {
    const kept = rebased.length > 0 ? ` and the roles kept from the platform (${rebased.join(', ')})` : '';
    ctx.out.note(`Updated the last-modified stamp${kept} in ${file}.`);
  } else if (result !== 'stream') {
    const reason = result === 'changed' ? 'it changed after the push read it' : 'its YAML cannot be edited in place';
    ctx.out.warn({
      text: `${file} was not updated: ${reason}. To compare it with the platform:`,
      command: `cdpadm roles diff ${shellWord(file)}`,
    });
  }
}
