// The numbers on the command line of `seed bulk`, checked.
import { parseShard, type Shard } from '../../lib/domain/seed/shard.ts';
import { usageError } from '../../lib/kernel/errors.ts';
import { type Pace, readPace, type RunFlags } from '../bulk-flags.ts';
import { readCount } from '../flag-values.ts';

export interface RawBulkFlags extends RunFlags {
  batchSize: string;
  batchBytes: string;
  shard?: string;
}

export interface BulkNumbers {
  limits: { rows: number; bytes: number };
  /** `rate` is this machine's part. */
  pace: Pace;
  shard: Shard | undefined;
}

/** `limit` is the profile's own rate, for want of a flag. Throws KnownError usage (2) that names the flag or the limit. */
export function readBulkFlags(
  flags: RawBulkFlags,
  jobIndex: string | undefined,
  limit: string | undefined,
): BulkNumbers {
  const shard = flags.shard === undefined ? undefined : parseShard(flags.shard, jobIndex);
  if (typeof shard === 'string') throw usageError(shard);
  const pace = readPace('seeding', flags, limit);
  return {
    limits: { rows: readCount('--batch-size', flags.batchSize, 100_000), bytes: readBytes(flags.batchBytes) },
    pace: { ...pace, rate: pace.rate && pace.rate / (shard?.count ?? 1) },
    shard,
  };
}

const UNITS: Record<string, number> = { '': 1, B: 1, KB: 1000, MB: 1_000_000, KIB: 1024, MIB: 1_048_576 };
const LEAST_BYTES = 1000;
const MOST_BYTES = 64 * 1_048_576;

function readBytes(text: string): number {
  const [, number = '', unit = ''] = /^(\d{1,9})\s*([a-zA-Z]*)$/.exec(text) ?? [];
  const bytes = Number(number) * (UNITS[unit.toUpperCase()] ?? 0);
  if (number !== '' && bytes >= LEAST_BYTES && bytes <= MOST_BYTES) return bytes;
  throw usageError(`--batch-bytes must be a size from 1KB to 64MB, for instance 256KB, not \`${text}\`.`);
}
