// `seed results`: joins the results and rejects of all shards, and names those that must run again.
import { createReadStream, existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { array, extend, int, number, object, string } from 'zod/mini';
import { refuseTaken } from '../../lib/files/seed-rejects.ts';
import { resolvePath } from '../../lib/files/read-input.ts';
import { invalidInput, type Issue } from '../../lib/kernel/errors.ts';
import { counted } from '../../lib/kernel/words.ts';
import type { RecordView } from '../../lib/render/view.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { endAsOneRun, placeOf, readReports, type Report, resultArgs, resultFlags, sumCounts } from '../bulk-results.ts';
import { workspaceTarget, type WithTarget } from '../results.ts';
import { seedBulkResult, shardOf } from './bulk.ts';

const COUNTS = ['rows', 'accepted', 'rejected', 'batches', 'requests', 'retries'] as const;

function joinedResult() {
  return object({
    rows: int(),
    accepted: int(),
    rejected: int(),
    batches: int(),
    requests: int(),
    retries: int(),
    /** Of the shard that took longest. */
    seconds: number(),
    shards: int(),
    complete: int(),
    /** Numbers of the shards without a result. */
    missing: array(int()),
    /** Numbers of the shards that failed. */
    failed: array(int()),
    /** Commands that run the missing and failed shards again. */
    again: array(string()),
    rejects: array(string()),
    target: workspaceTarget(),
  });
}

const shardResult = () => extend(seedBulkResult(), { shard: shardOf(), resume: string() });
type ShardReport = Report<WithTarget<typeof shardResult>>;

const view: RecordView<Omit<WithTarget<typeof joinedResult>, 'target'>> = {
  kind: 'record',
  columns: [
    ...[...COUNTS, 'seconds' as const, 'shards' as const, 'complete' as const].map((key) => {
      return { key, value: (it: Record<typeof key, number>) => it[key] };
    }),
    ...(['missing', 'failed'] as const).map((key) => ({
      key,
      value: (it: Record<typeof key, number[]>) => it[key].join(', ') || 'none',
    })),
    { key: 'rejects', value: (it) => it.rejects.join(', ') },
  ],
};

export const joinShards = defineCommand({
  path: 'seed results',
  summary: 'join the results of all shards of a bulk run',
  effect: 'local',
  calls: 'nobody',
  args: resultArgs,
  flags: { ...resultFlags, rejects: { value: 'file', help: 'write the rejected rows of all shards to a new file' } },
  columns: () => view.columns,
  output: joinedResult,
  notes: [
    'A result is the output of `seed bulk --shard … -o json`. For a shard that failed, this output is an error.',
    'The exit code is the same as for a single run: 0, or 3 if rows were rejected. It is 1 if a shard is missing. If shards failed, it is the code of their error.',
  ],
  examples: ['cdpadm seed results results', 'cdpadm seed results results --rejects all.rejects.ndjson'],
  exits: {
    failed: 'a shard is missing, or shards failed for different reasons',
    partial: 'every shard is complete, and rows were rejected',
    invalidInput: 'a file is not a result, or the results are of different runs',
  },
  run: (ctx, { args, flags }) => joinResults(ctx, args.file, flags),
});

async function joinResults(
  ctx: Context,
  files: string[],
  flags: { filesFrom?: string; rejects?: string },
): Promise<void> {
  const found = await readReports(ctx, files, flags.filesFrom, shardResult(), {
    partOf: ({ shard }) => String(shard.index),
    runOf: ({ shard, target }) => `a run with ${counted(shard.count, 'shard')} in ${placeOf(target)}`,
  });
  const reports: ShardReport[] = found.sort((a, b) => a.result.shard.index - b.result.shard.index);
  const [{ result: first }] = reports as [ShardReport];
  const rejects = reports.flatMap((report) => rejectsOf(report, ctx.io.cwd));
  if (flags.rejects !== undefined) await joinRejects(ctx, rejects, resolvePath(flags.rejects, ctx.io.cwd));
  const { count } = first.shard;
  const commands = new Map(reports.map(({ result }) => [result.shard.index, result.resume]));
  const numbers = Array.from({ length: count }, (_, index) => index + 1);
  const missing = numbers.filter((index) => !commands.has(index));
  const failed = reports.flatMap(({ error, result }) => (error === undefined ? [] : [result.shard.index]));
  const again = numbers.flatMap((index) => {
    if (failed.includes(index)) return [commands.get(index) ?? ''];
    const own = `--shard ${first.shard.index}/${count}`;
    return missing.includes(index) ? [first.resume.replace(own, `--shard ${index}/${count}`)] : [];
  });
  const counts = sumCounts(
    reports.map(({ result }) => result),
    COUNTS,
  );
  const data = {
    ...counts,
    ...{ shards: count, complete: reports.length - failed.length, missing, failed, again },
    rejects: rejects.map(({ path }) => path),
    target: first.target,
  };
  await ctx.out.emit(data satisfies WithTarget<typeof joinedResult>, view);
  endAsOneRun(ctx, reports, { again, missing: missing.length, isPartial: counts.rejected > 0 });
}

interface Rejects extends Pick<ShardReport, 'file' | 'line'> {
  path: string;
}

/** The file may have been copied here with the result. */
function rejectsOf({ file, line, result: { rejects } }: ShardReport, cwd: string): Rejects[] {
  if (rejects === null) return [];
  const beside = join(dirname(resolvePath(file, cwd)), basename(rejects));
  return [{ file, line, path: !existsSync(rejects) && existsSync(beside) ? beside : rejects }];
}

/** Throws usage (2) if the file exists, and invalid input (9) if rejects are on another machine. */
async function joinRejects(ctx: Context, rejects: readonly Rejects[], path: string): Promise<void> {
  refuseTaken(path);
  const issues = rejects
    .filter((one) => !existsSync(one.path))
    .map(({ file, line, path: missing }): Issue => {
      return { file, line, column: 1, path: 'rejects', message: `${missing} is not on this machine` };
    });
  if (issues.length > 0)
    throw invalidInput(
      'The rejected rows of some shards are missing.',
      issues,
      'Copy these files next to the results.',
    );
  if (rejects.length === 0) return;
  const parts = async function* () {
    for (const one of rejects) yield* createReadStream(one.path, { signal: ctx.signal }) as AsyncIterable<Buffer>;
  };
  const { writeNewFile } = await import('../../lib/files/save-download.ts');
  await writeNewFile(path, parts());
}
