// C. Data subject requests on the embedded platform: every rule and sentence of the specification, and whole lives.
import { createPublicKey, verify, X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
import {
  CancelReply,
  CreateReply,
  DiscoveryReply,
  DsrErrorReply,
  RequestStatusReply,
} from '../../../src/lib/contract/dsr.ts';
import { DSR_FAILURES, type Failure } from '../../../src/lib/contract/failures.ts';
import { createTestClock } from '../../helpers/clock.ts';
import { dsrBody, dsrSender, raw, SKIP } from '../../helpers/dsr.ts';
import { basicAuth, type Exchange, send, startTestEmulator, type TestEmulator } from '../../helpers/emulator.ts';
import { opened } from '../../helpers/opened.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';

const START = '2026-03-01T12:03:00.250Z';
const FIXTURES = {
  workspaces: [
    { id: 3001, key: 'key-1', secret: 'secret-1' },
    { id: 3002, key: 'key-2', secret: 'secret-2' },
  ],
  profiles: [
    {
      xpid: '-7201284209016359738',
      identities: { email: 'ada@people.example', customer_id: 'c-1', other_id_4: 'four' },
      user_attributes: { city: 'Ulm' },
    },
    { identities: { email: 'noor@people.example', osa_uuid: 'device-1' } },
    { workspace_id: 3002, identities: { email: 'ada@people.example' } },
  ],
  partners: [
    { domain: 'sent.example', name: 'Sent' },
    { domain: 'failed.example', name: 'Failed', status: 'failed', status_message: 'invalid credentials' },
    { domain: 'queued.example', name: 'Queued', status: 'pending' },
    { domain: 'phone.example', name: 'Phone', identity_types: ['mobile_number', 'controller_customer_id'] },
    { domain: 'other.example', name: 'Elsewhere', workspace_id: 3002 },
  ],
};

let emulator: TestEmulator;
let dsr: ReturnType<typeof dsrSender>;
beforeAll(async () => {
  emulator = await startTestEmulator({
    clock: 'manual',
    systemClock: createTestClock(Date.parse(START)),
    fixtures: FIXTURES,
  });
  dsr = dsrSender(emulator);
});
afterAll(() => emulator.close());
beforeEach(() => emulator.reset());

const SECOND = 'key-2:secret-2';

async function create(change: Record<string, unknown> = {}, as?: string): Promise<string> {
  const body = dsrBody(change);
  const reply = await dsr('POST', '/requests/', { body, ...(as !== undefined && { as }) });
  if (reply.status !== 201) throw new Error(`${reply.status} ${reply.text}`);
  return body.subject_request_id;
}

const erasure = { subject_request_type: 'erasure' };
const status = async (id: string): Promise<RequestStatusReply> =>
  RequestStatusReply.parse((await dsr('GET', `/requests/${id}`)).json);

function expectRefusal(reply: Exchange, failure: Failure, ...sentences: string[]): void {
  expect([reply.status, reply.json]).toEqual([
    failure.status,
    {
      code: failure.status,
      message: failure.message,
      errors: (sentences.length === 0 ? [failure.message] : sentences).map((message) => ({
        domain: 'subject_request',
        reason: expect.stringMatching(/^[a-z_]+$/) as string,
        message,
      })),
    },
  ]);
  expect(DsrErrorReply.safeParse(reply.json).success).toBe(true);
}

describe('POST /requests/', () => {
  it('answers 201 with times, the raw request in Base64, and the workspace', async () => {
    const body = dsrBody();
    const sent = `\n ${JSON.stringify(body)} `;
    const reply = await dsr('POST', '/requests/', { body: sent });
    expect(reply.status).toBe(201);
    expect(CreateReply.parse(reply.json)).toEqual({
      // Picked up at 12:15, worked on for two days.
      expected_completion_time: '2026-03-03T12:15:00Z',
      received_time: START,
      encoded_request: Buffer.from(sent).toString('base64'),
      subject_request_id: body.subject_request_id,
      controller_id: '3001',
    });
  });

  it('signs its answer with the certificate that discovery names', async () => {
    const reply = await dsr('POST', '/requests/', { body: dsrBody() });
    expect(reply.headers).toMatchObject({
      'content-type': 'application/json',
      'x-opendsr-processor-domain': 'opendsr.platform.example',
    });
    const discovery = DiscoveryReply.parse((await dsr('GET', '/discovery/')).json);
    const pem = await send('GET', discovery.processor_certificate);
    expect([pem.status, pem.headers['content-type']]).toEqual([200, 'application/x-pem-file']);
    const certificate = new X509Certificate(pem.text);
    expect(certificate.checkHost('opendsr.platform.example')).toBe('opendsr.platform.example');
    const signature = String(reply.headers['x-opendsr-signature']);
    expect(Buffer.from(signature, 'base64').toString('base64')).toBe(signature);
    const key = createPublicKey(pem.text);
    expect(verify('sha256', Buffer.from(reply.text), key, Buffer.from(signature, 'base64'))).toBe(true);
    expect(verify('sha256', Buffer.from(`${reply.text} `), key, Buffer.from(signature, 'base64'))).toBe(false);
  });

  test.each<[string, Record<string, unknown>, string]>([
    ['an erasure after its waiting period', erasure, '2026-03-10T12:03:01Z'],
    ['an erasure that skips it', { ...erasure, ...SKIP }, '2026-03-03T12:15:00Z'],
    ['portability', { subject_request_type: 'portability' }, '2026-03-03T12:15:00Z'],
  ])('expects the completion of %s', async (_name, change, expected) => {
    const reply = await dsr('POST', '/requests/', { body: dsrBody(change) });
    expect(reply.json).toMatchObject({ expected_completion_time: expected });
  });

  it('takes an id in upper case as the same in lower case', async () => {
    const body = dsrBody({ subject_request_id: 'A3B9C1D2-0000-4000-8000-00000000000A' });
    const reply = await dsr('POST', '/requests/', { body });
    expect(reply.json).toMatchObject({ subject_request_id: 'a3b9c1d2-0000-4000-8000-00000000000a' });
    const found = await dsr('GET', '/requests/A3B9C1D2-0000-4000-8000-00000000000a/');
    expect(found.json).toMatchObject({ subject_request_id: 'a3b9c1d2-0000-4000-8000-00000000000a' });
    expectRefusal(await dsr('POST', '/requests/', { body }), DSR_FAILURES.exists);
  });

  it('ignores fields that it does not know, at every depth', async () => {
    const more = { new: 1, subject_identities: { email: { ...raw('x'), verified: true } } };
    expect((await dsr('POST', '/requests', { body: dsrBody(more) })).status).toBe(201);
  });

  test.each<[string, unknown, Failure, string]>([
    ['no JSON', '{"regulation"', DSR_FAILURES.invalid, expect.stringContaining('not valid JSON') as string],
    ['no object', [dsrBody()], DSR_FAILURES.invalid, 'must be an object, not a list'],
    ['another regulation', dsrBody({ regulation: 'x' }), DSR_FAILURES.invalid, 'regulation must be `gdpr` or `ccpa`'],
    [
      'a version 2 body',
      dsrBody({ api_version: '2.0' }),
      DSR_FAILURES.invalid,
      'api_version must be `3.0`; bodies of other versions have another form',
    ],
    [
      'the list form of versions 1 and 2',
      dsrBody({ subject_identities: [{ identity_type: 'email', identity_value: 'a', identity_format: 'raw' }] }),
      DSR_FAILURES.invalid,
      'subject_identities must be an object, not a list',
    ],
    [
      'xpid beside another identity',
      dsrBody({ extensions: { 'opendsr.platform.example': { subject_identities: { xpid: raw('1') } } } }),
      DSR_FAILURES.xpidWithOthers,
      'extensions.opendsr.platform.example.subject_identities.xpid `xpid` given together with any other identity',
    ],
    [
      "another vendor's extension",
      dsrBody({ extensions: { 'opendsr.other.example': { subject_identities: { other: raw('1') } } } }),
      DSR_FAILURES.invalid,
      'extensions.opendsr.other.example is not known here; the extension of this platform is opendsr.platform.example',
    ],
  ])('refuses %s', async (_name, body, failure, sentence) => {
    expectRefusal(await dsr('POST', '/requests/', { body }), failure, sentence);
  });

  it('refuses another content type', async () => {
    const reply = await dsr('POST', '/requests/', { body: dsrBody(), headers: { 'content-type': 'text/plain' } });
    expectRefusal(reply, DSR_FAILURES.invalid, 'Content-Type must be application/json');
  });

  it('counts identities before it looks at anything else', async () => {
    const subject_identities = Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`type_${at}`, 'x']));
    const reply = await dsr('POST', '/requests/', { body: dsrBody({ regulation: 'x', subject_identities }) });
    expectRefusal(reply, DSR_FAILURES.invalid, 'holds 51 identities; at most 50 are allowed');
  });

  describe('of the same subject', () => {
    const same = { subject_identities: { ose_publishing_id: raw('p'), email: raw('a') } };
    const alike = { subject_identities: { email: raw('a'), ose_publisher_id: raw('p') }, regulation: 'ccpa' };

    it('is a conflict while one is pending or in progress, however it is written', async () => {
      await create(same);
      expectRefusal(await dsr('POST', '/requests/', { body: dsrBody(alike) }), DSR_FAILURES.sameInProgress);
      await emulator.api.advance('15m');
      expectRefusal(await dsr('POST', '/requests/', { body: dsrBody(alike) }), DSR_FAILURES.sameInProgress);
      await emulator.api.advance('2d');
      expect((await dsr('POST', '/requests/', { body: dsrBody(alike) })).status).toBe(201);
    });

    it('is none after a cancellation, of another type, with another extension or in another workspace', async () => {
      const id = await create({ ...same, ...erasure });
      await create(same);
      await create({ ...same, ...erasure, ...SKIP });
      await create({ ...same, ...erasure }, SECOND);
      expect((await dsr('DELETE', `/requests/${id}`)).status).toBe(200);
      await create({ ...same, ...erasure });
    });

    it('does not mind an extension that only says what holds without it', async () => {
      const told = {
        extensions: { 'opendsr.platform.example': { skip_waiting_period: false, subject_identities: {} } },
      };
      await create({ ...erasure, extensions: { 'opendsr.platform.example': {} } });
      const reply = await dsr('POST', '/requests/', { body: dsrBody({ ...erasure, ...told }) });
      expectRefusal(reply, DSR_FAILURES.sameInProgress);
    });

    it('with the same id is told of the id', async () => {
      const body = dsrBody();
      await dsr('POST', '/requests/', { body });
      expectRefusal(await dsr('POST', '/requests/', { body }), DSR_FAILURES.exists);
    });
  });

  it('takes 150 requests of a group, and no more in any state', async () => {
    const inGroup = (at: number, as?: string) =>
      create({ group_id: 'g', subject_identities: { email: raw(`${at}@people.example`) } }, as);
    const first = await inGroup(0);
    for (let at = 1; at < 150; at++) await inGroup(at);
    await dsr('DELETE', `/requests/${first}`);
    const reply = await dsr('POST', '/requests/', { body: dsrBody({ group_id: 'g' }) });
    expectRefusal(reply, DSR_FAILURES.invalid, 'group_id has 150 requests already; at most 150 are allowed');
    await inGroup(0, SECOND);
    await create({ group_id: 'other' });
  });
});

describe('GET', () => {
  it('answers a request that is new', async () => {
    const id = await create({ group_id: 'g' });
    const reply = await dsr('GET', `/requests/${id}`);
    expect(reply.json).toEqual({
      controller_id: '3001',
      expected_completion_time: '2026-03-03T12:15:00Z',
      subject_request_id: id,
      group_id: 'g',
      request_status: 'pending',
      api_version: '3.0',
      results_url: null,
      extensions: null,
    });
  });

  it('lists a group in the order of arrival, and nothing for one that it does not know', async () => {
    const ids = [
      await create({ group_id: 'g 1' }),
      await create({ group_id: 'g 1', ...erasure }),
      await create({ group_id: 'g 2', subject_request_type: 'portability' }),
    ];
    await create({ group_id: 'g 1' }, SECOND);
    const listed = (await dsr('GET', '/requests?group_id=g%201')).json as RequestStatusReply[];
    expect(listed).toEqual([await status(ids[0] ?? ''), await status(ids[1] ?? '')]);
    for (const unknown of ['none', 'g', '%00']) {
      const { status: code, json } = await dsr('GET', `/requests/?group_id=${unknown}`);
      expect([code, json]).toEqual([200, []]);
    }
  });

  test.each(['/requests', '/requests?group_id=', '/requests?group=g'])('%s lacks the group', async (path) => {
    expectRefusal(await dsr('GET', path), DSR_FAILURES.invalid, 'query parameter group_id is missing');
  });

  it.each(['GET', 'DELETE'])('%s knows neither strange ids nor those of another workspace', async (method) => {
    const id = await create({}, SECOND);
    for (const path of [id, 'a3b9c1d2-0000-4000-8000-000000000009', 'x', '%00', "'--"]) {
      expectRefusal(await dsr(method, `/requests/${path}`), DSR_FAILURES.notFound);
    }
    expect((await dsr('GET', `/requests/${id}`, { as: SECOND })).status).toBe(200);
  });

  it('discovers identity types in the order of the specification', async () => {
    const { json } = await dsr('GET', '/discovery');
    expect(json).toEqual({
      api_version: '3.0',
      supported_identities: [
        ...['osa_advertising_id', 'osa_id', 'controller_customer_id', 'email', 'osc_advertising_id'],
        ...['osb_advertising_id', 'osb_vendor_id', 'osd_advertising_id', 'osd_publisher_id', 'ose_advertising_id'],
        'ose_publisher_id',
      ].map((identity_type) => ({ identity_type, identity_format: 'raw' })),
      supported_subject_request_types: ['access', 'erasure', 'portability'],
      processor_certificate: `${emulator.url}/certificates/processor.pem`,
    });
  });
});

describe('credentials', () => {
  const calls = [
    ['POST', '/requests/'],
    ['GET', '/requests?group_id=g'],
    ['GET', '/requests/a3b9c1d2-0000-4000-8000-000000000009'],
    ['GET', '/requests/a3b9c1d2-0000-4000-8000-000000000009/results'],
    ['DELETE', '/requests/a3b9c1d2-0000-4000-8000-000000000009'],
    ['GET', '/discovery/'],
  ] as const;

  test.each(calls)('%s %s needs them', async (method, path) => {
    for (const authorization of ['', 'Basic', 'Basic x', basicAuth('key-1:secret-2').authorization, 'Bearer token']) {
      const reply = await emulator.send(method, `/v3${path}`, { headers: { authorization } });
      expectRefusal(reply, DSR_FAILURES.unauthorized);
      expect(reply.headers['www-authenticate']).toMatch(/^Basic /);
    }
    expectRefusal(await emulator.send(method, `/v3${path}`), DSR_FAILURES.unauthorized);
  });

  it('are not needed for the certificate', async () => {
    expect((await emulator.send('GET', '/certificates/processor.pem')).status).toBe(200);
  });
});

describe('a life', () => {
  it('of an access request goes from pending to completed, and its results expire', async () => {
    const id = await create();
    const link = `/requests/${id}/results`;
    const steps: [string, string][] = [
      ['11m', 'pending'],
      ['1m', 'in_progress'],
      ['47h', 'in_progress'],
      ['1h', 'completed'],
    ];
    for (const [duration, expected] of steps) {
      expectRefusal(await dsr('GET', link), DSR_FAILURES.notFound, 'the subject request has no results');
      await emulator.api.advance(duration);
      expect(await status(id)).toMatchObject({
        request_status: expected,
        expected_completion_time: '2026-03-03T12:15:00Z',
        results_url: expected === 'completed' ? `${emulator.ready.dsr_base_url}${link}` : null,
      });
    }
    expect((await dsr('GET', link)).status).toBe(200);
    // Completed at 12:15:00.000, and now it is 12:15:00.250.
    await emulator.api.set('2026-03-10T12:14:59.999Z');
    expect((await dsr('GET', link)).status).toBe(200);
    await emulator.api.set('2026-03-10T12:15:00.000Z');
    expectRefusal(await dsr('GET', link), DSR_FAILURES.resultsExpired);
    expect(await status(id)).toMatchObject({ results_url: `${emulator.ready.dsr_base_url}${link}` });
  });

  it('of an erasure waits seven days, and ends without results', async () => {
    const id = await create(erasure);
    await emulator.api.set('2026-03-08T12:03:00.249Z');
    expect(await status(id)).toMatchObject({ request_status: 'pending' });
    await emulator.api.set(START.replace('03-01', '03-08'));
    expect(await status(id)).toMatchObject({ request_status: 'in_progress' });
    await emulator.api.advance('2d');
    expect(await status(id)).toMatchObject({ request_status: 'completed', results_url: null });
    expectRefusal(
      await dsr('GET', `/requests/${id}/results`),
      DSR_FAILURES.notFound,
      'the subject request has no results',
    );
  });

  it('is the same in one jump', async () => {
    const [access, erased] = [await create(), await create(erasure)];
    await emulator.api.advance('30d');
    expect(await status(access)).toMatchObject({ request_status: 'completed' });
    expect(await status(erased)).toMatchObject({ request_status: 'completed' });
    expectRefusal(await dsr('GET', `/requests/${access}/results`), DSR_FAILURES.resultsExpired);
  });

  it('goes on where it was when the platform starts again', async () => {
    const data = temporaryFolder();
    const system = createTestClock(Date.parse(START));
    const options = { data, clock: 'manual' as const, systemClock: system, fixtures: FIXTURES };
    const first = await startTestEmulator(options);
    const body = dsrBody(erasure);
    expect((await dsrSender(first)('POST', '/requests/', { body })).status).toBe(201);
    await first.api.advance('7d');
    await first.close();
    const second = await opened(startTestEmulator({ data }));
    const after = dsrSender(second);
    expect((await after('GET', `/requests/${body.subject_request_id}`)).json).toMatchObject({
      request_status: 'in_progress',
      controller_id: '3001',
    });
    expectRefusal(await after('POST', '/requests/', { body }), DSR_FAILURES.exists);
    await second.api.advance('2d');
    const done = await after('GET', `/requests/${body.subject_request_id}`);
    expect(done.json).toMatchObject({ request_status: 'completed', expected_completion_time: '2026-03-10T12:03:01Z' });
  });
});

describe('DELETE', () => {
  it('cancels what is pending', async () => {
    const id = await create(erasure);
    await emulator.api.advance('1d');
    const reply = await dsr('DELETE', `/requests/${id}/`);
    expect(reply.status).toBe(200);
    expect(CancelReply.parse(reply.json)).toEqual({
      expected_completion_time: null,
      received_time: START.replace('03-01', '03-02'),
      subject_request_id: id,
      controller_id: '3001',
    });
    await emulator.api.advance('30d');
    expect(await status(id)).toMatchObject({ request_status: 'cancelled', expected_completion_time: null });
    expect(await profiles('email=ada@people.example')).toHaveLength(2);
  });

  test.each<[string, string]>([
    ['in_progress', '15m'],
    ['completed', '3d'],
  ])('refuses what is %s', async (state, duration) => {
    const id = await create();
    await emulator.api.advance(duration);
    const sentence = `the subject request is ${state}, not pending`;
    expectRefusal(await dsr('DELETE', `/requests/${id}`), DSR_FAILURES.notPending, sentence);
  });

  it('refuses a second time', async () => {
    const id = await create();
    await dsr('DELETE', `/requests/${id}`);
    const sentence = 'the subject request is cancelled, not pending';
    expectRefusal(await dsr('DELETE', `/requests/${id}`), DSR_FAILURES.notPending, sentence);
  });
});

async function profiles(query: string): Promise<{ workspace_id: number; identities: Record<string, string[]> }[]> {
  return (await send('GET', `${emulator.control}/profiles?${query}`)).json as never;
}

describe('results', () => {
  const resultsOf = async (change: Record<string, unknown>): Promise<Exchange> => {
    const id = await create(change);
    await emulator.api.advance('3d');
    return dsr('GET', `/requests/${id}/results`);
  };

  it('are everything that is held on the subject, a line for each profile', async () => {
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
    ['an internal type of another name', { subject_identities: { controller_customer_id: raw('c-1') } }],
    ['a type of the extension', extension({ other4: raw('four') })],
    ['xpid, to the last digit', extension({ xpid: raw('-7201284209016359738') })],
  ])('are found by %s', async (_name, change) => {
    const reply = await resultsOf({ subject_request_type: 'portability', ...change });
    expect([reply.status, reply.text]).toEqual([200, expect.stringContaining('ada@people.example')]);
  });

  it('of several identities are those of all profiles that they name', async () => {
    const reply = await resultsOf({
      subject_identities: { email: raw('ada@people.example'), osa_id: raw('device-1') },
    });
    expect(reply.text.match(/"xpid"/g)).toHaveLength(2);
  });

  test.each<[string, Record<string, unknown>]>([
    ['an unknown value', { subject_identities: { email: raw('nobody@people.example') } }],
    ['another type of the same value', { subject_identities: { controller_customer_id: raw('ada@people.example') } }],
    ['an id one digit away', extension({ xpid: raw('-7201284209016359737') })],
  ])('are 404 when nobody has %s', async (_name, change) => {
    expectRefusal(await resultsOf(change), DSR_FAILURES.noRecords);
  });

  it('are collected when the work is done: who was erased until then has none', async () => {
    const access = await create();
    await create({ ...erasure, ...SKIP });
    await emulator.api.advance('2d');
    const later = await create({ subject_request_type: 'portability' });
    await emulator.api.advance('3d');
    expectRefusal(await dsr('GET', `/requests/${access}/results`), DSR_FAILURES.noRecords);
    expectRefusal(await dsr('GET', `/requests/${later}/results`), DSR_FAILURES.noRecords);
  });

  it('outlive an erasure that comes after them', async () => {
    const access = await create();
    await create(erasure);
    await emulator.api.advance('7d');
    expect(await profiles('email=ada@people.example')).toMatchObject([{ workspace_id: 3002 }]);
    expect((await dsr('GET', `/requests/${access}/results`)).text).toContain('ada@people.example');
  });

  it('are nobody else’s', async () => {
    const id = await create();
    await emulator.api.advance('3d');
    expectRefusal(await dsr('GET', `/requests/${id}/results`, { as: SECOND }), DSR_FAILURES.notFound);
  });
});

function extension(subject_identities: Record<string, unknown>): Record<string, unknown> {
  return { subject_identities: undefined, extensions: { 'opendsr.platform.example': { subject_identities } } };
}

describe('erasure', () => {
  it('happens when the waiting is over, by any identity, in this workspace only', async () => {
    await create({ ...erasure, subject_identities: { controller_customer_id: raw('c-1') } });
    await emulator.api.set('2026-03-08T12:03:00Z');
    expect(await profiles('email=ada@people.example')).toHaveLength(2);
    await emulator.api.advance('1s');
    expect(await profiles('email=ada@people.example')).toMatchObject([{ workspace_id: 3002 }]);
    expect(await profiles('xpid=-7201284209016359738')).toEqual([]);
    expect(await profiles('email=noor@people.example')).toHaveLength(1);
  });

  it('without waiting happens at the next quarter of an hour', async () => {
    await create({ ...erasure, ...SKIP });
    await emulator.api.set('2026-03-01T12:14:59.999Z');
    expect(await profiles('email=ada@people.example')).toHaveLength(2);
    await emulator.api.advance('1ms');
    expect(await profiles('email=ada@people.example')).toHaveLength(1);
  });

  it('takes all profiles that its identities name', async () => {
    const subject_identities = { email: raw('ada@people.example'), osa_id: raw('device-1') };
    await create({ ...erasure, ...SKIP, subject_identities });
    await emulator.api.advance('15m');
    expect(await profiles('email=ada@people.example')).toHaveLength(1);
    expect(await profiles('email=noor@people.example')).toEqual([]);
  });

  it('finds what seeding made meanwhile', async () => {
    await create({ ...erasure, subject_identities: { osb_vendor_id: raw('idfv-1') } });
    const { workspace_key, workspace_secret } = emulator.ready;
    const seed = { attribute_name: 'n', calculation_type: 'count', cutoff_date: '2026-01-01', seed: { value: 1 } };
    const seeded = await emulator.send('POST', '/v2/calculatedattributes', {
      headers: basicAuth(`${workspace_key}:${workspace_secret}`),
      body: {
        environment: 'development',
        identities: { osb_vendor_id: 'idfv-1' },
        calculated_attributes: { 3001: [seed] },
      },
    });
    expect(seeded.status).toBe(202);
    expect(await profiles('osb_idfv=idfv-1')).toHaveLength(1);
    await emulator.api.advance('8d');
    expect(await profiles('osb_idfv=idfv-1')).toEqual([]);
  });
});

describe('forwarding', () => {
  const SKIPPED = 'the request holds none of the identities that the partner needs';

  it('is queued, skipped for missing identities, and ends as the fixtures say', async () => {
    const id = await create(erasure);
    const skipped = { domain: 'phone.example', name: 'Phone', status: 'skipped', status_message: SKIPPED };
    expect((await status(id)).extensions).toEqual([
      { domain: 'sent.example', name: 'Sent', status: 'pending' },
      { domain: 'failed.example', name: 'Failed', status: 'pending' },
      { domain: 'queued.example', name: 'Queued', status: 'pending' },
      skipped,
    ]);
    await emulator.api.advance('12m');
    expect((await status(id)).extensions).toEqual([
      { domain: 'sent.example', name: 'Sent', status: 'sent' },
      { domain: 'failed.example', name: 'Failed', status: 'failed', status_message: 'invalid credentials' },
      { domain: 'queued.example', name: 'Queued', status: 'pending' },
      skipped,
    ]);
    expect(await status(id)).toMatchObject({ request_status: 'pending' });
  });

  test.each<[string, Record<string, unknown>]>([
    ['of the request', { subject_identities: { controller_customer_id: raw('c') } }],
    ['of the extension', extension({ mobile_number: raw('+49') })],
  ])('needs one identity, %s or of the extension', async (_name, change) => {
    const id = await create({ ...erasure, ...change });
    expect((await status(id)).extensions).toContainEqual({ domain: 'phone.example', name: 'Phone', status: 'pending' });
  });

  it('that was sent stays sent when the request is cancelled, and goes no further otherwise', async () => {
    const early = await create(erasure);
    await dsr('DELETE', `/requests/${early}`);
    const cancelled = 'the request was cancelled before it was forwarded';
    const late = await create(erasure);
    await emulator.api.advance('12m');
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

  it('is of erasures only, and of the partners of the workspace', async () => {
    const access = await create();
    expect((await status(access)).extensions).toBeNull();
    const id = await create(erasure, SECOND);
    const { json } = await dsr('GET', `/requests/${id}`, { as: SECOND });
    expect((json as RequestStatusReply).extensions?.map(({ domain }) => domain)).toContain('other.example');
  });
});

describe('settings', () => {
  it('a limit answers 429 with the seconds to wait, per workspace', async () => {
    const limited = await opened(
      startTestEmulator({
        clock: 'manual',
        systemClock: createTestClock(Date.parse(START)),
        fixtures: { ...FIXTURES, limits: { dsr_per_minute: 2 } },
      }),
    );
    const call = dsrSender(limited);
    await call('GET', '/discovery/');
    await limited.api.advance('10s');
    await call('POST', '/requests/', { body: dsrBody() });
    const reply = await call('POST', '/requests/', { body: dsrBody() });
    expectRefusal(reply, DSR_FAILURES.rateLimited);
    expect(reply.headers['retry-after']).toBe('50');
    expect((await call('GET', '/discovery/', { as: SECOND })).status).toBe(200);
    await limited.api.advance('50s');
    expect((await call('GET', '/discovery/')).status).toBe(200);
  });

  it('requests of the fixtures have lived for as long as they say', async () => {
    const [old, young, gone] = [
      dsrBody(),
      dsrBody(),
      dsrBody({ ...erasure, subject_identities: { osa_id: raw('device-1') } }),
    ];
    const platform = await opened(
      startTestEmulator({
        clock: 'manual',
        systemClock: createTestClock(Date.parse(START)),
        fixtures: {
          ...FIXTURES,
          requests: [
            { ...young, workspace_id: 3002 },
            { ...old, age: '3d' },
            { ...gone, age: '20d' },
          ],
        },
      }),
    );
    const call = dsrSender(platform);
    const statusOf = async (id: string, as?: string) =>
      ((await call('GET', `/requests/${id}`, as === undefined ? {} : { as })).json as RequestStatusReply)
        .request_status;
    expect(await statusOf(young.subject_request_id, SECOND)).toBe('pending');
    expect(await statusOf(old.subject_request_id)).toBe('completed');
    expect((await call('GET', `/requests/${old.subject_request_id}/results`)).status).toBe(200);
    expect(await statusOf(gone.subject_request_id)).toBe('completed');
    expect((await send('GET', `${platform.control}/profiles?osa_uuid=device-1`)).json).toEqual([]);
  });

  it('names are those of the deployment, in requests, discovery and results', async () => {
    const named = await opened(
      startTestEmulator({
        clock: 'manual',
        systemClock: createTestClock(Date.parse(START)),
        fixtures: { ...FIXTURES, names: { xpid: 'wire_id', 'osa_*': 'phone_' } },
      }),
    );
    const call = dsrSender(named);
    const body = dsrBody({ subject_identities: { phone_id: raw('device-1') } });
    const created = await call('POST', '/requests/', { body });
    expect(created.status).toBe(201);
    expect((created.json as CreateReply).encoded_request).toBe(Buffer.from(JSON.stringify(body)).toString('base64'));
    expect((await call('GET', '/discovery/')).text).toContain('{"identity_type":"phone_id","identity_format":"raw"}');
    await named.api.advance('3d');
    const results = (await call('GET', `/requests/${body.subject_request_id}/results`)).json;
    expect(results).toMatchObject({ wire_id: expect.any(Number) as number, identities: { phone_uuid: ['device-1'] } });
  });
});
