// `roles validate`: a roles file against the specification and, online, against the platform's own tasks.
import { Command } from 'commander';
import { fromReply } from '../../lib/domain/roles/manifest.ts';
import { placeIssues } from '../../lib/files/load.ts';
import { counted } from '../../lib/kernel/counted.ts';
import { toIssueItem, toMarkdownLine } from '../../lib/render/markdown.ts';
import type { DocumentView } from '../../lib/render/view.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { withHelp } from '../../lib/runtime/command-line/help.ts';
import { openRolesMemory } from '../../lib/runtime/memory/roles.ts';
import { DEFAULT_FILE, openRolesFile, tellAdvice } from './session.ts';

interface Validation {
  valid: true;
  file: string;
  roles: number;
  warnings: { path: string; line: number; column: number; message: string }[];
}

const view: DocumentView<Validation> = {
  kind: 'document',
  text: sentence,
  // On a terminal the warnings stand on standard error; here they are seen nowhere else.
  markdown: (data) => {
    const items = data.warnings.map((warning) => `${toIssueItem({ ...warning, file: data.file })}\n`);
    return `${toMarkdownLine(sentence(data))}\n${items.length > 0 ? `\n${items.join('')}` : ''}`;
  },
};

function sentence({ file, roles, warnings }: Validation): string {
  const advice = warnings.length > 0 ? `, ${counted(warnings.length, 'warning')}` : '';
  return `${file} is valid: ${counted(roles, 'role')}${advice}.`;
}

export function validateCommand(ctx: Context): Command {
  const command = new Command('validate')
    .description('check a roles file without changing anything')
    .argument('[file]', 'the roles file; - is standard input', DEFAULT_FILE)
    .option('--online', "check the tasks against the platform's own list")
    .action((file: string, flags: { online?: boolean }) => validateRoles(ctx, file, flags.online === true));
  return withHelp(command, {
    calls: 'platform',
    reads: true,
    examples: ['cdpadm roles validate', 'cdpadm roles validate roles.yaml --online'],
    json: '{"valid":true,"file","roles","warnings":[{"path","line","column","message"}]}',
    exits: { 9: 'the file is invalid; every issue is listed with its place' },
  });
}

async function validateRoles(ctx: Context, file: string, online: boolean): Promise<void> {
  // Offline, an unknown field can only be excused by a manifest that was pulled before on this machine.
  const settings = await ctx.settings();
  const memory = settings.get('base_url') && settings.get('org_id') ? await openRolesMemory(ctx) : undefined;
  const roles = await openRolesFile(ctx, file, memory);
  const checked = roles.check(online ? await readPlatform(ctx) : {});
  const warnings = placeIssues(roles.document, checked.warnings).map(({ path, line, column, message }) => {
    return { path, line, column, message };
  });
  tellAdvice(ctx, roles.document, checked.warnings, Infinity);
  await ctx.out.emit(
    { valid: true, file: roles.document.name, roles: checked.manifest.roles.length, warnings } satisfies Validation,
    view,
  );
}

async function readPlatform(ctx: Context) {
  const { roles } = await ctx.api();
  const [reply, tasks] = await Promise.all([roles.get({ signal: ctx.signal }), roles.listTasks(ctx.signal)]);
  return { live: fromReply(reply), liveTasks: new Set(tasks.map((task) => task.task_id)) };
}
