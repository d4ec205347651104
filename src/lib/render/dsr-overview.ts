// Views of requests: lists, records and single lines.
import type { ForwardingEntry } from '../contract/dsr.ts';
import type { RequestOverview } from '../domain/dsr/overview.ts';
import { isNotSubmitted } from '../domain/dsr/statuses.ts';
import { cleanLine } from './clean.ts';
import type { Style } from './style.ts';
import { drawRecord } from './table.ts';
import type { Column, DocumentView, ListView } from './view.ts';
import { wrapUnder } from './width.ts';

export const REQUEST_COLUMNS: Column<RequestOverview>[] = [
  { key: 'subject_request_id', title: 'id', value: (request) => request.subject_request_id, id: true },
  {
    key: 'request_status',
    title: 'status',
    value: ({ request_status: status }) => status,
    said: ({ request_status: status, stale }) => (stale ? `${status} (not refreshed)` : status),
    paint: (text, { request_status: status }, style) => paintStatus(text, status, style),
  },
  { key: 'subject_request_type', title: 'type', value: (request) => request.subject_request_type, rank: 1 },
  { key: 'regulation', value: (request) => request.regulation, rank: 3 },
  { key: 'deadline', value: (request) => request.deadline },
  { key: 'expected_completion_time', title: 'expected', value: (request) => request.expected_completion_time, rank: 2 },
  { key: 'cancellable_until', value: (request) => request.cancellable_until, rank: 5 },
  { key: 'results_expire_at', title: 'results expire', value: (request) => request.results_expire_at, rank: 6 },
  { key: 'group_id', value: (request) => request.group_id, rank: 4 },
  { key: 'answered_at', title: 'answered', value: (request) => request.answered_at, rank: 7 },
];

/** On a terminal, deadlines are shown without a time of day, so that the type fits in 100 columns. */
const DUE_COLUMNS = REQUEST_COLUMNS.flatMap((column): Column<RequestOverview>[] => {
  if (column.key === 'subject_request_type') return [{ ...column, rank: 0 }];
  if (column.key !== 'deadline') return [column];
  return [
    { ...column, said: ({ deadline }) => deadline?.slice(0, 10) },
    { key: 'days_left', title: 'days left', value: (request) => request.days_left, align: 'right' },
    {
      key: 'overdue',
      value: ({ overdue }) => (overdue ? 'OVERDUE' : ''),
      paint: (text, _request, style) => style.red(text),
      rank: 1,
    },
  ];
});

export function requestListView(empty: string, isDue = false): ListView<RequestOverview> {
  return { kind: 'list', columns: isDue ? DUE_COLUMNS : REQUEST_COLUMNS, empty };
}

export const requestView: DocumentView<RequestOverview[]> = {
  kind: 'document',
  text: (requests, style, width) => requests.map((request) => drawRequest(request, style, width)).join('\n\n'),
  list: (rows) => ({ columns: REQUEST_COLUMNS as Column<never>[], rows }),
  isTable: true,
};

function drawRequest(request: RequestOverview, style: Style, width: number): string {
  const shown = [
    ...REQUEST_COLUMNS,
    { key: 'submitted_time', title: 'submitted', value: (it: RequestOverview) => it.submitted_time },
    { key: 'results_url', value: (it: RequestOverview) => it.results_url },
  ].filter((column) => (column.value(request) ?? '') !== '');
  const partners = (request.extensions ?? []).map((entry) => wrapUnder('  ', forwardingLine(entry, style), width));
  const forwarding = partners.length === 0 ? [] : [style.bold('FORWARDING'), ...partners];
  return [drawRecord(request, shown, style, width), ...forwarding].join('\n');
}

/** Returns a line such as `Partner (partner.example): sent`. */
export function forwardingLine(
  { domain, name, status, status_message: message }: ForwardingEntry,
  style: Style,
): string {
  const who = cleanLine(`${name ?? domain ?? 'a partner'}${name && domain ? ` (${domain})` : ''}`);
  const state = cleanLine(`${status ?? 'unknown'}${message ? `: ${message}` : ''}`);
  const paint = status === 'failed' ? style.red : status === 'skipped' ? style.yellow : (text: string) => text;
  return `${who}: ${paint(state)}`;
}

export function statusLine(request: RequestOverview, style: Style): string {
  const { group_id: group, regulation, request_status: status, subject_request_id: id } = request;
  const facts = [
    [regulation?.toUpperCase(), request.subject_request_type].filter(Boolean).join(' '),
    request.submitted_time && `submitted ${request.submitted_time}`,
    group && `group ${group}`,
    request.expected_completion_time && `expected ${request.expected_completion_time}`,
  ].map((fact) => (fact ? `, ${fact}` : ''));
  return `${cleanLine(id)}  ${paintStatus(cleanLine(status), status, style)}${cleanLine(facts.join(''))}`;
}

function paintStatus(text: string, status: string, style: Style): string {
  if (status === 'completed') return style.green(text);
  if (status === 'cancelled' || isNotSubmitted(status)) return style.dim(text);
  return status === 'in_progress' ? style.cyan(text) : text;
}
