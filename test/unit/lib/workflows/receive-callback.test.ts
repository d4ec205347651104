// Tests which bodies of verified callbacks count as the status of a request.
import { expect, it } from 'vitest';
import type { ReceivedLine } from '../../../../src/lib/domain/callbacks/outbox.ts';
import { systemClock } from '../../../../src/lib/kernel/clock.ts';
import { receiveCallback } from '../../../../src/lib/workflows/receive-callback.ts';

const ID = '6f1c5a52-3a4c-4f0e-9d55-3d2f6a1f8c11';

async function receive(body: object, failure?: Error) {
  const lines: ReceivedLine[] = [];
  const received = await receiveCallback(
    { method: 'POST', headers: [], body: Buffer.from(JSON.stringify(body)) },
    {
      verify: () => Promise.resolve({ valid: true, checks: [] }),
      workspace: '3001',
      address: 'https://dsr.example/v3',
      store: (line) => (failure ? Promise.reject(failure) : Promise.resolve(lines.push(line) > 0)),
      clock: systemClock,
    },
  );
  return { lines, received };
}

it.each([
  [ID.toUpperCase(), ID, 'stored'],
  ['request-1', null, 'the body is not a request status; no status was stored'],
  ['', null, 'the body is not a request status; no status was stored'],
])('stores a status only for a request id that is a UUID: %s', async (id, stored, detail) => {
  const { lines, received } = await receive({
    controller_id: '3001',
    subject_request_id: id,
    request_status: 'completed',
  });
  expect(received).toMatchObject({ status: 202, detail });
  expect(received.state?.subject_request_id ?? null).toBe(stored);
  expect(lines).toMatchObject([{ request_id: stored, status: stored && 'completed' }]);
});

it.each([
  ['is for another workspace', { controller_id: '3002' }, 'is for workspace 3002'],
  ['does not specify a workspace', {}, 'does not specify a workspace'],
])('rejects a signed callback that %s', async (_which, controller, why) => {
  const { lines, received } = await receive({ ...controller, subject_request_id: ID, request_status: 'completed' });
  expect(received).toMatchObject({ status: 401, detail: expect.stringContaining(why) as unknown });
  expect(lines).toEqual([]);
});

it('does not acknowledge a callback that cannot be stored', async () => {
  const body = { controller_id: '3001', subject_request_id: ID, request_status: 'completed' };
  const { received } = await receive(body, new Error('The disk is full.'));
  expect(received).toMatchObject({ status: 503, detail: 'it could not be stored: The disk is full.' });
});
