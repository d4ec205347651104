// Conflicts between a roles file and the platform: asks on a terminal, and otherwise writes comments into the file.
import { explain } from '../../lib/contract/explain.ts';
import { Role as RoleSchema } from '../../lib/contract/roles.ts';
import { type Manifest, sameContent, sameStamp, toReply } from '../../lib/domain/roles/manifest.ts';
import { type MergeConflict, resolveConflict, type WantedRoles, wantedRoles } from '../../lib/domain/roles/merge.ts';
import { fail } from '../../lib/errors/fail.ts';
import { markConflicts, updateManifestText } from '../../lib/files/roles-file.ts';
import type { KnownError } from '../../lib/kernel/errors.ts';
import { shellWord } from '../../lib/kernel/words.ts';
import { cleanLine } from '../../lib/render/clean.ts';
import type { Context } from '../../lib/runtime/context.ts';
import type { RolesMemoryOfContext } from '../../lib/runtime/memory/roles.ts';
import { conflictError, sidesOf } from '../../lib/workflows/roles-plan.ts';
import { openRolesFile, tellRebased } from './session.ts';

/** Asks on a terminal how to resolve each conflict. Without a terminal, and in a dry run, conflicts remain. */
export async function askConflicts(ctx: Context, merged: WantedRoles): Promise<WantedRoles> {
  if (!ctx.prompt.possible || ctx.flags.dryRun) return merged;
  let { roles } = merged;
  const rebased = new Set(merged.rebased);
  for (const conflict of merged.conflicts) {
    const value = await askSide(ctx, conflict);
    if (value === conflict.theirs) rebased.add(conflict.role_id);
    roles = resolveConflict(roles, conflict, value);
  }
  return { ...merged, roles, rebased: [...rebased], conflicts: [] };
}

async function askSide(ctx: Context, conflict: MergeConflict): Promise<unknown> {
  const { role_id, field, mine, theirs } = conflict;
  const sides = sidesOf(conflict, ctx.redactor.text);
  const what = field === 'role' ? `Role ${role_id}` : `Role ${role_id}, ${field}`;
  const isText = [mine, theirs].every((side) => side === null || typeof side === 'string');
  const choice = await ctx.prompt.select(`Conflict: ${what} (it was: ${cleanLine(sides.base)}). Which value?`, [
    { value: 'yours', label: `yours: ${cleanLine(sides.mine)}` },
    { value: 'platform', label: `platform's: ${cleanLine(sides.theirs)}` },
    ...(isText ? [{ value: 'edit', label: 'edit: type a different value' } as const] : []),
  ]);
  if (choice !== 'edit') return choice === 'yours' ? mine : theirs;
  const rest = { role_id, name: 'x', description: 'x', tasks: [] };
  return await ctx.prompt.input(`${what}:`, {
    initial: typeof mine === 'string' ? mine : '',
    check: (text) => explain(RoleSchema, { ...rest, [field]: text })[0]?.message,
  });
}

/** Merges live changes into a file. Conflicts become comments; a file that cannot have comments is not changed (6). */
export async function mergeFile(
  ctx: Context,
  file: string,
  live: Manifest,
  memory: RolesMemoryOfContext,
  baseFile: string | undefined,
): Promise<{ text: string; read: string; roles: number; isLive: boolean; conflict?: KnownError }> {
  const { document, base, check } = await openRolesFile(ctx, file, memory, baseFile);
  const { manifest } = check({ live });
  const merged = wantedRoles(manifest, base ?? (sameStamp(manifest, live) ? live : undefined), live);
  if (!base && !sameStamp(manifest, live) && !sameContent({ ...live, roles: merged.roles }, live)) {
    throw fail('roles.stale_file', {
      message: `This machine cannot merge, because it does not have the manifest that ${file} was created from.`,
      hint: 'Pass that manifest with --base FILE.',
    });
  }
  const asked = await askConflicts(ctx, merged);
  const roles = asked.conflicts.reduce((list, one) => resolveConflict(list, one, one.mine), asked.roles);
  const { text: read, format } = document;
  const text = await updateManifestText(read, format, { ...toReply(live), roles });
  if (text === undefined) throw unchanged(file, 'its YAML cannot be edited in place');
  if (asked.conflicts.length === 0) {
    tellRebased(ctx, { ...asked, roles });
    return { text, read, roles: roles.length, isLive: sameContent({ ...live, roles }, live) };
  }
  const error = conflictError({ ...asked, file }, ctx.redactor.text);
  const marked = format === 'json' ? undefined : await markConflicts(text, asked.conflicts);
  if (marked === undefined) {
    throw error.with({
      message: `Conflict: you and the platform changed the same fields. ${file} was not changed.`,
      hint: { text: 'To choose the values on a terminal:', command: `cdpadm roles pull ${shellWord(file)} --merge` },
    });
  }
  tellRebased(ctx, { ...asked, roles });
  const conflict = error.with({
    message: `Conflict: you and the platform changed the same fields. ${file} keeps your values, with the platform's values in comments.`,
    hint: {
      text: 'Choose a value for each field, and delete the comments. To check the result:',
      command: `cdpadm roles diff ${shellWord(file)}`,
    },
  });
  return { text: marked, read, roles: roles.length, isLive: false, conflict };
}

export function unchanged(file: string, reason: string): KnownError {
  return fail('roles.local_edits', {
    message: `${file} was not changed: ${reason}.`,
    hint: { text: 'Pull into another file, and merge by hand:', command: 'cdpadm roles pull new.yaml' },
  });
}
