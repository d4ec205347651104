// Checks inputs with the packer of a bulk run, but keeps only the issues. Estimates the users and environments of a run.
import type { Batch, RejectedRow } from '../domain/seed/batch.ts';
import { type BatchLimits, RowPacker } from '../domain/seed/packer.ts';
import { completedBefore, NOTHING_COMPLETED } from '../domain/seed/marks.ts';
import { type Issue, MOST_ISSUES } from '../kernel/errors.ts';
import { readBatches, type SeedInputs } from './seed-input.ts';
import { openParquet } from '../files/parquet.ts';
import type { InputBytes, Inputs } from '../bulk/sources/bytes.ts';
import { LINE_FEED } from '../domain/seed/scan.ts';
import type { Shard } from '../domain/seed/shard.ts';

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
    checked.rows += batch.count + batch.rejected.length;
    checked.rejected += batch.rejected.length;
    if (batch.count > 0) {
      checked.batches++;
      checked.first ??= Buffer.from(batch.body());
    }
    for (const rejected of batch.rejected) {
      const room = MOST_ISSUES - checked.issues.length;
      checked.omitted += Math.max(0, rejected.issues.length - room);
      checked.issues.push(...rowIssues(opened.inputs[batch.file]?.name ?? '', rejected).slice(0, room));
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

export function rowIssues(file: string, { line, issues }: Pick<RejectedRow, 'line' | 'issues'>): Issue[] {
  return issues.map(({ path, message }) => ({ file, line, path, message }));
}

export type FoundRow = { body: string } | { rejected: RejectedRow };

/** Returns the row with the number `wanted` (the first is 1); undefined if there are fewer rows. */
export async function findRow(opened: SeedInputs, wanted: number, signal: AbortSignal): Promise<FoundRow | undefined> {
  let row = 0;
  // Single-row batches preserve the order of accepted and rejected rows.
  for await (const batch of batchesOf(opened, { rows: 1, bytes: 65_536 }, signal)) {
    for (const rejected of batch.rejected) if (++row === wanted) return { rejected };
    if (batch.count > 0 && ++row === wanted) return { body: batch.row(0).toString('utf8') };
  }
  return undefined;
}

export interface SeedEstimate {
  /** Undefined for standard input, compressed files and JSON arrays. */
  rows: number | undefined;
  isExact: boolean;
  /** Environments of the first rows; always empty for CSV and Parquet files. */
  environments: string[];
}

const UNKNOWN: SeedEstimate = { rows: undefined, isExact: false, environments: [] };

/** Estimates the users of all inputs, or of one shard. Reads only the beginning of a file, or a Parquet footer. */
export async function estimateSeeds(sources: Inputs, shard: Shard | undefined): Promise<SeedEstimate> {
  const estimates: SeedEstimate[] = [];
  // One after the other: the system limits the number of open files.
  for (const source of sources) {
    const all = await estimateFile(source);
    const { rows } = all;
    if (shard === undefined || rows === undefined || !source.isDivisible) estimates.push(all);
    else estimates.push({ ...all, rows: Math.round(rows / shard.count), isExact: false });
  }
  const total = estimates.reduce((sum, { rows = NaN }) => sum + rows, 0);
  return {
    rows: Number.isNaN(total) ? undefined : total,
    isExact: estimates.every(({ isExact }) => isExact),
    environments: [...new Set(estimates.flatMap(({ environments }) => environments))],
  };
}

async function estimateFile(source: InputBytes): Promise<SeedEstimate> {
  const { format, wrapping, size, name } = source;
  if (size === undefined) return UNKNOWN;
  if (format === 'parquet') {
    const { rowCount } = await openParquet(await source.file(), name);
    return { rows: rowCount, isExact: true, environments: [] };
  }
  for await (const chunk of source.chunks()) {
    const environments = format === 'csv' ? [] : environmentsIn(chunk);
    if (wrapping !== 'none' || format === 'json') return { ...UNKNOWN, environments };
    const isExact = chunk.length >= size;
    const lines = chunk.toString('latin1').split('\n').length - 1 + (isExact && chunk.at(-1) !== LINE_FEED ? 1 : 0);
    const all = lines === 0 ? undefined : Math.round((lines * size) / chunk.length);
    return { rows: all && Math.max(0, all - (format === 'csv' ? 1 : 0)), isExact, environments };
  }
  return { rows: 0, isExact: true, environments: [] };
}

function environmentsIn(bytes: Buffer): string[] {
  const found = bytes.toString('latin1').matchAll(/"environment"\s{0,9}:\s{0,9}"(production|development)"/g);
  return [...new Set(Array.from(found, ([, word = '']) => word))].sort();
}
