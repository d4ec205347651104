// If the outcome of a request ends the run, no later request passes the gate. All other outcomes are returned.
import { expect, test, vi } from 'vitest';
import type { SendOutcome } from '../../../../src/lib/http/types.ts';
import { KnownError } from '../../../../src/lib/kernel/errors.ts';
import { Gate } from '../../../../src/lib/bulk/gate.ts';
import { sendThrough } from '../../../../src/lib/workflows/gated-send.ts';
import { createTestClock } from '../../../helpers/clock.ts';

const failure = new KnownError({ code: 'http.refused', message: 'The platform rejected it.' });
const rejection = (status: number): SendOutcome<unknown> => {
  return { kind: 'rejected', status, retryAfterMs: undefined, messages: [], failure };
};

function open() {
  const clock = createTestClock();
  const gate = new Gate({
    // With a concurrency of 1, a pass that is not returned blocks the next request.
    concurrency: 1,
    rate: undefined,
    giveUpAfterMs: 600_000,
    clock,
    random: () => 0.5,
    signal: new AbortController().signal,
    onDecision: () => undefined,
    onWait: () => undefined,
  });
  const send = (outcome: () => Promise<SendOutcome<unknown>>, endsRun: () => boolean = () => false) =>
    sendThrough(gate, { isRepeat: false, failures: 0, send: outcome, endsRun });
  return { gate, send };
}

const ACCEPTED: SendOutcome<unknown> = {
  kind: 'accepted',
  slowDown: false,
  status: 200,
  headers: {},
  text: '',
  body: undefined,
};

test.each([
  ['an accepted request', ACCEPTED],
  ['a rejected request', rejection(400)],
  ['a lost response', { kind: 'lost', permanent: false, wasSent: true, failure } as const],
])('returns the outcome of %s and allows the next request', async (_what, outcome) => {
  const { send } = open();
  expect(await send(() => Promise.resolve(outcome))).toBe(outcome);
  expect(await send(() => Promise.resolve(ACCEPTED))).toBe(ACCEPTED);
});

test('throws a rejection that ends the run, and sends no more requests', async () => {
  const { send } = open();
  const next = vi.fn(() => Promise.resolve(ACCEPTED));
  const both = [
    send(
      () => Promise.resolve(rejection(403)),
      () => true,
    ),
    send(next),
  ];
  expect(await Promise.allSettled(both)).toEqual([
    { status: 'rejected', reason: failure },
    { status: 'rejected', reason: failure },
  ]);
  expect(next).not.toHaveBeenCalled();
});

test("throws a request's error, and sends no more requests", async () => {
  const { send } = open();
  const error = new Error('Ctrl-C');
  const next = vi.fn(() => Promise.resolve(ACCEPTED));
  const both = [send(() => Promise.reject(error)), send(next)];
  expect(await Promise.allSettled(both)).toEqual([
    { status: 'rejected', reason: error },
    { status: 'rejected', reason: error },
  ]);
  expect(next).not.toHaveBeenCalled();
});

test.each([429, 500, 503])('never ends the run because of status %i', async (status) => {
  const { send } = open();
  const endsRun = vi.fn(() => true);
  expect(await send(() => Promise.resolve(rejection(status)), endsRun)).toMatchObject({ status });
  expect(endsRun).not.toHaveBeenCalled();
});
