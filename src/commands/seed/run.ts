// A bulk run and its memory: whether it is new, goes on, or was run before.
import { join } from 'node:path';
import { NOTHING_COMPLETED } from '../../lib/domain/seed/marks.ts';
import { resolvePath } from '../../lib/files/read-input.ts';
import {
  fingerprint,
  isSameContent,
  openSeedJournal,
  type SeedCheckpoint,
  type SeedCounts,
} from '../../lib/files/seed-journal.ts';
import type { SeedJournal } from '../../lib/files/seed-journal.ts';
import { openRejects, refuseTaken, type RejectsFile } from '../../lib/files/seed-rejects.ts';
import { removeFile } from '../../lib/kernel/durable.ts';
import { type KnownError, usageError } from '../../lib/kernel/errors.ts';
import { counted } from '../../lib/kernel/words.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { lastingAddress } from '../../lib/runtime/service-address.ts';
import type { BulkNumbers } from './bulk-flags.ts';
import type { OpenedInputs } from './inputs.ts';
import { fail } from '../../lib/errors/fail.ts';

export interface BulkRun {
  /** Undefined for standard input. */
  journal: SeedJournal | undefined;
  before: SeedCheckpoint;
  rejects: RejectsFile;
  /** What an earlier run came to, when there is nothing left to do. */
  finished: SeedCounts | undefined;
  /** The command line to repeat. */
  again: string;
  /** Lets go of what the run holds. */
  close(): void;
}

interface RunFlags {
  rejects?: string;
  resume?: boolean;
  restart?: boolean;
}

const NO_COUNTS: SeedCounts = { accepted: 0, rejected: 0, batches: 0, requests: 0, retries: 0, ms: 0 };

/**
 * `again` is the command line to repeat. `confirm` asks before anything is sent or forgotten, once nothing else speaks against the run. Throws KnownError: usage
 * (2), changed since (6), run before or running at this moment (12), and what `confirm` throws.
 */
export async function openRun(
  ctx: Context,
  { sources }: OpenedInputs,
  { shard }: BulkNumbers,
  flags: RunFlags,
  again: string,
  confirm: () => Promise<void>,
): Promise<BulkRun> {
  const paths = sources.flatMap(({ path }) => (path === undefined ? [] : [path]));
  const fromStdin = paths.length < sources.length;
  if (flags.resume && flags.restart) throw usageError('--resume and --restart exclude each other.');
  if (flags.resume && fromStdin) {
    throw usageError('--resume cannot go on in standard input.', 'Write it to a file first, and give its path.');
  }
  const shares = shard && `${shard.index + 1}/${shard.count}`;
  const rejectsPath = rejectsOf(ctx, flags.rejects, paths[0], shares);
  const settings = await ctx.settings();
  // A table's rows are another workspace's, or another environment's, when the settings are.
  const target = [
    lastingAddress(settings, 'seeding_url'),
    settings.get('workspace_id')?.value ?? '',
    settings.get('environment')?.value ?? '',
  ];
  const journal = fromStdin
    ? undefined
    : openSeedJournal(join(ctx.paths.state, 'seed'), [...target, ...paths, shares ?? '']);
  const lock = journal?.hold();
  try {
    const run = await openHeldRun(ctx, { paths, journal, again, rejectsPath, flags, confirm });
    const close = (): void => {
      run.rejects.close();
      lock?.release();
    };
    return { ...run, close };
  } catch (error) {
    lock?.release();
    throw error;
  }
}

interface HeldRun {
  paths: string[];
  journal: SeedJournal | undefined;
  again: string;
  rejectsPath: string;
  flags: RunFlags;
  confirm: () => Promise<void>;
}

async function openHeldRun(
  ctx: Context,
  { paths, journal, again, rejectsPath, flags, confirm }: HeldRun,
): Promise<Omit<BulkRun, 'close'>> {
  const files = await Promise.all(paths.map((path) => fingerprint(path)));
  const known = journal?.read();
  const fresh: SeedCheckpoint = { files, ...NOTHING_COMPLETED, counts: NO_COUNTS, rejects: null, finished: false };
  const common = { journal, again, finished: undefined };
  if (known !== undefined && flags.resume) {
    if (!isSameContent(known.files, files)) throw changed(again);
    if (!known.finished) await confirm();
    const completed = known.counts.accepted + known.counts.rejected;
    ctx.out.note(`Resuming: ${counted(completed, 'row')} completed before.`);
    const rejects = openRejects(known.rejects?.path ?? rejectsPath, known.rejects?.bytes);
    return { ...common, before: known, rejects, finished: known.finished ? known.counts : undefined };
  }
  if (known !== undefined && !flags.restart && (!known.finished || isSameContent(known.files, files))) {
    throw ranBefore(known, again);
  }
  const restarted = flags.restart ? known : undefined;
  // Its rejects belong to what is now done anew.
  const isReplaced = restarted !== undefined && restarted.rejects?.path === rejectsPath;
  if (!isReplaced) refuseTaken(rejectsPath);
  await confirm();
  if (isReplaced) removeFile(rejectsPath);
  if (restarted) journal?.remove();
  if (flags.resume) ctx.out.verbose('There is no earlier run of these files: starting from the beginning.');
  return { ...common, before: fresh, rejects: openRejects(rejectsPath, undefined) };
}

function rejectsOf(
  ctx: Context,
  given: string | undefined,
  first: string | undefined,
  shares: string | undefined,
): string {
  if (given !== undefined) return resolvePath(given, ctx.io.cwd);
  const part = shares === undefined ? '' : `.${shares.replace('/', '-of-')}`;
  return `${first ?? join(ctx.io.cwd, 'seed')}${part}.rejects.ndjson`;
}

function ranBefore({ finished, counts }: SeedCheckpoint, again: string): KnownError {
  const how = finished ? 'was run to its end before' : 'was begun before and has not come to its end';
  return fail('seed.run_before', {
    message: `This ${how} (${counted(counts.accepted, 'row')} accepted, ${counts.rejected} refused).`,
    hint: finished
      ? { text: 'To send all of it again:', command: `${again} --restart` }
      : [
          { text: 'To continue:', command: `${again} --resume` },
          { text: 'To start over, which sets the same values again:', command: `${again} --restart` },
        ],
  });
}

function changed(again: string): KnownError {
  return fail('seed.changed', {
    message: 'The file has changed since the run that would be resumed.',
    hint: { text: 'To send all of it:', command: `${again} --restart` },
  });
}
