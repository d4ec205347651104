// `roles push`: replaces the live manifest by the file's, after everything that can be checked was checked.
import { type Manifest, toReply } from '../../lib/domain/roles/manifest.ts';
import { type WantedRoles, wantedRoles } from '../../lib/domain/roles/wanted.ts';
import { resolvePath } from '../../lib/files/read-input.ts';
import { updateManifestText, writeBack } from '../../lib/files/roles-file.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { openRolesMemory } from '../../lib/runtime/memory/roles.ts';
import { applyIntent, emitOutcome, outcomeRecord } from './apply.ts';
import { guardFlags, type RawGuardFlags } from './guards.ts';
import { DEFAULT_FILE, openRolesFile, type RolesFile, tellAdvice } from './session.ts';

interface PushFlags extends RawGuardFlags {
  base?: string;
  writeBack: boolean;
}

export const pushRoles = defineCommand({
  ...outcomeRecord,
  path: 'roles push',
  summary: 'replace the live manifest by a roles file',
  args: { file: { default: DEFAULT_FILE, help: 'the roles file; - is standard input' } },
  flags: {
    base: { value: 'file', help: 'the manifest that the file was made from (default: the one kept at pull or push)' },
    writeBack: { default: true, help: 'leave the stamps in the file as they are' },
    ...guardFlags,
  },
  notes: [
    'A role that is missing from the file is deleted for the whole organization. Nothing is sent before the difference is shown and confirmed.',
    'After the push the file gets the new stamps, and roles that the merge kept from the platform. Nothing else in it changes.',
  ],
  examples: [
    'cdpadm roles push',
    'cdpadm roles push roles.yaml --dry-run -o json',
    'cdpadm roles push roles.yaml --allow-delete --yes',
  ],
  exits: {
    conflict:
      'the platform changed in a way that overlaps or does not hold what was sent, another plan than the expected one, or a deleted role is assigned',
    invalidInput: 'the file is invalid, or a task does not exist',
    guard: 'a guard refused, or you answered no',
  },
  run: (ctx, { args, flags }) => pushFile(ctx, args.file, flags),
});

async function pushFile(ctx: Context, file: string, flags: PushFlags): Promise<void> {
  const memory = await openRolesMemory(ctx);
  const roles = await openRolesFile(ctx, file, memory, flags.base);
  let wanted: WantedRoles | undefined;
  const outcome = await applyIntent(
    ctx,
    memory,
    {
      reason: 'push',
      want: (live, liveTasks) => {
        const checked = roles.check({ live, liveTasks });
        tellAdvice(ctx, roles.document, checked.warnings);
        return (wanted = wantedRoles(checked.manifest, roles.base, live));
      },
    },
    flags,
  );
  if (!ctx.flags.dryRun && flags.writeBack && file !== '-' && wanted) {
    await memory.store.saveBase(toReply(outcome.manifest));
    await updateFile(ctx, file, roles.document, wanted, outcome.manifest);
  }
  await emitOutcome(ctx, outcome);
}

/** Updates the stamps in the file, and the roles that the merge kept from the platform; nothing else. */
async function updateFile(
  ctx: Context,
  file: string,
  { text, format }: RolesFile['document'],
  { roles, rebased }: WantedRoles,
  { last_modified_on, last_modified_by }: Manifest,
): Promise<void> {
  // A stamp that could not be read leaves the one in the file.
  const stamps = last_modified_on === null ? {} : { last_modified_on, last_modified_by };
  const updated = await updateManifestText(text, format, { ...stamps, roles });
  if (updated === text) return;
  const result = updated === undefined ? 'not-editable' : writeBack(resolvePath(file, ctx.io.cwd), text, updated);
  if (result === 'written') {
    const kept = rebased.length > 0 ? ` and the roles kept from the platform (${rebased.join(', ')})` : '';
    ctx.out.note(`Updated the last-modified stamp${kept} in ${file}.`);
  } else if (result !== 'stream') {
    const reason = result === 'changed' ? 'it changed after the push read it' : 'its YAML cannot be edited in place';
    ctx.out.warn({ text: `${file} was not updated: ${reason}. To compare it:`, command: `cdpadm roles diff ${file}` });
  }
}
