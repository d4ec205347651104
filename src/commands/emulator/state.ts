// `emulator clock`, `reset`, `export`, `import` and `assign-role`: control the platform's state.
import * as z from 'zod/mini';
import { loadDocument } from '../../lib/files/load.ts';
import { resolvePath } from '../../lib/files/read-input.ts';
import { stringifyJson, isRecord } from '../../lib/kernel/json.ts';
import { PRIVATE_FILE, writeUserFile } from '../../lib/kernel/durable.ts';
import { invalidInput, KnownError, usageError } from '../../lib/kernel/errors.ts';
import { fields, type RecordView } from '../../lib/render/view.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { change, controlCalls, read } from '../../lib/runtime/emulator/control.ts';
import { onPlatform, portFlag } from './start.ts';
import { parseDuration } from '../../lib/kernel/timestamps.ts';

const nowResult = () => z.object({ now: z.string() });

const nowView: RecordView<{ now: string }> = {
  kind: 'record',
  columns: [{ key: 'now', value: ({ now }) => now }],
  name: ({ now }) => now,
};

const advanceClock = defineCommand({
  path: 'emulator clock advance',
  summary: "advance the platform's clock and run everything that becomes due",
  ...onPlatform,
  args: { duration: { help: 'duration such as 15m, 8h or 7d' } },
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
    const end = ctx.out.waits({ text: `Advancing the clock by ${duration}` });
    return await change(ctx, flags, controlCalls.moveClock({ advance: duration })).finally(end);
  },
  view: nowView,
});

export const showClock = defineCommand({
  path: 'emulator clock',
  summary: "show or advance the platform's clock",
  ...onPlatform,
  output: nowResult,
  examples: ['cdpadm emulator clock', 'cdpadm emulator clock advance 8d'],
  below: [advanceClock],
  run: (ctx, { flags }) => read(ctx, flags, controlCalls.now),
  view: nowView,
});

export const resetPlatform = defineCommand({
  path: 'emulator reset',
  summary: 'reset the platform to its fixtures',
  ...onPlatform,
  output: nowResult,
  examples: ['cdpadm emulator reset', 'cdpadm emulator reset --profile local'],
  run: async (ctx, { flags }) => {
    const now = await change(ctx, flags, controlCalls.reset);
    if (now !== undefined) ctx.out.note('The platform was reset to its fixtures.');
    return now;
  },
  view: nowView,
});

/** `rows` counts the rows of all tables. */
const movedResult = () => z.object({ file: z.string(), rows: z.number() });

const fileView: RecordView<{ file: string; rows: number }> = {
  kind: 'record',
  columns: fields('file', 'rows'),
  name: ({ file }) => file,
};

const countRows = (tables: unknown): number => (isRecord(tables) ? Object.values(tables).flat().length : 0);

export const exportPlatform = defineCommand({
  path: 'emulator export',
  summary: "write the platform's state to a file",
  ...onPlatform,
  args: { file: { help: 'JSON file to write (0600), with warehouse secrets masked; - writes to standard output' } },
  output: movedResult,
  examples: ['cdpadm emulator export state.json', 'cdpadm emulator export state.json --port 4010'],
  run: async (ctx, { args: { file }, flags }) => {
    const state = await read(ctx, flags, controlCalls.state);
    const text = `${stringifyJson(state)}\n`;
    if (file === '-') return await ctx.out.emit(state, { kind: 'document', text: () => text });
    const exported = { file, rows: countRows(state.tables) };
    if (ctx.flags.dryRun)
      return await ctx.out.emitDryRun([], exported, `The state would be written to ${file}.`, [file]);
    writeUserFile(resolvePath(file, ctx.io.cwd), text, PRIVATE_FILE);
    return exported;
  },
  view: fileView,
});

export const importPlatform = defineCommand({
  path: 'emulator import',
  summary: "replace the platform's state with an exported one",
  ...onPlatform,
  args: { file: { help: 'JSON file that `emulator export` wrote; - reads standard input' } },
  output: movedResult,
  notes: ['The import replaces the whole state, including the clock and the faults. Tokens stay valid.'],
  examples: ['cdpadm emulator import state.json', 'cdpadm emulator import state.json --dry-run'],
  exits: { invalidInput: 'the file is not an exported state of this version, organization and workspace' },
  run: async (ctx, { args: { file }, flags }) => {
    const { value, name } = await loadDocument(file, ctx);
    if (!isRecord(value) || value['format'] !== 1) {
      const issue = { path: 'format', message: 'must be 1, as `cdpadm emulator export` writes it' };
      throw invalidInput('The file is not an exported state of the embedded platform.', [{ file: name, ...issue }]);
    }
    const now = await change(ctx, flags, controlCalls.replaceState(value)).catch((error: unknown) => {
      if (!(error instanceof KnownError) || error.code !== 'usage') throw error;
      throw invalidInput('The platform cannot use the state.', [{ file: name, path: '', message: error.message }]);
    });
    return now && { file, rows: countRows(value['tables']) };
  },
  view: fileView,
});

export const assignRole = defineCommand({
  path: 'emulator assign-role',
  summary: 'assign a role to a user, so that the role cannot be deleted',
  ...onPlatform,
  args: { role_id: { help: 'id of a role in the manifest' } },
  flags: { user: { value: 'email', help: 'email address of the user', required: true }, ...portFlag },
  output: () => z.object({ role_id: z.string(), user: z.string(), org_id: z.number() }),
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
