// Renders the preview of a request.
import { expect, test } from 'vitest';
import { renderRequest } from '../../../../src/lib/render/dsr-request.ts';
import { plainStyle } from '../../../../src/lib/render/style.ts';

test("shows an identity type's internal name if it differs", () => {
  const identity = (value: string) => ({ value, encoding: 'raw' as const });
  const request = {
    regulation: 'gdpr',
    subject_request_id: '6f1c5a52-3a4c-4f0e-9d55-3d2f6a1f8c11',
    subject_request_type: 'access',
    submitted_time: '2026-01-31T08:00:00Z',
    api_version: '3.0',
    subject_identities: { email: identity('a@b.c'), controller_customer_id: identity('4711') },
  } as const;
  const lines = renderRequest({ request, showIdentities: true, now: 0 }, plainStyle, 80).split('\n');
  expect(lines).toContain('identities    email = a@b.c');
  expect(lines).toContain('              controller_customer_id = 4711  (internally customer_id)');
});
