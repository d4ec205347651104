// `emulator callbacks list`: the status callbacks, and what came of their deliveries.
import { Command } from 'commander';
import type { Context } from '../../lib/runtime/context.ts';
import { callControl, findEmulator } from '../../lib/runtime/emulator/control.ts';
import { withHelp } from '../../lib/runtime/command-line/help.ts';
import { callbackList, type Callback, CALLBACKS } from './callbacks-view.ts';
import { portOption } from './port-option.ts';

export function callbacksListCommand(ctx: Context): Command {
  const command = new Command('list')
    .description('list the status callbacks with what came of each')
    .addOption(portOption())
    .action(async (flags: { port?: string }) => {
      const emulator = await findEmulator(ctx, flags.port);
      const callbacks = await callControl(ctx, emulator, { method: 'GET', path: '/callbacks', reply: CALLBACKS });
      await ctx.out.emit(callbacks as Callback[], callbackList);
    });
  return withHelp(command, {
    calls: 'emulator',
    columns: callbackList.columns,
    examples: ['cdpadm emulator callbacks list', 'cdpadm emulator callbacks list -o json'],
    json: '[{"id","workspace_id","subject_request_id","request_status","url","state","queued_on","due_on","attempts":[{"at","status","error"}]}]',
  });
}
