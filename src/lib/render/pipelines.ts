// Views of pipeline runs, reports and diagnoses.
import type { RunReply } from '../contract/pipeline-runs.ts';
import type { PipelineReportReply } from '../contract/pipelines.ts';
import type { Diagnosis } from '../domain/warehouse/diagnose.ts';
import { cleanLine as clean } from './clean.ts';
import { type RunsSource, runTimelinePage } from './pipeline-timeline.ts';
import type { Style } from './style.ts';
import { fields, ranked, type Column, type DocumentView, type ListView, type RecordView } from './view.ts';
import { errorsText, paintStatus } from './warehouse.ts';
import { wrapMessage, wrapUnder } from './width.ts';
import { oldestFirst, recordsOf, statusCounts } from '../domain/warehouse/runs.ts';
import { grouped, largest, smallest } from '../kernel/words.ts';

const RUN: Column<RunReply>[] = [
  { key: 'id', id: true, value: (run) => run.id },
  { key: 'type', rank: 3, value: (run) => run.type },
  { key: 'status', value: (run) => run.status, paint: (text, _run, style) => paintStatus(text, style) },
  ...ranked({ logical_date: 2, started_on: 5, ended_on: 1, range_start: 6, range_end: 4 }),
  { key: 'successful_records', title: 'ok', align: 'right', value: (run) => run.successful_records },
  { key: 'failed_records', title: 'failed', align: 'right', value: (run) => run.failed_records },
  { key: 'errors', rank: 1, value: (run) => errorsText(run.errors) },
];

export function runListView(source: RunsSource): ListView<RunReply> {
  return {
    kind: 'list',
    columns: RUN,
    empty: 'There are no matching runs.',
    html: (runs) => runTimelinePage(runs, source),
  };
}

export const runView: RecordView<RunReply> = {
  kind: 'record',
  columns: [
    ...RUN.slice(0, 1),
    { key: 'pipeline_id', value: (run) => run.pipeline_id },
    ...RUN.slice(1, 8),
    ...fields('successful_records', 'failed_records'),
    { key: 'errors', value: (run) => errorsText(run.errors) },
  ],
};

export const reportView: RecordView<PipelineReportReply> = {
  kind: 'record',
  columns: [
    { key: 'pipeline_id', id: true, value: (it) => it.pipeline_id },
    { key: 'status', value: (it) => it.status, paint: (text, _it, style) => paintStatus(text, style) },
    { key: 'errors', value: (it) => errorsText(it.errors) },
    { key: 'connection_status', value: (it) => it.connection_status },
    { key: 'connection_errors', value: (it) => errorsText(it.connection_errors) },
    { key: 'data_model_status', value: (it) => it.data_model_status },
    { key: 'data_model_errors', value: (it) => errorsText(it.data_model_errors) },
    ...fields('latest_successful_pipeline_run_id', 'current_iterator_position'),
    {
      key: 'latest_pipeline_run',
      value: ({ latest_pipeline_run: run }) => (run ? `${String(run.id)} ${run.status ?? ''}` : undefined),
    },
  ],
};

export function runLine(run: RunReply, style: Style): string {
  const status = paintStatus(clean(run.status ?? 'unknown'), style);
  const { successful, failed } = recordsOf(run);
  const counts = `${grouped(successful)} records, ${grouped(failed)} failed`;
  return `run ${clean(String(run.id))}  ${status}  ${clean(counts)}`;
}

export const diagnosisView: DocumentView<Diagnosis> = {
  kind: 'document',
  text: ({ pipeline_id, healthy, state, status, last_success, findings }, style, width) => {
    const health = healthy ? style.green('healthy') : style.red('unhealthy');
    const facts = clean(`${state ?? 'no state'}, ${status ?? 'no status'}, last success ${last_success ?? 'never'}`);
    const target = { style, width };
    const lines = findings.flatMap((finding, index) => findingLines(finding, index === 0 && !healthy, target));
    return [wrapMessage(`Pipeline ${clean(pipeline_id)} is ${health} (${facts}).`, width), ...lines].join('\n');
  },
};

function findingLines(
  { about, level, problem, next }: Diagnosis['findings'][number],
  isCause: boolean,
  { style, width }: { style: Style; width: number },
): string[] {
  const sign = level === 'problem' ? style.red('x') : style.yellow('!');
  const cause = isCause ? `${style.bold('root cause:')} ` : '';
  return [
    wrapUnder(`  ${sign} `, `${cause}${clean(about)}: ${clean(problem)}`, width),
    wrapUnder(`      ${style.dim('next:')} `, clean(next), width),
  ];
}

/** More runs would not fit on the summary's line. */
const SHOWN = 24;
const BLOCKS = { levels: '▁▂▃▄▅▆▇█', failed: '×', other: '·' };
const PLAIN = { levels: '_.-=#', failed: 'x', other: '~' };

/** True if only ASCII signs may be used: a dumb terminal, a screen reader, or a locale other than UTF-8. */
export function wantsPlainSigns(env: Readonly<Record<string, string | undefined>>): boolean {
  if (env.TERM === 'dumb' || env.CDPADM_ACCESSIBLE) return true;
  return !/utf-?8/i.test(env.LC_ALL || env.LC_CTYPE || env.LANG || '');
}

/** Returns text such as `Last 2 runs: ▁█  2 success; 0 to 900 records`. Heights are relative to the largest run. */
export function runSparkline(runs: readonly RunReply[], plain: boolean): string {
  const signs = plain ? PLAIN : BLOCKS;
  const shown = oldestFirst(runs).slice(-SHOWN);
  if (shown.length === 0) return '';
  const records = shown.filter(({ status }) => status === 'success').map((run) => recordsOf(run).successful);
  const most = largest(records, 1);
  const line = shown.map((run) => {
    if (run.status === 'failed') return signs.failed;
    if (run.status !== 'success') return signs.other;
    return signs.levels.charAt(Math.round((recordsOf(run).successful / most) * (signs.levels.length - 1)));
  });
  const [least, greatest] = [smallest(records), largest(records)];
  const each = records.length > 1 ? ' each' : '';
  const range =
    least === greatest ? `; ${grouped(least)} records${each}` : `; ${grouped(least)} to ${grouped(greatest)} records`;
  return `Last ${shown.length === 1 ? 'run' : `${shown.length} runs`}: ${line.join('')}  ${clean(statusCounts(shown))}${records.length === 0 ? '' : range}`;
}
