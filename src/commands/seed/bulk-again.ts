// The command lines that a bulk run prints to go on with: they mean the same platform, files and pace as its own.
import { isAbsolute, relative } from 'node:path';
import { shellWord } from '../../lib/kernel/shell-word.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { BULK_DEFAULTS } from './bulk-defaults.ts';
import type { RawBulkFlags } from './bulk-flags.ts';
import type { ReadFlags } from './read-flags.ts';

export interface AgainFlags extends RawBulkFlags, ReadFlags {
  rejects?: string;
}

type Flags = Readonly<Record<string, string | true | readonly string[] | undefined>>;

/** The same run; `shard` in its plain spelling. */
export function sameRun(ctx: Context, files: readonly string[], flags: AgainFlags, shard: string | undefined): string {
  const { format, mapFile, cutoffDate, rejects } = flags;
  const reading = { '--format': format, '--map-file': mapFile, '--cutoff-date': cutoffDate, '--shard': shard };
  return commandLine(files, { ...reading, '--null': flags.null, '--rejects': rejects, ...sendingFlags(ctx, flags) });
}

/** A run of the refused rows, which are NDJSON whatever they came from. */
export function rejectsRun(ctx: Context, path: string, flags: AgainFlags): string {
  return commandLine([shownPath(ctx, path)], sendingFlags(ctx, flags));
}

/** A path as one would type it here. */
export function shownPath(ctx: Context, path: string): string {
  const short = relative(ctx.io.cwd, path);
  return short.startsWith('..') || isAbsolute(short) ? path : short;
}

/** Where to and how fast, as far as flags say it. */
function sendingFlags(ctx: Context, { batchSize, batchBytes, concurrency, rate, identityType }: AgainFlags): Flags {
  const { profile, workspace, caFile, yes } = ctx.flags;
  return {
    '--batch-size': batchSize === BULK_DEFAULTS.batchSize ? undefined : batchSize,
    '--batch-bytes': batchBytes === BULK_DEFAULTS.batchBytes ? undefined : batchBytes,
    '--concurrency': concurrency === BULK_DEFAULTS.concurrency ? undefined : concurrency,
    '--rate': rate,
    '--identity-type': identityType,
    '--profile': profile,
    '--workspace': workspace,
    '--ca-file': caFile,
    '--yes': yes ? true : undefined,
  };
}

function commandLine(files: readonly string[], flags: Flags): string {
  const words = Object.entries(flags).flatMap(([flag, value = []]) =>
    [value].flat().flatMap((one) => (one === true ? [flag] : [flag, one])),
  );
  return ['cdpadm', 'seed', 'bulk', ...files, ...words].map(shellWord).join(' ');
}
