// Renders the preview of a request.
import { expect, test } from 'vitest';
import type { DsrRequest } from '../../../../src/lib/contract/dsr.ts';
import { renderRequest } from '../../../../src/lib/render/dsr-request.ts';
import { plainStyle } from '../../../../src/lib/render/style.ts';

const identity = (value: string) => ({ value, encoding: 'raw' as const });
const request = {
  regulation: 'gdpr',
  subject_request_id: '6f1c5a52-3a4c-4f0e-9d55-3d2f6a1f8c11',
  subject_request_type: 'access',
  submitted_time: '2026-01-31T08:00:00Z',
  api_version: '3.0',
  subject_identities: { email: identity('a@b.c'), controller_customer_id: identity('4711') },
} as const;
const linesOf = (shown: DsrRequest) =>
  renderRequest({ request: shown, showIdentities: true, now: 0 }, plainStyle, 80).split('\n');

test("shows an identity type's internal name if it differs", () => {
  expect(linesOf(request)).toContain('identities    email = a@b.c');
  expect(linesOf(request)).toContain('              controller_customer_id = 4711  (internally customer_id)');
});

test('estimates the number of days until completion only for erasures', () => {
  const skipped = { 'opendsr.example.com': { skip_waiting_period: true } };
  const expected = (shown: DsrRequest) => linesOf(shown).find((line) => line.startsWith('expected'));
  const erasure = { ...request, subject_request_type: 'erasure' } as const;
  expect(expected(erasure)).toBe('expected      done in 7 to 21 days, from 1970-01-08 to 1970-01-22');
  expect(expected({ ...erasure, extensions: skipped })).toContain('done in 1 to 14 days');
  expect(expected(request)).toBeUndefined();
});
