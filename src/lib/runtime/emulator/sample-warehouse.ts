// The door from a command to the embedded platform's sample warehouse.
import { resolve } from 'node:path';
import { systemErrorCode } from '../../kernel/errors.ts';
import type { Context } from '../context.ts';
import { fail } from '../../errors/fail.ts';

/** Makes a SQLite file with `rows` rows in each table. Throws conflict (6) when there is a file already. */
export async function makeSampleWarehouseFile(ctx: Context, file: string, rows: number | undefined): Promise<number> {
  const { makeSampleWarehouse, SAMPLE_ROWS } = await import('../../emulator/warehouse/sample.ts');
  const count = rows ?? SAMPLE_ROWS;
  try {
    await makeSampleWarehouse(resolve(ctx.io.cwd, file), count);
    return count;
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === undefined) throw error;
    const isThere = code === 'EEXIST';
    throw fail('emulator.sample_warehouse', {
      message: isThere ? `There is a file ${file} already; it was left as it is.` : `${file} cannot be made: ${code}.`,
      hint: isThere ? 'Choose another name.' : 'Choose a folder that is there and can be written.',
      exit: isThere ? 'conflict' : 'failed',
      cause: error,
    });
  }
}
