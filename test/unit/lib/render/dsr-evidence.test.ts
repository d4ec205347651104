// The page of `dsr evidence`, which describes the outcome of each request in words.
import { expect, it } from 'vitest';
import { evidenceOf } from '../../../../src/lib/domain/dsr/evidence.ts';
import type { LedgerEvent, LedgerRequest } from '../../../../src/lib/domain/dsr/ledger.ts';
import { foldEvent } from '../../../../src/lib/domain/dsr/ledger-fold.ts';
import { evidencePage } from '../../../../src/lib/render/dsr-evidence.ts';

const NOW = Date.parse('2026-11-25T12:00:00Z');
const ledger = {
  valid: true,
  entries: 1,
  head: 'f00d',
  pruned: 0,
  unfinished: 0,
  adopted: null,
  unchained: 0,
  notes: [],
};
const rest = { certificates: [], ledger, actor: { by: 'ada', host: 'laptop' } };
const [id, profile, group_id] = ['a', null, null];
const sent = (submitted_time: string, subject_request_type = 'erasure'): LedgerEvent => ({
  ...{ event: 'submitted', id, at: submitted_time, profile, regulation: 'gdpr', subject_request_type, submitted_time },
  ...{ skip_waiting_period: false, group_id, identities: {} },
});
const state = (status: string, at: string, source: 'submit' | 'status' | 'cancel' | 'callback' = 'status') =>
  ({ event: 'state', id, at, status, source, host: 'laptop' }) as const;
const marked = (at: string, more: object): LedgerEvent => ({ event: 'marked', id, at, ...more });
const requestOf = (...events: LedgerEvent[]): LedgerRequest =>
  events.reduce<LedgerRequest>((before, event) => foldEvent(before, event) ?? before, { id, states: [] });

const early = sent('2026-11-01T12:00:00Z');
const late = sent('2026-10-10T08:00:00Z');
const pending = state('pending', '2026-10-10T08:00:00Z', 'submit');
const extended = (extended: string) => ({ extended, reason: 'many systems' });
const inTime = '2026-12-31T00:00:00Z';
const cancelled = state('cancelled', '2026-11-20T12:00:00Z', 'cancel');
const completed = state('completed', '2026-11-20T12:00:00Z');

it.each<[outcome: string, events: LedgerEvent[], finished?: string]>([
  ['open, not late', [early, pending], 'not yet'],
  ['15 days late', [late, pending]],
  ['outcome unknown', [early]],
  ['outcome unknown, 15 days late', [late]],
  ['cancelled before the deadline', [early, cancelled], '<time>2026-11-20T12:00:00Z</time>'],
  ['cancelled 10 days after the deadline', [late, cancelled]],
  ['deadline met', [early, completed], 'first seen as completed on 2026-11-20T12:00:00Z; the exact time is unknown'],
  ['completed, first seen after the deadline', [late, completed]],
  ['10 days late', [late, { ...completed, source: 'callback' }], '<time>2026-11-20T12:00:00Z</time>'],
  ['cancelled, deadline unknown', [cancelled]],
  ['completed, deadline unknown', [{ ...completed, source: 'callback' }], '<time>2026-11-20T12:00:00Z</time>'],
  ['open, deadline unknown', [pending]],
  ['15 days late', [late, pending, marked('2026-11-12T08:00:00Z', extended(inTime))]],
  ['open, not late', [late, pending, marked('2026-11-09T08:00:00Z', extended(inTime))]],
  [
    'cancelled before the deadline, but the extension exceeds the legal limit (2027-01-10)',
    [late, marked('2026-11-09T08:00:00Z', extended('2028-12-31T00:00:00Z')), cancelled],
  ],
  ['15 days late', [late, pending, marked('2026-10-12T08:00:00Z', { answered: true })]],
  ['not submitted: rejected by the platform', [late, state('rejected', '2026-10-10T08:00:00Z', 'submit')]],
  [
    'not submitted: rejected by the platform (401)',
    [late, { ...state('rejected', '2026-10-10T08:00:00Z', 'submit'), http_status: 401 }],
  ],
  ['not submitted', [late, state('not_submitted', '2026-10-10T08:00:00Z', 'submit')]],
])('prints the outcome "%s"', (outcome, events, finished) => {
  const request = requestOf(...events);
  const requests = [evidenceOf(request, NOW)];
  const page = evidencePage({ requests, messages: [], lost: [], ...rest }, {});
  expect(page).toContain(`<code>a</code>: ${outcome}</h2>`);
  if (finished !== undefined) expect(page).toMatch(new RegExp(`>Answered or finished</td><td[^>]*>${finished}</td>`));
  const until = request.marks?.[0]?.extended;
  if (until === undefined) return;
  const original = '2026-11-10T08:00:00Z';
  expect(requests).toMatchObject([
    { original_deadline: original, extended_deadline: until, days_late: parseInt(outcome) || 0 },
  ]);
  expect(page).toMatch(new RegExp(`<time>${original}</time>.*\\n?.*Extended deadline.*${until}`));
  expect(page.includes('does not count')).toBe(outcome === '15 days late');
  expect(page.includes('(exceeds the legal limit, 2027-01-10)')).toBe(outcome.includes('exceeds'));
});

it('begins with the number of requests per outcome, links to each request, and marks unsigned messages', () => {
  const requests = [
    [late, pending],
    [early, completed],
    [early, cancelled],
    [early, pending],
    [{ ...completed, source: 'callback' } as const],
  ].map((events, index) => evidenceOf({ ...requestOf(...events), id: 'abcde'[index] ?? '' }, NOW));
  const messages = [true, false].map((isSigned, index) => ({
    ...{
      name: `a.${index}`,
      requestId: 'a',
      body_sha256: 'f00d',
      certificate: null,
      isIncluded: true,
      isValid: true,
    },
    isSigned,
  }));
  const page = evidencePage({ requests, messages, lost: [], ...rest }, {});
  const figures = [...page.matchAll(/<dt>([^<]*)<\/dt><dd>(\d+)<\/dd>/g)].map(([, name, count]) => [name, count]);
  expect(figures).toEqual([
    ['Deadline met', '1'],
    ['Late', '1'],
    ['Open', '1'],
    ['Cancelled, not submitted or unknown', '2'],
  ]);
  for (const id of 'abcde') expect(page).toMatch(new RegExp(`href="#${id}"[^]*<section class="\\w+" id="${id}"`));
  expect(page.match(/none: the platform signs only/g)).toHaveLength(1);
});
