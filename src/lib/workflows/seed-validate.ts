// Checks inputs with the packer of a bulk run, but keeps only the issues.
import type { Batch, RefusedRow } from '../domain/seed/batch.ts';
import { completedBefore, NOTHING_COMPLETED } from '../domain/seed/marks.ts';
import { type BatchLimits, RowPacker } from '../domain/seed/packer.ts';
import { type Issue, MOST_ISSUES } from '../kernel/errors.ts';
import { readBatches, type SeedInputs } from './seed-input.ts';

export interface CheckedSeeds {
  rows: number;
  rejected: number;
  batches: number;
  /** First issues, in order. A row may have several issues. */
  issues: Issue[];
  omitted: number;
  first: Buffer | undefined;
}

/** Checks every row of the inputs that is not in `completed`. Sends nothing. */
export async function validateSeeds(
  opened: SeedInputs,
  limits: BatchLimits,
  signal: AbortSignal,
  completed = NOTHING_COMPLETED,
): Promise<CheckedSeeds> {
  const checked: CheckedSeeds = { rows: 0, rejected: 0, batches: 0, issues: [], omitted: 0, first: undefined };
  for await (const batch of batchesOf(opened, limits, signal, completed)) {
    checked.rows += batch.count + batch.refused.length;
    checked.rejected += batch.refused.length;
    if (batch.count > 0) {
      checked.batches++;
      checked.first ??= Buffer.from(batch.body());
    }
    for (const refused of batch.refused) {
      const room = MOST_ISSUES - checked.issues.length;
      checked.omitted += Math.max(0, refused.issues.length - room);
      checked.issues.push(...rowIssues(opened.inputs[batch.file]?.name ?? '', refused).slice(0, room));
    }
  }
  return checked;
}

/** Yields the batches. Each batch is valid only until the next one is read. */
async function* batchesOf(
  { inputs, rules }: SeedInputs,
  limits: BatchLimits,
  signal: AbortSignal,
  completed = NOTHING_COMPLETED,
): AsyncGenerator<Batch> {
  const packer = new RowPacker(limits, rules, completedBefore(completed));
  for await (const { batches } of readBatches(inputs, packer, completed.mark)) {
    signal.throwIfAborted();
    for (const batch of batches) {
      yield batch;
      packer.recycle(batch);
    }
  }
}

export function rowIssues(file: string, { line, issues }: Pick<RefusedRow, 'line' | 'issues'>): Issue[] {
  return issues.map(({ path, message }) => ({ file, line, path, message }));
}

export type FoundRow = { body: string } | { refused: RefusedRow };

/** Returns the row with the number `wanted` (the first is 1); undefined if there are fewer rows. */
export async function findRow(opened: SeedInputs, wanted: number, signal: AbortSignal): Promise<FoundRow | undefined> {
  let row = 0;
  // Single-row batches preserve the order of accepted and rejected rows.
  for await (const batch of batchesOf(opened, { rows: 1, bytes: 65_536 }, signal)) {
    for (const refused of batch.refused) if (++row === wanted) return { refused };
    if (batch.count > 0 && ++row === wanted) return { body: batch.row(0).toString('utf8') };
  }
  return undefined;
}
