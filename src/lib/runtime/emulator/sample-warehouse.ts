// Creates the embedded platform's sample warehouse for a command.
import { resolve } from 'node:path';
import { systemErrorCode } from '../../kernel/errors.ts';
import type { Context } from '../context.ts';
import { fail } from '../../errors/fail.ts';

/** Creates a SQLite file with `rows` rows in each table. Throws conflict (6) if the file exists. */
export async function makeSampleWarehouseFile(ctx: Context, file: string, rows: number | undefined): Promise<number> {
  const { makeSampleWarehouse, SAMPLE_ROWS } = await import('../../emulator/warehouse/sample.ts');
  const count = rows ?? SAMPLE_ROWS;
  try {
    await makeSampleWarehouse(resolve(ctx.io.cwd, file), count);
    return count;
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === undefined) throw error;
    const exists = code === 'EEXIST';
    throw fail('emulator.sample_warehouse', {
      message: exists ? `${file} already exists; it was not changed.` : `Cannot create ${file}: ${code}.`,
      hint: exists ? 'Choose another name.' : 'Choose an existing folder with write permission.',
      exit: exists ? 'conflict' : 'failed',
      cause: error,
    });
  }
}
