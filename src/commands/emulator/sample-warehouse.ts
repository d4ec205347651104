// `emulator sample-warehouse`: creates a SQLite file with customers and purchases for pipelines.
import * as z from 'zod/mini';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { checkPath } from '../../lib/runtime/command-line/read-word.ts';
import { makeSampleWarehouseFile } from '../../lib/runtime/emulator/sample-warehouse.ts';

export const makeWarehouse = defineCommand({
  path: 'emulator sample-warehouse',
  summary: 'create a SQLite file with customers and purchases for pipelines',
  effect: 'local',
  calls: 'none',
  args: { file: { help: 'path of the new file' } },
  flags: { rows: { value: 'n', most: 10_000_000, help: 'rows in each table (default: 2000)' } },
  output: () => z.object({ file: z.string(), rows: z.number(), tables: z.array(z.enum(['customers', 'purchases'])) }),
  notes: [
    'The file has two tables: customers (customer_id, email, first_name, city, plan, loyalty_points, is_member, household_id, updated_at) and purchases (customer_id, event_name, product, amount, purchased_at). Serve it with `cdpadm emulator start --warehouse FILE`.',
  ],
  examples: [
    'cdpadm emulator sample-warehouse shop.sqlite',
    'cdpadm emulator sample-warehouse big.sqlite --rows 10000 -o json',
  ],
  exits: { conflict: 'the file already exists' },
  run: async (ctx, { args: { file }, flags: { rows } }) => {
    checkPath(file, '`emulator sample-warehouse`');
    if (ctx.flags.dryRun) return await ctx.out.emitDryRun([], undefined, undefined, [file]);
    return { file, rows: await makeSampleWarehouseFile(ctx, file, rows), tables: ['customers', 'purchases'] as const };
  },
  view: {
    kind: 'record',
    columns: [
      { key: 'file', id: true, value: (it) => it.file },
      { key: 'rows', value: (it) => it.rows },
      { key: 'tables', value: (it) => it.tables.join(', ') },
    ],
  },
});
