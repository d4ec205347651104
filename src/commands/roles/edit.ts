// `roles edit`: the manifest, or one role of it, in the user's editor, then pushed like a file.
import type { RoleReply } from '../../lib/contract/roles.ts';
import { inStableOrder, type Manifest, type Role, toReply } from '../../lib/domain/roles/manifest.ts';
import { wantedRoles } from '../../lib/domain/roles/wanted.ts';
import { writeLooseManifestText } from '../../lib/files/roles-file.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { editUntilValid } from '../../lib/runtime/prompts/edit-until-valid.ts';
import { openEditedFile } from '../../lib/runtime/prompts/editor.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { openRolesMemory } from '../../lib/runtime/memory/roles.ts';
import { planWanted } from '../../lib/workflows/roles-plan.ts';
import { applyIntent, emitOutcome, outcomeRecord } from './apply.ts';
import { checkRolesText, findRole, readLiveRoles } from './session.ts';
import { guardFlags, type RawGuardFlags } from './guards.ts';

export const editRoles = defineCommand({
  ...outcomeRecord,
  path: 'roles edit',
  summary: 'edit the manifest, or one role, in your editor and push it',
  args: { roleId: { name: 'role_id', optional: true, help: 'only this role' } },
  flags: { ...guardFlags },
  notes: [
    'The editor is CDPADM_EDITOR, VISUAL or EDITOR. On a terminal an invalid text opens again with its errors as comments. An unchanged or empty text sends nothing.',
  ],
  examples: ['cdpadm roles edit', 'cdpadm roles edit admin-role --dry-run'],
  exits: {
    notFound: 'there is no such role',
    conflict: 'the platform changed the same thing, another plan than the expected one, or a deleted role is assigned',
    invalidInput: 'the saved text is invalid: without a terminal at once, on one if it is saved again unchanged',
    guard: 'a guard refused, or you answered no',
  },
  run: (ctx, { args, flags }) => editManifest(ctx, args.roleId, flags),
});

async function editManifest(ctx: Context, roleId: string | undefined, flags: RawGuardFlags): Promise<void> {
  const memory = await openRolesMemory(ctx);
  await ctx.startWrite('organization');
  const { live: opened, liveTasks } = await readLiveRoles(ctx, await ctx.api());
  const part = roleId === undefined ? opened : { ...opened, roles: [findRole(opened.roles, roleId)] };
  const text = await writeLooseManifestText(
    toReply({ ...part, roles: inStableOrder(part.roles) }),
    'Save and leave the editor to see the difference. An empty file sends nothing.',
  );
  const file = openEditedFile(ctx, 'roles.yaml');
  try {
    const edited = await editUntilValid(ctx, file, text, (saved) =>
      checkRolesText(saved, file.path, opened, liveTasks),
    );
    if (edited === undefined) {
      ctx.out.note('Nothing was changed; nothing is sent.');
      file.discard();
      if (ctx.flags.output !== 'table') {
        const planned = planWanted(memory.scope, opened, wantedRoles(opened, opened, opened), ctx.redactor.text);
        await emitOutcome(ctx, { kind: 'unchanged', planned, manifest: opened });
      }
      return;
    }
    const mine: Manifest = roleId === undefined ? edited : replaceRole(opened, roleId, edited.roles);
    const intent = { reason: 'edit', want: (live: Manifest) => wantedRoles(mine, opened, live) };
    const outcome = await applyIntent(ctx, memory, intent, flags);
    // What was tried in a dry run is most likely wanted afterwards.
    if (outcome.kind === 'dry-run') ctx.out.note(`Your text is kept in ${file.path}`);
    else file.discard();
    await emitOutcome(ctx, outcome);
  } catch (error) {
    const kept = file.keep();
    if (kept !== undefined) ctx.out.warn(`Your text is kept in ${kept}`);
    throw error;
  }
}

function replaceRole(manifest: Manifest, roleId: string, replacement: readonly Role[]): Manifest {
  return {
    ...manifest,
    roles: manifest.roles.flatMap((role): RoleReply[] => (role.role_id === roleId ? [...replacement] : [role])),
  };
}
