// `emulator sample-warehouse`: creates a SQLite file with customers and purchases for pipelines.
import { array, enum as oneOf, type infer as Infer, number, object, string } from 'zod/mini';
import { usageError } from '../../lib/kernel/errors.ts';
import type { RecordView } from '../../lib/render/view.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { makeSampleWarehouseFile } from '../../lib/runtime/emulator/sample-warehouse.ts';

const MOST_ROWS = 10_000_000;

function warehouseResult() {
  return object({ file: string(), rows: number(), tables: array(oneOf(['customers', 'purchases'])) });
}

const view: RecordView<Infer<ReturnType<typeof warehouseResult>>> = {
  kind: 'record',
  columns: [
    { key: 'file', id: true, value: (it) => it.file },
    { key: 'rows', value: (it) => it.rows },
    { key: 'tables', value: (it) => it.tables.join(', ') },
  ],
};

export const makeWarehouse = defineCommand({
  path: 'emulator sample-warehouse',
  summary: 'create a SQLite file with customers and purchases for pipelines',
  effect: 'local',
  calls: 'nobody',
  args: { file: { help: 'path of the new file' } },
  flags: { rows: { value: 'n', help: 'rows in each table (default: 2000)' } },
  columns: view.columns,
  output: warehouseResult,
  notes: [
    'The file has two tables: customers (customer_id, email, first_name, city, plan, loyalty_points, is_member, household_id, updated_at) and purchases (customer_id, event_name, product, amount, purchased_at). Serve it with `cdpadm emulator start --warehouse FILE`.',
  ],
  examples: [
    'cdpadm emulator sample-warehouse shop.sqlite',
    'cdpadm emulator sample-warehouse big.sqlite --rows 10000 -o json',
  ],
  exits: { conflict: 'the file already exists' },
  run: (ctx, { args, flags }) => makeFile(ctx, args.file, flags.rows),
});

async function makeFile(ctx: Context, file: string, rows: string | undefined): Promise<void> {
  const wanted = rows === undefined ? undefined : /^\d{1,8}$/.test(rows) ? Number(rows) : 0;
  if (wanted !== undefined && (wanted < 1 || wanted > MOST_ROWS)) {
    throw usageError(`--rows must be a number from 1 to ${MOST_ROWS}, not \`${rows ?? ''}\`.`);
  }
  if (ctx.flags.dryRun) {
    await ctx.out.emitDryRun([], undefined, undefined, [file]);
    return;
  }
  const made = await makeSampleWarehouseFile(ctx, file, wanted);
  await ctx.out.emit({ file, rows: made, tables: ['customers', 'purchases'] }, view);
}
