// When so many rows of a bulk run are rejected that it stops (`--max-errors`).
import { fail } from '../errors/fail.ts';

export type MaxErrors = { rows: number } | { percent: number };

/** A percentage of few rows says nothing. */
const MIN_ROWS_FOR_PERCENT = 1000;

/** Throws `seed.too_many_errors` once more rows are rejected than `limit` allows. */
export function checkErrorLimit(limit: MaxErrors | undefined, rejected: number, rows: number): void {
  if (limit === undefined) return;
  const isOver =
    'rows' in limit ? rejected > limit.rows : rows >= MIN_ROWS_FOR_PERCENT && rejected > (rows * limit.percent) / 100;
  if (!isOver) return;
  throw fail('bulk.too_many_errors', {
    message: `Stopped: ${rejected} of ${rows} rows were rejected, more than --max-errors allows.`,
  });
}
