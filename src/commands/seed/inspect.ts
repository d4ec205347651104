// `seed inspect`: shows what exports contain, and the flags and map for reading them.
import * as z from 'zod/mini';
import { SOURCES, type SourceName } from '../../lib/domain/csv/dialect.ts';
import { groupBy } from '../../lib/kernel/group-by.ts';
import { shellWord, counted } from '../../lib/kernel/words.ts';
import { cleanLine } from '../../lib/render/clean.ts';
import type { DocumentView } from '../../lib/render/view.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import type { Inspection } from '../../lib/workflows/seed-inspect.ts';
import { inputFlags, openBulkInputs, saveMap, saveMapFlag } from '../bulk-flags.ts';

const { map: _map, mapFile: _mapFile, null: _null, ...read } = inputFlags;
const flags = { ...read, saveMap: saveMapFlag };

export const inspectInputs = defineCommand({
  path: 'seed inspect',
  summary: 'report the columns, null words and duplicates in exports, and propose a map',
  effect: 'local',
  tool: ['format'],
  calls: 'settings',
  args: { file: { many: true, optional: true, help: 'inputs as for `seed bulk`' } },
  flags,
  output: () =>
    z.object({
      files: z.array(
        z.object({
          file: z.string(),
          format: z.enum(['ndjson', 'json', 'csv', 'parquet']),
          compression: z.enum(['none', 'gzip', 'zstd']),
          rows: z.int(),
          unreadable: z.int(),
          problem: z.nullable(z.string()),
          row_groups: z.nullable(z.array(z.int())),
        }),
      ),
      source: z.nullable(z.enum(Object.keys(SOURCES) as SourceName[])),
      headerless: z.boolean(),
      bodies: z.int(),
      columns: z.array(
        z.object({
          column: z.string(),
          field: z.nullable(z.string()),
          empty: z.int(),
          floats: z.int(),
          nulls: z.record(z.string(), z.int()),
        }),
      ),
      duplicates: z.array(z.object({ field: z.string(), rows: z.int() })),
      map: z.record(z.string(), z.string()),
    }),
  notes: [
    'The source and map are guesses based on names and cells: check them, and add an attr:<name>:<calculation_type> field for each attribute.',
    'Every row is read. Identities are counted, never shown.',
  ],
  examples: ['cdpadm seed inspect users.ndjson', 'cdpadm seed inspect users.csv --save-map map.yaml'],
  exits: { invalidInput: 'a file cannot be read' },
  run: async (ctx, { args: { file: files }, flags: given }) => {
    const { inspectSeeds } = await import('../../lib/workflows/seed-inspect.ts');
    const found = await inspectSeeds(await openBulkInputs(ctx, files, given), ctx.signal);
    await ctx.out.emit(found, view);
    if (given.saveMap !== undefined) await saveMap(ctx, given.saveMap, found.map);
  },
});

const view: DocumentView<Inspection> = { kind: 'document', text: draw };

function draw({ bodies, columns, duplicates, files, headerless, map, source }: Inspection) {
  const lines = files.map(({ compression, file, format, problem, row_groups: groups, rows, unreadable }) => {
    const wrapped = compression === 'none' ? format : `${format}, ${compression}`;
    const sizes = groups === null ? '' : `; row groups of ${summary(groups)}`;
    const bad = unreadable === 0 ? '' : `, ${unreadable} of them unreadable${problem ? ` (${problem})` : ''}`;
    return `${file}: ${wrapped}, ${counted(rows, 'row')}${bad}${sizes}`;
  });
  if (bodies > 0) lines.push(`${counted(bodies, 'request body does', 'request bodies do')} not need a map.`);
  if (source !== null) lines.push(`Probably written by ${source}: pass --source ${source}.`);
  if (headerless)
    lines.push('The first line seems to be data: pass --headerless, and name every column: --columns A,B,….');
  for (const { column, empty, field, floats, nulls } of columns) {
    const words = Object.entries(nulls).map(([word, count]) => `${count} × ${word}`);
    const written = floats > 0 ? [`${floats} written as decimals such as 123.0, which are not valid ids`] : [];
    const facts = [field ?? 'unknown field', ...(empty > 0 ? [`${empty} empty`] : []), ...written, ...words];
    lines.push(`  ${column || '(no name)'}: ${facts.join(', ')}`);
  }
  for (const { field, rows } of duplicates)
    lines.push(`Duplicate ${field}: ${counted(rows, 'row repeats', 'rows repeat')} an earlier value.`);
  const pairs = Object.entries(map).map(([column, field]) => `--map ${shellWord(`${column}=${field}`)}`);
  if (pairs.length > 0) lines.push(`Proposed map: ${pairs.join(' ')}`);
  return lines.map((line) => cleanLine(line)).join('\n');
}

/** Shows only a few sizes, with their counts: `3 × 1000, 12`. */
function summary(groups: readonly number[]): string {
  const sizes = groupBy(groups, (size) => size);
  const shown = [...sizes].slice(0, 4).map(([size, { length }]) => (length === 1 ? `${size}` : `${length} × ${size}`));
  return `${shown.join(', ')}${sizes.size > 4 ? ', …' : ''} ${shown.join('') === '1' ? 'row' : 'rows'}`;
}
