// `roles push`: replaces the live manifest with a roles file after every possible check.
import { fromReply, type Manifest, toReply } from '../../lib/domain/roles/manifest.ts';
import { baseOfPushed, type WantedRoles, wantedRoles } from '../../lib/domain/roles/merge.ts';
import * as z from 'zod/mini';
import { ManifestReply, RoleReply } from '../../lib/contract/roles.ts';
import { diffCommand, readSavedPlan, requireSameTarget } from '../../lib/files/saved-plan.ts';
import { cannotWrite, usageError } from '../../lib/kernel/errors.ts';
import { shellWord } from '../../lib/kernel/words.ts';
import { resolvePath } from '../../lib/files/read-input.ts';
import { realFile, updateManifestText, writeBack } from '../../lib/files/roles-file.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { openRolesMemory, type RolesMemoryOfContext } from '../../lib/runtime/memory/roles.ts';
import { type PushOutcome, saveLive } from '../../lib/workflows/roles-push.ts';
import { applyIntent, askConflicts, emitOutcome, guardFlags, outcomeRecord } from './apply.ts';
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
    const content = z.object({ roles: z.array(RoleReply), file: ManifestReply, path: z.optional(z.string()) });
    const saved = flags.plan === undefined ? undefined : await readSavedPlan(flags.plan, ctx, 'roles', content);
    const path = file ?? (saved ? undefined : DEFAULT_FILE);
    const roles = path === undefined ? undefined : await openRolesFile(ctx, path, memory, flags.base);
    const base = flags.base === undefined ? [] : ['--base', flags.base];
    const again = diffCommand('roles', path === undefined ? saved?.from : [path, ...base]);
    if (saved) {
      await ctx.startWrite('organization');
      requireSameTarget(saved, memory.scope);
    }
    let pushed: { file: Manifest; wanted: WantedRoles } | undefined;
    const want = async (live: Manifest, liveTasks: ReadonlySet<string>) => {
      if (!roles || path === undefined)
        return { roles: saved?.content.roles ?? [], conflicts: [], rebased: [], stale: false, again };
      const checked = roles.check({ live, liveTasks });
      tellAdvice(ctx, roles.document, checked.warnings);
      await ctx.startWrite('organization');
      const merged = await askConflicts(ctx, wantedRoles(checked.manifest, roles.base, live));
      pushed = { file: checked.manifest, wanted: { ...merged, again, file: path } };
      return pushed.wanted;
    };
    const guards = saved ? { ...flags, expectPlan: saved.plan } : flags;
    const outcome = await applyIntent(ctx, memory, { reason: 'push', want }, guards);
    if (outcome.kind !== 'dry-run') {
      const { content } = saved ?? {};
      if (pushed && roles && path !== undefined)
        await finishFile(ctx, memory, { ...pushed, path, document: roles.document }, outcome, flags.writeBack);
      else if (content?.path !== undefined)
        await keepBase(memory, fromReply(content.file), outcome.planned.wanted, outcome, content.path);
    }
    await emitOutcome(ctx, outcome);
  },
});

interface PushedFile {
  path: string;
  document: RolesFile['document'];
  /** Content of the file. */
  file: Manifest;
  wanted: WantedRoles;
}

/** Updates the file, or stores its content as the base of the stamp that it keeps. */
async function finishFile(
  ctx: Context,
  memory: RolesMemoryOfContext,
  pushed: PushedFile,
  outcome: PushOutcome,
  mayWrite: boolean,
): Promise<void> {
  const { path, file, wanted } = pushed;
  const real = realFile(path, ctx);
  if (mayWrite && path !== '-') {
    await saveLive(memory.store, outcome.manifest, real);
    if (await updateFile(ctx, pushed, outcome.manifest)) return;
  }
  if (real !== undefined && file.last_modified_on !== null) await keepBase(memory, file, wanted, outcome, real);
}

async function keepBase(
  { store }: RolesMemoryOfContext,
  file: Manifest,
  wanted: WantedRoles,
  { manifest, planned }: PushOutcome,
  path: string,
): Promise<void> {
  const ids = new Set(wanted.roles.map(({ role_id }) => role_id));
  const withdrawn = planned.wanted.roles.filter(({ role_id }) => !ids.has(role_id));
  await store.saveBase(toReply(baseOfPushed(file, manifest.roles, withdrawn)), path, 'file');
}

/**
 * Updates only the stamps in the file, and the roles that the merge took from the platform. Returns false if the file
 * keeps its old stamp. This is only a warning, because the platform has the roles.
 */
async function updateFile(
  ctx: Context,
  { path, document: { text, format }, wanted: { roles, rebased } }: PushedFile,
  { last_modified_on, last_modified_by }: Manifest,
): Promise<boolean> {
  // Without a new stamp, the file keeps its old one.
  const stamps = last_modified_on === null ? {} : { last_modified_on, last_modified_by };
  const updated = await updateManifestText(text, format, { ...stamps, roles });
  const result = updated === text ? 'unchanged' : tryWriteBack(resolvePath(path, ctx.io.cwd), text, updated);
  if (result === 'written') {
    const changed = rebased.length > 0 ? ` and the roles that changed on the platform (${rebased.join(', ')})` : '';
    ctx.out.note(`Updated the last-modified stamp${changed} in ${path}.`);
  } else if (result !== 'unchanged' && result !== 'stream') {
    ctx.out.warn({
      text: `${path} was not updated: ${result}. To compare it with the platform:`,
      command: `cdpadm roles diff ${shellWord(path)}`,
    });
  }
  return last_modified_on !== null && (result === 'written' || result === 'unchanged');
}

/** Returns the result of `writeBack` or the reason why the file was not updated. */
function tryWriteBack(path: string, read: string, updated: string | undefined): string {
  if (updated === undefined) return 'its YAML cannot be edited in place';
  try {
    const result = writeBack(path, read, updated);
    return result === 'changed' ? 'it changed after the push read it' : result;
  } catch (error) {
    return cannotWrite(path, error).message.replace(/\.$/, '');
  }
}
