// `roles edit`: opens the manifest, or one of its roles, in the user's editor, then pushes it like a file.
import { pickManifest } from '../pick.ts';
import { inStableOrder, type Manifest, toReply } from '../../lib/domain/roles/manifest.ts';
import { checkManifest } from '../../lib/domain/roles/validate.ts';
import { wantedRoles } from '../../lib/domain/roles/merge.ts';
import { invalidDocument, parseDocumentText } from '../../lib/files/load.ts';
import { writeLooseManifestText } from '../../lib/files/roles-file.ts';
import { editUntilValid, withEditedFile } from '../../lib/runtime/prompts/editor.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { openRolesMemory } from '../../lib/runtime/memory/roles.ts';
import { planWanted, readLiveRoles } from '../../lib/workflows/roles-plan.ts';
import { applyIntent, askConflicts, emitOutcome, outcomeRecord } from './apply.ts';
import { findRole } from './session.ts';

export const editRoles = defineCommand({
  ...outcomeRecord,
  path: 'roles edit',
  tool: false,
  summary: 'edit the manifest, or one role, in your editor and push it',
  args: { roleId: { name: 'role_id', optional: true, help: 'only this role', pick: pickManifest } },
  notes: [
    'The editor is CDPADM_EDITOR, VISUAL or EDITOR. On a terminal, invalid text opens again with its errors as comments. If the text is unchanged or empty, nothing is sent.',
  ],
  examples: ['cdpadm roles edit', 'cdpadm roles edit admin-role --dry-run'],
  exits: {
    notFound: 'role not found',
    conflict:
      'you and the platform changed the same field, the plan is not the expected one, or a role to be deleted is assigned to a user',
    invalidInput: 'the saved text is invalid (on a terminal, only if you save it again without a change)',
    guard: 'a guard stopped the write, or you answered no',
  },
  run: async (ctx, { args: { roleId }, flags }) => {
    const memory = await openRolesMemory(ctx);
    await ctx.startWrite('organization');
    const { live: opened, liveTasks } = await readLiveRoles((await ctx.api()).roles, ctx.signal);
    const only = roleId === undefined ? undefined : findRole(opened.roles, roleId);
    const part = only ? [only] : opened.roles;
    const others = opened.roles.filter((role) => !part.includes(role));
    const text = await writeLooseManifestText(
      toReply({ ...opened, roles: inStableOrder(part) }),
      'Save and close the editor to see the difference. If the file is empty, nothing is sent.',
    );
    await withEditedFile(ctx, 'roles.yaml', async (file) => {
      const edited = await editUntilValid(ctx, file, text, async (saved) => {
        const document = await parseDocumentText(file.path, saved, 'yaml');
        const { manifest, issues } = checkManifest(document.value, { live: opened, liveTasks, others });
        if (issues.length > 0) throw invalidDocument(document, 'roles file', issues);
        return manifest;
      });
      if (edited === undefined) {
        ctx.out.note('No changes; nothing was sent.');
        file.discard();
        if (ctx.flags.output !== 'table') {
          const planned = planWanted(memory.scope, opened, wantedRoles(opened, opened, opened), ctx.redactor.text);
          await emitOutcome(ctx, { kind: 'unchanged', planned, manifest: opened });
        }
        return;
      }
      const roles = opened.roles.flatMap((role) => (role === only ? edited.roles : [role]));
      const mine = only ? { ...opened, roles } : edited;
      const intent = { reason: 'edit', want: (live: Manifest) => askConflicts(ctx, wantedRoles(mine, opened, live)) };
      const outcome = await applyIntent(ctx, memory, intent, flags);
      // After a dry run, users usually want to apply the same text.
      if (outcome.kind === 'dry-run') ctx.out.note(`Your text is kept in ${file.path}`);
      else file.discard();
      await emitOutcome(ctx, outcome);
    });
  },
});
