// The control address of the embedded platform: clock, faults, request log, assignments, reset and access control.
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { openFaults } from '../../../../src/lib/emulator/wire/faults.ts';
import { systemClock } from '../../../../src/lib/kernel/clock.ts';
import { createTestClock, type TestClock } from '../../../helpers/clock.ts';
import { send, startTestEmulator, type TestEmulator } from '../../../helpers/emulator.ts';
import { opened } from '../../../helpers/opened.ts';
import { runs } from '../../../helpers/size.ts';

let emulator: TestEmulator;
let machine: TestClock;
beforeEach(async () => {
  machine = createTestClock();
  emulator = await opened(startTestEmulator({ systemClock: machine }));
});

const control = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  send(method, emulator.control + path, { body, headers });
const tasks = () => `${emulator.accountPath}/tasks`;

describe('the clock', () => {
  test('moves by a duration or to a time, continues from that time, and is restored by a reset', async () => {
    expect(await emulator.api.now()).toBe('2026-11-21T08:00:00.000Z');
    expect(await emulator.api.advance('8d')).toBe('2026-11-29T08:00:00.000Z');
    machine.advance(250);
    expect(await emulator.api.now()).toBe('2026-11-29T08:00:00.250Z');
    expect(await emulator.api.set('2024-02-29T01:00:00+01:00')).toBe('2024-02-29T00:00:00.000Z');
    machine.set(-250);
    await emulator.reset();
    expect(await emulator.api.now()).toBe('2026-11-21T08:00:00.000Z');
  });

  test.each([
    [{}, 'pass either advance or set'],
    [{ advance: '1d', set: '2026-01-01T00:00:00Z' }, 'pass either advance or set'],
    [{ advance: '1M' }, 'advance is not a duration such as 90m or 8d'],
    [{ advance: '9999y' }, 'the time must be between 1970 and 9999'],
    [{ set: '2026-02-30T00:00:00Z' }, 'set is not a time such as 2026-01-31T08:00:00Z'],
    [{ set: '2026-01-01' }, 'set is not a time such as 2026-01-31T08:00:00Z'],
    [{ forward: '1d' }, 'Bad request: unknown field `forward`'],
    [undefined, 'is missing'],
    ['{', 'not valid JSON'],
  ])('is not moved by the invalid request %j', async (body, message) => {
    const before = await emulator.api.now();
    const reply = await control('POST', '/clock', body);
    expect(reply.status).toBe(400);
    expect(reply.text).toContain(message);
    expect(await emulator.api.now()).toBe(before);
  });
});

describe('faults', () => {
  test("replace the platform's responses the specified number of times", async () => {
    await emulator.api.addFault({ method: 'get', path: '*/tasks', status: 503, retry_after: 7, times: 2 });
    await emulator.token();
    const [first, other, second, third] = [
      await emulator.call('GET', tasks()),
      await emulator.call('GET', `${emulator.accountPath}/roles`),
      await emulator.call('GET', `${tasks()}/?query=1`),
      await emulator.call('GET', tasks()),
    ];
    expect([first.status, other.status, second.status, third.status]).toEqual([503, 200, 503, 200]);
    expect(first.headers['retry-after']).toBe('7');
    expect(first.json).toMatchObject({ statusCode: 503 });
    expect(await emulator.api.faults()).toEqual([]);
  });

  test.each(['/v3/requests', '/v3/requests/', '/v3/requests/*', '/v3/*', '*/requests', '*/requests/', '*/'])(
    'with the path %s apply to POST /v3/requests/',
    async (path) => {
      await emulator.api.addFault({ path, status: 503, times: 1 });
      expect((await emulator.send('POST', '/v3/requests/')).status).toBe(503);
    },
  );

  test("use the error envelope of data subject requests, with the platform's time", async () => {
    await emulator.api.advance('8d');
    await emulator.api.addFault({ path: '/v3/*', status: 503, times: 1 });
    const { headers, json } = await emulator.send('GET', '/v3/discovery/');
    expect(json).toMatchObject({ code: 503, message: expect.any(String), errors: [{ message: expect.any(String) }] });
    expect(headers['date']).toBe('Sun, 29 Nov 2026 08:00:00 GMT');
  });

  test('are listed with the number of uses left, and cleared', async () => {
    await emulator.api.addFault({ status: 500, times: 3 });
    await emulator.api.addFault({ path: '/never', delay: '2s' });
    await emulator.send('GET', '/anything');
    expect(await emulator.api.faults()).toEqual([
      { status: 500, times: 2 },
      { path: '/never', delay: '2s' },
    ]);
    await emulator.api.clearFaults();
    expect((await emulator.send('GET', '/anything')).status).toBe(404);
  });

  test('are removed individually, and unknown faults, fields and snapshots are reported', async () => {
    for (const path of ['/a', '/b', '/b']) await emulator.api.addFault({ path, status: 500 });
    expect((await control('DELETE', '/faults', { status: 500, path: '/b' })).json).toHaveLength(2);
    expect(await emulator.api.faults()).toMatchObject([{ path: '/a' }, { path: '/b' }]);
    const missing = await control('DELETE', '/faults', { path: '/c', status: 500 });
    expect([missing.status, missing.text]).toEqual([404, expect.stringContaining('no active fault')]);
    const misspelled = await control('POST', '/faults', { sttus: 500, status: 500 });
    expect(misspelled.json).toMatchObject({ errors: [{ message: 'Bad request: unknown field `sttus`' }] });
    const snapshot = await control('POST', '/snapshots/restore', { id: 99 });
    expect(snapshot.text).toContain('Not found: snapshot 99;');
  });

  test('delay a response in real time, not in platform time', async () => {
    await emulator.api.addFault({ delay: '2s', times: 1 });
    await emulator.api.addFault({ delay: 40, status: 502, times: 1 });
    const statuses = [(await emulator.send('GET', tasks())).status, (await emulator.send('GET', tasks())).status];
    expect(statuses).toEqual([401, 502]);
    expect(machine.sleeps.slice(-2)).toEqual([2000, 40]);
  });

  test('drop a delayed request if the platform is reset before the delay ends', async () => {
    let end = (): void => undefined;
    const delay = new Promise<void>((resolve) => (end = resolve));
    const delayed = await opened(startTestEmulator({ systemClock: { ...systemClock, sleep: () => delay } }));
    const path = `${delayed.accountPath}/roles`;
    await delayed.api.addFault({ method: 'PUT', delay: '20s', times: 1 });
    const lost = expect(delayed.call('PUT', path, { body: { roles: [] } })).rejects.toMatchObject({
      code: 'ECONNRESET',
    });
    while ((await delayed.api.faults()).length > 0) await delayed.api.now();
    await delayed.api.reset();
    end();
    await lost;
    expect((await delayed.call('GET', path)).json).toMatchObject({ roles: { length: 5 } });
    expect((await delayed.api.requests()).map(({ method }) => method)).not.toContain('PUT');
  });

  test.each([
    ['before', null, 'Admin'],
    ['after', 200, 'Renamed'],
  ] as const)('close the connection %s the request is processed', async (drop, status, name) => {
    const path = `${emulator.accountPath}/roles`;
    const manifest = (await emulator.call('GET', path)).json as { roles: { role_id: string; name: string }[] };
    const body = { roles: manifest.roles.map((role) => (role.name === 'Admin' ? { ...role, name: 'Renamed' } : role)) };
    await emulator.api.addFault({ method: 'PUT', drop, times: 1 });
    await expect(emulator.call('PUT', path, { body })).rejects.toMatchObject({ code: 'ECONNRESET' });
    const after = (await emulator.call('GET', path)).json as typeof manifest;
    expect(after.roles.find(({ role_id }) => role_id === 'admin-role')?.name).toBe(name);
    const logged = (await emulator.api.requests()).filter(({ method }) => method === 'PUT');
    expect(logged).toEqual([expect.objectContaining({ path, status })]);
  });

  test('never affect the control address', async () => {
    await emulator.api.addFault({ path: '*', status: 500 });
    expect((await control('GET', '/clock')).status).toBe(200);
  });

  test.each([
    [{}, 'needs `status`, `delay` or `drop`'],
    [{ path: '*' }, 'needs `status`, `delay` or `drop`'],
    [{ status: 99 }, 'status'],
    [{ status: 500, times: 0 }, 'times'],
    [{ status: 500, probability: 2 }, 'probability'],
    [{ method: 'FETCH', status: 500 }, 'method is not an HTTP method or `*`'],
    [{ drop: 'during' }, 'drop must be `before` or `after`'],
    [{ delay: 'soon' }, 'delay'],
    [{ status: 500, pathh: '/x' }, 'unknown field `pathh`'],
  ])('are rejected if they are invalid: %j', async (body, message) => {
    const reply = await control('POST', '/faults', body);
    expect(reply.status).toBe(400);
    expect(reply.text).toContain(message);
    expect(await emulator.api.faults()).toEqual([]);
  });

  test('affect the specified share of requests', () => {
    const draws = [0.1, 0.6, 0.49, 0.5, 0];
    const faults = openFaults({ get: () => undefined, set: () => undefined }, () => draws.shift() ?? 1);
    faults.add({ status: 500, probability: 0.5 });
    expect(Array.from({ length: 5 }, () => faults.strike('GET', '/') !== undefined)).toEqual([
      true,
      false,
      true,
      false,
      true,
    ]);
  });

  test('match a path with wildcards', () => {
    const strike = (pattern: string, path: string): boolean => {
      const faults = openFaults({ get: () => undefined, set: () => undefined }, () => 0);
      faults.add({ path: pattern, status: 500 });
      return faults.strike('GET', path) !== undefined;
    };
    const piece = fc.string({ unit: fc.constantFrom('a', 'b', '.', '*'), maxLength: 6 });
    fc.assert(
      fc.property(piece, piece, (pattern, path) => {
        const expected = new RegExp(`^${pattern.replaceAll('.', '\\.').replace(/\*+/g, '.*')}$`).test(path);
        expect(strike(pattern, path)).toBe(expected);
      }),
      runs(2000),
    );
    expect(strike(`${'*a'.repeat(2000)}b`, 'a'.repeat(5000))).toBe(false);
  });
});

describe('the request log', () => {
  test('contains every request as it was sent, except control requests', async () => {
    await emulator.send('GET', '/nowhere?a=1');
    await emulator.send('GET', `${tasks()}/`);
    machine.advance(500);
    await emulator.call('GET', tasks());
    const log = await emulator.api.requests();
    expect(log.filter(({ path }) => path !== '/oauth/token')).toEqual([
      { at: '2026-11-21T08:00:00.000Z', method: 'GET', path: '/nowhere?a=1', status: 404 },
      { at: '2026-11-21T08:00:00.000Z', method: 'GET', path: `${tasks()}/`, status: 401 },
      { at: '2026-11-21T08:00:00.500Z', method: 'GET', path: tasks(), status: 200 },
    ]);
    await emulator.reset();
    expect(await emulator.api.requests()).toEqual([]);
  });
});

describe('role assignments', () => {
  test('prevent the deletion of the role until a reset', async () => {
    const path = `${emulator.accountPath}/roles`;
    const manifest = (await emulator.call('GET', path)).json as { roles: { role_id: string }[] };
    const body = { roles: manifest.roles.filter(({ role_id }) => role_id !== 'user-role') };
    const reply = await control('POST', '/role-assignments', { role_id: 'user-role', user: 'kim@platform.example' });
    expect([reply.status, reply.json]).toEqual([
      201,
      { role_id: 'user-role', user: 'kim@platform.example', org_id: emulator.ready.org_id },
    ]);
    expect((await emulator.call('PUT', path, { body })).text).toContain('may not be deleted: user-role');
    await emulator.reset();
    expect((await emulator.call('PUT', path, { body })).status).toBe(200);
  });

  test.each([
    [{ role_id: 'no-such-role', user: 'kim@platform.example' }, 404],
    [{ role_id: 'user-role', user: 'kim@platform.example', org_id: 9 }, 404],
    [{ role_id: 'user-role' }, 400],
    [{ role_id: 'user-role', user: '' }, 400],
    [{ role_id: 'user-role', user: 'a\u0000b' }, 400],
  ])('are rejected if they are invalid: %j', async (body, status) => {
    expect((await control('POST', '/role-assignments', body)).status).toBe(status);
  });
});

describe('the control address', () => {
  test.each([
    [403, 'a foreign Host', { host: 'evil.example' }],
    [403, "a Host that resembles the platform's", { host: '127.0.0.1.evil.example' }],
    [403, 'a foreign Origin', { origin: 'http://evil.example' }],
    [403, 'an opaque Origin', { origin: 'null' }],
    [403, 'the Origin of another local port', { origin: 'http://127.0.0.1:1' }],
    [200, 'the Host localhost', { host: 'localhost:4010' }],
    [200, 'an IPv6 loopback Host', { host: '[::1]:4010' }],
    [200, 'its own Origin', { host: 'localhost:4010', origin: 'http://localhost:4010' }],
  ])('returns %i for a request with %s', async (status, _what, headers) => {
    await emulator.api.advance('1d');
    const reply = await control('POST', '/reset', undefined, headers);
    expect(reply.status).toBe(status);
    expect(await emulator.api.now()).toBe(status === 200 ? '2026-11-21T08:00:00.000Z' : '2026-11-22T08:00:00.000Z');
  });

  test.each([
    ['PUT', '/clock', 405, 'GET, POST', 'Method not allowed'],
    ['GET', '/reset', 405, 'POST', 'Method not allowed'],
    ['GET', '/nothing', 404, undefined, 'no such endpoint'],
  ])('responds to %s %s with %i', async (method, path, status, allow, message) => {
    const reply = await control(method, path);
    expect([reply.status, reply.headers['allow']]).toEqual([status, allow]);
    expect(reply.text).toContain(message);
  });
});

describe('closing the platform', () => {
  test('aborts a request that a fault delays', async () => {
    const delayed = await startTestEmulator();
    await delayed.api.addFault({ delay: '1h' });
    const lost = expect(delayed.send('GET', '/anything')).rejects.toThrow();
    while ((await delayed.api.faults()).length === 0) await delayed.api.now();
    await delayed.close();
    await lost;
  });

  test('succeeds if it is done twice', async () => {
    const twice = await startTestEmulator();
    await Promise.all([twice.close(), twice.close()]);
  });
});
