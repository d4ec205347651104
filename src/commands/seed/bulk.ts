// `seed bulk`: sends a file of users, however long, and says of every row whether it was accepted.
import { exitOf } from '../../lib/errors/exit.ts';
import { isAbsolute, relative } from 'node:path';
import { int, nullable, number, object, string } from 'zod/mini';
import { KnownError } from '../../lib/kernel/errors.ts';
import { counted } from '../../lib/kernel/words.ts';
import { seedBulkProgress, type SeedBulkResult, seedBulkView } from '../../lib/render/seed-bulk.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { type Target, workspaceOf } from '../../lib/runtime/target.ts';
import { commandLine, defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import type { Shard } from '../../lib/domain/seed/shard.ts';
import type { SeedCounts } from '../../lib/files/seed-journal.ts';
import type { SeedEstimate } from '../../lib/workflows/seed-estimate.ts';
import type { BulkNumbers, RawBulkFlags } from './bulk-flags.ts';
import type { OpenedInputs } from './inputs.ts';
import { runFlags } from '../bulk-flags.ts';
import { workspaceTarget } from '../results.ts';
import { type ReadFlags, readFlags } from './read-flags.ts';

interface BulkFlags extends RawBulkFlags, ReadFlags {
  rejects?: string;
  restart?: boolean;
}

export const seedFiles = defineCommand({
  path: 'seed bulk',
  summary: 'send the seeds of many users',
  effect: 'write',
  calls: 'platform',
  args: {
    file: {
      many: true,
      optional: true,
      help: 'NDJSON, JSON, CSV or Parquet files, also gzip and zstd; folders; patterns; - is standard input',
    },
  },
  flags: {
    ...readFlags,
    batchSize: { value: 'rows', default: '100', help: 'most users in one request' },
    batchBytes: { value: 'size', default: '256KB', help: 'most bytes in one request' },
    ...runFlags('seeding'),
    rejects: {
      value: 'file',
      help: 'where refused rows go (default: the first input with .rejects.ndjson behind it)',
    },
    restart: { help: 'forget an earlier run of the same files' },
    shard: { value: 'i/n', help: 'take one of N shares; auto/N takes JOB_COMPLETION_INDEX' },
  },
  columns: () => seedBulkView.columns,
  output: () =>
    object({
      rows: int(),
      accepted: int(),
      rejected: int(),
      batches: int(),
      requests: int(),
      retries: int(),
      seconds: number(),
      journal: nullable(string()),
      rejects: nullable(string()),
      target: workspaceTarget(),
    }),
  notes: [
    'Every row is checked before it is sent. When the platform refuses a request, the rows at fault are found and the others still go in.',
    'A run that ends early can be resumed. Rows whose answer was lost are sent again, which sets the same values again.',
    'CSV columns: xpid, identity:<type>, attr:<name>:<calculation_type>[:<key>], user:<name>, environment, cutoff_date.',
  ],
  examples: [
    'cdpadm seed bulk users.ndjson --yes',
    'cdpadm seed bulk users.csv --cutoff-date 2026-01-01 --rate 50 --rejects refused.ndjson --yes',
    'cdpadm seed bulk users.ndjson --resume --yes',
    'zcat users.ndjson.gz | cdpadm seed bulk - --yes',
  ],
  exits: {
    partial: 'rows were refused; they are in the rejects file',
    conflict: '--resume, and the file has changed since',
    invalidInput: 'a file cannot be read, or its header is not understood',
    guard:
      'the same file was run before: give --resume or --restart; another process is sending it; or you answered no',
  },
  run: (ctx, { args, flags }) => sendBulk(ctx, args.file, flags),
});

async function sendBulk(ctx: Context, files: string[], flags: BulkFlags): Promise<void> {
  const [{ readBulkFlags }, { openInputs }] = await Promise.all([import('./bulk-flags.ts'), import('./inputs.ts')]);
  const settings = await ctx.settings();
  const numbers = readBulkFlags(flags, ctx.io.env['JOB_COMPLETION_INDEX'], settings.limits['seeding']);
  const opened = await openInputs(ctx, files, flags, numbers.shard);
  const target = await ctx.startWrite('seeding');
  if (ctx.flags.dryRun || ctx.flags.curl) {
    const { showDryRun } = await import('./bulk-dry-run.ts');
    await showDryRun(ctx, opened, numbers);
    return;
  }
  const { openRun } = await import('./run.ts');
  // What ends or restarts a run is no part of the command that continues it.
  const { maxErrors: _limit, restart: _restart, resume: _resume, shard: _given, ...same } = flags;
  const { shard } = numbers;
  const share = shard && { shard: `${shard.index + 1}/${shard.count}` };
  const again = commandLine(seedFiles, files, { ...same, ...share }, ctx.flags);
  const run = await openRun(ctx, opened, numbers, flags, again, async () => {
    const { estimateSeeds, sumEstimates } = await import('../../lib/workflows/seed-estimate.ts');
    const estimate = sumEstimates(await Promise.all(opened.sources.map(estimateSeeds)));
    await ctx.confirmWrite(
      `Seed ${usersOf(estimate, numbers.shard)} into ${workspaceOf(target, estimate.environments)}?`,
    );
  });
  const progress = ctx.out.progress('Seeding');
  const reached: Reached = {};
  try {
    const counts = run.finished ?? (await send(ctx, opened, numbers, run, progress, reached));
    progress.end();
    const result = resultOf(counts, run, target);
    if (result.rejected > 0) ctx.setExit('partial');
    await ctx.out.emit(result, seedBulkView);
    if (result.rejects !== null) tellRejects(ctx, result.rejects, flags);
  } catch (error) {
    progress.end();
    throw withResume(error, run, flags, run.journal?.read()?.counts ?? reached.counts, target);
  } finally {
    run.close();
  }
}

/** `about 12,000 users`: of a file that is too large to count, and of one shard. */
function usersOf({ rows, isExact }: SeedEstimate, shard: Shard | undefined): string {
  if (rows === undefined) return 'users (their number is unknown)';
  const share = Math.round(rows / (shard?.count ?? 1));
  if (isExact && shard === undefined) return share === 1 ? '1 user' : `${share.toLocaleString('en')} users`;
  return `about ${Number(share.toPrecision(2)).toLocaleString('en')} users`;
}

/** What to do about the rows that were refused, which are NDJSON whatever they came from. */
function tellRejects(ctx: Context, path: string, flags: BulkFlags): void {
  const { batchBytes, batchSize, concurrency, giveUpAfter: duration, identityType, rate } = flags;
  const relativePath = relative(ctx.io.cwd, path);
  const shown = relativePath.startsWith('..') || isAbsolute(relativePath) ? path : relativePath;
  const again = commandLine(
    seedFiles,
    [shown],
    { batchBytes, batchSize, concurrency, giveUpAfter: duration, identityType, rate },
    ctx.flags,
  );
  ctx.out.note({ text: `Correct the refused rows in ${shown}, then send them:`, command: again });
}

/** How far a run came. Of standard input no journal says it. */
interface Reached {
  counts?: SeedCounts;
}

type Run = Awaited<ReturnType<typeof import('./run.ts').openRun>>;

async function send(
  ctx: Context,
  { inputs, rules }: OpenedInputs,
  numbers: BulkNumbers,
  run: Run,
  progress: ReturnType<Context['out']['progress']>,
  reached: Reached,
): Promise<SeedCounts> {
  const [api, { seedBulk }] = await Promise.all([ctx.api(), import('../../lib/workflows/seed-bulk.ts')]);
  return await seedBulk({
    inputs,
    rules,
    limits: numbers.limits,
    ...numbers.pace,
    journal: run.journal,
    before: run.before,
    rejects: run.rejects,
    sender: await api.seeding.openBulk(),
    clock: ctx.clock,
    random: () => ctx.io.random(),
    signal: ctx.signal,
    onDecision: ctx.out.verbose,
    onWait: progress.wait,
    onProgress: (state) => {
      reached.counts = state.counts;
      progress.update({ ...seedBulkProgress(state), isPassing: true });
    },
  });
}

function resultOf(counts: SeedCounts, run: Run, target: Target): SeedBulkResult {
  const { accepted, rejected, batches, requests, retries, ms } = counts;
  return {
    rows: accepted + rejected,
    accepted,
    rejected,
    batches,
    requests,
    retries,
    seconds: Math.round(ms) / 1000,
    journal: run.journal?.path ?? null,
    rejects: run.rejects.bytes === null ? null : run.rejects.path,
    target,
  };
}

/** An error that ended the run, with what was done and how to go on. */
function withResume(
  error: unknown,
  run: Run,
  { maxErrors }: BulkFlags,
  counts: SeedCounts | undefined,
  target: Target,
): unknown {
  if (!(error instanceof KnownError) || error.name !== 'KnownError') return error;
  const done = counts && `So far ${counted(counts.accepted, 'row')} accepted, ${counts.rejected} refused.`;
  const { path, bytes } = run.rejects;
  const refused = bytes === null ? undefined : `The refused rows are in ${path}.`;
  // A file that is wrong as a whole has to be another one first.
  const isWrong = exitOf(error) === 'invalidInput' && counts === undefined;
  // A limit that ended the run would end the next one, too.
  const isWithoutLimit = maxErrors === undefined || error.code === 'bulk.too_many_errors';
  const again = isWithoutLimit ? run.again : `${run.again} --max-errors ${maxErrors.replace(/\s+/g, '')}`;
  const goOn = run.journal
    ? { text: 'To continue:', command: `${again} --resume` }
    : 'Standard input cannot be resumed.';
  return error.with({
    hint: [...error.hints, done, refused, isWrong ? undefined : goOn].filter((part) => part !== undefined),
    details: { ...error.details, ...(counts && { progress: resultOf(counts, run, target) }) },
  });
}
