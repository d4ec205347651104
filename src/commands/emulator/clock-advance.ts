// `emulator clock advance`: lets time pass at once.
import { Command } from 'commander';
import { usageError } from '../../lib/kernel/errors.ts';
import { parseDuration } from '../../lib/kernel/timestamps.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { changeByControl, findEmulator } from '../../lib/runtime/emulator/control.ts';
import { withHelp } from '../../lib/runtime/command-line/help.ts';
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
      const change = changeByControl(ctx, emulator, {
        method: 'POST',
        path: '/clock',
        body: { advance: duration },
        reply: { fields: ['now'] },
      });
      const now = await countingSeconds(ctx, `Letting ${duration} pass on the platform, seconds`, change);
      if (now !== undefined) await ctx.out.emit(now as { now: string }, nowView);
    });
  return withHelp(command, {
    calls: 'emulator',
    columns: nowView.columns,
    examples: ['cdpadm emulator clock advance 8d', 'cdpadm emulator clock advance 15m --port 4010'],
    json: '{"now"}',
  });
}

/** Tells each second that `work` takes: runs of days are carried out one by one. */
async function countingSeconds<T>(ctx: Context, title: string, work: Promise<T>): Promise<T> {
  const { clock } = ctx.io;
  const progress = ctx.out.progress(title);
  const over = new AbortController();
  const since = clock.now();
  const count = async (): Promise<void> => {
    for (;;) {
      await clock.sleep(1000, over.signal);
      progress.update({ done: Math.floor((clock.now() - since) / 1000) });
    }
  };
  const counting = count().catch(() => undefined);
  try {
    return await work;
  } finally {
    over.abort();
    await counting;
    progress.end();
  }
}
