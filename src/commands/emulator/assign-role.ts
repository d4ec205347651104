// `emulator assign-role`: gives a role to a user, as an admin would on the platform's own screens.
import { Command } from 'commander';
import type { RecordView } from '../../lib/render/view.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { changeByControl, findEmulator } from '../../lib/runtime/emulator/control.ts';
import { withHelp } from '../../lib/runtime/command-line/help.ts';
import { portOption } from './port-option.ts';

interface Assignment {
  role_id: string;
  user: string;
}

const view: RecordView<Assignment> = {
  kind: 'record',
  columns: [
    { key: 'role_id', id: true, value: ({ role_id }) => role_id },
    { key: 'user', value: ({ user }) => user },
  ],
};

export function assignRoleCommand(ctx: Context): Command {
  const command = new Command('assign-role')
    .description('assign a role to a user, so that deleting it is refused')
    .argument('<role_id>', "a role of the platform's manifest")
    .requiredOption('--user <email>', 'who gets it')
    .addOption(portOption())
    .action(async (roleId: string, flags: { user: string; port?: string }) => {
      const emulator = await findEmulator(ctx, flags.port);
      const body = { role_id: roleId, user: flags.user };
      const made = await changeByControl(ctx, emulator, {
        method: 'POST',
        path: '/role-assignments',
        body,
        reply: { fields: ['role_id', 'user'] },
      });
      if (made !== undefined) await ctx.out.emit(made as Assignment, view);
    });
  return withHelp(command, {
    calls: 'emulator',
    columns: view.columns,
    examples: [
      'cdpadm emulator assign-role read-only-role --user ann@example.com',
      'cdpadm emulator assign-role read-only-role --user ann@example.com --dry-run',
    ],
    json: '{"role_id","user","org_id"}',
    exits: { 5: 'the role does not exist, or no embedded platform is running' },
  });
}
