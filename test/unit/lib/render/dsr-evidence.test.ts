// The page of `dsr evidence`: the outcome of each request in words.
import { expect, it } from 'vitest';
import { evidenceOf } from '../../../../src/lib/domain/dsr/evidence.ts';
import type { LedgerRequest } from '../../../../src/lib/domain/dsr/ledger.ts';
import { evidencePage } from '../../../../src/lib/render/dsr-evidence.ts';

const NOW = Date.parse('2026-11-25T12:00:00Z');
const sent = { regulation: 'gdpr', subject_request_type: 'erasure' };
const ledger = { valid: true, entries: 1, head: 'f00d', pruned: 0, unfinished: 0, adopted: null, unchained: 0 };
const rest = { certificates: [], ledger, actor: { by: 'ada', host: 'laptop' } };
const pending = { status: 'pending' };
const late = { submitted_time: '2026-10-10T08:00:00Z', ...sent };
const extension = { extended: '2026-12-31T00:00:00Z', reason: 'many systems' };
const cancelled = [{ status: 'cancelled', at: '2026-11-20T12:00:00Z', source: 'cancel' }];

it.each<[outcome: string, request: Omit<LedgerRequest, 'id'>]>([
  ['open, not late', { ...sent, ...pending, submitted_time: '2026-11-01T12:00:00Z', states: [] }],
  ['15 days late', { ...late, ...pending, states: [] }],
  ['outcome unknown', { ...sent, submitted_time: '2026-11-01T12:00:00Z', states: [] }],
  ['outcome unknown, 15 days late', { ...late, states: [] }],
  ['cancelled before the deadline', { ...sent, submitted_time: '2026-11-01T12:00:00Z', states: cancelled }],
  ['cancelled 10 days after the deadline', { ...late, states: cancelled }],
  [
    'deadline met',
    {
      ...{ ...sent, submitted_time: '2026-11-01T12:00:00Z' },
      states: [{ status: 'completed', at: '2026-11-20T12:00:00Z', source: 'status' }],
    },
  ],
  ['finished, deadline unknown', { states: cancelled }],
  ['15 days late', { ...late, ...pending, states: [], marks: [{ at: '2026-11-12T08:00:00Z', ...extension }] }],
  ['open, not late', { ...late, ...pending, states: [], marks: [{ at: '2026-11-09T08:00:00Z', ...extension }] }],
  ['15 days late', { ...late, ...pending, states: [], marks: [{ at: '2026-10-12T08:00:00Z', answered: true }] }],
  ['not submitted: rejected by the platform', { ...late, status: 'rejected', states: [] }],
  [
    'not submitted: rejected by the platform (401)',
    {
      ...late,
      status: 'rejected',
      states: [{ status: 'rejected', at: '2026-10-10T08:00:00Z', source: 'submit', http_status: 401 }],
    },
  ],
  ['not submitted', { ...late, status: 'not_submitted', states: [] }],
])('prints the outcome "%s"', (outcome, request) => {
  const requests = [evidenceOf({ id: 'a', ...request }, NOW)];
  const page = evidencePage({ requests, messages: [], lost: [], ...rest }, {});
  expect(page).toContain(`<code>a</code>: ${outcome}</h2>`);
  if (request.marks?.[0]?.extended === undefined) return;
  expect(requests).toMatchObject([
    {
      original_deadline: '2026-11-10T08:00:00Z',
      extended_deadline: extension.extended,
      days_late: parseInt(outcome) || 0,
    },
  ]);
  expect(page).toMatch(/<time>2026-11-10T08:00:00Z<\/time>.*\n?.*Extended deadline.*2026-12-31T00:00:00Z/);
  expect(page.includes('does not count')).toBe(outcome !== 'open, not late');
});

it('starts with the number of requests per outcome, links to each request, and marks unsigned messages', () => {
  const done = [{ status: 'completed', at: '2026-11-20T12:00:00Z', source: 'status' as const }];
  const requests = [
    evidenceOf({ id: 'a', ...late, ...pending, states: [] }, NOW),
    evidenceOf({ id: 'b', ...sent, submitted_time: '2026-11-01T12:00:00Z', states: done }, NOW),
    evidenceOf({ id: 'c', ...sent, submitted_time: '2026-11-01T12:00:00Z', states: cancelled }, NOW),
  ];
  const messages = [true, false].map((isSigned, index) => ({
    ...{
      name: `a.${index}`,
      requestId: 'a',
      body_sha256: 'f00d',
      certificate: null,
      isIncluded: true,
      isRecorded: true,
    },
    isSigned,
  }));
  const page = evidencePage({ requests, messages, lost: [], ...rest }, {});
  for (const [name, count] of ['Deadline met', 'Late', 'Open, cancelled or not submitted'].map((text) => [text, 1]))
    expect(page).toContain(`<dt>${name}</dt><dd>${count}</dd>`);
  for (const id of ['a', 'b', 'c'])
    expect(page).toMatch(new RegExp(`href="#${id}"[^]*<section class="\\w+" id="${id}"`));
  expect(page.match(/none: the platform signs only/g)).toHaveLength(1);
});
