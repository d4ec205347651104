// Estimates the users and environments of a bulk run for the confirmation prompt.
import { openParquet } from '../files/parquet.ts';
import type { InputBytes, Inputs } from '../bulk/sources/bytes.ts';
import { LINE_FEED } from '../domain/seed/scan.ts';
import type { Shard } from '../domain/seed/shard.ts';

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
  return {
    rows: estimates.some(({ rows }) => rows === undefined)
      ? undefined
      : estimates.reduce((sum, { rows = 0 }) => sum + rows, 0),
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
