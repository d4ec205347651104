// `seed results`: joins the results and rejects of all shards, and lists those that must run again.
import { createReadStream, existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { array, extend, type infer as Infer, int, string } from 'zod/mini';
import { refuseTaken } from '../../lib/files/seed-rejects.ts';
import { resolvePath } from '../../lib/files/read-input.ts';
import { invalidInput, type Issue } from '../../lib/kernel/errors.ts';
import { counted } from '../../lib/kernel/words.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import type { Context } from '../../lib/runtime/context.ts';
import {
  emitJoined,
  joinedResult,
  joinedView,
  type Joining,
  placeOf,
  readReports,
  type Report,
  resultArgs,
  resultFlags,
  valuesOf,
} from '../bulk-results.ts';
import { workspaceTarget } from '../results.ts';
import { seedBulkResult, shardOf } from './bulk.ts';

const shardResult = () => extend(seedBulkResult(), { shard: shardOf(), argv: array(string()) });
type ShardResult = Infer<ReturnType<typeof shardResult>>;
type ShardReport = Report<ShardResult>;

const joining: Joining<ShardResult, number> = {
  counts: ['rows', 'accepted', 'rejected', 'batches', 'requests', 'retries'],
  partial: ['rejected'],
  names: { parts: 'shards', missing: 'missing', failed: 'failed', files: 'rejects' },
  label: () => int(),
  more: () => ({ target: workspaceTarget() }),
  part: shardResult,
  keyOf: ({ shard }) => String(shard.index),
  runOf: ({ argv, shard, target }) =>
    `a run of ${inputsIn(argv)} with ${counted(shard.count, 'shard')} in ${placeOf(target)}`,
  labelOf: ({ shard }) => shard.index,
  flag: '--shard',
  valueOf: (index, { shard }) => `${index}/${shard.count}`,
};

/** The names of the inputs in a command; each machine may have its own folder for them. */
function inputsIn(words: readonly string[]): string {
  const after = words.slice(3);
  const end = after.findIndex((word) => word.startsWith('--'));
  const files = [...after.slice(0, end < 0 ? after.length : end), ...valuesOf(words, '--files-from')];
  const names = files.map((file) => basename(file)).sort();
  const rest = names.length > 3 ? ` and ${names.length - 3} more` : '';
  return `${names.slice(0, 3).join(', ')}${rest}`;
}

export const joinShards = defineCommand({
  path: 'seed results',
  summary: 'join the results of all shards of a bulk run',
  effect: 'local',
  calls: 'none',
  args: resultArgs,
  flags: { ...resultFlags, rejects: { value: 'file', help: 'write the rejected rows of all shards to a new file' } },
  columns: () => joinedView(joining).columns,
  output: () => joinedResult(joining),
  notes: [
    'A result is the output of `seed bulk --shard … -o json`. For a shard that failed, this output is an error.',
    'The exit code is the same as for a single run: 0, or 3 if rows were rejected. It is 1 if a shard is missing. If shards failed, it is the code of their error.',
  ],
  examples: ['cdpadm seed results results', 'cdpadm seed results results --rejects all.rejects.ndjson'],
  exits: {
    failed: 'a shard is missing, or shards failed for different reasons',
    partial: 'every shard is complete, and rows were rejected',
    invalidInput: 'a file is not a result, or the results are from different runs',
  },
  run: async (ctx, { args, flags }) => {
    const found = await readReports(ctx, args.file, flags.filesFrom, joining);
    const reports = found.sort((a, b) => a.result.shard.index - b.result.shard.index);
    const rejects = reports.flatMap((report) => rejectsOf(report, ctx.io.cwd));
    if (flags.rejects !== undefined) await joinRejects(ctx, rejects, resolvePath(flags.rejects, ctx.io.cwd));
    const [{ result: first }] = reports as [ShardReport];
    const known = new Set(reports.map(({ result }) => result.shard.index));
    const all = Array.from({ length: first.shard.count }, (_, index) => index + 1);
    const files = rejects.map(({ path }) => path);
    await emitJoined(
      ctx,
      joining,
      reports,
      all.filter((index) => !known.has(index)),
      { files, target: first.target },
    );
  },
});

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
  const { writeNewFile } = await import('../../lib/kernel/durable.ts');
  await writeNewFile(path, parts());
}
