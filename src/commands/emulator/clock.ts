// `emulator clock`: the platform's time.
import { Command } from 'commander';
import type { RecordView } from '../../lib/render/view.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { callControl, findEmulator } from '../../lib/runtime/emulator/control.ts';
import { withHelp } from '../../lib/runtime/command-line/help.ts';
import { portOption } from './port-option.ts';

export const nowView: RecordView<{ now: string }> = {
  kind: 'record',
  columns: [{ key: 'now', value: ({ now }) => now }],
  name: ({ now }) => now,
};

export function clockCommand(ctx: Context): Command {
  const command = new Command('clock')
    .description("show the platform's time, or move it")
    .addOption(portOption())
    .action(async (flags: { port?: string }) => {
      const emulator = await findEmulator(ctx, flags.port);
      await ctx.out.emit(
        (await callControl(ctx, emulator, { method: 'GET', path: '/clock', reply: { fields: ['now'] } })) as {
          now: string;
        },
        nowView,
      );
    });
  return withHelp(command, {
    calls: 'emulator',
    examples: ['cdpadm emulator clock', 'cdpadm emulator clock advance 8d'],
    json: '{"now"}',
  });
}
