// A pipeline's runs as an HTML page: causes of failures, a chart with a column per run or day, and a table.
import type { RunReply } from '../contract/pipeline-runs.ts';
import { oldestFirst, recordsOf, startOf, STATUSES, statusCounts } from '../domain/warehouse/runs.ts';
import { groupBy } from '../kernel/group-by.ts';
import { formatDuration, parseIso } from '../kernel/timestamps.ts';
import { counted, grouped, largest } from '../kernel/words.ts';
import { escapeHtml, htmlPage, minuteOf, type PageSource } from './html-page.ts';
import { errorsText } from './warehouse.ts';

export interface RunsSource extends PageSource {
  pipeline: string;
}

/** Width in pixels that the columns share, within the limits of `COLUMN`. On a phone, the chart scrolls. */
const CHART_WIDTH = 840;
const COLUMN = { least: 3, most: 80 };
const SIGN_WIDTH = 14;
const DATE_WIDTH = 80;
/** Above this number, runs are grouped by day: a page with 50,000 runs would be 35 MB. */
const MOST_RUNS = 2000;
/** Maximum number of causes, and of runs per cause, listed above the columns. */
const NAMED = 5;

/** Sign and CSS class of each status. */
const TONES: Readonly<Record<string, readonly [sign: string, tone: string]>> = {
  success: ['✓', 'good'],
  failed: ['✗', 'bad'],
  stopped: ['■', 'halted'],
  running: ['▶', 'going'],
  queued: ['…', 'going'],
  retrying: ['↻', 'going'],
};

function toneOf({ status }: Pick<RunReply, 'status'>): { sign: string; tone: string; word: string } {
  const word = status ?? 'unknown';
  const [sign, tone] = (Object.hasOwn(TONES, word) ? TONES[word] : undefined) ?? ['?', 'halted'];
  return { sign, tone, word };
}

/** A column of the chart and a row of the table: a run, or all runs of a day. */
interface Entry extends ReturnType<typeof toneOf>, ReturnType<typeof recordsOf> {
  id: string;
  /** The start: `2026-01-02 03:04`, or only the day; empty if unknown. */
  start: string;
  took: string;
  /** Errors of a run, or a day's number of runs by status. */
  text: string;
}

/** Returns the page for runs in any order. Escapes text from the platform. The page has no script and loads nothing. */
export function runTimelinePage(runs: readonly RunReply[], source: RunsSource): string {
  const ordered = oldestFirst(runs);
  const isDaily = ordered.length > MOST_RUNS;
  const entries = isDaily ? [...groupBy(ordered, dayOf)].map(dayEntry) : ordered.map(entryOf);
  return htmlPage(source, {
    title: `Runs of ${source.pipeline}`,
    heading: `Runs of <code>${escapeHtml(source.pipeline)}</code>`,
    facts: totals(ordered),
    main:
      ordered.length === 0
        ? '<p>There are no matching runs.</p>'
        : [causesOf(ordered, isDaily), chart(entries, ordered, isDaily), table(entries, isDaily)].join('\n'),
    style: STYLE,
  });
}

function entryOf(run: RunReply): Entry {
  const [from, to] = [parseIso(run.started_on), parseIso(run.ended_on)];
  const took = from === undefined || to === undefined || to < from ? '' : formatDuration(to - from);
  const own = { id: String(run.id), start: minuteOfRun(run), took, text: errorsText(run.errors) };
  return { ...own, ...toneOf(run), ...recordsOf(run) };
}

/** A day gets the worst status of its runs. If one of its runs succeeded, the day is at worst a warning. */
function dayEntry([day, runs]: [string, RunReply[]]): Entry {
  const [, ...others] = STATUSES;
  const status = others.find((word) => runs.some((run) => run.status === word)) ?? runs[0]?.status;
  const count = runs.filter((run) => run.status === status).length;
  const { sign, tone, word } = toneOf({ status });
  const isMixed = runs.some((run) => run.status === 'success') && (tone === 'bad' || tone === 'halted');
  return {
    ...{ id: day, start: day, took: '', text: statusCounts(runs), sign, tone: isMixed ? 'warn' : tone },
    word: count === runs.length ? word : `${grouped(count)} of ${grouped(runs.length)} ${word}`,
    ...sumOf(runs),
  };
}

function sumOf(runs: readonly RunReply[]): ReturnType<typeof recordsOf> {
  return runs.map(recordsOf).reduce((total, one) => {
    return { successful: total.successful + one.successful, failed: total.failed + one.failed };
  });
}

function totals(runs: readonly RunReply[]): string[] {
  if (runs.length === 0) return [];
  const { successful, failed } = sumOf(runs);
  const last = runs.findLast(({ status }) => status === 'success');
  const ended = parseIso(last?.ended_on ?? last?.started_on);
  return [
    `${counted(runs.length, 'run')}: ${statusCounts(runs)}`,
    `${grouped(successful)} rows accepted, ${grouped(failed)} failed`,
    `last success ${ended === undefined ? 'unknown' : `${minuteOf(ended)} UTC`}`,
  ];
}

/** Returns the causes of unsuccessful runs, newest first, with links to the runs or days in the table. */
function causesOf(ordered: readonly RunReply[], isDaily: boolean): string {
  const bad = ordered.toReversed().filter(({ status }) => status === 'failed' || status === 'stopped');
  const causes = [...groupBy(bad, (run) => `${run.status ?? ''} ${errorsText(run.errors)}`).values()];
  if (causes.length === 0) return '';
  const items = causes.slice(0, NAMED).map((runs) => {
    const [latest] = runs;
    const { sign, tone, word } = toneOf(latest);
    const ids = [...new Set(runs.map((run) => (isDaily ? dayOf(run) : String(run.id))))].map(escapeHtml);
    const links = ids.slice(0, NAMED).map((id) => `<a href="#run-${id}">${id}</a>`);
    const more = ids.length > NAMED ? ` and ${grouped(ids.length - NAMED)} more` : '';
    const what = isDaily ? `${counted(runs.length, 'run')} on` : 'run';
    return `<li><b class="${tone}">${sign} ${escapeHtml(word)}</b> ${escapeHtml(errorsText(latest.errors))} <span>${what} ${links.join(', ')}${more} · last ${whenOf(minuteOfRun(latest))}</span></li>`;
  });
  const rest = causes.length - items.length;
  if (rest > 0) items.push(`<li>And ${counted(rest, 'other cause')}, in the table below.</li>`);
  return `<section class="unwell" aria-labelledby="unwell"><h2 id="unwell">Not successful</h2><ul>${items.join('')}</ul></section>`;
}

function chart(entries: readonly Entry[], runs: readonly RunReply[], isDaily: boolean): string {
  const most = largest(entries.map(({ successful, failed }) => successful + failed));
  const width = Math.min(COLUMN.most, Math.max(COLUMN.least, Math.floor(CHART_WIDTH / entries.length)));
  const every = Math.ceil(DATE_WIDTH / width);
  // Count from the newest entry, which is visible first.
  const isDated = (index: number): boolean => (entries.length - 1 - index) % every === 0;
  const columns = entries.map((entry, index) => {
    const { sign, tone, word, successful, failed } = entry;
    const bar = (kind: string, count: number): string =>
      count > 0 ? `<i class="${kind}" style="height:${Math.round((count / most) * 1000) / 10}%"></i>` : '';
    const rows = `${grouped(successful)} rows, ${grouped(failed)} failed`;
    const said = isDaily
      ? `${entry.id}: ${rows}; runs: ${entry.text}`
      : `Run ${entry.id}: ${word}, ${rows}, ${whenOf(entry.start)}`;
    const name = isDaily || tone === 'good' ? '' : `<b>${escapeHtml(word)}</b>`;
    const below = tone !== 'good' || width >= SIGN_WIDTH ? sign : '';
    const date = isDated(index) ? `<div class="date">${entry.start.replace(' ', '<br>')}</div>` : '';
    return `<div class="run ${tone}" title="${escapeHtml(said)}"><div class="plot">${bar('refused', failed)}${bar('rows', successful)}${name}</div><div class="sign">${below}</div>${date}</div>`;
  });
  const unit = isDaily ? 'day' : 'run';
  const top = new Intl.NumberFormat('en', { notation: 'compact' }).format(most);
  const spoken = `${counted(runs.length, 'run')} (${statusCounts(runs)}); each ${unit} is a row of the table below.`;
  return `<figure>
<div class="chart"><div class="scale" aria-hidden="true"><span>${top} ${most === 1 ? 'row' : 'rows'}</span><span>0</span><span class="zone">UTC</span></div>
<div class="scroll" tabindex="0" role="region" aria-label="Timeline of runs"><div class="columns" role="img" aria-label="${escapeHtml(spoken)}" style="--least:${width}px">
${columns.join('\n')}
</div></div></div>
<figcaption><span>One column per ${unit}, newest on the right, times in UTC.</span> ${LEGEND}</figcaption>
</figure>`;
}

const LEGEND = Object.entries({
  rows: 'rows accepted',
  refused: 'rows that failed',
  bad: 'failed',
  halted: 'stopped',
  going: 'not finished',
})
  .map(([kind, text]) => `<span><i class="key ${kind}"></i>${text}</span>`)
  .join(' ');

function table(entries: readonly Entry[], isDaily: boolean): string {
  const names = isDaily
    ? ['Day', 'Status', 'Rows', 'Failed rows', 'Runs']
    : ['Run', 'Status', 'Started', 'Took', 'Rows', 'Failed rows', 'Errors'];
  const rows = entries.toReversed().map(({ id, sign, tone, word, successful, failed, start, took, text }) => {
    const cells = [
      [`${sign} ${word}`, `status ${tone}`],
      ...(isDaily ? [] : [[start], [took]]),
      [grouped(successful), 'number'],
      [grouped(failed), failed > 0 ? 'number warn' : 'number'],
      [text, 'errors'],
    ].map(([shown = '', kind = '']) => `<td class="${kind}">${escapeHtml(shown)}</td>`);
    return `<tr id="run-${escapeHtml(id)}" class="${tone}"><th scope="row">${escapeHtml(id)}</th>${cells.join('')}</tr>`;
  });
  const head = names.map((name) => `<th scope="col"${name.endsWith('ows') ? ' class="number"' : ''}>${name}</th>`);
  return `<h2>All ${isDaily ? 'days' : 'runs'}, newest first</h2>
<div class="wide" tabindex="0"><table><caption>Times in UTC</caption>
<thead><tr>${head.join('')}</tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table></div>`;
}

/** Returns the start of a run: `2026-01-02 03:04`; empty if unknown. */
function minuteOfRun(run: RunReply): string {
  const ms = parseIso(startOf(run));
  return ms === undefined ? '' : minuteOf(ms);
}

function dayOf(run: RunReply): string {
  return minuteOfRun(run).slice(0, 10) || 'unknown';
}

function whenOf(start: string): string {
  return start === '' ? 'at an unknown time' : `${start} UTC`;
}

/** The scroll box runs from right to left, so it shows the newest runs without a script. On paper, columns wrap. */
const STYLE = `
main { max-width: 90rem; }
h1 code { font-size: inherit; overflow-wrap: anywhere; }
h2 { font-size: 1rem; margin: 1.75rem 0 .5rem; }
.unwell { border-left: 4px solid var(--bad); background: var(--bad-soft); border-radius: .25rem .5rem .5rem .25rem; padding: .65rem 1rem .7rem; }
.unwell h2 { margin: 0 0 .25rem; }
.unwell ul { margin: 0; padding: 0; list-style: none; }
.unwell li { padding: .2rem 0; overflow-wrap: anywhere; }
.unwell b { color: var(--bad); white-space: nowrap; margin-right: .35rem; }
.unwell b.halted { color: var(--quiet); }
.unwell span { display: block; color: var(--quiet); font-size: .875em; }
a { color: inherit; text-underline-offset: .2em; }
a:focus-visible, .scroll:focus-visible, .wide:focus-visible { outline: 2px solid var(--mark); outline-offset: 2px; border-radius: .2rem; }
figure { margin: 1.5rem 0 0; }
.chart { --plot: 13rem; display: flex; gap: .5rem; }
.scale { position: relative; flex: none; width: 4.4rem; height: var(--plot); margin-top: .6rem; display: flex; flex-direction: column; justify-content: space-between; text-align: right; font-size: .75rem; line-height: 0; color: var(--quiet); white-space: nowrap; }
.zone { position: absolute; right: 0; top: calc(var(--plot) + 2.85rem); font-weight: 600; }
.scroll { flex: 1; min-width: 0; overflow-x: auto; direction: rtl; padding-top: .6rem; scrollbar-width: thin; }
.columns { direction: ltr; display: flex; justify-content: space-around; min-width: 100%; width: max-content; padding-inline: 2.2rem; padding-bottom: 3.7rem; background: linear-gradient(var(--line), var(--line)) 0 0 / 100% 1px no-repeat, linear-gradient(var(--faint), var(--faint)) 0 var(--plot) / 100% 1px no-repeat; }
.run { position: relative; flex: 1 1 var(--least); min-width: var(--least); max-width: 6rem; }
.run:not(.good) { min-width: max(var(--least), 19px); }
.plot { position: relative; height: var(--plot); margin-inline: min(10%, 4px); display: flex; flex-direction: column; justify-content: flex-end; border-radius: 2px 2px 0 0; }
.plot i { flex: none; display: block; min-height: 3px; }
.plot i:first-child { border-radius: 2px 2px 0 0; }
.rows { background: var(--mark); }
.refused { background: repeating-linear-gradient(45deg, var(--warn) 0 3px, var(--warn-soft) 3px 5px); box-shadow: inset 0 0 0 1px var(--warn); }
.bad .plot, .key.bad { background: var(--bad-soft); box-shadow: inset 0 0 0 1px var(--bad); }
.halted .plot, .key.halted { background: var(--soft); box-shadow: inset 0 0 0 1px var(--faint); }
.going .plot, .key.going { background: repeating-linear-gradient(45deg, var(--mark-soft) 0 4px, transparent 4px 8px); box-shadow: inset 0 0 0 1px var(--mark); }
.plot b { position: absolute; top: .4rem; left: 50%; transform: translateX(-50%) rotate(180deg); writing-mode: vertical-rl; max-height: calc(100% - .8rem); overflow: hidden; padding: .25rem 0; border-radius: 2px; background: var(--page); font-size: .7rem; line-height: 13px; font-weight: 600; white-space: nowrap; }
.run.bad b { color: var(--bad); background: var(--bad-soft); }
.run.halted b { color: var(--text); background: var(--soft); }
.run.going b { color: var(--mark); }
.sign { height: 1.25rem; margin-top: 3px; text-align: center; font-size: .8rem; line-height: 1.25rem; color: var(--faint); overflow: hidden; border-top: 3px solid var(--mark-soft); }
.bad .sign { color: var(--bad); border-color: var(--bad); font-weight: 700; }
.halted .sign { color: var(--quiet); border-color: var(--faint); }
.warn .sign { color: var(--warn); border-color: var(--warn); font-weight: 700; }
.going .sign { color: var(--mark); border-color: var(--mark); }
.date { position: absolute; top: calc(var(--plot) + 1.65rem); left: 50%; transform: translateX(-50%); text-align: center; font-size: .75rem; line-height: 1.3; white-space: nowrap; color: var(--quiet); font-variant-numeric: tabular-nums; }
.run:hover .plot { outline: 2px solid var(--text); outline-offset: 1px; }
figcaption { display: flex; flex-wrap: wrap; gap: .25rem 1.1rem; margin-top: .35rem; font-size: .82rem; color: var(--quiet); }
.key { display: inline-block; width: .85em; height: .85em; margin-right: .4em; border-radius: 2px; vertical-align: -.08em; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .93em; }
caption { text-align: left; color: var(--quiet); font-size: .82rem; padding-bottom: .3rem; }
th, td { padding: .35rem .9rem .35rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); font-weight: 400; font-variant-numeric: tabular-nums; white-space: nowrap; }
thead th { font-weight: 600; font-size: .85rem; }
tr > :first-child { padding-left: .6rem; }
td.errors, td.status { white-space: normal; overflow-wrap: anywhere; min-width: 6.6rem; max-width: 46rem; }
.number { text-align: right; }
.status.bad { color: var(--bad); font-weight: 600; }
.status.going { color: var(--mark); }
td.warn { color: var(--warn); font-weight: 600; }
tr.bad > * { background: var(--bad-soft); }
tr:target > * { background: var(--mark-soft); }
@media print {
  .scroll, .wide { overflow: visible; direction: ltr; }
  .columns { width: auto; flex-wrap: wrap; row-gap: 3mm; background: none; padding-block: 0; }
  .chart { --plot: 34mm; }
  .run { border-top: 1px solid var(--line); padding-bottom: 11mm; flex-grow: 0; break-inside: avoid; }
  .plot { border-bottom: 1px solid var(--faint); }
  .date { font-size: 7pt; }
  .unwell, figcaption, tr { break-inside: avoid; }
  h2 { break-after: avoid; }
  .run, .run *, .key, .unwell, tr > * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}`;
