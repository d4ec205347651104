// The runs of a pipeline as one HTML page: figures, a column per run, and a table.
import type { RunReply } from '../contract/pipeline-runs.ts';
import { oldestFirst, recordsOf, startOf, statusCounts } from '../domain/warehouse/runs.ts';
import { counted } from '../kernel/words.ts';
import { formatDuration, manifestTime, parseIso } from '../kernel/timestamps.ts';
import { escapeHtml, factsLine, htmlPage, madeFacts, minuteOf, type PageSource, placeFacts } from './html-page.ts';
import { TIMELINE_STYLE } from './pipeline-timeline-style.ts';
import { errorsText } from './warehouse.ts';

/** The source of the runs, with the pipeline, which may have no runs. */
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

/** The minimum width of all columns, in pixels; a phone scrolls. */
const CHART_WIDTH = 840;
/** The limits of a column's width, in pixels. */
const COLUMN = { least: 3, most: 64 };
/** The minimum width of a column with a sign. */
const SIGN_WIDTH = 14;
/** The width of a date below the columns. */
const DATE_WIDTH = 64;
/** The maximum number of causes, and of runs per cause, above the columns. */
const NAMED = 5;

/** The page for runs in any order. Text from the platform is escaped; the page has no script and loads nothing. */
export function runTimelinePage(runs: readonly RunReply[], source: RunsSource): string {
  const ordered = oldestFirst(runs);
  const title = `Runs of ${source.pipeline}`;
  const facts = factsLine([...placeFacts(source), ...madeFacts(source)]);
  const head = `<header><h1>Runs of <code>${escapeHtml(source.pipeline)}</code></h1>\n${facts}</header>`;
  const main =
    ordered.length === 0
      ? '<p>There are no matching runs.</p>'
      : [figures(ordered), unwell(ordered), chart(ordered), table(ordered.toReversed())].join('\n');
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
    tile('Rows that went in', grouped(rows), `${grouped(rows / runs.length)} a run`),
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
    causes.set(cause, [...(causes.get(cause) ?? []), run]);
  }
  if (causes.size === 0) return '';
  const items = [...causes.values()].slice(0, NAMED).map((alike) => `<li>${causeOf(alike)}</li>`);
  const rest = causes.size - items.length;
  const more = rest > 0 ? `<li>And ${counted(rest, 'other cause')}, in the table below.</li>` : '';
  return `<section class="unwell" aria-labelledby="unwell"><h2 id="unwell">Not successful</h2><ul>${items.join('')}${more}</ul></section>`;
}

/** One sentence for runs with the same cause, newest first. */
function causeOf(runs: readonly RunReply[]): string {
  const [newest] = runs;
  if (!newest) return '';
  const { sign, look, word } = lookOf(newest);
  const why = errorsText(newest.errors);
  const links = runs
    .slice(0, NAMED)
    .map(({ id }) => `<a href="#run-${escapeHtml(String(id))}">${escapeHtml(String(id))}</a>`);
  const rest = runs.length - links.length;
  const named = `${runs.length === 1 ? 'run' : 'runs'} ${links.join(', ')}${rest > 0 ? ` and ${grouped(rest)} more` : ''}`;
  const when = `${runs.length === 1 ? '' : 'last '}${whenOf(newest)}`;
  return `<b class="${look}">${sign} ${escapeHtml(word)}</b> ${escapeHtml(why)} <span>${named} · ${escapeHtml(when)}</span>`;
}

function chart(runs: readonly RunReply[]): string {
  const most = Math.max(0, ...runs.map((run) => recordsOf(run).successful + recordsOf(run).failed));
  const top = ceiling(Math.max(1, most));
  const width = Math.min(COLUMN.most, Math.max(COLUMN.least, Math.floor(CHART_WIDTH / runs.length)));
  const every = Math.ceil(DATE_WIDTH / width);
  const writeDate = dateWriter(runs);
  const columns = runs.map((run, index) => {
    // Counted from the newest run, which is visible first.
    const isDated = (runs.length - 1 - index) % every === 0;
    return column(run, { top, width, date: isDated ? writeDate(run, runs[index + every]) : '' });
  });
  const spoken = `${counted(runs.length, 'run')} (${statusCounts(runs)}), ${spanOf(runs)}; each is a row of the table below.`;
  const marks = most === 0 ? ['', '', '0 rows'] : [`${short(top)} ${top === 1 ? 'row' : 'rows'}`, halfOf(top), '0'];
  const scale = marks.map((mark) => `<span>${mark}</span>`).join('');
  return `<figure>
<div class="chart${most === 0 ? ' flat' : ''}"><div class="scale" aria-hidden="true">${scale}<span class="zone">UTC</span></div>
<div class="scroll" tabindex="0" role="region" aria-label="Timeline of runs"><div class="columns" role="img" aria-label="${escapeHtml(spoken)}" style="--least:${width}px">
${columns.join('\n')}
</div></div></div>
<figcaption><span>One column per run, newest on the right, times in UTC${commonYear(runs)}.</span> ${legend(runs)}</figcaption>
</figure>`;
}

/** The legend of the colors that occur. */
function legend(runs: readonly RunReply[]): string {
  const looks = new Set(runs.map((run) => lookOf(run).look));
  const keys: [kind: string, occurs: boolean, text: string][] = [
    ['rows', runs.some((run) => recordsOf(run).successful > 0), 'rows that went in'],
    ['refused', runs.some((run) => recordsOf(run).failed > 0), 'rows that failed'],
    ['bad', looks.has('bad'), 'a run that failed'],
    ['halted', looks.has('halted'), 'stopped'],
    ['going', looks.has('going'), 'not finished'],
  ];
  const shown = keys.filter(([, occurs]) => occurs);
  return shown.map(([kind, , text]) => `<span><i class="key ${kind}"></i>${text}</span>`).join(' ');
}

function column(run: RunReply, { top, width, date }: { top: number; width: number; date: string }): string {
  const { successful, failed } = recordsOf(run);
  const { sign, look, word } = lookOf(run);
  const share = (rows: number): string => `${Math.round((rows / top) * 1000) / 10}%`;
  const said = `Run ${String(run.id)}: ${word}, ${grouped(successful)} rows, ${grouped(failed)} failed, ${whenOf(run)}`;
  const parts = [
    failed > 0 ? `<i class="refused" style="height:${share(failed)}"></i>` : '',
    successful > 0 ? `<i class="rows" style="height:${share(successful)}"></i>` : '',
    look === 'good' ? '' : `<b>${escapeHtml(word)}</b>`,
  ];
  const isSigned = look !== 'good' || width >= SIGN_WIDTH;
  return `<div class="run ${look}" title="${escapeHtml(said)}"><div class="plot">${parts.join('')}</div><div class="sign">${isSigned ? sign : ''}</div>${date}</div>`;
}

/**
 * Writes the day and minute of a run below its column: seconds if two runs have the same minute, the year if the runs have
 * several years and the date to the right (`after`) has another one.
 */
function dateWriter(runs: readonly RunReply[]): (run: RunReply, after: RunReply | undefined) => string {
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
    const time = (isClose ? manifestTime(ms) : minuteOf(ms)).slice(11);
    return `<div class="date">${name}<br>${time}${isNewYear ? `<br>${year}` : ''}</div>`;
  };
}

/** `, of 2026` if all runs are in one year. */
function commonYear(runs: readonly RunReply[]): string {
  const years = new Set(
    runs.flatMap((run) => parseIso(startOf(run) ?? '') ?? []).map((ms) => minuteOf(ms).slice(0, 4)),
  );
  return years.size === 1 ? `, of ${[...years].join('')}` : '';
}

const HEADINGS = ['Run', 'Status', 'Logical date', 'Started', 'Took', 'Rows', 'Failed rows', 'Errors'];

/** On a narrow screen rows are cards and would lose their table roles, so the roles are explicit. */
function table(runs: readonly RunReply[]): string {
  const rows = runs.map((run) => {
    const { sign, look, word } = lookOf(run);
    const { successful, failed } = recordsOf(run);
    const cells: [text: string, kind: string][] = [
      [`${sign} ${word}`, `status ${look}`],
      [timeOf(run.logical_date), ''],
      [timeOf(run.started_on), ''],
      [tookOf(run), ''],
      [grouped(successful), 'number'],
      [grouped(failed), failed > 0 ? 'number warn' : 'number'],
      [errorsText(run.errors), 'errors'],
    ];
    const id = escapeHtml(String(run.id));
    const drawn = cells.map(([text, kind], index) => {
      const attributes = `role="cell"${kind === '' ? '' : ` class="${kind}"`} data-name="${HEADINGS[index + 1] ?? ''}"`;
      return `<td ${attributes}>${escapeHtml(text)}</td>`;
    });
    return `<tr role="row" id="run-${id}" class="${look}"><th role="rowheader" scope="row">${id}</th>${drawn.join('')}</tr>`;
  });
  const head = HEADINGS.map((name) => {
    const isNumber = name.endsWith('ows');
    return `<th role="columnheader" scope="col"${isNumber ? ' class="number"' : ''}>${name}</th>`;
  }).join('');
  return `<h2>All runs, newest first</h2>
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

/** `2026-01-02 03:04 to 2026-01-09 03:04 UTC`, for sorted runs. */
function spanOf(runs: readonly RunReply[]): string {
  const times = runs.flatMap((run) => parseIso(startOf(run) ?? '') ?? []);
  const [first, last] = [times[0], times.at(-1)];
  if (first === undefined || last === undefined) return 'at no known time';
  return first === last ? `${minuteOf(first)} UTC` : `${minuteOf(first)} to ${minuteOf(last)} UTC`;
}

function whenOf(run: RunReply): string {
  const ms = parseIso(startOf(run) ?? '');
  return ms === undefined ? 'at no known time' : `${minuteOf(ms)} UTC`;
}

/** `2026-01-02 03:04:05` in UTC; other text unchanged. */
function timeOf(text: string | null | undefined): string {
  const ms = parseIso(text ?? '');
  return ms === undefined ? (text ?? '') : manifestTime(ms);
}

function tookOf({ started_on, ended_on }: RunReply): string {
  const [start, end] = [parseIso(started_on ?? ''), parseIso(ended_on ?? '')];
  return start === undefined || end === undefined || end < start ? '' : formatDuration(end - start);
}

/** The next larger round number whose half is short. */
function ceiling(count: number): number {
  const power = 10 ** Math.floor(Math.log10(count));
  return ([1, 1.2, 1.6, 2, 2.4, 3, 4, 5, 6, 8].find((step) => step * power >= count) ?? 10) * power;
}

/** Half of the scale; empty if that is half a row. */
function halfOf(top: number): string {
  return top % 2 === 0 ? short(top / 2) : '';
}

/** `12,345`. */
function grouped(count: number): string {
  return Math.round(count).toLocaleString('en-US');
}

/** `500`, `2.5k`, `10M`. */
function short(count: number): string {
  const [size, letter] = [
    [1e9, 'G'],
    [1e6, 'M'],
    [1e3, 'k'],
    [1, ''],
  ].find(([least]) => count >= Number(least)) ?? [1, ''];
  return `${count / Number(size)}${letter}`;
}

function shareOf(part: number, whole: number): string {
  if (part === 0) return whole === 0 ? 'no rows were read' : 'none';
  const percent = (part / whole) * 100;
  return `${percent < 0.1 ? 'less than 0.1' : String(Math.round(percent * 10) / 10)} % of all`;
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
