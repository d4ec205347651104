// `emulator clock advance`: lets time pass at once.
import { Command } from 'commander';
import { usageError } from '../../lib/kernel/errors.ts';
import { parseDuration } from '../../lib/kernel/timestamps.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { changeByControl, findEmulator } from '../../lib/runtime/emulator-control.ts';
import { FORMATS_WITHOUT_NAME, withHelp } from '../../lib/runtime/help.ts';
import { nowView } from './clock.ts';

export function clockAdvanceCommand(ctx: Context): Command {
  const command = new Command('advance')
    .description('let time pass on the platform; what falls due happens')
    .argument('<duration>', 'such as 15m, 8h, 7d')
    .action(async (duration: string, _flags: unknown, self: Command) => {
      if (parseDuration(duration) === undefined) {
        throw usageError(`\`${duration}\` is no duration.`, 'It takes a whole number and ms, s, m, h, d, w or y: 8d.');
      }
      const emulator = await findEmulator(ctx, self.optsWithGlobals<{ port?: string }>().port);
      const now = await changeByControl(ctx, emulator, {
        method: 'POST',
        path: '/clock',
        body: { advance: duration },
        reply: { fields: ['now'] },
      });
      if (now !== undefined) await ctx.out.emit(now as { now: string }, nowView);
    });
  return withHelp(command, {
    calls: 'emulator',
    formats: FORMATS_WITHOUT_NAME,
    columns: nowView.columns,
    examples: ['cdpadm emulator clock advance 8d', 'cdpadm emulator clock advance 15m --port 4010'],
    json: '{"now"}',
  });
}
