// Data subject requests on the embedded platform: every rule and message in the specification.
import { createPublicKey, verify, X509Certificate } from 'node:crypto';
import { describe, expect, it, test } from 'vitest';
import { CancelReply, CreateReply, DiscoveryReply, type RequestStatusReply } from '../../../../src/lib/contract/dsr.ts';
import { DSR_FAILURES, type Failure } from '../../../../src/lib/contract/failures.ts';
import { dsrBody, dsrCaller, raw, SKIP } from '../../../helpers/dsr.ts';
import { basicAuth, send, startTestEmulator } from '../../../helpers/emulator.ts';
import { opened } from '../../../helpers/opened.ts';
import { erasure, expectRejection, FIXTURES, SECOND, START, startOptions, useDsrPlatform } from './dsr-platform.ts';

const here = useDsrPlatform();
const { create, dsr, profiles, status } = here;

describe('POST /requests/', () => {
  it('returns 201 with times, the raw request in Base64, and the workspace', async () => {
    const body = dsrBody();
    const sent = `\n ${JSON.stringify(body)} `;
    const reply = await dsr('POST', '/requests/', { body: sent });
    expect(reply.status).toBe(201);
    expect(CreateReply.parse(reply.json)).toEqual({
      // Processing starts at 12:15 and takes two days.
      expected_completion_time: '2026-03-03T12:15:00Z',
      received_time: START,
      encoded_request: Buffer.from(sent).toString('base64'),
      subject_request_id: body.subject_request_id,
      controller_id: '3001',
    });
  });

  it('signs its response with the key of the certificate that discovery names', async () => {
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
    ['an erasure that skips its waiting period', { ...erasure, ...SKIP }, '2026-03-03T12:15:00Z'],
    ['portability', { subject_request_type: 'portability' }, '2026-03-03T12:15:00Z'],
  ])('returns the expected completion time of %s', async (_name, change, expected) => {
    const reply = await dsr('POST', '/requests/', { body: dsrBody(change) });
    expect(reply.json).toMatchObject({ expected_completion_time: expected });
  });

  it('treats ids as case-insensitive', async () => {
    const body = dsrBody({ subject_request_id: 'A3B9C1D2-0000-4000-8000-00000000000A' });
    const reply = await dsr('POST', '/requests/', { body });
    expect(reply.json).toMatchObject({ subject_request_id: 'a3b9c1d2-0000-4000-8000-00000000000a' });
    const found = await dsr('GET', '/requests/A3B9C1D2-0000-4000-8000-00000000000a/');
    expect(found.json).toMatchObject({ subject_request_id: 'a3b9c1d2-0000-4000-8000-00000000000a' });
    expectRejection(await dsr('POST', '/requests/', { body }), DSR_FAILURES.exists);
  });

  it('ignores unknown fields at every depth', async () => {
    const more = { new: 1, subject_identities: { email: { ...raw('x'), verified: true } } };
    expect((await dsr('POST', '/requests', { body: dsrBody(more) })).status).toBe(201);
  });

  test.each<[string, unknown, Failure, string]>([
    ['invalid JSON', '{"regulation"', DSR_FAILURES.invalid, expect.stringContaining('not valid JSON') as string],
    ['a list', [dsrBody()], DSR_FAILURES.invalid, 'must be an object, not a list'],
    [
      'an unknown regulation',
      dsrBody({ regulation: 'x' }),
      DSR_FAILURES.invalid,
      'regulation must be `gdpr` or `ccpa`',
    ],
    [
      'a version 2 body',
      dsrBody({ api_version: '2.0' }),
      DSR_FAILURES.invalid,
      'api_version must be `3.0`; other versions have a different body',
    ],
    [
      'the list form of versions 1 and 2',
      dsrBody({ subject_identities: [{ identity_type: 'email', identity_value: 'a', identity_format: 'raw' }] }),
      DSR_FAILURES.invalid,
      'subject_identities must be an object, not a list',
    ],
    [
      'xpid together with another identity',
      dsrBody({ extensions: { 'opendsr.platform.example': { subject_identities: { xpid: raw('1') } } } }),
      DSR_FAILURES.notAlone,
      'extensions.opendsr.platform.example.subject_identities.xpid cannot be combined with other identities',
    ],
    [
      "a different vendor's extension",
      dsrBody({ extensions: { 'opendsr.other.example': { subject_identities: { other: raw('1') } } } }),
      DSR_FAILURES.invalid,
      "extensions.opendsr.other.example is unknown; this platform's extension is opendsr.platform.example",
    ],
  ])('rejects %s', async (_name, body, failure, sentence) => {
    expectRejection(await dsr('POST', '/requests/', { body }), failure, sentence);
  });

  it('rejects a different content type', async () => {
    const reply = await dsr('POST', '/requests/', { body: dsrBody(), headers: { 'content-type': 'text/plain' } });
    expectRejection(reply, DSR_FAILURES.invalid, 'Content-Type must be application/json');
  });

  it('counts the identities before any other check', async () => {
    const subject_identities = Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`type_${at}`, 'x']));
    const reply = await dsr('POST', '/requests/', { body: dsrBody({ regulation: 'x', subject_identities }) });
    expectRejection(reply, DSR_FAILURES.invalid, 'has 51 identities; at most 50 are allowed');
  });

  describe('for the same subject', () => {
    const same = { subject_identities: { ose_publishing_id: raw('p'), email: raw('a') } };
    const equivalent = { subject_identities: { email: raw('a'), ose_publisher_id: raw('p') }, regulation: 'ccpa' };

    it('is rejected as a conflict, in any spelling, while another request is pending or in progress', async () => {
      await create(same);
      expectRejection(await dsr('POST', '/requests/', { body: dsrBody(equivalent) }), DSR_FAILURES.sameInProgress);
      await here.emulator.api.advance('15m');
      expectRejection(await dsr('POST', '/requests/', { body: dsrBody(equivalent) }), DSR_FAILURES.sameInProgress);
      await here.emulator.api.advance('2d');
      expect((await dsr('POST', '/requests/', { body: dsrBody(equivalent) })).status).toBe(201);
    });

    it('is accepted after a cancellation, or with a different type, extension or workspace', async () => {
      const id = await create({ ...same, ...erasure });
      await create(same);
      await create({ ...same, ...erasure, ...SKIP });
      await create({ ...same, ...erasure }, SECOND);
      expect((await dsr('DELETE', `/requests/${id}`)).status).toBe(200);
      await create({ ...same, ...erasure });
    });

    it('is rejected as a conflict even if the extension only repeats defaults', async () => {
      const defaults = {
        extensions: { 'opendsr.platform.example': { skip_waiting_period: false, subject_identities: {} } },
      };
      await create({ ...erasure, extensions: { 'opendsr.platform.example': {} } });
      const reply = await dsr('POST', '/requests/', { body: dsrBody({ ...erasure, ...defaults }) });
      expectRejection(reply, DSR_FAILURES.sameInProgress);
    });

    it('is rejected for its duplicate id before its duplicate subject is checked', async () => {
      const body = dsrBody();
      await dsr('POST', '/requests/', { body });
      expectRejection(await dsr('POST', '/requests/', { body }), DSR_FAILURES.exists);
    });
  });

  it('accepts at most 150 requests per group, in any state', async () => {
    const inGroup = (at: number, as?: string) =>
      create({ group_id: 'g', subject_identities: { email: raw(`${at}@people.example`) } }, as);
    const first = await inGroup(0);
    for (let at = 1; at < 150; at++) await inGroup(at);
    await dsr('DELETE', `/requests/${first}`);
    const reply = await dsr('POST', '/requests/', { body: dsrBody({ group_id: 'g' }) });
    expectRejection(reply, DSR_FAILURES.invalid, 'group_id already has 150 requests; at most 150 are allowed');
    await inGroup(0, SECOND);
    await create({ group_id: 'other' });
  });
});

describe('GET', () => {
  it('returns a new request', async () => {
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

  it("lists a group's requests in order of arrival, and no requests for an unknown group", async () => {
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

  test.each(['/requests', '/requests?group_id=', '/requests?group=g'])(
    'rejects %s because the group is missing',
    async (path) => {
      expectRejection(await dsr('GET', path), DSR_FAILURES.invalid, 'query parameter group_id is missing');
    },
  );

  it.each(['GET', 'DELETE'])('returns 404 on %s for malformed ids and ids from another workspace', async (method) => {
    const id = await create({}, SECOND);
    for (const path of [id, 'a3b9c1d2-0000-4000-8000-000000000009', 'x', '%00', "'--"]) {
      expectRejection(await dsr(method, `/requests/${path}`), DSR_FAILURES.notFound);
    }
    expect((await dsr('GET', `/requests/${id}`, { as: SECOND })).status).toBe(200);
  });

  it('lists identity types in the order of the specification', async () => {
    const { json } = await dsr('GET', '/discovery');
    expect(json).toEqual({
      api_version: '3.0',
      supported_identities: [
        ...['osa_advertising_id', 'osa_id', 'controller_customer_id', 'email', 'osc_advertising_id'],
        ...['osb_advertising_id', 'osb_vendor_id', 'osd_advertising_id', 'osd_publisher_id', 'ose_advertising_id'],
        'ose_publisher_id',
      ].map((identity_type) => ({ identity_type, identity_format: 'raw' })),
      supported_subject_request_types: ['access', 'erasure', 'portability'],
      processor_certificate: `${here.emulator.url}/certificates/processor.pem`,
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

  test.each(calls)('are required for %s %s', async (method, path) => {
    for (const authorization of ['', 'Basic', 'Basic x', basicAuth('key-1:secret-2').authorization, 'Bearer token']) {
      const reply = await here.emulator.send(method, `/v3${path}`, { headers: { authorization } });
      expectRejection(reply, DSR_FAILURES.unauthorized);
      expect(reply.headers['www-authenticate']).toMatch(/^Basic /);
    }
    expectRejection(await here.emulator.send(method, `/v3${path}`), DSR_FAILURES.unauthorized);
  });

  it('are not required for the certificate', async () => {
    expect((await here.emulator.send('GET', '/certificates/processor.pem')).status).toBe(200);
  });
});

describe('DELETE', () => {
  it('cancels a pending request', async () => {
    const id = await create(erasure);
    await here.emulator.api.advance('1d');
    const reply = await dsr('DELETE', `/requests/${id}/`);
    expect(reply.status).toBe(200);
    expect(CancelReply.parse(reply.json)).toEqual({
      expected_completion_time: null,
      received_time: START.replace('03-01', '03-02'),
      subject_request_id: id,
      controller_id: '3001',
    });
    await here.emulator.api.advance('30d');
    expect(await status(id)).toMatchObject({ request_status: 'cancelled', expected_completion_time: null });
    expect(await profiles('email=ada@people.example')).toHaveLength(2);
  });

  test.each<[string, string]>([
    ['in_progress', '15m'],
    ['completed', '3d'],
  ])('rejects a request that is %s', async (state, duration) => {
    const id = await create();
    await here.emulator.api.advance(duration);
    const sentence = `the subject request is ${state}, not pending`;
    expectRejection(await dsr('DELETE', `/requests/${id}`), DSR_FAILURES.notPending, sentence);
  });

  it('rejects a second cancellation', async () => {
    const id = await create();
    await dsr('DELETE', `/requests/${id}`);
    const sentence = 'the subject request is cancelled, not pending';
    expectRejection(await dsr('DELETE', `/requests/${id}`), DSR_FAILURES.notPending, sentence);
  });
});

describe('the fixtures', () => {
  it('set a request limit per workspace, beyond which requests receive 429 with Retry-After', async () => {
    const limited = await opened(
      startTestEmulator({
        ...startOptions(),
        fixtures: { ...FIXTURES, limits: { dsr_per_minute: 2 } },
      }),
    );
    const call = dsrCaller(limited);
    await call('GET', '/discovery/');
    await limited.api.advance('10s');
    await call('POST', '/requests/', { body: dsrBody() });
    const reply = await call('POST', '/requests/', { body: dsrBody() });
    expectRejection(reply, DSR_FAILURES.rateLimited);
    expect(reply.headers['retry-after']).toBe('50');
    expect((await call('GET', '/discovery/', { as: SECOND })).status).toBe(200);
    await limited.api.advance('50s');
    expect((await call('GET', '/discovery/')).status).toBe(200);
  });

  it('set the age of their requests', async () => {
    const [old, young, gone] = [
      dsrBody(),
      dsrBody(),
      dsrBody({ ...erasure, subject_identities: { osa_id: raw('device-1') } }),
    ];
    const platform = await opened(
      startTestEmulator({
        ...startOptions(),
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
    const call = dsrCaller(platform);
    const statusOf = async (id: string, as?: string) =>
      ((await call('GET', `/requests/${id}`, as === undefined ? {} : { as })).json as RequestStatusReply)
        .request_status;
    expect(await statusOf(young.subject_request_id, SECOND)).toBe('pending');
    expect(await statusOf(old.subject_request_id)).toBe('completed');
    expect((await call('GET', `/requests/${old.subject_request_id}/results`)).status).toBe(200);
    expect(await statusOf(gone.subject_request_id)).toBe('completed');
    expect((await send('GET', `${platform.control}/profiles?osa_uuid=device-1`)).json).toEqual([]);
  });

  it("apply a deployment's names to requests, discovery and results", async () => {
    const named = await opened(
      startTestEmulator({
        ...startOptions(),
        fixtures: { ...FIXTURES, names: { xpid: 'wire_id', 'osa_*': 'phone_' } },
      }),
    );
    const call = dsrCaller(named);
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
