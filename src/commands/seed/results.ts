// `seed results`: joins the results and rejects of all shards, and lists the shards that must run again.
import { createReadStream, existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import * as z from 'zod/mini';
import { REJECTS_TAKEN } from '../../lib/files/seed-rejects.ts';
import { resolvePath } from '../../lib/files/read-input.ts';
import { invalidInput, type Issue } from '../../lib/kernel/errors.ts';
import { counted, shellLine } from '../../lib/kernel/words.ts';
import { commandWords, defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import type { Context } from '../../lib/runtime/context.ts';
import {
  emitJoined,
  joinedResult,
  joinedView,
  type Joining,
  readReports,
  type Report,
  resultArgs,
  resultFlags,
} from '../bulk-results.ts';
import { targetName, workspaceTarget } from '../results.ts';
import { rejectsHint, seedBulkResult, shardOf } from './bulk.ts';

const shardResult = () => z.extend(seedBulkResult(), { shard: shardOf(), argv: z.array(z.string()) });
type ShardResult = z.infer<ReturnType<typeof shardResult>>;
type ShardReport = Report<ShardResult>;

const joining: Joining<ShardResult> = {
  counts: ['rows', 'accepted', 'rejected', 'batches', 'requests', 'retries'],
  partial: ['rejected'],
  names: { part: 'shard', parts: 'shards', missing: 'missing', failed: 'failed', files: 'rejects' },
  label: () => z.int(),
  more: () => ({ target: workspaceTarget() }),
  part: shardResult,
  keyOf: ({ shard }) => String(shard.index),
  // Compare base names only: the input folder may differ between machines.
  runOf: ({ input, shard, target }) =>
    `a run of ${basename(input)} with ${counted(shard.count, 'shard')} in ${targetName(target)}`,
  labelOf: ({ shard }) => shard.index,
  flag: '--shard',
  valueOf: (index, { shard }) => `${index}/${shard.count}`,
};

export const joinShards = defineCommand({
  path: 'seed results',
  summary: 'combine the results of all shards of a bulk run',
  effect: 'local',
  calls: 'none',
  args: resultArgs,
  flags: {
    ...resultFlags,
    rejects: { value: 'file', writes: true, help: 'file for the rejected rows of all shards' },
  },
  columns: () => joinedView(joining).columns,
  output: () => joinedResult(joining),
  notes: [
    'Run each shard as `seed bulk --shard … -o json`, and save its output and errors to files. Other lines in these files are ignored. The last result of each shard counts, but an error never replaces a complete result.',
    'The command lists missing and failed shards, and prints the commands that run them again. A complete shard is not sent again.',
    'The exit code is the same as for a single run: 0, or 3 if rows were rejected. If a shard is missing, the exit code is 1. If shards failed, the exit code matches their error, or is 1 if their exit codes differ.',
  ],
  examples: ['cdpadm seed results results', 'cdpadm seed results results --rejects all.rejects.ndjson'],
  exits: {
    failed: 'a shard is missing, or shards failed for different reasons',
    partial: 'every shard is complete, but some rows were rejected',
    invalidInput: 'there is no result, the results are from different runs, or shards failed because of invalid input',
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
    const missing = all.filter((index) => !known.has(index));
    await emitJoined(ctx, joining, reports, missing, { files, target: first.target });
    const [only, other] = rejects.length === 0 ? [] : [flags.rejects ?? files].flat();
    if (other === undefined && only !== undefined) ctx.out.note(await rejectsHint(ctx, resolvePath(only, ctx.io.cwd)));
    else if (other !== undefined) {
      const joined = { filesFrom: flags.filesFrom, rejects: 'all.rejects.ndjson' };
      ctx.out.note({
        text: 'To collect the rejected rows of all shards in one file that you can correct and send:',
        command: shellLine(commandWords(joinShards, args.file, joined, { yes: false })),
      });
    }
  },
});

/** Returns the paths of the rejects files, which may have been copied together with the result. */
function rejectsOf({ file, line, result: { earlier_rejects = [], rejects } }: ShardReport, cwd: string) {
  return [...earlier_rejects, ...(rejects === null ? [] : [rejects])].map((path) => {
    const beside = join(dirname(resolvePath(file, cwd)), basename(path));
    return { file, line, path: !existsSync(path) && existsSync(beside) ? beside : path };
  });
}

/** Throws usage (2) if the file exists, failed (1) if it cannot be created, and invalid input (9) if rejects are missing. */
async function joinRejects(ctx: Context, rejects: ReturnType<typeof rejectsOf>, path: string): Promise<void> {
  const { requireNewFile, writeNewFile } = await import('../../lib/kernel/durable.ts');
  requireNewFile(path, REJECTS_TAKEN);
  const issues = rejects
    .filter((one) => !existsSync(one.path))
    .map(({ path, ...at }): Issue => ({
      ...at,
      column: 1,
      path: 'rejects',
      message: `${path} is not on this machine`,
    }));
  const what = 'The rejected rows of some shards are missing.';
  if (issues.length > 0) throw invalidInput(what, issues, 'Copy these files next to the results.');
  if (rejects.length === 0) return;
  const parts = async function* () {
    for (const one of rejects) yield* createReadStream(one.path, { signal: ctx.signal }) as AsyncIterable<Buffer>;
  };
  await writeNewFile(path, parts());
}
