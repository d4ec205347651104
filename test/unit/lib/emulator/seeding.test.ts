// Seeding and intake on the embedded platform: authentication, errors and stored profiles.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createTestClock } from '../../../helpers/clock.ts';
import { basicAuth, type Exchange, startTestEmulator, type TestEmulator } from '../../../helpers/emulator.ts';

const FIXTURES = { workspaces: [{ id: 1, key: 'k', secret: 's' }, { id: 2, key: 'k2', secret: 's2' }] }; // prettier-ignore
const SET = '/v2/calculatedattributes';
const BULK = '/v2/bulkcalculatedattributes';
const EVENTS = '/v2/events';
const IDENTIFY = '/v1/identify';

const VALID = basicAuth('k:s');

let emulator: TestEmulator;
const start = async (fixtures: object = {}) => {
  emulator = await startTestEmulator({
    fixtures: { ...FIXTURES, ...fixtures },
    clock: 'manual',
    systemClock: createTestClock(),
  });
};
beforeEach(() => start());
afterEach(() => emulator.close());

const post = (path: string, body: unknown, headers: Record<string, string> = VALID): Promise<Exchange> =>
  emulator.send('POST', path, { body, headers });
const control = async (path: string): Promise<Exchange> => emulator.send('GET', `/_control${path}`);
/** Returns an error with this message in the envelope of seeding and intake. */
const badRequest = (message: RegExp | string): unknown => ({
  errors: [{ code: 'BAD_REQUEST', message: matching(message) }],
});
const matching = (message: RegExp | string): unknown =>
  typeof message === 'string' ? expect.stringContaining(message) : expect.stringMatching(message);
const counts = async (): Promise<unknown> => (await control('/counts')).json;
const profiles = async (query: string): Promise<Record<string, unknown>[]> =>
  (await control(`/profiles?${query}`)).json as Record<string, unknown>[];

const seed = (name = 'purchases', value: unknown = 3) => ({
  attribute_name: name,
  calculation_type: 'count',
  cutoff_date: '2026-01-01',
  seed: { value },
});
const user = (fields: object = {}) => ({
  environment: 'production',
  identities: { email: 'kim@people.example' },
  calculated_attributes: { '1': [seed()] },
  ...fields,
});
const events = (fields: object = {}) => ({
  environment: 'production',
  user_identities: { email: 'kim@people.example' },
  events: [{ event_type: 'custom_event', data: { event_name: 'visit' } }],
  ...fields,
});
const identify = (fields: object = {}) => ({
  environment: 'production',
  user_identities: { email: 'kim@people.example' },
  user_attributes: { tier: 'gold' },
  ...fields,
});

const CALLS = [
  [SET, user()],
  [BULK, [user()]],
  [EVENTS, events()],
  [IDENTIFY, identify()],
] as const;

describe.each(CALLS)('%s', (path, body) => {
  test.each(['', '/'])('returns 202 without a body for its path followed by "%s"', async (slash) => {
    const reply = await post(path + slash, body);
    expect([reply.status, reply.text]).toEqual([202, '']);
    expect(await profiles('email=kim@people.example')).toHaveLength(1);
  });

  test.each<[string, Record<string, string>, number]>([
    ['no credentials', {}, 401],
    ['a different secret', basicAuth('k:x'), 403],
    ['an unknown key', basicAuth('x:s'), 403],
    ['no colon', basicAuth('ks'), 403],
    ['a bearer token', { authorization: 'Bearer k' }, 403],
    ['an empty header', { authorization: '' }, 403],
    ['valid credentials', VALID, 400],
  ])('checks the credentials before the body: %s', async (_what, headers, status) => {
    for (const invalid of ['{', '', '{}']) {
      const { status: found, json } = await post(path, invalid, headers);
      expect(found).toBe(status);
      // All errors have the same envelope.
      const code = { 400: 'BAD_REQUEST', 401: 'UNAUTHORIZED', 403: 'FORBIDDEN' }[status];
      const { errors, ...rest } = json as { errors: { code: string; message: string }[] };
      expect([[...new Set(errors.map((error) => error.code))], rest]).toEqual([[code], {}]);
    }
    expect(await counts()).toEqual({ profiles: 0, seeds: 0, events: 0 });
  });

  test('rejects invalid JSON with its position', async () => {
    const { status, json } = await post(path, '{"environment":');
    expect(status).toBe(400);
    expect(json).toEqual(badRequest(/^body: not valid JSON: .* \(at character \d+\)$/));
  });

  test('ignores unknown fields', async () => {
    const more = JSON.stringify(body).replace('"environment"', '"more":1,"environment"');
    expect((await post(path, more)).status).toBe(202);
  });

  test('returns an injected fault, then recovers', async () => {
    await emulator.api.addFault({ path, status: 503, retry_after: 4, times: 1 });
    const faulted = await post(path, body);
    expect([faulted.status, faulted.headers['retry-after']]).toEqual([503, '4']);
    expect(faulted.json).toEqual({ errors: [{ code: 'SERVICE_UNAVAILABLE', message: 'Injected fault' }] });
    expect((await post(path, body)).status).toBe(202);
  });
});

describe('a rejected seed', () => {
  test.each<[string, object, string]>([
    ['no environment', { environment: undefined }, 'environment: is missing'],
    ['another environment', { environment: 'test' }, 'environment: must be `production` or `development`'],
    ['no identities', { identities: undefined }, 'body: needs `xpid`, or `identities` with at least one identity'],
    ['empty identities', { identities: {} }, 'body: needs `xpid`, or `identities` with at least one identity'],
    ['an empty identity', { identities: { email: '' } }, 'identities.email: is empty'],
    ['a 65-bit id', { xpid: '18446744073709551616' }, 'xpid: must be a signed 64-bit integer in plain digits, such as -42'],
    ['no attributes', { calculated_attributes: undefined }, 'calculated_attributes: is missing'],
    ['an object instead of a list', { calculated_attributes: { 1: seed() } }, 'calculated_attributes.1: must be a list, not an object'],
    ['no seed', { calculated_attributes: { 1: [{ ...seed(), seed: undefined }] } }, 'purchases: seed is missing'],
    ['no name', { calculated_attributes: { 1: [{ ...seed(), attribute_name: undefined }] } }, 'calculated_attributes.1[0].attribute_name: is missing'],
    ['an unknown type', { calculated_attributes: { 1: [{ ...seed(), calculation_type: 'median' }] } }, 'purchases: calculation_type must be `count`, `sum`, '],
    ['an invalid date', { calculated_attributes: { 1: [{ ...seed(), cutoff_date: '2026-02-30' }] } }, 'purchases: cutoff_date must be a valid date in the format yyyy-MM-dd'],
    ['an invalid value', { calculated_attributes: { 1: [seed('visits', 'many')] } }, 'visits: seed.value must be a whole number, 0 or more'],
    ['the form of a different type', { calculated_attributes: { 1: [{ ...seed(), seed: { list: [] } }] } }, 'purchases: seed must contain only `value` for count, but contains `list`'],
    ['an average with a count of zero', { calculated_attributes: { 1: [{ ...seed('basket'), calculation_type: 'average', seed: { key_value_pairs: { sum: 1, count: 0 } } }] } }, 'basket: seed.key_value_pairs.count must be a positive integer'],
    ['a user attribute without a value', { user_attributes: { 1: [{ attribute_name: 'tier' }] } }, 'tier: attribute_value is missing'],
    ['a user attribute that is not a string', { user_attributes: { 1: [{ attribute_name: 'tier', attribute_value: 1 }] } }, 'tier: attribute_value must be a string, not a number; put it in quotes'],
    ['another workspace', { calculated_attributes: { 2: [seed('visits')] } }, 'visits: the credentials belong to workspace 1, not to 2'],
    ['another workspace without attributes', { user_attributes: { 2: [] } }, 'user_attributes.2: the credentials belong to workspace 1, not to 2'],
  ])('is reported, both alone and in a bulk request: %s', async (_what, fields, message) => {
    const valid = user({ identities: { email: 'noor@people.example' } });
    for (const reply of [await post(SET, user(fields)), await post(BULK, [valid, user(fields)])]) {
      expect(reply.status).toBe(400);
      expect(reply.json).toEqual(badRequest(message));
    }
    expect(await counts()).toEqual({ profiles: 0, seeds: 0, events: 0 });
  }); // prettier-ignore

  test.each([
    [[], 'body: contains no user'],
    [{}, 'body: must be a list, not an object'],
    [[1], 'body: must be an object, not a number'],
  ])('is reported for the bulk body %j', async (body, message) => {
    const { status, text } = await post(BULK, body);
    expect([status, text]).toEqual([400, expect.stringContaining(message)]);
  });

  test('is reported with at most 100 issues', async () => {
    const invalid = user({ calculated_attributes: { 1: [seed('a', -1), seed('b', 'x')] } });
    const { json } = await post(
      BULK,
      Array.from({ length: 200 }, () => invalid),
    );
    expect((json as { errors: unknown[] }).errors).toHaveLength(100);
  });
});

describe('seeding', () => {
  test('stores user attributes, and the latest seed for each attribute', async () => {
    await post(SET, user({ calculated_attributes: { 1: [seed('a', 1), seed('b', '2')] } }));
    await emulator.api.advance('1h');
    await post(BULK, [
      user({
        calculated_attributes: { 1: [{ ...seed('a'), cutoff_date: undefined, cuttoff_date: '2026-03-01' }] },
        user_attributes: { 1: [{ attribute_name: 'tier', attribute_value: 'gold' }] },
      }),
    ]);
    expect(await profiles('email=kim@people.example')).toEqual([
      {
        xpid: expect.anything() as unknown,
        workspace_id: 1,
        environment: 'production',
        created_on: '2026-11-21T08:00:00.000Z',
        last_modified_on: '2026-11-21T09:00:00.000Z',
        identities: { email: ['kim@people.example'] },
        user_attributes: { tier: 'gold' },
        group_attributes: {},
        calculated_attributes: {
          a: { calculation_type: 'count', cutoff_date: '2026-03-01', seed: { value: 3 } },
          b: { calculation_type: 'count', cutoff_date: '2026-01-01', seed: { value: '2' } },
        },
        events: [],
      },
    ]);
    expect(await counts()).toEqual({ profiles: 1, seeds: 2, events: 0 });
  });

  test.each(['9223372036854775807', '-7201284209016359738', '-9223372036854775808', '9007199254740993', '0', '-5'])(
    'stores xpid %s and 64-bit values exactly, as numbers and as strings',
    async (xpid) => {
      const text = JSON.stringify(user({ calculated_attributes: { 1: [seed('sum', 'BIG')] } }));
      const body = (id: string) =>
        text.replace('{', `{"xpid":${id},`).replace('"BIG"', '9223372036854775807').replace('count', 'sum');
      expect((await post(BULK, `[${body(xpid)},${body(`"${xpid}"`)}]`)).status).toBe(202);
      const found = await control(`/profiles?xpid=${xpid}`);
      expect(found.text).toContain(`[{"xpid":${xpid},`);
      expect(found.text).toContain('{"value":9223372036854775807}');
      expect(await counts()).toMatchObject({ profiles: 1 });
      // If there is an xpid, identities are ignored.
      expect(found.text).toContain('"identities":{}');
      expect(await profiles('email=kim@people.example')).toEqual([]);
    },
  );

  test('stores all users in a bulk request, or none if one is invalid', async () => {
    const rows = Array.from({ length: 100 }, (_, index) => user({ identities: { email: `u${index}@people.example` } }));
    const invalid = rows.map((row, index) => (index === 99 ? { ...row, environment: 'nowhere' } : row));
    expect((await post(BULK, invalid)).status).toBe(400);
    expect(await counts()).toEqual({ profiles: 0, seeds: 0, events: 0 });
    expect((await post(BULK, rows)).status).toBe(202);
    expect(await counts()).toEqual({ profiles: 100, seeds: 100, events: 0 });
  });

  test('stores profiles separately by workspace and environment', async () => {
    await post(SET, user());
    await post(SET, user({ environment: 'development' }));
    await post(SET, user({ calculated_attributes: { 2: [] } }), basicAuth('k2:s2'));
    const found = await profiles('email=kim@people.example');
    expect(found.map(({ workspace_id, environment }) => [workspace_id, environment])).toEqual([
      [1, 'production'],
      [1, 'development'],
      [2, 'production'],
    ]);
    expect(new Set(found.map(({ xpid }) => xpid)).size).toBe(3);
  });

  test('starts without data after a reset', async () => {
    await post(SET, user());
    await emulator.reset();
    expect(await profiles('email=kim@people.example')).toEqual([]);
    expect((await post(SET, user())).status).toBe(202);
  });
});

describe('intake', () => {
  test('stores events and attributes in the profile of a seed, found by any name of an identity type', async () => {
    await post(SET, user({ identities: { customer_id: 'c-1', other_id_4: 'o' } }));
    await post(
      EVENTS,
      events({ user_identities: { controller_customer_id: 'c-1' }, ip: '192.0.2.1', timestamp_unixtime_ms: 5 }),
    );
    await post(IDENTIFY, identify({ user_identities: { other4: 'o', email: 'new@people.example' } }));
    const found = await profiles('email=new@people.example');
    expect(found).toEqual(await profiles('customer_id=c-1'));
    expect(found).toMatchObject([
      {
        identities: { customer_id: ['c-1'], other4: ['o'], email: ['new@people.example'] },
        user_attributes: { tier: 'gold' },
        calculated_attributes: { purchases: {} },
        events: [
          {
            received_on: '2026-11-21T08:00:00.000Z',
            event: {
              event_type: 'custom_event',
              data: { event_name: 'visit' },
              ip: '192.0.2.1',
              timestamp_unixtime_ms: 5,
            },
          },
        ],
      },
    ]);
    expect(await counts()).toEqual({ profiles: 1, seeds: 1, events: 1 });
  });

  test.each([
    ['missing', undefined],
    ['empty', []],
  ])('stores the user attributes in an event body even if the events are %s', async (_what, list) => {
    await post(EVENTS, events({ user_attributes: { tier: 'silver', city: 'Bern' } }));
    const { status } = await post(EVENTS, events({ events: list, user_attributes: { tier: 'gold' } }));
    expect(status).toBe(202);
    expect(await profiles('email=kim@people.example')).toMatchObject([
      { user_attributes: { tier: 'gold', city: 'Bern' } },
    ]);
    expect(await counts()).toMatchObject({ profiles: 1, events: 1 });
  });

  test.each<[string, object, string]>([
    [EVENTS, events({ events: {} }), 'events: must be a list'],
    [EVENTS, events({ events: [{ data: {} }] }), 'events[0].event_type: is missing'],
    [EVENTS, events({ user_identities: {} }), 'body: needs `user_identities`'],
    [EVENTS, events({ environment: 'x' }), 'environment: must be'],
    [IDENTIFY, identify({ user_identities: undefined }), 'body: needs `user_identities`'],
    [IDENTIFY, identify({ user_identities: {} }), 'body: needs `user_identities`'],
    [IDENTIFY, identify({ timestamp_unixtime_ms: 1.5 }), 'timestamp_unixtime_ms: must be an integer'],
  ])('does not store anything from a body that %s rejects: %o', async (path, body, message) => {
    const { status, json } = await post(path, body);
    expect(status).toBe(400);
    expect(json).toEqual(badRequest(message));
    expect(await counts()).toEqual({ profiles: 0, seeds: 0, events: 0 });
  });
});

describe('rate limits', () => {
  beforeEach(async () => {
    await emulator.close();
    await start({ limits: { intake_per_second: 4, intake_body_bytes: 2000 } });
  });

  test('count seeding and intake together, per workspace and per second of platform time', async () => {
    const statuses: number[] = [];
    for (const [path, body] of [...CALLS, ...CALLS]) statuses.push((await post(path, body)).status);
    expect(statuses).toEqual([202, 202, 202, 202, 429, 429, 429, 429]);
    const limited = await post(SET, user());
    expect([limited.status, limited.headers['retry-after']]).toEqual([429, '1']);
    expect(limited.json).toEqual({ errors: [{ code: 'TOO_MANY_REQUESTS', message: 'Provisioned limit exceeded' }] });
    expect((await post(SET, user({ calculated_attributes: {} }), basicAuth('k2:s2'))).status).toBe(202);
    await emulator.api.set('2026-11-21T08:00:00.999Z');
    expect((await post(SET, user())).status).toBe(429);
    await emulator.api.set('2026-11-21T08:00:01Z');
    expect((await post(SET, user())).status).toBe(202);
  });

  test('count rejected bodies, but not invalid credentials or oversized bodies', async () => {
    const large = user({ user_attributes: { 1: [{ attribute_name: 'a', attribute_value: 'x'.repeat(2000) }] } });
    for (let count = 0; count < 5; count++) {
      expect(await post(SET, large)).toMatchObject({ status: 413, json: { errors: [{ code: 'PAYLOAD_TOO_LARGE' }] } });
    }
    expect((await post(SET, large, basicAuth('k:x'))).status).toBe(403);
    for (let count = 0; count < 4; count++) expect((await post(BULK, '[')).status).toBe(400);
    expect((await post(BULK, '[')).status).toBe(429);
    await emulator.reset();
    expect((await post(BULK, [user()])).status).toBe(202);
  });
});

test('checks the credentials before rejecting an oversized body', async () => {
  const huge = 'x'.repeat(33 * 1024 * 1024);
  expect((await post(BULK, huge, {})).status).toBe(401);
  expect((await post(BULK, huge, basicAuth('k:x'))).status).toBe(403);
  expect((await post(BULK, huge)).status).toBe(413);
});

describe('the control address', () => {
  test.each([
    [SET, (xpid: string) => user({ identities: { xpid, email: 'kim@people.example' } })],
    [BULK, (xpid: string) => [user({ identities: { xpid } })]],
    [EVENTS, (xpid: string) => events({ user_identities: { xpid } })],
    [IDENTIFY, (xpid: string) => identify({ user_identities: { xpid } })],
  ])('shows that %s accepts an xpid as an identity only if it is an integer', async (path, body) => {
    expect((await post(path, body('-42'))).status).toBe(202);
    expect(await profiles('xpid=-42')).toMatchObject([{ xpid: -42 }]);
    const rejected = await post(path, body('12a'));
    expect([rejected.status, rejected.json]).toEqual([
      400,
      badRequest(/identities\.xpid: must be a signed 64-bit integer/),
    ]);
  });

  test.each(['/profiles', '/profiles?xpid=abc', '/profiles?xpid=1e3'])('rejects the query %s', async (path) => {
    expect((await control(path)).status).toBe(400);
  });

  test('returns the profiles from the fixtures', async () => {
    await emulator.close();
    await start({
      profiles: [
        {
          xpid: '-7201284209016359738',
          identities: { email: 'ada@people.example' },
          user_attributes: { tier: 'gold' },
          calculated_attributes: [seed()],
          events: [{ event_type: 'custom_event', data: {} }],
        },
        { workspace_id: 2, environment: 'development', identities: { other_id_2: 'x' } },
      ],
    });
    expect((await control('/profiles?xpid=-7201284209016359738')).text).toContain('"xpid":-7201284209016359738');
    expect(await profiles('email=ada@people.example')).toMatchObject([
      { user_attributes: { tier: 'gold' }, events: [{}] },
    ]);
    expect(await profiles('other2=x')).toMatchObject([{ workspace_id: 2, environment: 'development' }]);
    expect(await counts()).toEqual({ profiles: 2, seeds: 1, events: 1 });
  });
});

test('rejects an oversized list before checking its entries', async () => {
  const { status, text } = await post(
    BULK,
    Array.from({ length: 10_001 }, () => ({})),
  );
  expect(status).toBe(400);
  expect(text).toContain('a list of 10001 entries; at most 10000 are allowed');
});
