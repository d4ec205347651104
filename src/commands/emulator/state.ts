// `emulator export` and `import`: the platform's state as a file.
import { resolve } from 'node:path';
import { number, object, string } from 'zod/mini';
import { loadDocument } from '../../lib/files/load.ts';
import { stringifyJson } from '../../lib/kernel/json.ts';
import { writePrivateFile } from '../../lib/kernel/durable.ts';
import { isRecord } from '../../lib/kernel/json.ts';
import { invalidInput } from '../../lib/kernel/errors.ts';
import type { RecordView } from '../../lib/render/view.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { controlCalls } from '../../lib/runtime/emulator/control.ts';
import { change, portFlag, read } from './control.ts';

interface Moved {
  file: string;
  /** Of all tables. */
  rows: number;
}

const movedResult = () => object({ file: string(), rows: number() });

const view: RecordView<Moved> = {
  kind: 'record',
  columns: [
    { key: 'file', value: ({ file }) => file },
    { key: 'rows', value: ({ rows }) => rows },
  ],
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
  args: { file: { help: 'JSON file to write; masks the secrets of warehouses' } },
  flags: portFlag,
  columns: view.columns,
  output: movedResult,
  examples: ['cdpadm emulator export state.json', 'cdpadm emulator export state.json --port 4010'],
  run: async (ctx, { args: { file }, flags }) => {
    const state = await read(ctx, flags, controlCalls.state);
    writePrivateFile(resolve(ctx.io.cwd, file), `${stringifyJson(state)}\n`);
    await ctx.out.emit({ file, rows: countRows(state.tables) }, view);
  },
});

export const importPlatform = defineCommand({
  path: 'emulator import',
  summary: "replace the platform's state with an exported one",
  effect: 'local',
  calls: 'emulator',
  args: { file: { help: 'JSON file that `emulator export` wrote; - reads standard input' } },
  flags: portFlag,
  columns: view.columns,
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
    if ((await change(ctx, flags, controlCalls.replaceState(value))) === undefined) return;
    await ctx.out.emit({ file, rows: countRows(value['tables']) }, view);
  },
});
