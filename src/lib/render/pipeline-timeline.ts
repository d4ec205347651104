// A pipeline's runs as one page: a column a run, its rows and failures, and the runs in words below.
import type { RunReply } from '../contract/pipeline-runs.ts';
import { oldestFirst, recordsOf, startOf, statusCounts } from '../domain/warehouse/runs.ts';
import { counted } from '../kernel/counted.ts';
import { formatDuration, parseIso } from '../kernel/timestamps.ts';
import { escapeHtml, htmlPage } from './html-page.ts';
import { errorsText } from './warehouse.ts';

/** Of the drawing, in its own units; the page scales it. */
const WIDTH = 1000;
const HEIGHT = 260;
const LEFT = 70;
const TOP = 12;
const BASE = 190;
const WIDEST_COLUMN = 40;
/** Dates below the columns are this far apart at least. */
const LABEL_WIDTH = 110;

const STYLE = `
svg { width: 100%; max-width: 1100px; height: auto; display: block; margin: .5rem 0; }
svg text { fill: var(--text); font: 12px system-ui, sans-serif; }
svg .sign { font-size: 14px; text-anchor: middle; }
.rows { fill: var(--mark); }
.refused { fill: url(#hatch); stroke: var(--warn); }
.empty { fill: none; stroke: var(--line); }
.axis { stroke: var(--line); }
.bad { color: var(--warn); fill: var(--warn); font-weight: 600; }
table { border-collapse: collapse; }
th, td { padding: .25rem .8rem .25rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
th { white-space: nowrap; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
@media print { svg { max-width: 100%; } .rows, .refused { print-color-adjust: exact; -webkit-print-color-adjust: exact; } }`;

/** What stands below a column: the status as a sign; the legend and the table say it in words. */
const SIGNS: Readonly<Record<string, string>> = {
  success: '✓',
  failed: '✗',
  stopped: '■',
  running: '…',
  queued: '…',
  retrying: '↻',
};

/** The page for runs in any order. Texts of the platform are escaped; the page holds no script and loads nothing. */
export function runTimelinePage(runs: readonly RunReply[]): string {
  const ordered = oldestFirst(runs);
  const [first] = ordered;
  const title = `Runs of ${first?.pipeline_id ?? 'a pipeline'}`;
  if (!first) return htmlPage(title, `<h1>${escapeHtml(title)}</h1>\n<p>There are no such runs.</p>`);
  const body = [
    `<h1>${escapeHtml(title)}</h1>`,
    `<p>${escapeHtml(summaryOf(ordered))}</p>`,
    drawing(ordered),
    '<p>One column a run, the oldest on the left. Its height is its rows; the hatched part on top is the rows that failed. ✓ success, ✗ failed, ■ stopped, … queued or running, ↻ retrying.</p>',
    table(ordered.toReversed()),
  ];
  return htmlPage(title, body.join('\n'), STYLE);
}

function summaryOf(runs: readonly RunReply[]): string {
  const rows = runs.reduce((sum, run) => sum + recordsOf(run).successful, 0);
  const refused = runs.reduce((sum, run) => sum + recordsOf(run).failed, 0);
  return `${counted(runs.length, 'run')} (${statusCounts(runs)}); ${grouped(rows)} rows went in, ${grouped(refused)} failed.`;
}

function drawing(runs: readonly RunReply[]): string {
  const most = Math.max(1, ...runs.map((run) => recordsOf(run).successful + recordsOf(run).failed));
  const step = (WIDTH - LEFT) / runs.length;
  const width = Math.max(1, Math.min(WIDEST_COLUMN, step * 0.8));
  const height = (rows: number): number => (rows / most) * (BASE - TOP);
  const every = Math.ceil(LABEL_WIDTH / step);
  const columns = runs.map((run, index) => {
    const x = LEFT + index * step + (step - width) / 2;
    const middle = x + width / 2;
    const good = height(recordsOf(run).successful);
    const bad = height(recordsOf(run).failed);
    const parts = [
      `<title>${escapeHtml(`Run ${String(run.id)}: ${run.status ?? 'unknown'}, ${grouped(recordsOf(run).successful)} rows, ${grouped(recordsOf(run).failed)} failed, ${startOf(run) ?? ''}`)}</title>`,
      good + bad === 0
        ? `<rect class="empty" x="${round(x)}" y="${BASE - 3}" width="${round(width)}" height="3"/>`
        : `<rect class="rows" x="${round(x)}" y="${round(BASE - good)}" width="${round(width)}" height="${round(good)}"/>`,
      ...(bad === 0
        ? []
        : [
            `<rect class="refused" x="${round(x)}" y="${round(BASE - good - bad)}" width="${round(width)}" height="${round(Math.max(bad, 2))}"/>`,
          ]),
      ...(step < 9 && run.status === 'success'
        ? []
        : [
            `<text class="sign${run.status === 'failed' ? ' bad' : ''}" x="${round(middle)}" y="${BASE + 20}">${SIGNS[run.status ?? ''] ?? '?'}</text>`,
          ]),
      ...(index % every === 0 ? [label(x, BASE + 42, dayOf(run)), label(x, BASE + 58, hourOf(run))] : []),
    ];
    return `<g>${parts.join('')}</g>`;
  });
  return [
    `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escapeHtml(summaryOf(runs))}">`,
    '<defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="3" height="6" style="fill: var(--warn)"/></pattern></defs>',
    `<line class="axis" x1="${LEFT}" y1="${BASE}" x2="${WIDTH}" y2="${BASE}"/>`,
    `<line class="axis" x1="${LEFT}" y1="${TOP}" x2="${WIDTH}" y2="${TOP}"/>`,
    `<text x="${LEFT - 8}" y="${TOP + 4}" text-anchor="end">${grouped(most)}</text>`,
    `<text x="${LEFT - 8}" y="${BASE + 4}" text-anchor="end">0 rows</text>`,
    ...columns,
    '</svg>',
  ].join('\n');
}

/** A date; the last one ends where the drawing does. */
function label(x: number, y: number, text: string): string {
  const place = x + LABEL_WIDTH * 0.75 > WIDTH ? `x="${WIDTH}" text-anchor="end"` : `x="${round(x)}"`;
  return `<text ${place} y="${y}">${escapeHtml(text)}</text>`;
}

const HEADINGS = ['Run', 'Status', 'Logical date', 'Started', 'Took', 'Rows', 'Failed rows', 'Errors'];

function table(runs: readonly RunReply[]): string {
  const rows = runs.map((run) => {
    const cell = (text: string, kind = ''): string =>
      `<td${kind === '' ? '' : ` class="${kind}"`}>${escapeHtml(text)}</td>`;
    const failed = run.status === 'failed' ? 'bad' : '';
    return `<tr>${[
      cell(String(run.id)),
      cell(`${SIGNS[run.status ?? ''] ?? '?'} ${run.status ?? 'unknown'}`, failed),
      cell(run.logical_date ?? ''),
      cell(run.started_on ?? ''),
      cell(tookOf(run)),
      cell(grouped(recordsOf(run).successful), 'number'),
      cell(grouped(recordsOf(run).failed), 'number'),
      cell(errorsText(run.errors)),
    ].join('')}</tr>`;
  });
  const head = HEADINGS.map((heading) => `<th scope="col">${heading}</th>`).join('');
  return `<div class="scroll"><table>\n<thead><tr>${head}</tr></thead>\n<tbody>\n${rows.join('\n')}\n</tbody>\n</table></div>`;
}

function dayOf(run: RunReply): string {
  return startOf(run)?.slice(0, 10) ?? '';
}

function hourOf(run: RunReply): string {
  return startOf(run)?.slice(11, 16) ?? '';
}

function tookOf({ started_on, ended_on }: RunReply): string {
  const [start, end] = [parseIso(started_on ?? ''), parseIso(ended_on ?? '')];
  return start === undefined || end === undefined || end < start ? '' : formatDuration(end - start);
}

/** `12,345`. */
function grouped(count: number): string {
  return String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, ',');
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
