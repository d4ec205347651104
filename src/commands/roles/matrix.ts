// `roles matrix`: every role against every task.
import { Command } from 'commander';
import { roleMatrix } from '../../lib/domain/roles/permissions.ts';
import { matrixView } from '../../lib/render/roles-matrix.ts';
import { OUTPUT_FORMATS } from '../../lib/runtime/command-line/global-flags.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { withHelp } from '../../lib/runtime/command-line/help.ts';
import { pageSource } from '../page-source.ts';

export function matrixCommand(ctx: Context): Command {
  const command = new Command('matrix')
    .description('show which role may do what: roles × tasks')
    .action(() => showMatrix(ctx));
  return withHelp(command, {
    calls: 'platform',
    reads: true,
    // A column for each role.
    columns: () => undefined,
    formats: OUTPUT_FORMATS,
    notes: [
      '`-o html` is one page without scripts, to print or to hand on: cdpadm roles matrix -o html --out roles.html',
    ],
    examples: ['cdpadm roles matrix', 'cdpadm roles matrix -o csv', 'cdpadm roles matrix -o html --out roles.html'],
    json: '[{"task_id","feature","permission","roles":{"<role_id>":"direct"|"implied"|null}}]',
  });
}

async function showMatrix(ctx: Context): Promise<void> {
  const api = await ctx.api();
  const { roles, last_modified_on, last_modified_by } = await api.roles.get({ signal: ctx.signal });
  // A manifest belongs to the organization: all its workspaces have the same one.
  const source = { ...(await pageSource(ctx)), workspace: undefined, last_modified_on, last_modified_by };
  await ctx.out.emit(roleMatrix(roles), matrixView(roles, source));
}
