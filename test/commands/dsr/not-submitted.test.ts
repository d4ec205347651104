// Tests what the ledger records about a request that was rejected or never sent, or whose response was lost.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createTestClock } from '../../helpers/clock.ts';
import { createFastClock } from '../../helpers/fast-clock.ts';
import { createDsrHome } from '../../helpers/dsr-home.ts';
import type { PlatformHome } from '../../helpers/platform-home.ts';

interface Entry {
  id: string;
  status?: string;
  states: { status: string; http_status?: number }[];
  submitted_time: string;
}

const DAY_MS = 86_400_000;
const ACCESS = 'dsr submit --regulation gdpr --type access --identity email=jane@example.com --yes --retries 0';

let home: PlatformHome;
beforeEach(async () => {
  home = await createDsrHome();
});
afterEach(() => home.close());

const entries = async (): Promise<Entry[]> => (await home.json<Entry[]>('dsr ledger export')).data;
const due = async (env: Record<string, string> = {}, clock = createTestClock(Date.now())) =>
  (await home.json<{ request_status: string }[]>('dsr list --due', { env, clock })).data.map((it) => it.request_status);
const fault = (method: string, path: string, more: Parameters<typeof home.platform.api.addFault>[0]) =>
  home.platform.api.addFault({ method, path, ...more });
/**
 * Drops the connection before or after the platform executes the POST, and also drops the read that would confirm it.
 */
const loseResponse = async (drop: 'before' | 'after') => {
  await fault('POST', '/v3/requests/', { drop, times: 1 });
  await fault('GET', '/v3/requests/*', { drop: 'before', times: 1 });
};

const REFUSED = { CDPADM_DSR_BASE_URL: 'http://127.0.0.1:9/v3' };
it.each<[what: string, exit: number, status: string, code: number | undefined, env: Record<string, string>]>([
  ['a wrong secret', 4, 'rejected', 401, { CDPADM_WORKSPACE_SECRET: 'wrong' }],
  ['a missing permission', 4, 'rejected', 403, {}],
  ['a rejected body', 1, 'rejected', 400, {}],
  ['an unknown endpoint', 5, 'rejected', 404, {}],
  ['a missing secret', 4, 'not_submitted', undefined, { CDPADM_WORKSPACE_SECRET: '' }],
  ['a refused connection', 8, 'not_submitted', undefined, REFUSED],
])(
  'does not list a request as due, and allows a new one for the same person, after %s',
  async (_, exit, status, code, env) => {
    if (code !== undefined && code !== 401) await fault('POST', '/v3/requests/', { status: code, times: 1 });
    expect(await home.run(ACCESS, { env })).toMatchObject({ code: exit });
    const [entry] = await entries();
    expect(entry).toMatchObject({ status, states: [code === undefined ? { status } : { status, http_status: code }] });
    expect(await due()).toEqual([]);
    expect((await home.run(`dsr evidence ${entry?.id} --out e.zip`, { env: env === REFUSED ? env : {} })).code).toBe(0);
    expect((await home.run(ACCESS)).code).toBe(0);
  },
);

it('submits a rejected request again under the same id, and records the new submitted time', async () => {
  await home.run(ACCESS, { env: { CDPADM_WORKSPACE_SECRET: 'wrong' } });
  const [{ id } = { id: '' }] = await entries();
  const again = `${ACCESS} --request-id ${id} --submitted-time 2026-01-02T00:00:00Z`;
  await fault('POST', '/v3/requests/', { drop: 'after', times: 1 });
  // The first read shows that the id is free.
  await fault('GET', '/v3/requests/*', { status: 404, times: 1 });
  await fault('GET', '/v3/requests/*', { drop: 'before', times: 1 });
  expect((await home.run(again)).code).toBe(8);
  expect(await entries()).toMatchObject([
    { id, submitted_time: '2026-01-02T00:00:00Z', states: [{ status: 'rejected' }] },
  ]);
  expect((await entries())[0]?.status).toBeUndefined();
  expect(await due()).toEqual(['pending']);
});

it('keeps a request due while its outcome is unknown after a lost response or a 429', async () => {
  await loseResponse('after');
  expect((await home.run(ACCESS)).code).toBe(8);
  const blocked = await home.json(ACCESS);
  const [{ id } = { id: '' }] = await entries();
  expect([blocked.code, blocked.error.hint]).toEqual([12, expect.stringContaining(`--request-id ${id}`)]);
  await fault('POST', '/v3/requests/', { status: 429, times: 1 });
  expect((await home.run(ACCESS.replace('jane', 'joe'))).code).toBe(7);
  expect((await entries()).map(({ status }) => status)).toEqual([undefined, undefined]);
  expect(await due()).toEqual(['pending', 'unknown']);
});

it('records a lost request as not submitted after a day, if the credentials belong to the workspace', async () => {
  await loseResponse('before');
  expect((await home.run(ACCESS)).code).toBe(8);
  const [sooner, later] = [-60_000, 60_000].map((ms) => createTestClock(Date.now() + DAY_MS + ms));
  // No request in this workspace was ever read with these credentials.
  expect(await due({}, later)).toEqual(['unknown']);
  expect((await home.run(ACCESS.replace('jane', 'joe'))).code).toBe(0);
  const foreign = { CDPADM_WORKSPACE_KEY: 'second-workspace-key', CDPADM_WORKSPACE_SECRET: 'second-workspace-secret' };
  expect(await due(foreign, later)).toEqual(['unknown', 'pending']);
  expect(await due({}, sooner)).toEqual(['unknown', 'pending']);
  expect(await due({}, later)).toEqual(['pending']);
  expect((await entries()).map(({ status }) => status)).toEqual(['not_submitted', 'pending']);
});

it('lists a request that the platform no longer finds, then exits with 5, from the second day on', async () => {
  expect((await home.run(ACCESS)).code).toBe(0);
  const [{ id } = { id: '' }] = await entries();
  const foreign = { CDPADM_WORKSPACE_KEY: 'second-workspace-key', CDPADM_WORKSPACE_SECRET: 'second-workspace-secret' };
  const list = (line: string, days: number) =>
    home.json<{ request_status: string }[]>(line, {
      env: foreign,
      clock: createTestClock(Date.now() + days * DAY_MS),
    });
  expect(await list('dsr list', 0.5)).toMatchObject({ code: 0, data: [{ request_status: 'pending' }], stderr: '' });
  for (const line of ['dsr list', 'dsr list --due --within 7d']) {
    const { code, error } = await list(line, 2);
    const what = `1 request could not be read from the platform and may have changed: ${id}.`;
    expect([code, error.message]).toEqual([5, expect.stringContaining(what)]);
  }
});

it('waits a day after the last attempt before it records a resubmitted request as not submitted', async () => {
  expect((await home.run(ACCESS.replace('jane', 'joe'))).code).toBe(0);
  await loseResponse('before');
  expect((await home.run(ACCESS)).code).toBe(8);
  await home.platform.api.clearFaults();
  const [joe, jane] = await entries();
  const submit = async (days: number) => {
    await fault('GET', '/v3/requests/*', { status: 404, times: 1 });
    await loseResponse('before');
    const clock = createTestClock(Date.now() + days * DAY_MS);
    expect((await home.run(`${ACCESS} --request-id ${jane?.id}`, { clock })).code).toBe(8);
    await home.platform.api.clearFaults();
  };
  expect(joe?.status).toBe('pending');
  await submit(0.1);
  const dueAfter = (days: number) => due({}, createTestClock(Date.now() + days * DAY_MS));
  expect(await dueAfter(2)).toEqual(['pending']);
  await submit(3);
  expect(await dueAfter(3.5)).toEqual(['pending', 'unknown']);
});

it('rejects an id that this machine already sent for another person, if the outcome is unknown', async () => {
  await loseResponse('before');
  expect((await home.run(ACCESS)).code).toBe(8);
  const [{ id } = { id: '' }] = await entries();
  const sent = await home.received('POST', '/v3/requests');
  const other = await home.json(`${ACCESS.replace('jane', 'joe')} --request-id ${id}`);
  const what = `this machine has already sent a different request with the id ${id}`;
  expect([other.code, other.error.message]).toEqual([6, `Conflict: ${what}.`]);
  home.write('people.csv', `email,subject_request_id\njoe@example.com,${id}\njim@example.com,\n`);
  const bulk = await home.json('dsr submit --bulk people.csv --regulation gdpr --type access --yes');
  expect([bulk.code, bulk.data]).toEqual([3, expect.objectContaining({ submitted: 1, failed: 1 })]);
  expect(home.read('people.csv.results.csv')).toContain(`joe@example.com,${id},failed,Conflict: ${what}.`);
  expect(await home.received('POST', '/v3/requests')).toBe(sent + 1);
  expect((await home.run(`${ACCESS} --request-id ${id}`)).code).toBe(0);
});

it('submits a bulk file again without --resume, even with different flags, after a run with a wrong secret', async () => {
  const rows = Array.from({ length: 60 }, (_, index) => `gdpr,p${index}@example.com`);
  home.write('people.csv', `regulation,email\n${rows.join('\n')}\n`);
  const bulk = 'dsr submit --bulk people.csv --yes';
  const refused = await home.json(`${bulk} --type access`, { env: { CDPADM_WORKSPACE_SECRET: 'wrong' } });
  expect([refused.code, refused.error.message]).toEqual([4, expect.stringContaining('0 of 60 rows are complete')]);
  const { code, data } = await home.json(`${bulk} --type portability`);
  expect([code, data]).toEqual([0, expect.objectContaining({ submitted: 60, skipped: 0 })]);
  expect((await home.json(`${bulk} --type portability`)).error.code).toBe('dsr.bulk_again');
});

it('requires --resume for a bulk run whose first response was lost', async () => {
  home.defaults.clock = createFastClock(100);
  home.write('people.csv', 'regulation,email\ngdpr,jane@example.com\n');
  const bulk = 'dsr submit --bulk people.csv --type access --yes --give-up-after 0';
  await loseResponse('after');
  await fault('GET', '/v3/requests/*', { drop: 'before' });
  expect((await home.run(bulk)).code).toBe(8);
  await home.platform.api.clearFaults();
  const { code, error } = await home.json(bulk);
  expect([code, error.message]).toEqual([12, expect.stringContaining('was interrupted: 0 of 1 row')]);
  expect((await home.json(`${bulk} --resume`)).data).toMatchObject({ submitted: 1 });
  expect((await entries()).length).toBe(1);
});
