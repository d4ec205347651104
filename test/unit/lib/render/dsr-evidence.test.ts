// The page of `dsr evidence`: the outcome of each request in words.
import { expect, it } from 'vitest';
import { evidenceOf } from '../../../../src/lib/domain/dsr/evidence.ts';
import type { LedgerRequest } from '../../../../src/lib/domain/dsr/ledger.ts';
import { evidencePage } from '../../../../src/lib/render/dsr-evidence.ts';

const NOW = Date.parse('2026-11-25T12:00:00Z');
const sent = { regulation: 'gdpr', subject_request_type: 'erasure' };
const pending = { status: 'pending' };
const late = { submitted_time: '2026-10-10T08:00:00Z', ...sent };
const extension = { extended: '2026-12-31T00:00:00Z', reason: 'many systems' };
const cancelled = [{ status: 'cancelled', at: '2026-11-20T12:00:00Z', source: 'cancel' }];

it.each<[outcome: string, request: Omit<LedgerRequest, 'id'>]>([
  ['open, not late', { ...sent, ...pending, submitted_time: '2026-11-01T12:00:00Z', states: [] }],
  ['15 days late', { ...late, ...pending, states: [] }],
  ['outcome unknown', { ...sent, submitted_time: '2026-11-01T12:00:00Z', states: [] }],
  ['outcome unknown, 15 days late', { ...late, states: [] }],
  ['deadline met', { ...sent, submitted_time: '2026-11-01T12:00:00Z', states: cancelled }],
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
])('states that a request is %s', (outcome, request) => {
  const requests = [evidenceOf({ id: 'a', ...request }, NOW)];
  const ledger = { valid: true, entries: 1, head: 'f00d' };
  const page = evidencePage({ requests, messages: [], certificates: [], ledger }, {});
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
