// `emulator fault list`: the faults that are still to befall a request.
import { Command } from 'commander';
import type { Context } from '../../lib/runtime/context.ts';
import { callControl, findEmulator } from '../../lib/runtime/emulator/control.ts';
import { withHelp } from '../../lib/runtime/command-line/help.ts';
import { faultList, type Fault } from './fault-view.ts';
import { portOption } from './port-option.ts';

export function faultListCommand(ctx: Context): Command {
  const command = new Command('list')
    .description('list the faults, and how many more requests each of them affects')
    .addOption(portOption())
    .action(async (flags: { port?: string }) => {
      const emulator = await findEmulator(ctx, flags.port);
      await ctx.out.emit(
        (await callControl(ctx, emulator, {
          method: 'GET',
          path: '/faults',
          reply: { list: true, fields: [] },
        })) as Fault[],
        faultList,
      );
    });
  return withHelp(command, {
    calls: 'emulator',
    examples: ['cdpadm emulator fault list', 'cdpadm emulator fault list -o json'],
    json: '[{"method"?,"path"?,"status"?,"retry_after"?,"delay"?,"drop"?,"times"?,"probability"?}]',
  });
}
