// `emulator fault clear`: takes all faults away.
import { Command } from 'commander';
import type { Context } from '../../lib/runtime/context.ts';
import { changeByControl, findEmulator } from '../../lib/runtime/emulator/control.ts';
import { withHelp } from '../../lib/runtime/command-line/help.ts';
import { faultList, type Fault } from './fault-view.ts';
import { portOption } from './port-option.ts';

export function faultClearCommand(ctx: Context): Command {
  const command = new Command('clear')
    .description('take all faults away')
    .addOption(portOption())
    .action(async (flags: { port?: string }) => {
      const emulator = await findEmulator(ctx, flags.port);
      const left = await changeByControl(ctx, emulator, {
        method: 'DELETE',
        path: '/faults',
        reply: { list: true, fields: [] },
      });
      if (left !== undefined) await ctx.out.emit(left as Fault[], faultList);
    });
  return withHelp(command, {
    calls: 'emulator',
    columns: faultList.columns,
    examples: ['cdpadm emulator fault clear', 'cdpadm emulator fault clear --profile local'],
    json: '[]',
  });
}
