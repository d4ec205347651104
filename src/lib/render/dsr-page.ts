// Draws requests on one page, by urgency: overdue, due soon, deadline unknown, due later, and not due.
import { byDeadline, type RequestOverview } from '../domain/dsr/overview.ts';
import { counted } from '../kernel/words.ts';
import { escapeHtml, htmlPage, type PageSource } from './html-page.ts';

const SOON_DAYS = 7;

/** A request belongs to the first section that matches it. The kind sets the color, which only repeats the title. */
const SECTIONS: { title: string; kind: 'bad' | 'warn' | 'plain'; holds(request: RequestOverview): boolean }[] = [
  { title: 'Overdue', kind: 'bad', holds: ({ overdue }) => overdue },
  {
    title: `Due (or results expire) within ${SOON_DAYS} days`,
    kind: 'warn',
    // The platform keeps results for at most `SOON_DAYS`, so any existing results expire within that time.
    holds: ({ days_left: left, due, results_expire_at: expiry }) =>
      (left !== null && left < SOON_DAYS) || (due && expiry !== null),
  },
  {
    title: 'Deadline unknown (submitted elsewhere)',
    kind: 'warn',
    holds: ({ deadline, due }) => due && deadline === null,
  },
  { title: 'Due later', kind: 'plain', holds: ({ due }) => due },
  // Answered, completed, cancelled or rejected requests.
  { title: 'Not due', kind: 'plain', holds: () => true },
];

/** Returns the page. Each section is sorted by deadline, most urgent first. */
export function requestsPage(requests: readonly RequestOverview[], source: PageSource, isDue: boolean): string {
  const left = new Set(requests);
  const sections = SECTIONS.slice(0, isDue ? -1 : undefined).map((section) => {
    const own = [...left].filter(section.holds).sort(byDeadline);
    for (const request of own) left.delete(request);
    return { ...section, requests: own };
  });
  const figures = sections.map(({ kind, requests: own, title }) => [
    own.length === 0 ? 'plain' : kind,
    title,
    own.length,
  ]);
  const tables = sections
    .filter(({ requests: own }) => own.length > 0)
    .map(({ kind, requests: own, title }) => {
      return `<section class="${kind}"><h2>${title}</h2>\n${tableOf(own, isDue)}</section>`;
    });
  return htmlPage(source, {
    title: 'Data subject requests',
    facts: [counted(requests.length, 'request')],
    lead: figuresOf(figures),
    main: tables.join('\n') || '<p>There are no requests.</p>',
    style: RECORDS_STYLE,
  });
}

/** Returns the figures at the top of a page, from their color, name and number. */
export function figuresOf(figures: readonly (readonly (string | number)[])[]): string {
  const items = figures.map(([kind, name, number]) => `<div class="${kind}"><dt>${name}</dt><dd>${number}</dd></div>`);
  return `<dl class="figures">\n${items.join('\n')}\n</dl>`;
}

const HEADINGS = ['Request', 'Status', 'Deadline', 'Left', 'Cancellable until', 'Results expire', 'Answered'];

function tableOf(requests: readonly RequestOverview[], isDue: boolean): string {
  const rows = requests.map((request) => {
    const {
      group_id,
      regulation,
      request_status: status,
      subject_request_id: id,
      subject_request_type: type,
    } = request;
    const kind = [[regulation?.toUpperCase(), type].filter(Boolean).join(' '), group_id].filter(Boolean).join(' · ');
    const notes = [
      ...(request.due && status === 'completed' ? [noteOf(request)] : []),
      ...(request.stale ? ['could not be read and may have changed'] : []),
    ];
    return [
      `<code>${escapeHtml(id)}</code><small>${escapeHtml(kind)}</small>`,
      escapeHtml(status) + notes.map((note) => `<small>${note}</small>`).join(''),
      dayOf(request.deadline),
      leftOf(request),
      dayOf(request.cancellable_until),
      dayOf(request.results_expire_at),
      ...(isDue ? [] : [dayOf(request.answered_at)]),
    ];
  });
  return recordsTable(isDue ? HEADINGS.slice(0, -1) : HEADINGS, rows);
}

/** A completed request is due until its results are downloaded; without results, until it is marked as answered. */
const noteOf = ({ results_expire_at: expiry }: RequestOverview): string =>
  expiry === null ? 'no results, not answered' : 'results not downloaded';

/** Cells are HTML. */
export function recordsTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const heads = headings.map((heading) => `<th scope="col">${heading}</th>`).join('');
  const lines = rows.map(
    (cells) =>
      `<tr>${cells.map((cell, index) => `<td data-label="${headings[index] ?? ''}">${cell}</td>`).join('')}</tr>`,
  );
  return `<table class="records"><thead><tr>${heads}</tr></thead>\n<tbody>\n${lines.join('\n')}\n</tbody></table>`;
}

/** Returns the day, with the complete time on hover. */
function dayOf(time: string | null): string {
  return time === null ? '' : `<time title="${escapeHtml(time)}">${escapeHtml(time.slice(0, 10))}</time>`;
}

function leftOf({ days_late: late, days_left: left }: RequestOverview): string {
  if (late > 0) return `<b>${counted(late, 'day')} late</b>`;
  return left === null ? '' : counted(left, 'day');
}

/** Style of pages that list records: figures at the top, and tables that become cards on a phone. */
export const RECORDS_STYLE = `
main { max-width: 80rem; }
header, main { margin-inline: auto; max-width: 80rem; }
h2 { font-size: 1.05rem; margin: 1.75rem 0 .5rem; }
.bad > h2, .bad td b, .figures .bad dd { color: var(--bad); }
.warn > h2, .figures .warn dd { color: var(--warn); }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); gap: .75rem; margin: 1.1rem 0; }
.figures > div { padding: .7rem .9rem .75rem; border: 1px solid var(--line); border-radius: .5rem; background: var(--soft); }
.figures dt { color: var(--quiet); font-size: .8rem; }
.figures dd { margin: 0; font-size: 1.3rem; font-weight: 600; font-variant-numeric: tabular-nums; }
table.records { border-collapse: collapse; width: 100%; font-size: .93em; font-variant-numeric: tabular-nums; }
.records th, .records td { padding: .4rem .75rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; overflow-wrap: anywhere; }
.records th { background: var(--soft); color: var(--quiet); font-weight: 600; font-size: .85em; white-space: nowrap; }
.records td small { display: block; color: var(--quiet); font-size: .85em; }
.records time { white-space: nowrap; }
.records a { color: var(--mark); }
pre { white-space: pre-wrap; overflow-wrap: anywhere; }
p code, h2 code { overflow-wrap: anywhere; }
@media screen and (max-width: 40rem) {
  .records thead { display: none; }
  .records tr { display: block; padding: .5rem 0; border-bottom: 1px solid var(--line); }
  .records td { display: block; border: 0; padding: .1rem 0; }
  .records td:empty { display: none; }
  .records td:not(:first-child)::before { content: attr(data-label) ": "; color: var(--quiet); }
}
@media print { .records tr { break-inside: avoid; } }`;
