// The lifecycle of data subject requests on the embedded platform, and their effects on profiles.
import { describe, expect, it, test } from 'vitest';
import type { RequestStatusReply } from '../../../../../src/lib/contract/dsr.ts';
import { DSR_FAILURES } from '../../../../../src/lib/contract/failures.ts';
import { dsrBody, dsrCaller, raw, SKIP } from '../../../../helpers/dsr.ts';
import { basicAuth, type Exchange, startTestEmulator } from '../../../../helpers/emulator.ts';
import { opened } from '../../../../helpers/opened.ts';
import { temporaryFolder } from '../../../../helpers/temporary-folder.ts';
import { erasure, expectRejection, extension, SECOND, START, startOptions, useDsrPlatform } from '../dsr-platform.ts';

const here = useDsrPlatform();
const { create, dsr, profiles, status } = here;

describe('the lifecycle of a request', () => {
  it('takes an access request from pending to completed, after which its results expire', async () => {
    const id = await create();
    const link = `/requests/${id}/results`;
    const steps: [string, string][] = [
      ['11m', 'pending'],
      ['1m', 'in_progress'],
      ['47h', 'in_progress'],
      ['1h', 'completed'],
    ];
    for (const [duration, expected] of steps) {
      expectRejection(await dsr('GET', link), DSR_FAILURES.notFound, 'the subject request has no results');
      await here.emulator.api.advance(duration);
      expect(await status(id)).toMatchObject({
        request_status: expected,
        expected_completion_time: '2026-03-03T12:15:00Z',
        results_url: expected === 'completed' ? `${here.emulator.ready.dsr_base_url}${link}` : null,
      });
    }
    expect((await dsr('GET', link)).status).toBe(200);
    // The request was completed at 12:15:00.000, and the clock shows 12:15:00.250.
    await here.emulator.api.set('2026-03-10T12:14:59.999Z');
    expect((await dsr('GET', link)).status).toBe(200);
    await here.emulator.api.set('2026-03-10T12:15:00.000Z');
    expectRejection(await dsr('GET', link), DSR_FAILURES.resultsExpired);
    expect(await status(id)).toMatchObject({ results_url: `${here.emulator.ready.dsr_base_url}${link}` });
  });

  it('delays an erasure by seven days and completes it without results', async () => {
    const id = await create(erasure);
    await here.emulator.api.set('2026-03-08T12:03:00.249Z');
    expect(await status(id)).toMatchObject({ request_status: 'pending' });
    await here.emulator.api.set(START.replace('03-01', '03-08'));
    expect(await status(id)).toMatchObject({ request_status: 'in_progress' });
    await here.emulator.api.advance('2d');
    expect(await status(id)).toMatchObject({ request_status: 'completed', results_url: null });
    expectRejection(
      await dsr('GET', `/requests/${id}/results`),
      DSR_FAILURES.notFound,
      'the subject request has no results',
    );
  });

  it('is the same if the clock skips the whole period', async () => {
    const [access, erased] = [await create(), await create(erasure)];
    await here.emulator.api.advance('30d');
    expect(await status(access)).toMatchObject({ request_status: 'completed' });
    expect(await status(erased)).toMatchObject({ request_status: 'completed' });
    expectRejection(await dsr('GET', `/requests/${access}/results`), DSR_FAILURES.resultsExpired);
  });

  it('continues when the platform is restarted', async () => {
    const data = temporaryFolder();
    const first = await startTestEmulator({ ...startOptions(), data });
    const body = dsrBody(erasure);
    expect((await dsrCaller(first)('POST', '/requests/', { body })).status).toBe(201);
    await first.api.advance('7d');
    await first.close();
    const second = await opened(startTestEmulator({ data }));
    const after = dsrCaller(second);
    expect((await after('GET', `/requests/${body.subject_request_id}`)).json).toMatchObject({
      request_status: 'in_progress',
      controller_id: '3001',
    });
    expectRejection(await after('POST', '/requests/', { body }), DSR_FAILURES.exists);
    await second.api.advance('2d');
    const done = await after('GET', `/requests/${body.subject_request_id}`);
    expect(done.json).toMatchObject({ request_status: 'completed', expected_completion_time: '2026-03-10T12:03:01Z' });
  });
});

describe('results', () => {
  const resultsOf = async (change: Record<string, unknown>): Promise<Exchange> => {
    const id = await create(change);
    await here.emulator.api.advance('3d');
    return dsr('GET', `/requests/${id}/results`);
  };

  it('contain all data about the subject, one line per profile', async () => {
    const reply = await resultsOf({});
    expect(reply.status).toBe(200);
    expect(reply.headers).toMatchObject({
      'content-type': 'application/x-ndjson',
      'content-disposition': expect.stringMatching(/^attachment; filename="[0-9a-f-]{36}\.ndjson"$/) as string,
    });
    const lines = reply.text.split('\n');
    expect(lines).toHaveLength(2);
    expect(reply.text).toContain('"xpid":-7201284209016359738,');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      workspace_id: 3001,
      identities: { email: ['ada@people.example'], customer_id: ['c-1'], other4: ['four'] },
      user_attributes: { city: 'Ulm' },
      events: [],
    });
  });

  test.each<[string, Record<string, unknown>]>([
    ['an internal type with another name', { subject_identities: { controller_customer_id: raw('c-1') } }],
    ['a type in the extension', extension({ other4: raw('four') })],
    ['xpid, to the last digit', extension({ xpid: raw('-7201284209016359738') })],
  ])('are found by %s', async (_name, change) => {
    const reply = await resultsOf({ subject_request_type: 'portability', ...change });
    expect([reply.status, reply.text]).toEqual([200, expect.stringContaining('ada@people.example')]);
  });

  it('contain all profiles that match any of several identities', async () => {
    const reply = await resultsOf({
      subject_identities: { email: raw('ada@people.example'), osa_id: raw('device-1') },
    });
    const found = reply.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { identities: object });
    expect(found.map(({ identities }) => identities)).toMatchObject([
      { email: ['ada@people.example'] },
      { osa_uuid: ['device-1'] },
    ]);
  });

  test.each<[string, Record<string, unknown>]>([
    ['an unknown value', { subject_identities: { email: raw('nobody@people.example') } }],
    ['the same value with another type', { subject_identities: { controller_customer_id: raw('ada@people.example') } }],
    ['an xpid with a different last digit', extension({ xpid: raw('-7201284209016359737') })],
  ])('return 404 if no profile has %s', async (_name, change) => {
    expectRejection(await resultsOf(change), DSR_FAILURES.noRecords);
  });

  it('are collected when the request is completed, so there are none after an earlier erasure', async () => {
    const access = await create();
    await create({ ...erasure, ...SKIP });
    await here.emulator.api.advance('2d');
    const later = await create({ subject_request_type: 'portability' });
    await here.emulator.api.advance('3d');
    expectRejection(await dsr('GET', `/requests/${access}/results`), DSR_FAILURES.noRecords);
    expectRejection(await dsr('GET', `/requests/${later}/results`), DSR_FAILURES.noRecords);
  });

  it('are kept after a later erasure', async () => {
    const access = await create();
    await create(erasure);
    await here.emulator.api.advance('7d');
    expect(await profiles('email=ada@people.example')).toMatchObject([{ workspace_id: 3002 }]);
    expect((await dsr('GET', `/requests/${access}/results`)).text).toContain('ada@people.example');
  });

  it('are accessible only in their workspace', async () => {
    const id = await create();
    await here.emulator.api.advance('3d');
    expectRejection(await dsr('GET', `/requests/${id}/results`, { as: SECOND }), DSR_FAILURES.notFound);
  });
});

describe('erasure', () => {
  it('deletes profiles by any identity after the waiting period, but only in its workspace', async () => {
    await create({ ...erasure, subject_identities: { controller_customer_id: raw('c-1') } });
    await here.emulator.api.set('2026-03-08T12:03:00Z');
    expect(await profiles('email=ada@people.example')).toHaveLength(2);
    await here.emulator.api.advance('1s');
    expect(await profiles('email=ada@people.example')).toMatchObject([{ workspace_id: 3002 }]);
    expect(await profiles('xpid=-7201284209016359738')).toEqual([]);
    expect(await profiles('email=noor@people.example')).toHaveLength(1);
  });

  it('runs at the next quarter hour if there is no waiting period', async () => {
    await create({ ...erasure, ...SKIP });
    await here.emulator.api.set('2026-03-01T12:14:59.999Z');
    expect(await profiles('email=ada@people.example')).toHaveLength(2);
    await here.emulator.api.advance('1ms');
    expect(await profiles('email=ada@people.example')).toHaveLength(1);
  });

  it('deletes all profiles that have one of its identities', async () => {
    const subject_identities = { email: raw('ada@people.example'), osa_id: raw('device-1') };
    await create({ ...erasure, ...SKIP, subject_identities });
    await here.emulator.api.advance('15m');
    expect(await profiles('email=ada@people.example')).toHaveLength(1);
    expect(await profiles('email=noor@people.example')).toEqual([]);
  });

  it('deletes profiles that seeding created in the meantime', async () => {
    await create({ ...erasure, subject_identities: { osb_vendor_id: raw('idfv-1') } });
    const { workspace_key, workspace_secret } = here.emulator.ready;
    const seed = { attribute_name: 'n', calculation_type: 'count', cutoff_date: '2026-01-01', seed: { value: 1 } };
    const seeded = await here.emulator.send('POST', '/v2/calculatedattributes', {
      headers: basicAuth(`${workspace_key}:${workspace_secret}`),
      body: {
        environment: 'development',
        identities: { osb_vendor_id: 'idfv-1' },
        calculated_attributes: { 3001: [seed] },
      },
    });
    expect(seeded.status).toBe(202);
    expect(await profiles('osb_idfv=idfv-1')).toHaveLength(1);
    await here.emulator.api.advance('8d');
    expect(await profiles('osb_idfv=idfv-1')).toEqual([]);
  });
});

describe('forwarding', () => {
  const SKIPPED = 'the request has none of the identities that the partner needs';

  it('is queued, or skipped if required identities are missing, and then gets the final status from the fixtures', async () => {
    const id = await create(erasure);
    const skipped = { domain: 'phone.example', name: 'Phone', status: 'skipped', status_message: SKIPPED };
    expect((await status(id)).extensions).toEqual([
      { domain: 'sent.example', name: 'Sent', status: 'pending' },
      { domain: 'failed.example', name: 'Failed', status: 'pending' },
      { domain: 'queued.example', name: 'Queued', status: 'pending' },
      skipped,
    ]);
    await here.emulator.api.advance('12m');
    expect((await status(id)).extensions).toEqual([
      { domain: 'sent.example', name: 'Sent', status: 'sent' },
      { domain: 'failed.example', name: 'Failed', status: 'failed', status_message: 'invalid credentials' },
      { domain: 'queued.example', name: 'Queued', status: 'pending' },
      skipped,
    ]);
    expect(await status(id)).toMatchObject({ request_status: 'pending' });
  });

  test.each<[string, Record<string, unknown>]>([
    ['in the request', { subject_identities: { controller_customer_id: raw('c') } }],
    ['in the extension', extension({ mobile_number: raw('+49') })],
  ])('finds the required identity %s', async (_name, change) => {
    const id = await create({ ...erasure, ...change });
    expect((await status(id)).extensions).toContainEqual({ domain: 'phone.example', name: 'Phone', status: 'pending' });
  });

  it('keeps its final status after a cancellation, or is skipped if it had none', async () => {
    const early = await create(erasure);
    await dsr('DELETE', `/requests/${early}`);
    const cancelled = 'the request was cancelled before it was forwarded';
    const late = await create(erasure);
    await here.emulator.api.advance('12m');
    await dsr('DELETE', `/requests/${late}`);
    const statuses = async (id: string) =>
      (await status(id)).extensions?.map((entry) => [entry.status, entry.status_message]);
    expect(await statuses(early)).toEqual([
      ...Array.from({ length: 3 }, () => ['skipped', cancelled]),
      ['skipped', SKIPPED],
    ]);
    expect(await statuses(late)).toEqual([
      ['sent', undefined],
      ['failed', 'invalid credentials'],
      ['skipped', cancelled],
      ['skipped', SKIPPED],
    ]);
  });

  it("applies only to erasures and only to the workspace's partners", async () => {
    const access = await create();
    expect((await status(access)).extensions).toBeNull();
    const id = await create(erasure, SECOND);
    const { json } = await dsr('GET', `/requests/${id}`, { as: SECOND });
    expect((json as RequestStatusReply).extensions?.map(({ domain }) => domain)).toContain('other.example');
  });
});
