// `emulator sample-warehouse`: a SQLite file with customers and purchases for pipelines to read.
import { Command } from 'commander';
import { usageError } from '../../lib/kernel/errors.ts';
import type { RecordView } from '../../lib/render/view.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { withHelp } from '../../lib/runtime/command-line/help.ts';
import { makeSampleWarehouseFile } from '../../lib/runtime/emulator/sample-warehouse.ts';

interface SampleWarehouse {
  file: string;
  rows: number;
  tables: string[];
}

const MOST_ROWS = 10_000_000;

export function sampleWarehouseCommand(ctx: Context): Command {
  const command = new Command('sample-warehouse')
    .description('make a SQLite file with customers and purchases for pipelines to read')
    .argument('<file>', 'the new file')
    .option('--rows <n>', 'rows of each table (default: 2000)')
    .action((file: string, flags: { rows?: string }) => makeFile(ctx, file, flags.rows));
  return withHelp(command, {
    calls: 'nobody',
    columns: view.columns,
    notes: [
      'Two tables: customers (customer_id, email, first_name, city, plan, loyalty_points, is_member, household_id, updated_at) and purchases (customer_id, event_name, product, amount, purchased_at). Serve it with `cdpadm emulator start --warehouse FILE`.',
    ],
    examples: [
      'cdpadm emulator sample-warehouse shop.sqlite',
      'cdpadm emulator sample-warehouse big.sqlite --rows 10000 -o json',
    ],
    json: '{"file","rows","tables":["customers","purchases"]}',
    exits: { 6: 'there is such a file already' },
  });
}

const view: RecordView<SampleWarehouse> = {
  kind: 'record',
  columns: [
    { key: 'file', id: true, value: (it) => it.file },
    { key: 'rows', value: (it) => it.rows },
    { key: 'tables', value: (it) => it.tables.join(', ') },
  ],
};

async function makeFile(ctx: Context, file: string, rows: string | undefined): Promise<void> {
  const wanted = rows === undefined ? undefined : /^\d{1,8}$/.test(rows) ? Number(rows) : 0;
  if (wanted !== undefined && (wanted < 1 || wanted > MOST_ROWS)) {
    throw usageError(`--rows takes a number from 1 to ${MOST_ROWS}, not \`${rows ?? ''}\`.`);
  }
  if (ctx.flags.dryRun) {
    await ctx.out.emitDryRun([], undefined, undefined, [file]);
    return;
  }
  const made = await makeSampleWarehouseFile(ctx, file, wanted);
  await ctx.out.emit({ file, rows: made, tables: ['customers', 'purchases'] }, view);
}
