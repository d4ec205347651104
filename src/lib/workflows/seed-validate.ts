// Reads inputs through the same packer as a bulk run, and keeps only what is wrong with them.
import type { WireNames } from '../contract/names.ts';
import type { RefusedRow } from '../domain/seed/batch.ts';
import { type BatchLimits, RowPacker } from '../domain/seed/packer.ts';
import type { Issue } from '../kernel/errors.ts';
import type { SeedInput } from './seed-input.ts';

export interface CheckedSeeds {
  rows: number;
  rejected: number;
  batches: number;
  /** The first of what is wrong, in order; of one row there may be several. */
  issues: Issue[];
  /** Whether there are more. */
  isCut: boolean;
  /** The body of the first request. */
  first: Buffer | undefined;
}

/** More are counted, not kept. */
const MAX_ISSUES = 1000;

export async function validateSeeds(
  inputs: readonly SeedInput[],
  names: WireNames,
  limits: BatchLimits,
  signal: AbortSignal,
): Promise<CheckedSeeds> {
  const packer = new RowPacker(limits, names, () => false);
  const checked: CheckedSeeds = { rows: 0, rejected: 0, batches: 0, issues: [], isCut: false, first: undefined };
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
        const room = MAX_ISSUES - checked.issues.length;
        if (refused.issues.length > room) checked.isCut = true;
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
  names: WireNames,
  wanted: number,
  signal: AbortSignal,
): Promise<FoundRow | undefined> {
  // A batch for each row keeps their order, refused ones among them.
  const packer = new RowPacker({ rows: 1, bytes: 65_536 }, names, () => false);
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
