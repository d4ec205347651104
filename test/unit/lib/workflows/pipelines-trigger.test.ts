// A trigger that the platform rejects.
import { expect, it } from 'vitest';
import type { PipelinesApi } from '../../../../src/lib/api/pipelines.ts';
import { CliError } from '../../../../src/lib/errors/fail.ts';
import { triggerPipeline } from '../../../../src/lib/workflows/pipelines-run.ts';
import { createTestClock } from '../../../helpers/clock.ts';
import { failureOf } from '../../../helpers/failure.ts';

it('is reported as rejected, even if the pipeline can no longer be read', async () => {
  const rejected = new CliError({ code: 'http.bad_request', message: 'No.', exit: 'failed', status: 400 });
  const unavailable = new CliError({ code: 'http.unavailable', message: 'Later.', exit: 'unavailable', status: 503 });
  let isTriggered = false;
  const api = {
    report: () => (isTriggered ? Promise.reject(unavailable) : Promise.resolve({ status: 'idle' })),
    runs: () => Promise.resolve({ items: [] }),
    trigger: () => {
      isTriggered = true;
      return Promise.reject(rejected);
    },
  };
  const out = { note: () => undefined, warn: () => undefined };
  const options = { waitIdle: false, patient: false, pollMs: 1, onState: () => undefined };
  const { signal } = new AbortController();
  const ports = { api: api as unknown as PipelinesApi, clock: createTestClock(), signal, out };
  expect(await failureOf(triggerPipeline('customers', options, ports))).toBe(rejected);
});
