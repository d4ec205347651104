// The page of `dsr evidence`: the outcome of each request in words.
import { expect, it } from 'vitest';
import { evidenceOf } from '../../../../src/lib/domain/dsr/evidence.ts';
import type { LedgerRequest } from '../../../../src/lib/domain/dsr/ledger.ts';
import { evidencePage } from '../../../../src/lib/render/dsr-evidence.ts';

const NOW = Date.parse('2026-11-25T12:00:00Z');
const sent = { regulation: 'gdpr', subject_request_type: 'erasure' };
const cancelled = [{ status: 'cancelled', at: '2026-11-20T12:00:00Z', source: 'cancel' }];

it.each<[outcome: string, request: Omit<LedgerRequest, 'id'>]>([
  ['open, not late', { ...sent, submitted_time: '2026-11-01T12:00:00Z', states: [] }],
  ['15 days late', { ...sent, submitted_time: '2026-10-10T08:00:00Z', states: [] }],
  ['deadline met', { ...sent, submitted_time: '2026-11-01T12:00:00Z', states: cancelled }],
  ['finished, deadline unknown', { states: cancelled }],
])('says that a request is %s', (outcome, request) => {
  const requests = [evidenceOf({ id: 'a', ...request }, NOW)];
  const ledger = { valid: true, entries: 1, head: 'f00d' };
  const page = evidencePage({ requests, messages: [], certificates: [], ledger }, {});
  expect(page).toContain(`<code>a</code>: ${outcome}</h2>`);
});
