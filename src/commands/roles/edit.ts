// `roles edit`: the manifest, or one role of it, in the user's editor, then pushed like a file.
import { Command } from 'commander';
import type { RoleReply } from '../../lib/contract/roles.ts';
import { fromReply, inStableOrder, type Manifest, type Role, toReply } from '../../lib/domain/roles/manifest.ts';
import { wantedRoles } from '../../lib/domain/roles/wanted.ts';
import { writeLooseManifestText } from '../../lib/files/roles-file.ts';
import { CliError } from '../../lib/kernel/errors.ts';
import { cleanLine } from '../../lib/render/clean.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { type EditedFile, openEditedFile } from '../../lib/runtime/prompts/editor.ts';
import { withHelp } from '../../lib/runtime/command-line/help.ts';
import { openRolesMemory } from '../../lib/runtime/memory/roles.ts';
import { planWanted } from '../../lib/workflows/roles-plan.ts';
import { applyIntent, emitOutcome, OUTCOME_JSON, outcomeColumns } from './apply.ts';
import { findRole } from './find-role.ts';
import { type RawGuardFlags, withGuardFlags } from './guards.ts';
import { checkRolesText } from './session.ts';

export function editCommand(ctx: Context): Command {
  const command = withGuardFlags(
    new Command('edit')
      .description('edit the manifest, or one role, in your editor and push it')
      .argument('[role_id]', 'only this role'),
  ).action((roleId: string | undefined, flags: RawGuardFlags) => editRoles(ctx, roleId, flags));
  return withHelp(command, {
    calls: 'platform',
    columns: outcomeColumns,
    notes: [
      'The editor is CDPADM_EDITOR, VISUAL or EDITOR. An invalid text opens again with what is wrong; an unchanged or empty one sends nothing.',
    ],
    examples: ['cdpadm roles edit', 'cdpadm roles edit admin-role --dry-run'],
    json: OUTCOME_JSON,
    exits: {
      5: 'there is no such role',
      6: 'the platform changed the same thing, another plan than the expected one, or a deleted role is assigned',
      9: 'an invalid text was saved again as it was',
      12: 'a guard refused, or you answered no',
    },
  });
}

async function editRoles(ctx: Context, roleId: string | undefined, flags: RawGuardFlags): Promise<void> {
  const memory = await openRolesMemory(ctx);
  const { roles: api } = await ctx.api();
  const [reply, tasks] = await Promise.all([api.get({ signal: ctx.signal }), api.listTasks(ctx.signal)]);
  const opened = fromReply(reply);
  const liveTasks = new Set(tasks.map((task) => task.task_id));
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

const HEADER_MARK = '#! ';

/** Opens the editor until the text is valid. Undefined when nothing was changed. Gives up when the errors stay. */
async function editUntilValid(
  ctx: Context,
  file: EditedFile,
  original: string,
  check: (text: string) => Promise<Manifest>,
): Promise<Manifest | undefined> {
  let shown = original;
  for (;;) {
    const saved = await file.edit(shown);
    const text = withoutHeader(saved);
    if (text === original || isBlank(text)) return undefined;
    try {
      return await check(text);
    } catch (error) {
      if (!(error instanceof CliError) || saved === shown) throw error;
      shown = `${errorHeader(error)}${text}`;
      for (const line of errorLines(error)) ctx.out.warn(line);
    }
  }
}

/** What is wrong with the text as it is shown next: the lines of the header come before its own. */
function errorLines(error: CliError): string[] {
  const extra = error.issues.length + 2;
  const lines = error.issues.map(
    ({ line, column, path, message }) =>
      `line ${(line ?? 1) + extra}:${column ?? 1}: ${path === '' ? '' : `${path}: `}${message}`,
  );
  return ['Not valid yet. Mend this, or empty the file to give up:', ...lines];
}

/** As comments of the file; a name with a line end in it stays within its comment. */
function errorHeader(error: CliError): string {
  return [...errorLines(error), ''].map((line) => `${HEADER_MARK}${cleanLine(line)}\n`).join('');
}

function withoutHeader(text: string): string {
  return text
    .split('\n')
    .filter((line) => !line.startsWith(HEADER_MARK.trimEnd()))
    .join('\n');
}

function isBlank(text: string): boolean {
  return text.split('\n').every((line) => line.trim() === '' || line.trimStart().startsWith('#'));
}

function replaceRole(manifest: Manifest, roleId: string, replacement: readonly Role[]): Manifest {
  return {
    ...manifest,
    roles: manifest.roles.flatMap((role): RoleReply[] => (role.role_id === roleId ? [...replacement] : [role])),
  };
}
