// The runs of a pipeline as one HTML page with figures, one column per run, and a table.
import type { RunReply } from '../contract/pipeline-runs.ts';
import { dailyRuns, dayOf, oldestFirst, recordsOf, startOf, statusCounts } from '../domain/warehouse/runs.ts';
import { counted } from '../kernel/words.ts';
import { formatDuration, manifestTime, parseIso } from '../kernel/timestamps.ts';
import { escapeHtml, factsLine, htmlPage, madeFacts, minuteOf, type PageSource, placeFacts } from './html-page.ts';
import { ceiling, halfOf, short } from './pipeline-timeline-scale.ts';
import { TIMELINE_STYLE } from './pipeline-timeline-style.ts';
import { errorsText } from './warehouse.ts';
import { largest } from '../kernel/numbers.ts';

/** The source of the runs, and the pipeline, which may have no runs. */
export interface RunsSource extends PageSource {
  pipeline: string;
}

/** The sign and the CSS class of each status. */
const LOOKS: Readonly<Record<string, { sign: string; look: Look }>> = {
  success: { sign: '✓', look: 'good' },
  failed: { sign: '✗', look: 'bad' },
  stopped: { sign: '■', look: 'halted' },
  running: { sign: '▶', look: 'going' },
  queued: { sign: '…', look: 'going' },
  retrying: { sign: '↻', look: 'going' },
};
type Look = 'good' | 'bad' | 'halted' | 'going';

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** The minimum width of all columns, in pixels. On a phone, the chart scrolls. */
const CHART_WIDTH = 840;
/** The limits of a column's width, in pixels. */
const COLUMN = { least: 3, most: 64 };
/** The minimum width of a column with a sign. */
const SIGN_WIDTH = 14;
/** The width of a date below the columns. */
const DATE_WIDTH = 64;
/** If there are more runs than this, they are drawn by day, because a page of 50,000 rows would have 35 MB. */
const MOST_RUNS = 2000;
/** The maximum number of causes, and of runs per cause, to list above the columns. */
const NAMED = 5;

/** The page for runs in any order. Text from the platform is escaped. The page has no script and loads nothing. */
export function runTimelinePage(runs: readonly RunReply[], source: RunsSource): string {
  const ordered = oldestFirst(runs);
  const title = `Runs of ${source.pipeline}`;
  const facts = factsLine([...placeFacts(source), ...madeFacts(source)]);
  const head = `<header><h1>Runs of <code>${escapeHtml(source.pipeline)}</code></h1>\n${facts}</header>`;
  const main =
    ordered.length === 0
      ? '<p>There are no matching runs.</p>'
      : [figures(ordered), unwell(ordered), chart(ordered), table(ordered)].join('\n');
  return htmlPage(title, `${head}\n<main>\n${main}\n</main>`, TIMELINE_STYLE);
}

function lookOf({ status }: RunReply): { sign: string; look: Look; word: string } {
  const known = Object.hasOwn(LOOKS, status ?? '') ? LOOKS[status ?? ''] : undefined;
  return { ...(known ?? { sign: '?', look: 'halted' }), word: status ?? 'unknown' };
}

function figures(runs: readonly RunReply[]): string {
  const rows = sum(runs.map((run) => recordsOf(run).successful));
  const refused = sum(runs.map((run) => recordsOf(run).failed));
  const last = runs.findLast(({ status }) => status === 'success');
  const ended = parseIso(last?.ended_on ?? last?.started_on ?? '');
  const tile = (name: string, value: string, more: string, look = ''): string =>
    `<div${look && ` class="${look}"`}><dt>${name}</dt><dd>${escapeHtml(value)}</dd><dd class="more">${escapeHtml(more)}</dd></div>`;
  const tiles = [
    tile('Runs', grouped(runs.length), statusCounts(runs), runs.some(isBad) ? 'bad' : ''),
    tile('Rows accepted', grouped(rows), `${grouped(rows / runs.length)} a run`),
    tile('Rows that failed', grouped(refused), shareOf(refused, rows + refused), refused > 0 ? 'warn' : ''),
    ended === undefined
      ? tile('Last success', 'none', 'among these runs')
      : tile('Last success', minuteOf(ended).slice(0, 10), `${minuteOf(ended).slice(11)} UTC`),
  ];
  return `<dl class="figures">${tiles.join('')}</dl>`;
}

/** The causes of unsuccessful runs, newest first, with links to the runs in the table. */
function unwell(runs: readonly RunReply[]): string {
  const causes = new Map<string, RunReply[]>();
  for (const run of runs.toReversed().filter(isBad)) {
    const cause = `${run.status ?? ''} ${errorsText(run.errors)}`;
    const alike = causes.get(cause);
    if (alike) alike.push(run);
    else causes.set(cause, [run]);
  }
  if (causes.size === 0) return '';
  const isDaily = runs.length > MOST_RUNS;
  const items = [...causes.values()].slice(0, NAMED).map((alike) => `<li>${causeOf(alike, isDaily)}</li>`);
  const rest = causes.size - items.length;
  const more = rest > 0 ? `<li>And ${counted(rest, 'other cause')}, in the table below.</li>` : '';
  return `<section class="unwell" aria-labelledby="unwell"><h2 id="unwell">Not successful</h2><ul>${items.join('')}${more}</ul></section>`;
}

/** One sentence for runs with the same cause, newest first. */
function causeOf(runs: readonly RunReply[], isDaily: boolean): string {
  const [newest] = runs;
  if (!newest) return '';
  const { sign, look, word } = lookOf(newest);
  const why = errorsText(newest.errors);
  const links = runs
    .slice(0, NAMED)
    .map(
      (run) => `<a href="#run-${escapeHtml(isDaily ? dayOf(run) : String(run.id))}">${escapeHtml(String(run.id))}</a>`,
    );
  const rest = runs.length - links.length;
  const named = `${runs.length === 1 ? 'run' : 'runs'} ${links.join(', ')}${rest > 0 ? ` and ${grouped(rest)} more` : ''}`;
  const when = `${runs.length === 1 ? '' : 'last '}${whenOf(newest)}`;
  return `<b class="${look}">${sign} ${escapeHtml(word)}</b> ${escapeHtml(why)} <span>${named} · ${escapeHtml(when)}</span>`;
}

function chart(all: readonly RunReply[]): string {
  const isDaily = all.length > MOST_RUNS;
  const runs = isDaily ? dailyRuns(all) : all;
  const most = largest(runs.map((run) => recordsOf(run).successful + recordsOf(run).failed));
  const top = ceiling(Math.max(1, most));
  const width = Math.min(COLUMN.most, Math.max(COLUMN.least, Math.floor(CHART_WIDTH / runs.length)));
  const every = Math.ceil(DATE_WIDTH / width);
  const writeDate = dateWriter(runs, isDaily);
  const columns = runs.map((run, index) => {
    // Counted from the newest run, because that is visible first.
    const isDated = (runs.length - 1 - index) % every === 0;
    return column(run, { top, width, isDaily, date: isDated ? writeDate(run, runs[index + every]) : '' });
  });
  const spoken = `${counted(all.length, 'run')} (${statusCounts(all)}), ${spanOf(all)}; each ${isDaily ? 'day' : 'run'} is a row of the table below.`;
  const marks = most === 0 ? ['', '', '0 rows'] : [`${short(top)} ${top === 1 ? 'row' : 'rows'}`, halfOf(top), '0'];
  const scale = marks.map((mark) => `<span>${mark}</span>`).join('');
  return `<figure>
<div class="chart${most === 0 ? ' flat' : ''}"><div class="scale" aria-hidden="true">${scale}<span class="zone">UTC</span></div>
<div class="scroll" tabindex="0" role="region" aria-label="Timeline of runs"><div class="columns" role="img" aria-label="${escapeHtml(spoken)}" style="--least:${width}px">
${columns.join('\n')}
</div></div></div>
<figcaption><span>One column per ${isDaily ? 'day' : 'run'}, newest on the right, times in UTC${commonYear(runs)}.</span> ${legend(runs)}</figcaption>
</figure>`;
}

/** The legend for the colors that occur. */
function legend(runs: readonly RunReply[]): string {
  const looks = new Set(runs.map((run) => lookOf(run).look));
  const keys: [kind: string, occurs: boolean, text: string][] = [
    ['rows', runs.some((run) => recordsOf(run).successful > 0), 'rows accepted'],
    ['refused', runs.some((run) => recordsOf(run).failed > 0), 'rows that failed'],
    ['bad', looks.has('bad'), 'a run that failed'],
    ['halted', looks.has('halted'), 'stopped'],
    ['going', looks.has('going'), 'not finished'],
  ];
  const shown = keys.filter(([, occurs]) => occurs);
  return shown.map(([kind, , text]) => `<span><i class="key ${kind}"></i>${text}</span>`).join(' ');
}

function column(
  run: RunReply,
  { top, width, date, isDaily }: { top: number; width: number; date: string; isDaily: boolean },
): string {
  const { successful, failed } = recordsOf(run);
  const { sign, look, word } = lookOf(run);
  const share = (rows: number): string => `${Math.round((rows / top) * 1000) / 10}%`;
  const rows = `${grouped(successful)} rows, ${grouped(failed)} failed`;
  const said = isDaily
    ? `${String(run.id)}: ${rows}; runs: ${errorsText(run.errors)}`
    : `Run ${String(run.id)}: ${word}, ${rows}, ${whenOf(run)}`;
  const parts = [
    failed > 0 ? `<i class="refused" style="height:${share(failed)}"></i>` : '',
    successful > 0 ? `<i class="rows" style="height:${share(successful)}"></i>` : '',
    look === 'good' ? '' : `<b>${escapeHtml(word)}</b>`,
  ];
  const isSigned = look !== 'good' || width >= SIGN_WIDTH;
  return `<div class="run ${look}" title="${escapeHtml(said)}"><div class="plot">${parts.join('')}</div><div class="sign">${isSigned ? sign : ''}</div>${date}</div>`;
}

/**
 * Writes the day and minute of a run below its column. Adds seconds if two runs have the same minute, and the year if
 * the runs span several years and the date to the right (`after`) has a different year.
 */
function dateWriter(
  runs: readonly RunReply[],
  isDaily: boolean,
): (run: RunReply, after: RunReply | undefined) => string {
  const times = runs.flatMap((run) => parseIso(startOf(run) ?? '') ?? []);
  const isClose = new Set(times.map(minuteOf)).size < times.length;
  const isOneYear = commonYear(runs) !== '';
  return (run, after) => {
    const ms = parseIso(startOf(run) ?? '');
    if (ms === undefined) return '';
    const [year = '', month = '', day = ''] = minuteOf(ms).slice(0, 10).split('-');
    const known = after && parseIso(startOf(after) ?? '');
    const isNewYear = !isOneYear && (known === undefined || minuteOf(known).slice(0, 4) !== year);
    const name = `${Number(day)} ${MONTHS[Number(month) - 1] ?? ''}`;
    const time = isDaily ? '' : `<br>${(isClose ? manifestTime(ms) : minuteOf(ms)).slice(11)}`;
    return `<div class="date">${name}${time}${isNewYear ? `<br>${year}` : ''}</div>`;
  };
}

/** `, of 2026` if all runs are in the same year. */
function commonYear(runs: readonly RunReply[]): string {
  const years = new Set(
    runs.flatMap((run) => parseIso(startOf(run) ?? '') ?? []).map((ms) => minuteOf(ms).slice(0, 4)),
  );
  return years.size === 1 ? `, of ${[...years].join('')}` : '';
}

/** On a narrow screen, rows become cards and would lose their table roles, so the roles are explicit. */
function table(all: readonly RunReply[]): string {
  const isDaily = all.length > MOST_RUNS;
  const columns: [heading: string, cell: (run: RunReply) => string, kind?: (run: RunReply) => string][] = [
    ['Status', (run) => `${lookOf(run).sign} ${lookOf(run).word}`, (run) => `status ${lookOf(run).look}`],
    ...(isDaily
      ? []
      : ([
          ['Logical date', (run) => timeOf(run.logical_date)],
          ['Started', (run) => timeOf(run.started_on)],
          ['Took', tookOf],
        ] satisfies [string, (run: RunReply) => string][])),
    ['Rows', (run) => grouped(recordsOf(run).successful), () => 'number'],
    [
      'Failed rows',
      (run) => grouped(recordsOf(run).failed),
      (run) => (recordsOf(run).failed > 0 ? 'number warn' : 'number'),
    ],
    [isDaily ? 'Runs' : 'Errors', (run) => errorsText(run.errors), () => 'errors'],
  ];
  const rows = (isDaily ? dailyRuns(all) : all).toReversed().map((run) => {
    const id = escapeHtml(String(run.id));
    const drawn = columns.map(([name, cell, kind]) => {
      const attributes = `role="cell"${kind === undefined ? '' : ` class="${kind(run)}"`} data-name="${name}"`;
      return `<td ${attributes}>${escapeHtml(cell(run))}</td>`;
    });
    return `<tr role="row" id="run-${id}" class="${lookOf(run).look}"><th role="rowheader" scope="row">${id}</th>${drawn.join('')}</tr>`;
  });
  const head = [isDaily ? 'Day' : 'Run', ...columns.map(([name]) => name)]
    .map((name) => {
      const isNumber = name.endsWith('ows');
      return `<th role="columnheader" scope="col"${isNumber ? ' class="number"' : ''}>${name}</th>`;
    })
    .join('');
  return `<h2>All ${isDaily ? 'days' : 'runs'}, newest first</h2>
<table role="table"><caption>Times in UTC</caption>
<thead role="rowgroup"><tr role="row">${head}</tr></thead>
<tbody role="rowgroup">
${rows.join('\n')}
</tbody>
</table>`;
}

function isBad({ status }: RunReply): boolean {
  return status === 'failed' || status === 'stopped';
}

/** The time span of sorted runs: `2026-01-02 03:04 to 2026-01-09 03:04 UTC`. */
function spanOf(runs: readonly RunReply[]): string {
  const times = runs.flatMap((run) => parseIso(startOf(run) ?? '') ?? []);
  const [first, last] = [times[0], times.at(-1)];
  if (first === undefined || last === undefined) return 'at an unknown time';
  return first === last ? `${minuteOf(first)} UTC` : `${minuteOf(first)} to ${minuteOf(last)} UTC`;
}

function whenOf(run: RunReply): string {
  const ms = parseIso(startOf(run) ?? '');
  return ms === undefined ? 'at an unknown time' : `${minuteOf(ms)} UTC`;
}

/** `2026-01-02 03:04:05` in UTC. Other text is returned unchanged. */
function timeOf(text: string | null | undefined): string {
  const ms = parseIso(text ?? '');
  return ms === undefined ? (text ?? '') : manifestTime(ms);
}

function tookOf({ started_on, ended_on }: RunReply): string {
  const [start, end] = [parseIso(started_on ?? ''), parseIso(ended_on ?? '')];
  return start === undefined || end === undefined || end < start ? '' : formatDuration(end - start);
}

/** `12,345`. */
function grouped(count: number): string {
  return Math.round(count).toLocaleString('en-US');
}

function shareOf(part: number, whole: number): string {
  if (part === 0) return whole === 0 ? 'no rows were read' : 'none';
  const percent = (part / whole) * 100;
  return `${percent < 0.1 ? 'less than 0.1' : String(Math.round(percent * 10) / 10)} % of all`;
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
