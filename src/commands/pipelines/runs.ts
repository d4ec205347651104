// `pipelines runs`: the runs of a pipeline, and whether its data is fresh.
import { Command, Option } from 'commander';
import type { RunReply } from '../../lib/contract/pipeline-runs.ts';
import { usageError } from '../../lib/kernel/errors.ts';
import { isoSeconds, parseIso } from '../../lib/kernel/timestamps.ts';
import { runListView, runView } from '../../lib/render/pipelines.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { OUTPUT_FORMATS } from '../../lib/runtime/command-line/global-flags.ts';
import { withHelp } from '../../lib/runtime/command-line/help.ts';
import { choiceOption } from '../flag-values.ts';
import { pageSource } from '../page-source.ts';
import { tellFreshness } from './freshness.ts';
import { durationFlag, onPipeline, tellRuns } from './session.ts';

interface RunsFlags {
  since?: string;
  from?: string;
  to?: string;
  status?: string[];
  page?: string;
  pageSize: string;
  all?: boolean;
  failIfStale?: string;
}

const STATUSES = ['queued', 'running', 'success', 'failed', 'stopped', 'retrying'];

export function runsCommand(ctx: Context): Command {
  const command = new Command('runs')
    .description('list the runs of a pipeline')
    .argument('<pipeline_id>', 'the id of the pipeline')
    .option('--since <duration>', 'only those whose logical date is at most this old')
    .option('--from <time>', 'only those whose logical date is not before: a day, or ISO 8601')
    .option('--to <time>', 'only those whose logical date is not after: a day, or ISO 8601')
    .addOption(choiceOption('--status <status...>', 'only those in one of these statuses', STATUSES))
    .option('--page <n>', 'which page (default: the first)')
    .option('--page-size <n>', 'runs on a page, up to 100', '100')
    .addOption(new Option('--all', 'every page').conflicts('page'))
    .option('--fail-if-stale <duration>', 'exit 1 when the last success is older')
    .action((id: string, flags: RunsFlags) => listRuns(ctx, id, flags));
  return withHelp(command, {
    calls: 'platform',
    reads: true,
    columns: () => runView.columns.filter(({ key }) => key !== 'pipeline_id'),
    formats: OUTPUT_FORMATS,
    notes: [
      '`-o html` is a timeline on one page without scripts, light and dark, fit to print.',
      '--status looks through every page, or through that of --page. A day stands for the whole of it, in UTC.',
    ],
    examples: [
      'cdpadm pipelines runs customers --since 7d --all',
      'cdpadm pipelines runs customers --status failed -o json',
      'cdpadm pipelines runs customers --all -o html --out runs.html',
    ],
    json: '[{"id","pipeline_id","type","status","errors","logical_date","started_on","ended_on","range_start","range_end","successful_records","failed_records"}]',
    exits: { 1: 'the data is stale (--fail-if-stale)', 5: 'there is no such pipeline' },
  });
}

async function listRuns(ctx: Context, id: string, flags: RunsFlags): Promise<void> {
  const query = queryOf(flags, ctx.clock.now());
  const staleAfter = flags.failIfStale === undefined ? undefined : durationFlag(flags.failIfStale, '--fail-if-stale');
  // The platform cannot filter by status: what is asked for may stand on any page.
  const all = flags.all === true || (flags.status !== undefined && flags.page === undefined);
  const { runs, pages } = await onPipeline(ctx, id, readPages(ctx, id, query, all));
  const shown = flags.status ? runs.filter(({ status }) => flags.status?.includes(status ?? '')) : runs;
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
      ? timeFlag(flags.from, '--from', '00:00:00')
      : isoSeconds(now - durationFlag(flags.since, '--since'));
  const to = timeFlag(flags.to, '--to', '23:59:59');
  return {
    currentPage: countFlag(flags.page ?? '1', '--page', 1_000_000),
    pageSize: countFlag(flags.pageSize, '--page-size', 100),
    ...(from !== undefined && { startDate: from }),
    ...(to !== undefined && { endDate: to }),
  };
}

/** A time as the platform takes it: of a bare day, that time of it in UTC. Throws usage (2). */
function timeFlag(text: string | undefined, flag: string, ofDay: string): string | undefined {
  if (text === undefined) return undefined;
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T${ofDay}Z` : text;
  if (parseIso(time) !== undefined) return time;
  throw usageError(`${flag} takes a day or a time with its zone, such as 2026-01-31T08:00:00Z, not \`${text}\`.`);
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
