// `roles push`: replaces the live manifest by the file's, after everything that can be checked was checked.
import { Command } from 'commander';
import { wantedRoles } from '../../lib/domain/roles/wanted.ts';
import { resolvePath } from '../../lib/files/read-input.ts';
import { updateManifestText } from '../../lib/files/roles-file.ts';
import { writeUserFile } from '../../lib/kernel/durable.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { withHelp } from '../../lib/runtime/command-line/help.ts';
import { openRolesMemory } from '../../lib/runtime/memory/roles.ts';
import type { PushOutcome } from '../../lib/workflows/roles-push.ts';
import { applyIntent, emitOutcome, manifestAfter, OUTCOME_JSON, outcomeColumns } from './apply.ts';
import { type RawGuardFlags, withGuardFlags } from './guards.ts';
import { DEFAULT_FILE, openRolesFile, type RolesFile, tellAdvice } from './session.ts';

interface PushFlags extends RawGuardFlags {
  base?: string;
  writeBack: boolean;
}

export function pushCommand(ctx: Context): Command {
  const command = withGuardFlags(
    new Command('push')
      .description('replace the live manifest by a roles file')
      .argument('[file]', 'the roles file; - is standard input', DEFAULT_FILE)
      .option('--base <file>', 'the manifest that the file was made from (default: the one kept at pull or push)')
      .option('--no-write-back', 'leave the file as it is instead of bringing it up to date'),
  ).action((file: string, flags: PushFlags) => pushFile(ctx, file, flags));
  return withHelp(command, {
    calls: 'platform',
    columns: outcomeColumns,
    notes: [
      'A role that is not in the file is deleted, for the whole organization. Nothing is sent before the difference was shown and confirmed.',
    ],
    examples: [
      'cdpadm roles push',
      'cdpadm roles push roles.yaml --dry-run -o json',
      'cdpadm roles push roles.yaml --allow-delete --yes',
    ],
    json: OUTCOME_JSON,
    exits: {
      6: 'the platform changed in a way that overlaps, another plan than the expected one, or a deleted role is assigned',
      9: 'the file is invalid, or a task does not exist',
      12: 'a guard refused, or you answered no',
    },
  });
}

async function pushFile(ctx: Context, file: string, flags: PushFlags): Promise<void> {
  const memory = await openRolesMemory(ctx);
  const roles = await openRolesFile(ctx, file, memory, flags.base);
  const outcome = await applyIntent(
    ctx,
    memory,
    {
      reason: 'push',
      want: (live, liveTasks) => {
        const checked = roles.check({ live, liveTasks });
        tellAdvice(ctx, roles.document, checked.warnings);
        return wantedRoles(checked.manifest, roles.base, live);
      },
    },
    flags,
  );
  if (outcome.kind !== 'dry-run' && flags.writeBack && file !== '-') await writeBack(ctx, file, roles, outcome);
  await emitOutcome(ctx, outcome);
}

/** Brings the file up to date: the new stamps, and what was kept from the platform. */
async function writeBack(ctx: Context, file: string, roles: RolesFile, outcome: PushOutcome): Promise<void> {
  const { text } = roles.document;
  const updated = await updateManifestText(text, roles.document.format, manifestAfter(outcome));
  if (updated !== text) writeUserFile(resolvePath(file, ctx.io.cwd), updated);
}
