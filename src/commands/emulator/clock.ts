// `emulator clock`, `clock advance` and `reset`.
import { type infer as Infer, object, string } from 'zod/mini';
import { usageError } from '../../lib/kernel/errors.ts';
import { parseDuration } from '../../lib/kernel/timestamps.ts';
import type { RecordView } from '../../lib/render/view.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { controlCalls } from '../../lib/runtime/emulator/control.ts';
import { change, portFlag, read } from './control.ts';

type Now = Infer<ReturnType<typeof nowResult>>;

function nowResult() {
  return object({ now: string() });
}

const view: RecordView<Now> = {
  kind: 'record',
  columns: [{ key: 'now', value: ({ now }) => now }],
  name: ({ now }) => now,
};

const advanceClock = defineCommand({
  path: 'emulator clock advance',
  summary: "advance the platform's clock and run everything that falls due",
  effect: 'local',
  calls: 'emulator',
  args: { duration: { help: 'duration such as 15m, 8h, 7d' } },
  flags: { port: { ...portFlag.port, inherited: true } },
  columns: view.columns,
  output: nowResult,
  examples: ['cdpadm emulator clock advance 8d', 'cdpadm emulator clock advance 15m --port 4010'],
  run: async (ctx, { args: { duration }, flags }) => {
    if (parseDuration(duration) === undefined) {
      throw usageError(
        `Invalid duration \`${duration}\`.`,
        'Pass a whole number with ms, s, m, h, d, w or y, such as 8d.',
      );
    }
    const title = `Advancing the clock by ${duration}, seconds`;
    const now = await countingSeconds(ctx, title, change(ctx, flags, controlCalls.moveClock({ advance: duration })));
    if (now !== undefined) await ctx.out.emit(now, view);
  },
});

export const showClock = defineCommand({
  path: 'emulator clock',
  summary: "show or advance the platform's clock",
  effect: 'local',
  calls: 'emulator',
  flags: portFlag,
  output: nowResult,
  examples: ['cdpadm emulator clock', 'cdpadm emulator clock advance 8d'],
  below: [advanceClock],
  run: async (ctx, { flags }) => ctx.out.emit(await read(ctx, flags, controlCalls.now), view),
});

export const resetPlatform = defineCommand({
  path: 'emulator reset',
  summary: 'reset the platform to its fixtures',
  effect: 'local',
  calls: 'emulator',
  flags: portFlag,
  columns: view.columns,
  output: nowResult,
  examples: ['cdpadm emulator reset', 'cdpadm emulator reset --profile local'],
  run: async (ctx, { flags }) => {
    const now = await change(ctx, flags, controlCalls.reset);
    if (now === undefined) return;
    ctx.out.note('The platform was reset to its fixtures.');
    await ctx.out.emit(now, view);
  },
});

/** Shows the elapsed seconds: an advance of many days can take a while. */
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
