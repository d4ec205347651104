// `pipelines runs`, `run`, `report` and `doctor`: show a pipeline's runs, its state, and why it does not sync.
import { pickRun } from '../pick.ts';
import * as z from 'zod/mini';
import { createWireNames } from '../../lib/contract/names.ts';
import { RunReply } from '../../lib/contract/pipeline-runs.ts';
import { PipelineReportReply } from '../../lib/contract/pipelines.ts';
import { KnownError, usageError } from '../../lib/kernel/errors.ts';
import { isoSeconds, formatDuration } from '../../lib/kernel/timestamps.ts';
import { diagnosisView, reportView, runListView, runView } from '../../lib/render/pipelines.ts';
import { defineCommand, type FlagSpec, type FlagValues } from '../../lib/runtime/command-line/define-command.ts';
import { asColumns, COMMON_FORMATS } from '../../lib/runtime/command-line/help.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { pageSource } from '../results.ts';
import { readPages } from '../read-pages.ts';
import { readDuration, readTime } from '../flag-values.ts';
import { onPipeline, pipelineArg, requirePipeline, runIdOf, tellRuns, wantsRuns } from './session.ts';
import { diagnosisResult } from '../../lib/domain/warehouse/diagnose.ts';
import { ageOf, lagOf } from '../../lib/domain/warehouse/runs.ts';
import { fail } from '../../lib/errors/fail.ts';
import { examinePipeline } from '../../lib/workflows/pipelines-run.ts';

const STATUSES = ['queued', 'running', 'success', 'failed', 'stopped', 'retrying'] as const;

const runsFlags = {
  since: { value: 'duration', help: 'list only runs with a logical date within the last DURATION, such as 7d' },
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
  formats: [...COMMON_FORMATS, 'html'],
  output: () => z.array(RunReply),
  notes: [
    '`-o html` prints a timeline as one HTML page without scripts, of at most the newest 2,000 runs.',
    '--status searches every page, or only the page that --page selects. Dates are in UTC.',
  ],
  examples: [
    'cdpadm pipelines runs customers --since 7d --all',
    'cdpadm pipelines runs customers --status failed -o json',
    'cdpadm pipelines runs customers --all -o html --out runs.html',
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
    await ctx.out.emit(shown, runListView({ pipeline: id, ...(await pageSource(ctx)) }));
    tellRuns(ctx, shown);
    if (pages > query.currentPage && !all) {
      ctx.out.note(`Page ${query.currentPage} of ${pages}; --page ${query.currentPage + 1} or --all shows more.`);
    }
    await tellFreshness(ctx, id, staleAfter).catch((error: unknown) => {
      if (staleAfter !== undefined || !(error instanceof KnownError) || ctx.signal.aborted) throw error;
      ctx.out.warn(`The age of the last success is unknown. ${error.message}`);
    });
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
  if (flags.since !== undefined && flags.from !== undefined) throw usageError('Pass --since or --from, not both.');
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

/** Reports the age of the last success. With `staleAfter` (ms), throws failed (1) if it is older or there is none. */
async function tellFreshness(ctx: Context, id: string, staleAfter: number | undefined): Promise<void> {
  if (staleAfter === undefined && ctx.flags.quiet) return;
  const { pipelines } = await ctx.api();
  const { body, date } = await pipelines.reportDated(id, ctx.signal);
  const last = body.latest_successful_pipeline_run_id ?? undefined;
  const success = last === undefined ? undefined : await pipelines.run(id, last, ctx.signal);
  const now = date ?? ctx.clock.now();
  const age = ageOf(success, now);
  const lag = lagOf(success, now);
  const behind = lag === undefined ? '' : `; its newest data is from ${ago(lag)}`;
  const unknown =
    last === undefined ? 'No run has succeeded.' : `It is unknown when run ${last}, the last success, ended.`;
  const told = age === undefined ? unknown : `Last success ${ago(age)}${behind}.`;
  ctx.out.note(told);
  if (staleAfter === undefined || (age !== undefined && age <= staleAfter)) return;
  throw fail('pipelines.stale', {
    message: `The data of pipeline ${id} is stale. ${told} The limit is ${formatDuration(staleAfter)}.`,
    hint: { text: 'To see why:', command: `cdpadm pipelines doctor ${id}` },
  });
}

function ago(ms: number): string {
  return ms < 1000 ? 'just now' : `${formatDuration(ms)} ago`;
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
    await ctx.out.emit(await onPipeline(ctx, id, pipelines.report(id, ctx.signal)), reportView);
    if (!wantsRuns(ctx)) return;
    tellRuns(ctx, (await pipelines.runs(id, { currentPage: 1, pageSize: 100 }, ctx.signal)).items);
  },
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
    const names = createWireNames((await ctx.settings()).names);
    const found = await examinePipeline(await ctx.api(), id, { names, now: ctx.clock.now() }, ctx.signal);
    const findings = found.findings.map((finding) => ({ ...finding, next: ctx.out.advice(finding.next) }));
    if (!found.healthy) ctx.setExit('failed');
    return { ...found, findings };
  },
  view: () => diagnosisView,
});
