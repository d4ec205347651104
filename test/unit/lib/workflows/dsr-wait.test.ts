// How long to wait for a request that the platform does not show.
import { expect, it } from 'vitest';
import { waitForRequests } from '../../../../src/lib/workflows/dsr-wait.ts';
import type { DsrPorts } from '../../../../src/lib/workflows/dsr-ports.ts';
import { KnownError } from '../../../../src/lib/kernel/errors.ts';
import { createTestClock } from '../../../helpers/clock.ts';
import { failureOf } from '../../../helpers/failure.ts';

const ID = '6f1c5a52-3a4c-4f0e-9d55-3d2f6a1f8c11';

/** Waits for a request that appears after `missing` reads. */
function waitFor(missing: number, isNew: boolean) {
  let reads = 0;
  const get = async () => {
    if (reads++ < missing) throw new KnownError({ code: 'http.not_found', message: 'Not found.', hint: 'Check it.' });
    return { body: { subject_request_id: ID, request_status: 'completed' }, date: undefined };
  };
  const clock = createTestClock();
  const ledger = { find: async () => new Map() };
  const ports = { api: { get }, clock, ledger, signal: new AbortController().signal } as unknown as DsrPorts;
  return {
    clock,
    ended: waitForRequests([ID], { until: 'completed', isNew, onState: () => Promise.resolve() }, ports),
  };
}

it('reads a new request again for up to a minute', async () => {
  const { clock, ended } = waitFor(3, true);
  expect(await ended).toMatchObject([{ request_status: 'completed' }]);
  expect(clock.sleeps).toEqual([2000, 2000, 2000]);
});

it('reports that a new request was submitted if the platform does not show it', async () => {
  const { message, parts } = (await failureOf(waitFor(Infinity, true).ended)) as KnownError;
  expect(message).toBe(`Request ${ID} was submitted. Not found.`);
  expect(parts).toMatchObject({
    code: 'http.not_found',
    hint: [{ text: 'To continue waiting:', command: `cdpadm dsr wait ${ID}` }],
    details: { subject_request_id: ID },
  });
});

it('does not wait for any other request that the platform does not have', async () => {
  const { clock, ended } = waitFor(1, false);
  expect(await failureOf(ended)).toMatchObject({ message: 'Not found.', hint: 'Check it.' });
  expect(clock.sleeps).toEqual([]);
});
