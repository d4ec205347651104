// Reads inputs through the same packer as a bulk run, and keeps only what is wrong with them.
import type { RefusedRow } from '../domain/seed/batch.ts';
import { type BatchLimits, RowPacker } from '../domain/seed/packer.ts';
import type { RowRules } from '../domain/seed/row-rules.ts';
import { type Issue, MOST_ISSUES } from '../kernel/errors.ts';
import type { SeedInput } from './seed-input.ts';

export interface CheckedSeeds {
  rows: number;
  rejected: number;
  batches: number;
  /** The first of what is wrong, in order; of one row there may be several. */
  issues: Issue[];
  /** How many more there are. */
  omitted: number;
  /** The body of the first request. */
  first: Buffer | undefined;
}

export async function validateSeeds(
  inputs: readonly SeedInput[],
  rules: RowRules,
  limits: BatchLimits,
  signal: AbortSignal,
): Promise<CheckedSeeds> {
  const packer = new RowPacker(limits, rules, () => false);
  const checked: CheckedSeeds = { rows: 0, rejected: 0, batches: 0, issues: [], omitted: 0, first: undefined };
  for (const [file, input] of inputs.entries()) {
    packer.begin(file, 0);
    for await (const _read of input.rows(packer, { position: 0, offset: 0 })) {
      signal.throwIfAborted();
      drain(input.name);
    }
    packer.flush();
    drain(input.name);
  }
  return checked;

  function drain(name: string): void {
    for (const batch of packer.ready.splice(0)) {
      checked.rows += batch.count + batch.refused.length;
      checked.rejected += batch.refused.length;
      if (batch.count > 0) {
        checked.batches++;
        checked.first ??= Buffer.from(batch.body());
      }
      for (const refused of batch.refused) {
        const room = MOST_ISSUES - checked.issues.length;
        checked.omitted += Math.max(0, refused.issues.length - room);
        checked.issues.push(...rowIssues(name, refused).slice(0, room));
      }
      packer.recycle(batch);
    }
  }
}

/** What is wrong with a row of a file, as it is told. */
export function rowIssues(file: string, { line, issues }: Pick<RefusedRow, 'line' | 'issues'>): Issue[] {
  return issues.map(({ path, message }) => ({ file, line, path, message }));
}

export type FoundRow = { body: string } | { refused: RefusedRow };

/** The row of this number, from 1; undefined when there are not as many. */
export async function findRow(
  inputs: readonly SeedInput[],
  rules: RowRules,
  wanted: number,
  signal: AbortSignal,
): Promise<FoundRow | undefined> {
  // A batch for each row keeps their order, refused ones among them.
  const packer = new RowPacker({ rows: 1, bytes: 65_536 }, rules, () => false);
  let row = 0;
  for (const [file, input] of inputs.entries()) {
    packer.begin(file, 0);
    for await (const _read of input.rows(packer, { position: 0, offset: 0 })) {
      signal.throwIfAborted();
      const found = take();
      if (found !== undefined) return found;
    }
    packer.flush();
    const found = take();
    if (found !== undefined) return found;
  }
  return undefined;

  function take(): FoundRow | undefined {
    for (const batch of packer.ready.splice(0)) {
      for (const refused of batch.refused) if (++row === wanted) return { refused };
      if (batch.count > 0 && ++row === wanted) return { body: batch.row(0).toString('utf8') };
      packer.recycle(batch);
    }
    return undefined;
  }
}
