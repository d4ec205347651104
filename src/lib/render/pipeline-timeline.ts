// A pipeline's runs as an HTML page with figures, a column per run, and a table.
import type { RunReply } from '../contract/pipeline-runs.ts';
import { dayOf, oldestFirst, recordsOf, statusCounts } from '../domain/warehouse/runs.ts';
import { groupBy } from '../kernel/group-by.ts';
import { counted, grouped, largest } from '../kernel/words.ts';
import { formatDuration, manifestTime, parseIso } from '../kernel/timestamps.ts';
import { escapeHtml, factsLine, htmlPage, madeFacts, minuteOf, type PageSource, placeFacts } from './html-page.ts';
import {
  ceiling,
  dayEntry,
  type Entry,
  entryOf,
  halfOf,
  isBad,
  short,
  toneOf,
  startMs,
  sum,
} from './pipeline-timeline-entries.ts';
import { TIMELINE_STYLE } from './pipeline-timeline-style.ts';
import { errorsText } from './warehouse.ts';

export interface RunsSource extends PageSource {
  pipeline: string;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Width in pixels that the columns share, within the limits of `COLUMN`. On a phone, the chart scrolls. */
const CHART_WIDTH = 840;
const COLUMN = { least: 3, most: 64 };
const SIGN_WIDTH = 14;
const DATE_WIDTH = 64;
/** Above this number, runs are grouped by day: a page with 50,000 runs would be 35 MB. */
const MOST_RUNS = 2000;
/** Maximum number of causes, and of runs per cause, listed above the columns. */
const NAMED = 5;

/** Returns the page for runs in any order. Escapes text from the platform. The page has no script and loads nothing. */
export function runTimelinePage(runs: readonly RunReply[], source: RunsSource): string {
  const ordered = oldestFirst(runs);
  const title = `Runs of ${source.pipeline}`;
  const facts = factsLine([...placeFacts(source), ...madeFacts(source)]);
  const head = `<header><h1>Runs of <code>${escapeHtml(source.pipeline)}</code></h1>\n${facts}</header>`;
  const isDaily = ordered.length > MOST_RUNS;
  const entries = isDaily ? [...groupBy(ordered, dayOf)].map(dayEntry) : ordered.map(entryOf);
  const main =
    ordered.length === 0
      ? '<p>There are no matching runs.</p>'
      : [figures(ordered), unwell(ordered, isDaily), chart(entries, ordered), table(entries, ordered)].join('\n');
  return htmlPage(title, `${head}\n<main>\n${main}\n</main>`, TIMELINE_STYLE);
}

function figures(runs: readonly RunReply[]): string {
  const rows = sum(runs.map((run) => recordsOf(run).successful));
  const refused = sum(runs.map((run) => recordsOf(run).failed));
  const last = runs.findLast(({ status }) => status === 'success');
  const ended = parseIso(last?.ended_on ?? last?.started_on);
  const tile = (name: string, value: string, more: string, tone = ''): string =>
    `<div${tone && ` class="${tone}"`}><dt>${name}</dt><dd>${escapeHtml(value)}</dd><dd class="more">${escapeHtml(more)}</dd></div>`;
  const tiles = [
    tile('Runs', grouped(runs.length), statusCounts(runs), runs.some(isBad) ? 'bad' : ''),
    tile('Rows accepted', grouped(rows), `${grouped(rows / runs.length)} per run`),
    tile('Rows that failed', grouped(refused), shareOf(refused, rows + refused), refused > 0 ? 'warn' : ''),
    ended === undefined
      ? tile('Last success', 'none', 'among these runs')
      : tile('Last success', minuteOf(ended).slice(0, 10), `${minuteOf(ended).slice(11)} UTC`),
  ];
  return `<dl class="figures">${tiles.join('')}</dl>`;
}

/** Returns the causes of unsuccessful runs, newest first, with links to the runs or days in the table. */
function unwell(runs: readonly RunReply[], isDaily: boolean): string {
  const bad = runs.toReversed().filter(isBad);
  const causes = groupBy(bad, (run) => `${run.status ?? ''} ${errorsText(run.errors)}`);
  if (causes.size === 0) return '';
  const items = [...causes.values()].slice(0, NAMED).map((alike) => `<li>${causeOf(alike, isDaily)}</li>`);
  const rest = causes.size - items.length;
  const more = rest > 0 ? `<li>And ${counted(rest, 'other cause')}, in the table below.</li>` : '';
  return `<section class="unwell" aria-labelledby="unwell"><h2 id="unwell">Not successful</h2><ul>${items.join('')}${more}</ul></section>`;
}

function causeOf(runs: readonly RunReply[], isDaily: boolean): string {
  const [newest] = runs;
  if (!newest) return '';
  const { sign, tone, word } = toneOf(newest.status);
  const ids = [...new Set(runs.map((run) => (isDaily ? dayOf(run) : String(run.id))))].map(escapeHtml);
  const links = ids.slice(0, NAMED).map((id) => `<a href="#run-${id}">${id}</a>`);
  const rest = ids.length - links.length;
  const what = isDaily ? `${counted(runs.length, 'run')} on` : runs.length === 1 ? 'run' : 'runs';
  const more = rest > 0 ? ` and ${isDaily ? counted(rest, 'other day') : `${grouped(rest)} more`}` : '';
  const when = `${runs.length === 1 ? '' : 'last '}${whenOf(startMs(newest))}`;
  return `<b class="${tone}">${sign} ${escapeHtml(word)}</b> ${escapeHtml(errorsText(newest.errors))} <span>${what} ${links.join(', ')}${more} · ${escapeHtml(when)}</span>`;
}

function chart(entries: readonly Entry[], runs: readonly RunReply[]): string {
  const isDaily = isByDay(entries);
  const most = largest(entries.map(({ successful, failed }) => successful + failed));
  const top = ceiling(Math.max(1, most));
  const width = Math.min(COLUMN.most, Math.max(COLUMN.least, Math.floor(CHART_WIDTH / entries.length)));
  const every = Math.ceil(DATE_WIDTH / width);
  const writeDate = dateWriter(entries);
  const columns = entries.map((entry, index) => {
    // Count from the newest entry, which is visible first.
    const isDated = (entries.length - 1 - index) % every === 0;
    return column(entry, { top, width, date: isDated ? writeDate(entry, entries[index + every]) : '' });
  });
  const spoken = `${counted(runs.length, 'run')} (${statusCounts(runs)}), ${spanOf(runs)}; each ${isDaily ? 'day' : 'run'} is a row of the table below.`;
  const marks = most === 0 ? ['', '', '0 rows'] : [`${short(top)} ${top === 1 ? 'row' : 'rows'}`, halfOf(top), '0'];
  const scale = marks.map((mark) => `<span>${mark}</span>`).join('');
  return `<figure>
<div class="chart${most === 0 ? ' flat' : ''}"><div class="scale" aria-hidden="true">${scale}<span class="zone">UTC</span></div>
<div class="scroll" tabindex="0" role="region" aria-label="Timeline of runs"><div class="columns${isDaily ? ' daily' : ''}" role="img" aria-label="${escapeHtml(spoken)}" style="--least:${width}px">
${columns.join('\n')}
</div></div></div>
<figcaption><span>One column per ${isDaily ? 'day' : 'run'}, newest on the right, times in UTC${commonYear(entries)}.</span> ${legend(entries)}</figcaption>
</figure>`;
}

function legend(entries: readonly Entry[]): string {
  const tones = new Set(entries.map(({ tone }) => tone));
  const isDaily = isByDay(entries);
  const keys: [kind: string, occurs: boolean, text: string][] = [
    ['rows', entries.some(({ successful }) => successful > 0), 'rows accepted'],
    ['refused', entries.some(({ failed }) => failed > 0), 'rows that failed'],
    ['warn', tones.has('warn'), 'share of unsuccessful runs'],
    ['bad', tones.has('bad'), isDaily ? 'a day without a success' : 'a run that failed'],
    ['halted', tones.has('halted'), 'stopped'],
    ['going', tones.has('going'), 'not finished'],
  ];
  const shown = keys.filter(([, occurs]) => occurs);
  return shown.map(([kind, , text]) => `<span><i class="key ${kind}"></i>${text}</span>`).join(' ');
}

function column(
  { id, sign, tone, word, successful, failed, at, text, share }: Entry,
  { top, width, date }: { top: number; width: number; date: string },
): string {
  const height = (part: number): string => `style="height:${Math.round(part * 1000) / 10}%"`;
  const rows = `${grouped(successful)} rows, ${grouped(failed)} failed`;
  const said = share === undefined ? `Run ${id}: ${word}, ${rows}, ${whenOf(at)}` : `${id}: ${rows}; runs: ${text}`;
  const parts = [
    failed > 0 ? `<i class="refused" ${height(failed / top)}></i>` : '',
    successful > 0 ? `<i class="rows" ${height(successful / top)}></i>` : '',
    share === undefined && tone !== 'good' ? `<b>${escapeHtml(word)}</b>` : '',
  ];
  const isSigned = share === undefined && (tone !== 'good' || width >= SIGN_WIDTH);
  const below = share ? `<i ${height(share)}></i>` : isSigned ? sign : '';
  return `<div class="run ${tone}" title="${escapeHtml(said)}"><div class="plot">${parts.join('')}</div><div class="sign">${below}</div>${date}</div>`;
}

/** Returns a function that writes dates: with seconds if runs share a minute, and with the year if it changes. */
function dateWriter(entries: readonly Entry[]): (entry: Entry, after: Entry | undefined) => string {
  const times = timesOf(entries);
  const isClose = new Set(times.map(minuteOf)).size < times.length;
  const isDaily = isByDay(entries);
  const isOneYear = commonYear(entries) !== '';
  return ({ at }, after) => {
    if (at === undefined) return '';
    const [year = '', month = '', day = ''] = minuteOf(at).slice(0, 10).split('-');
    const isNewYear = !isOneYear && (after?.at === undefined || minuteOf(after.at).slice(0, 4) !== year);
    const name = `${Number(day)} ${MONTHS[Number(month) - 1] ?? ''}`;
    const time = isDaily ? '' : `<br>${(isClose ? manifestTime(at) : minuteOf(at)).slice(11)}`;
    return `<div class="date">${name}${time}${isNewYear ? `<br>${year}` : ''}</div>`;
  };
}

/** Returns the year as text such as `, of 2026` if all runs are in the same year; otherwise an empty string. */
function commonYear(entries: readonly Entry[]): string {
  const years = new Set(timesOf(entries).map((ms) => minuteOf(ms).slice(0, 4)));
  return years.size === 1 ? `, of ${[...years].join('')}` : '';
}

/** On a narrow screen, rows become cards and would lose their table roles, so the roles are set explicitly. */
function table(entries: readonly Entry[], runs: readonly RunReply[]): string {
  const isDaily = isByDay(entries);
  const times = isDaily ? [] : ['Logical date', 'Started', 'Took'];
  const names = [isDaily ? 'Day' : 'Run', 'Status', ...times, 'Rows', 'Failed rows', isDaily ? 'Runs' : 'Errors'];
  const cellsOf = ({ sign, tone, word, successful, failed, text }: Entry, run: RunReply | undefined) => [
    [`${sign} ${word}`, `status ${tone}`],
    ...(isDaily || !run ? [] : [timeOf(run.logical_date), timeOf(run.started_on), tookOf(run)].map((it) => [it])),
    [grouped(successful), 'number'],
    [grouped(failed), failed > 0 ? 'number warn' : 'number'],
    [text, 'errors'],
  ];
  const rows = entries.map((entry, index) => {
    const cells = cellsOf(entry, runs[index]).map(([text = '', kind], at) => {
      const attributes = `role="cell"${kind === undefined ? '' : ` class="${kind}"`} data-name="${names[at + 1] ?? ''}"`;
      return `<td ${attributes}>${escapeHtml(text)}</td>`;
    });
    const id = escapeHtml(entry.id);
    return `<tr role="row" id="run-${id}" class="${entry.tone}"><th role="rowheader" scope="row"${isDaily ? '' : ' data-name="Run "'}>${id}</th>${cells.join('')}</tr>`;
  });
  const head = names.map(
    (name) => `<th role="columnheader" scope="col"${name.endsWith('ows') ? ' class="number"' : ''}>${name}</th>`,
  );
  return `<h2>All ${isDaily ? 'days' : 'runs'}, newest first</h2>
<table role="table"><caption>Times in UTC</caption>
<thead role="rowgroup"><tr role="row">${head.join('')}</tr></thead>
<tbody role="rowgroup">
${rows.reverse().join('\n')}
</tbody>
</table>`;
}

function isByDay(entries: readonly Entry[]): boolean {
  return entries[0]?.share !== undefined;
}

function timesOf(entries: readonly Entry[]): number[] {
  return entries.flatMap(({ at }) => at ?? []);
}

/** Returns the time span of sorted runs: `2026-01-02 03:04 to 2026-01-09 03:04 UTC`. */
function spanOf(runs: readonly RunReply[]): string {
  const times = runs.flatMap((run) => startMs(run) ?? []);
  const [first, last] = [times[0], times.at(-1)];
  return first === last || first === undefined ? whenOf(first) : `${minuteOf(first)} to ${whenOf(last)}`;
}

function whenOf(ms: number | undefined): string {
  return ms === undefined ? 'at an unknown time' : `${minuteOf(ms)} UTC`;
}

/** Formats a time as `2026-01-02 03:04:05` in UTC. Returns other text unchanged. */
function timeOf(text: string | null | undefined): string {
  const ms = parseIso(text);
  return ms === undefined ? (text ?? '') : manifestTime(ms);
}

function tookOf({ started_on, ended_on }: RunReply): string {
  const [start, end] = [parseIso(started_on), parseIso(ended_on)];
  return start === undefined || end === undefined || end < start ? '' : formatDuration(end - start);
}

function shareOf(part: number, whole: number): string {
  if (part === 0) return whole === 0 ? 'no rows were read' : 'none';
  const percent = (part / whole) * 100;
  return `${percent < 0.1 ? 'less than 0.1' : String(Math.round(percent * 10) / 10)}% of all`;
}
