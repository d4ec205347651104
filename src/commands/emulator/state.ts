// `emulator clock`, `reset`, `export`, `import` and `assign-role`: the state of the platform.
import { resolve } from 'node:path';
import { number, object, string } from 'zod/mini';
import { loadDocument } from '../../lib/files/load.ts';
import { stringifyJson, isRecord } from '../../lib/kernel/json.ts';
import { writePrivateFile } from '../../lib/kernel/durable.ts';
import { invalidInput, usageError } from '../../lib/kernel/errors.ts';
import { fields, type RecordView } from '../../lib/render/view.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { change, controlCalls, read } from '../../lib/runtime/emulator/control.ts';
import { portFlag } from './start.ts';
import { parseDuration } from '../../lib/kernel/timestamps.ts';
import type { Context } from '../../lib/runtime/context.ts';

const nowResult = () => object({ now: string() });

const nowView: RecordView<{ now: string }> = {
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
    return await countingSeconds(ctx, title, change(ctx, flags, controlCalls.moveClock({ advance: duration })));
  },
  view: nowView,
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
  run: (ctx, { flags }) => read(ctx, flags, controlCalls.now),
  view: nowView,
});

export const resetPlatform = defineCommand({
  path: 'emulator reset',
  summary: 'reset the platform to its fixtures',
  effect: 'local',
  calls: 'emulator',
  flags: portFlag,
  output: nowResult,
  examples: ['cdpadm emulator reset', 'cdpadm emulator reset --profile local'],
  run: async (ctx, { flags }) => {
    const now = await change(ctx, flags, controlCalls.reset);
    if (now !== undefined) ctx.out.note('The platform was reset to its fixtures.');
    return now;
  },
  view: nowView,
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

/** `rows` counts the rows of all tables. */
const movedResult = () => object({ file: string(), rows: number() });

const fileView: RecordView<{ file: string; rows: number }> = {
  kind: 'record',
  columns: fields('file', 'rows'),
  name: ({ file }) => file,
};

const countRows = (tables: unknown): number =>
  isRecord(tables)
    ? Object.values(tables).reduce<number>((sum, rows) => sum + (Array.isArray(rows) ? rows.length : 0), 0)
    : 0;

export const exportPlatform = defineCommand({
  path: 'emulator export',
  summary: "write the platform's state to a file",
  effect: 'local',
  calls: 'emulator',
  args: { file: { help: 'JSON file to write; warehouse secrets are masked' } },
  flags: portFlag,
  output: movedResult,
  examples: ['cdpadm emulator export state.json', 'cdpadm emulator export state.json --port 4010'],
  run: async (ctx, { args: { file }, flags }) => {
    const state = await read(ctx, flags, controlCalls.state);
    writePrivateFile(resolve(ctx.io.cwd, file), `${stringifyJson(state)}\n`);
    return { file, rows: countRows(state.tables) };
  },
  view: fileView,
});

export const importPlatform = defineCommand({
  path: 'emulator import',
  summary: "replace the platform's state with an exported one",
  effect: 'local',
  calls: 'emulator',
  args: { file: { help: 'JSON file that `emulator export` wrote; - reads standard input' } },
  flags: portFlag,
  output: movedResult,
  notes: ['The import replaces the whole state, including clock and faults. Tokens stay valid.'],
  examples: ['cdpadm emulator import state.json', 'cdpadm emulator import state.json --dry-run'],
  exits: { invalidInput: 'the file is not an exported state' },
  run: async (ctx, { args: { file }, flags }) => {
    const { value, name } = await loadDocument(file, ctx);
    if (!isRecord(value) || value['format'] !== 1) {
      const issue = { path: 'format', message: 'must be 1, as `cdpadm emulator export` writes it' };
      throw invalidInput('The file is not an exported state of the embedded platform.', [{ file: name, ...issue }]);
    }
    const now = await change(ctx, flags, controlCalls.replaceState(value));
    return now && { file, rows: countRows(value['tables']) };
  },
  view: fileView,
});

export const assignRole = defineCommand({
  path: 'emulator assign-role',
  summary: 'assign a role to a user, so that the role cannot be deleted',
  effect: 'local',
  calls: 'emulator',
  args: { role_id: { help: 'id of a role in the manifest' } },
  flags: { user: { value: 'email', help: 'email address of the user', required: true }, ...portFlag },
  output: () => object({ role_id: string(), user: string(), org_id: number() }),
  examples: [
    'cdpadm emulator assign-role read-only-role --user ann@example.com',
    'cdpadm emulator assign-role read-only-role --user ann@example.com --dry-run',
  ],
  exits: { notFound: 'the role does not exist, or no embedded platform is running' },
  run: (ctx, { args: { role_id }, flags }) => change(ctx, flags, controlCalls.assignRole(role_id, flags.user)),
  view: {
    kind: 'record',
    columns: [
      { key: 'role_id', id: true, value: ({ role_id }) => role_id },
      { key: 'user', value: ({ user }) => user },
    ],
  },
});
