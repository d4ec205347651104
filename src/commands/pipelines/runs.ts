// `pipelines runs`, `run`, `report` and `doctor`: show a pipeline's runs, its state, and why it does not sync.
import { pickRun } from '../pick.ts';
import * as z from 'zod/mini';
import { RunReply } from '../../lib/contract/pipeline-runs.ts';
import { PipelineReportReply } from '../../lib/contract/pipelines.ts';
import { isoSeconds, formatDuration } from '../../lib/kernel/timestamps.ts';
import { diagnosisView, reportView, runListView, runView } from '../../lib/render/pipelines.ts';
import { defineCommand, type FlagSpec, type FlagValues } from '../../lib/runtime/command-line/define-command.ts';
import { asColumns } from '../../lib/runtime/command-line/help.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { readPages } from '../read-pages.ts';
import { readDuration, readTime } from '../flag-values.ts';
import { onPipeline, pipelineArg, requirePipeline, runIdOf } from './session.ts';
import { diagnosisResult } from '../../lib/domain/warehouse/diagnose.ts';
import { ageOf, runId } from '../../lib/domain/warehouse/runs.ts';
import { fail } from '../../lib/errors/fail.ts';
import { examinePipeline } from '../../lib/workflows/pipelines-run.ts';

const STATUSES = ['queued', 'running', 'success', 'failed', 'stopped', 'retrying'] as const;

const runsFlags = {
  since: {
    value: 'duration',
    conflicts: ['from'],
    help: 'list only runs with a logical date within the last DURATION, such as 7d',
  },
  from: { value: 'time', help: 'list only runs on or after this logical date: a date, or an ISO 8601 time' },
  to: { value: 'time', help: 'list only runs on or before this logical date: a date, or an ISO 8601 time' },
  status: { value: 'status...', many: true, help: 'list only runs with one of these statuses', choices: STATUSES },
  page: { value: 'n', most: 1_000_000, help: 'page number (default: 1)' },
  pageSize: { value: 'n', most: 100, help: 'runs per page, up to 100', default: '100' },
  all: { help: 'list every page', conflicts: ['page'] },
  failIfStale: { value: 'duration', help: 'exit 1 if the last success is older than this' },
} as const satisfies Record<string, FlagSpec>;

type RunsFlags = FlagValues<typeof runsFlags>;

export const listRuns = defineCommand({
  path: 'pipelines runs',
  summary: 'list the runs of a pipeline',
  effect: 'read',
  tool: ['since', 'from', 'to', 'status', 'page', 'pageSize'],
  calls: 'platform',
  args: pipelineArg,
  flags: runsFlags,
  columns: () => runView.columns.filter(({ key }) => key !== 'pipeline_id'),
  output: () => z.array(RunReply),
  notes: ['--status searches every page, or only the page that --page selects. Dates are in UTC.'],
  examples: [
    'cdpadm pipelines runs customers --since 7d --all',
    'cdpadm pipelines runs customers --status failed -o json',
  ],
  exits: { failed: 'the data is stale (--fail-if-stale)', notFound: 'the pipeline does not exist' },
  run: async (ctx, { args: { pipeline_id: id }, flags }) => {
    const query = queryOf(flags, ctx.clock.now());
    const staleAfter = flags.failIfStale === undefined ? undefined : readDuration('--fail-if-stale', flags.failIfStale);
    // The platform cannot filter by status, so read every page.
    const all = flags.all === true || (flags.status !== undefined && flags.page === undefined);
    const { pipelines } = await ctx.api();
    const read = (currentPage: number) =>
      onPipeline(ctx, id, pipelines.runs(id, { ...query, currentPage }, ctx.signal));
    const first = await read(query.currentPage);
    const runs = all ? await readPages(ctx, 'Reading runs', first, read) : first.items;
    const pages = first.total_pages ?? 1;
    const shown = flags.status
      ? runs.filter(({ status }) => (flags.status as readonly string[]).includes(status ?? ''))
      : runs;
    await ctx.out.emit(shown, runListView);
    if (pages > query.currentPage && !all) {
      ctx.out.note(`Page ${query.currentPage} of ${pages}; --page ${query.currentPage + 1} or --all shows more.`);
    }
    if (staleAfter !== undefined) await requireFresh(ctx, id, staleAfter);
  },
});

export const showRun = defineCommand({
  path: 'pipelines run',
  summary: 'show one run of a pipeline',
  effect: 'read',
  calls: 'platform',
  args: { ...pipelineArg, run_id: { help: 'id of the run', pick: pickRun } },
  output: () => RunReply,
  notes: ['To start a run, use `cdpadm pipelines trigger`.'],
  examples: ['cdpadm pipelines run customers 1001', 'cdpadm pipelines run customers 1001 -o json'],
  exits: { notFound: 'the pipeline or the run does not exist' },
  run: async (ctx, { args: { pipeline_id: id, run_id: run } }) => {
    const wanted = runIdOf(run);
    const { pipelines } = await ctx.api();
    return await onPipeline(ctx, id, pipelines.run(id, wanted, ctx.signal));
  },
  view: () => runView,
});

function queryOf(flags: RunsFlags, now: number) {
  const from =
    flags.since === undefined
      ? readTime('--from', flags.from, '00:00:00')
      : isoSeconds(now - readDuration('--since', flags.since));
  const to = readTime('--to', flags.to, '23:59:59');
  return {
    currentPage: flags.page ?? 1,
    pageSize: flags.pageSize,
    ...(from !== undefined && { startDate: from }),
    ...(to !== undefined && { endDate: to }),
  };
}

/** Throws failed (1) if the last success is older than `staleAfter` (ms), or if there is none. */
async function requireFresh(ctx: Context, id: string, staleAfter: number): Promise<void> {
  const { pipelines } = await ctx.api();
  const { body, date } = await pipelines.reportDated(id, ctx.signal);
  const last = body.latest_successful_pipeline_run_id ?? undefined;
  const run = last === undefined ? undefined : await pipelines.run(id, last, ctx.signal);
  const age = ageOf(run, date ?? ctx.clock.now());
  const unknown = run ? `It is unknown when run ${runId(run)}, the last success, ended.` : 'No run has succeeded.';
  const told = age === undefined ? unknown : `Last success ${formatDuration(age)} ago.`;
  ctx.out.note(told);
  if (age !== undefined && age <= staleAfter) return;
  throw fail('pipelines.stale', {
    message: `The data of pipeline ${id} is stale. ${told} The limit is ${formatDuration(staleAfter)}.`,
    hint: { text: 'To see why:', command: `cdpadm pipelines doctor ${id}` },
  });
}

export const showReport = defineCommand({
  path: 'pipelines report',
  summary: "show the platform's report on a pipeline",
  effect: 'read',
  calls: 'platform',
  args: pipelineArg,
  output: () => PipelineReportReply,
  examples: ['cdpadm pipelines report customers', 'cdpadm pipelines report customers -o json'],
  exits: { notFound: 'the pipeline does not exist' },
  run: async (ctx, { args: { pipeline_id: id } }) => {
    const { pipelines } = await ctx.api();
    return await onPipeline(ctx, id, pipelines.report(id, ctx.signal));
  },
  view: () => reportView,
});

export const diagnosePipeline = defineCommand({
  path: 'pipelines doctor',
  summary: 'diagnose why a pipeline does not sync and suggest fixes',
  effect: 'read',
  calls: 'platform',
  args: pipelineArg,
  output: () => diagnosisResult(),
  columns: asColumns('pipeline_id healthy state status last_success findings'),
  examples: ['cdpadm pipelines doctor customers', 'cdpadm pipelines doctor customers -o json'],
  exits: { failed: 'the pipeline is unhealthy', notFound: 'the pipeline does not exist' },
  run: async (ctx, { args: { pipeline_id: id } }) => {
    await requirePipeline(ctx, id);
    const found = await examinePipeline(await ctx.api(), id, ctx.clock.now(), ctx.signal);
    const findings = found.findings.map((finding) => ({ ...finding, next: ctx.out.advice(finding.next) }));
    if (!found.healthy) ctx.setExit('failed');
    return { ...found, findings };
  },
  view: () => diagnosisView,
});
