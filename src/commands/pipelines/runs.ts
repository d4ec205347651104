// `pipelines runs` and `run`: the runs of a pipeline, and whether its data is fresh.
import { array } from 'zod/mini';
import { RunReply } from '../../lib/contract/pipeline-runs.ts';
import { usageError } from '../../lib/kernel/errors.ts';
import { isoSeconds } from '../../lib/kernel/timestamps.ts';
import { runListView, runView } from '../../lib/render/pipelines.ts';
import { defineCommand, type FlagSpec, type FlagValues } from '../../lib/runtime/command-line/define-command.ts';
import { COMMON_FORMATS } from '../../lib/runtime/command-line/help.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { pageSource } from '../page-source.ts';
import { readDuration, readTime } from '../flag-values.ts';
import { tellFreshness } from './freshness.ts';
import { onPipeline, pipelineArg, runIdOf, tellRuns } from './session.ts';

const STATUSES = ['queued', 'running', 'success', 'failed', 'stopped', 'retrying'] as const;

const runsFlags = {
  since: { value: 'duration', help: 'only those whose logical date is at most this old' },
  from: { value: 'time', help: 'only those whose logical date is not before: a day, or ISO 8601' },
  to: { value: 'time', help: 'only those whose logical date is not after: a day, or ISO 8601' },
  status: { value: 'status...', many: true, help: 'only those in one of these statuses', choices: STATUSES },
  page: { value: 'n', help: 'which page (default: the first)' },
  pageSize: { value: 'n', help: 'runs on a page, up to 100', default: '100' },
  all: { help: 'every page', conflicts: ['page'] },
  failIfStale: { value: 'duration', help: 'exit 1 when the last success is older' },
} as const satisfies Record<string, FlagSpec>;

type RunsFlags = FlagValues<typeof runsFlags>;

export const listRuns = defineCommand({
  path: 'pipelines runs',
  summary: 'list the runs of a pipeline',
  effect: 'read',
  calls: 'platform',
  args: pipelineArg,
  flags: runsFlags,
  columns: () => runView.columns.filter(({ key }) => key !== 'pipeline_id'),
  formats: [...COMMON_FORMATS, 'html'],
  output: () => array(RunReply),
  notes: [
    '`-o html` is a timeline on one page without scripts, light and dark, fit to print.',
    '--status looks through every page, or through that of --page. A day stands for the whole of it, in UTC.',
  ],
  examples: [
    'cdpadm pipelines runs customers --since 7d --all',
    'cdpadm pipelines runs customers --status failed -o json',
    'cdpadm pipelines runs customers --all -o html --out runs.html',
  ],
  exits: { failed: 'the data is stale (--fail-if-stale)', notFound: 'there is no such pipeline' },
  run: (ctx, { args, flags }) => showRuns(ctx, args.pipeline_id, flags),
});

export const showRun = defineCommand({
  path: 'pipelines run',
  summary: 'show one run of a pipeline',
  effect: 'read',
  calls: 'platform',
  args: { ...pipelineArg, run_id: { help: 'the id of the run' } },
  output: () => RunReply,
  notes: ['To make a pipeline run, see `cdpadm pipelines trigger`.'],
  examples: ['cdpadm pipelines run customers 1001', 'cdpadm pipelines run customers 1001 -o json'],
  exits: { notFound: 'there is no such pipeline or run' },
  run: async (ctx, { args: { pipeline_id: id, run_id: run } }) => {
    const wanted = runIdOf(run);
    const { pipelines } = await ctx.api();
    await ctx.out.emit(await onPipeline(ctx, id, pipelines.run(id, wanted, ctx.signal)), runView);
  },
});

async function showRuns(ctx: Context, id: string, flags: RunsFlags): Promise<void> {
  const query = queryOf(flags, ctx.clock.now());
  const staleAfter = flags.failIfStale === undefined ? undefined : readDuration('--fail-if-stale', flags.failIfStale);
  // The platform cannot filter by status: what is asked for may stand on any page.
  const all = flags.all === true || (flags.status !== undefined && flags.page === undefined);
  const { runs, pages } = await onPipeline(ctx, id, readPages(ctx, id, query, all));
  const shown = flags.status
    ? runs.filter(({ status }) => (flags.status as readonly string[]).includes(status ?? ''))
    : runs;
  await ctx.out.emit(shown, runListView({ pipeline: id, ...(await pageSource(ctx)) }));
  tellRuns(ctx, shown);
  if (pages > query.currentPage && !all) {
    ctx.out.note(`Page ${query.currentPage} of ${pages}; --page ${query.currentPage + 1} or --all shows more.`);
  }
  await tellFreshness(ctx, id, staleAfter);
}

function queryOf(flags: RunsFlags, now: number) {
  if (flags.since !== undefined && flags.from !== undefined) throw usageError('Give --since or --from, not both.');
  const from =
    flags.since === undefined
      ? readTime('--from', flags.from, '00:00:00')
      : isoSeconds(now - readDuration('--since', flags.since));
  const to = readTime('--to', flags.to, '23:59:59');
  return {
    currentPage: countFlag(flags.page ?? '1', '--page', 1_000_000),
    pageSize: countFlag(flags.pageSize, '--page-size', 100),
    ...(from !== undefined && { startDate: from }),
    ...(to !== undefined && { endDate: to }),
  };
}

function countFlag(text: string, flag: string, most: number): number {
  const count = /^\d{1,7}$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= most) return count;
  throw usageError(`${flag} takes a number from 1 to ${most}, not \`${text}\`.`);
}

async function readPages(ctx: Context, id: string, query: ReturnType<typeof queryOf>, all: boolean) {
  const { pipelines } = await ctx.api();
  const runs: RunReply[] = [];
  for (let currentPage = query.currentPage; ; currentPage++) {
    const page = await pipelines.runs(id, { ...query, currentPage }, ctx.signal);
    runs.push(...page.items);
    // An empty page ends the list whatever the platform says of a next one.
    if (!all || page.has_next_page !== true || page.items.length === 0) return { runs, pages: page.total_pages ?? 1 };
  }
}
