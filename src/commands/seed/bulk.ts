// `seed bulk`: sends user files of any length, and reports which rows were accepted.
import { existsSync } from 'node:fs';
import { counted, grouped, shellLine } from '../../lib/kernel/words.ts';
import { exitOf } from '../../lib/errors/fail.ts';
import * as z from 'zod/mini';
import type { Hint, KnownError } from '../../lib/kernel/errors.ts';
import { createBulkFacts } from '../../lib/render/progress.ts';
import { seedBulkView } from '../../lib/render/seed-bulk.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { targetOf, workspaceOf } from '../../lib/runtime/target.ts';
import { commandWords, defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { nameOfInputs } from '../../lib/bulk/sources/bytes.ts';
import type { SeedCounts } from '../../lib/files/bulk-journal.ts';
import { readFlags, type ReadFlags, runFlags } from '../bulk-flags.ts';
import { type Again, asPart, createAgain, runWithProgress, shownPath, withProgress } from '../bulk-run.ts';
import type { SeedRun, SeedRunFlags } from './run.ts';
import { type WithTarget, workspaceTarget } from '../results.ts';

type BulkFlags = SeedRunFlags & ReadFlags;

export const shardOf = () => z.object({ index: z.int(), count: z.int() });

export function seedBulkResult() {
  return z.object({
    rows: z.int(),
    accepted: z.int(),
    rejected: z.int(),
    batches: z.int(),
    requests: z.int(),
    retries: z.int(),
    seconds: z.number(),
    journal: z.nullable(z.string()),
    rejects: z.nullable(z.string()),
    earlier_rejects: z.optional(z.array(z.string())),
    /** The first input, and the number of other inputs. */
    input: z.string(),
    shard: z.optional(shardOf()),
    /** Command that resumes the run, and its arguments; absent for standard input. */
    resume: z.optional(z.string()),
    argv: z.optional(z.array(z.string())),
    target: workspaceTarget(),
  });
}

export const seedFiles = defineCommand({
  path: 'seed bulk',
  summary: 'send the seeds of many users',
  undoNote: 'The platform does not report earlier values, so nothing can restore them.',
  effect: 'write',
  tool: false,
  calls: 'platform',
  args: {
    file: {
      many: true,
      optional: true,
      help: 'NDJSON, JSON, CSV or Parquet files (also compressed with gzip or zstd), folders or patterns; - reads standard input',
    },
  },
  flags: {
    ...readFlags,
    batchSize: { value: 'rows', most: 100_000, default: '100', help: 'maximum number of users in a request' },
    batchBytes: { value: 'size', default: '256KB', help: 'maximum size of a request' },
    ...runFlags('seeding'),
    rejects: {
      value: 'file',
      writes: true,
      help: 'file for rejected rows (default: the first input plus .rejects.ndjson)',
    },
    restart: { help: 'ignore an earlier run of the same files and start over' },
    rateStore: {
      value: 'address',
      help: 'Redis server through which the shards share --rate; env:NAME reads its address (default: CDPADM_RATE_STORE)',
    },
    shard: {
      value: 'i/n',
      help: 'send only shard I of N, counting from 1; with auto or auto/N, Kubernetes, Slurm, AWS Batch or GNU parallel sets I',
    },
  },
  columns: () => seedBulkView.columns,
  output: seedBulkResult,
  notes: [
    'Every row is checked before it is sent. If the platform rejects a request, the run finds the invalid rows and sends the others.',
    'An interrupted run can be resumed. Requests whose response was lost are sent again, which only sets the same values again.',
    'CSV columns: xpid, identity:<type>, attr:<name>:<calculation_type>[:<key>], user:<name>, environment, cutoff_date.',
  ],
  examples: [
    'cdpadm seed bulk users.ndjson --yes',
    'cdpadm seed bulk users.csv --cutoff-date 2026-01-01 --rate 50 --rejects rejected.ndjson --yes',
    'cdpadm seed bulk users.ndjson --resume --yes',
    'zcat users.ndjson.gz | cdpadm seed bulk - --yes',
  ],
  exits: {
    partial: 'some rows were rejected; they are in the rejects file',
    conflict: 'a file changed during the run, or after it (with --resume)',
    invalidInput: 'a file cannot be read, or its header is invalid',
    guard: 'these files were already sent (--resume or --restart), another process is sending them, or you answered no',
  },
  run: (ctx, { args, flags }) => sendBulk(ctx, args.file, flags),
});

async function sendBulk(ctx: Context, files: string[], flags: BulkFlags): Promise<void> {
  const { NO_COUNTS, openRun, openSharedRate, readBulkFlags } = await import('./run.ts');
  const settings = await ctx.settings();
  const numbers = readBulkFlags(flags, ctx.io.env, settings.limits['seeding']);
  const { limits, pace, shard } = numbers;
  const share = shard && { shard: `${shard.index + 1}/${shard.count}` };
  const { again } = createAgain(seedFiles, files, { ...flags, ...share }, ctx.flags);
  // Each shard's journal contains the path of its rejects file, so `resume` omits --rejects.
  const { resume } = createAgain(seedFiles, files, { ...flags, ...share, rejects: undefined }, ctx.flags);
  const part = {
    ...(shard && { shard: { index: shard.index + 1, count: shard.count } }),
    ...(!files.includes('-') && resume),
  };
  const emptyPart = () =>
    settings.get('seeding_url') &&
    resultOf(NO_COUNTS, undefined, { ...part, input: '', target: targetOf(settings, 'seeding') });
  await asPart(ctx.flags, emptyPart, send());

  async function send(): Promise<void> {
    const { openInputs } = await import('./inputs.ts');
    const opened = await openInputs(ctx, files, flags, shard);
    const target = await ctx.startWrite('seeding');
    const origin: Origin = { ...part, input: nameOfInputs(opened.sources), target };
    const run = await openRun(ctx, opened, numbers, flags, again, async (complete) => {
      const { estimateSeeds } = await import('../../lib/workflows/seed-validate.ts');
      const { environments, isExact, rows } = await estimateSeeds(opened.sources, shard);
      // The estimate may be too low, so a resumed run always asks.
      const left = rows && Math.max(1, rows - complete);
      if (left !== 0)
        await ctx.confirmWrite(`Seed ${usersOf(left, isExact)} into ${workspaceOf(target, environments)}?`);
    });
    if (!run) return;
    /** Progress so far: the journal is up to half a second older, and standard input has no journal. */
    let reached: SeedCounts | undefined;
    try {
      const counts = await runWithProgress(
        ctx,
        'Seeding',
        async (progress) => {
          if (run.before.finished) return run.before.counts;
          const [api, { seedBulk }] = await Promise.all([ctx.api(), import('../../lib/workflows/seed-bulk.ts')]);
          const { counts: before } = run.before;
          const facts = createBulkFacts({ completed: rowsOf(before), ms: before.ms });
          return await seedBulk({
            ...opened,
            ...pace,
            shared: await openSharedRate(ctx, numbers),
            ...run,
            limits,
            sender: await api.seeding.openBulk(),
            clock: ctx.clock,
            random: () => ctx.io.random(),
            signal: ctx.signal,
            onDecision: ctx.out.verbose,
            onWait: progress.wait,
            onProgress: ({ bytes, counts, totalBytes = 0 }) => {
              reached = counts;
              const done = rowsOf(counts);
              const share = bytes === 0 || totalBytes === 0 ? undefined : Math.min(1, bytes / totalBytes);
              const { data, ...texts } = facts({ completed: done, ...counts, share });
              const { accepted } = counts;
              progress.update({ done, ...(share && { share }), ...texts, data: { rows: done, accepted, ...data } });
            },
          });
        },
        (error) => {
          const saved = run.journal?.read()?.counts;
          const counts = reached && !(saved && rowsOf(saved) >= rowsOf(reached)) ? reached : saved;
          if (counts) logCounts(ctx, counts);
          return resumable(error, { again, counts, origin, run });
        },
      );
      logCounts(ctx, counts);
      const result = resultOf(counts, run, origin);
      if (result.rejected > 0) ctx.setExit('partial');
      opened.reportUnseen();
      if (result.rows === 0 && !shard) ctx.out.warn(`${origin.input} has no rows.`);
      await ctx.out.emit(result, seedBulkView);
      const { others } = run.rejects;
      if (others.length > 0) ctx.out.note(`Rows that were rejected earlier are in ${others.join(', ')}.`);
      if (result.rejects !== null) ctx.out.note(await rejectsHint(ctx, result.rejects, flags));
    } finally {
      run.close();
    }
  }
}

/** Returns the number of users, such as `about 12,000 users`: an estimate for a large file or a single shard. */
function usersOf(rows: number | undefined, isExact: boolean): string {
  if (rows === undefined) return 'an unknown number of users';
  return isExact ? counted(rows, 'user') : `about ${counted(Number(rows.toPrecision(2)), 'user')}`;
}

/** The rejects file is NDJSON, whatever the input's format, so the input flags are omitted. */
export async function rejectsHint(ctx: Context, path: string, flags: Partial<BulkFlags> = {}): Promise<Hint> {
  const { batchBytes, batchSize, concurrency, giveUpAfter, identityType, rate } = flags;
  const same = { batchBytes, batchSize, concurrency, giveUpAfter, identityType, rate };
  const shown = shownPath(ctx, path);
  const command = shellLine(commandWords(seedFiles, [shown], same, ctx.flags));
  const { correctionOf } = await import('../../lib/files/seed-rejects.ts');
  return await correctionOf(path, shown, command);
}

type Origin = Pick<WithTarget<typeof seedBulkResult>, 'input' | 'shard' | 'resume' | 'argv' | 'target'>;

const rowsOf = ({ accepted, rejected }: SeedCounts): number => accepted + rejected;

function logCounts(ctx: Context, counts: SeedCounts): void {
  const { accepted, batches, rejected } = counts;
  ctx.logFacts({ counts: { rows: rowsOf(counts), accepted, rejected, batches } });
}

function resultOf(
  { ms, ...counts }: SeedCounts,
  run: SeedRun | undefined,
  origin: Origin,
): WithTarget<typeof seedBulkResult> {
  return {
    rows: counts.accepted + counts.rejected,
    ...counts,
    seconds: Math.round(ms) / 1000,
    // A run without rows leaves no journal.
    journal: run?.journal && existsSync(run.journal.path) ? run.journal.path : null,
    rejects: run && run.rejects.bytes !== null ? run.rejects.path : null,
    ...(run && run.rejects.others.length > 0 && { earlier_rejects: run.rejects.others }),
    ...origin,
  };
}

/** Adds the progress and the next step to the error that ended the run. */
function resumable(
  error: KnownError,
  { again, counts, origin, run }: { again: Again; counts: SeedCounts | undefined; origin: Origin; run: SeedRun },
): KnownError {
  const { others, path, bytes } = run.rejects;
  const written = bytes === null ? others : [...others, path];
  // For --resume, a corrected or changed input is a different input.
  const isInvalid = exitOf(error) === 'invalidInput';
  const isChanged = error.code === 'input.changed';
  const restart = isInvalid ? 'Correct the file, then send it' : isChanged && 'To send the changed input';
  const next = restart
    ? { text: `${restart} from the beginning:`, command: again('--restart', error) }
    : { text: 'To continue:', command: again('--resume', error) };
  const ended = error.with({
    hint: [
      ...(isChanged ? [] : error.hints),
      ...(counts ? [`So far, ${counted(counts.accepted, 'row')} accepted, ${grouped(counts.rejected)} rejected.`] : []),
      ...(written.length === 0 ? [] : [`The rejected rows are in ${written.join(', ')}.`]),
      ...(isInvalid && counts === undefined ? [] : [run.journal ? next : 'Standard input cannot be resumed.']),
    ],
  });
  return withProgress(ended, resultOf(counts ?? run.before.counts, run, origin));
}
