// `emulator reset`: back to the fixtures.
import { Command } from 'commander';
import type { Context } from '../../lib/runtime/context.ts';
import { changeByControl, findEmulator } from '../../lib/runtime/emulator/control.ts';
import { withHelp } from '../../lib/runtime/command-line/help.ts';
import { nowView } from './clock.ts';
import { portOption } from './port-option.ts';

export function resetCommand(ctx: Context): Command {
  const command = new Command('reset')
    .description('put the platform back to what it began with')
    .addOption(portOption())
    .action(async (flags: { port?: string }) => {
      const emulator = await findEmulator(ctx, flags.port);
      const now = await changeByControl(ctx, emulator, { method: 'POST', path: '/reset', reply: { fields: ['now'] } });
      if (now === undefined) return;
      ctx.out.note('The platform is back to its fixtures.');
      await ctx.out.emit(now as { now: string }, nowView);
    });
  return withHelp(command, {
    calls: 'emulator',
    columns: nowView.columns,
    examples: ['cdpadm emulator reset', 'cdpadm emulator reset --profile local'],
    json: '{"now"}',
  });
}
