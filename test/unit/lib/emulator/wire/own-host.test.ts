// The platform accepts only its own names and addresses in the Host header.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isOwnHost } from '../../../../../src/lib/emulator/wire/server.ts';
import { startTestEmulator, type TestEmulator } from '../../../../helpers/emulator.ts';

describe('a platform', () => {
  it.each([
    ['127.0.0.1:4010', '127.0.0.1'],
    ['LOCALHOST:4010', '127.0.0.1'],
    ['platform.localhost', '127.0.0.1'],
    ['[::1]:4010', '127.0.0.1'],
    ['Platform:4010', 'platform'],
    ['192.0.2.7', '192.0.2.7'],
    ['[2001:db8::1]:4010', '2001:db8::1'],
    ['192.0.2.7:4010', '0.0.0.0'],
    ['[2001:db8::1]:4010', '::'],
  ])('accepts the Host %j if it listens on %s', (header, listensOn) => {
    expect(isOwnHost(header, listensOn)).toBe(true);
  });

  it.each([
    ['192.0.2.7:4010', '127.0.0.1'],
    ['evil.example', '127.0.0.1'],
    ['127.0.0.1.evil.example:4010', '127.0.0.1'],
    ['evil.example:80:80', '127.0.0.1'],
    ['', '127.0.0.1'],
    ['other:4010', 'platform'],
    ['192.0.2.8', '192.0.2.7'],
    ['evil.example:4010', '0.0.0.0'],
  ])('rejects the Host %j if it listens on %s', (header, listensOn) => {
    expect(isOwnHost(header, listensOn)).toBe(false);
  });
});

describe('the platform port', () => {
  let emulator: TestEmulator;
  beforeAll(async () => {
    emulator = await startTestEmulator();
  });
  afterAll(() => emulator.close());

  it.each([
    ['/oauth/token', { statusCode: 403 }],
    ['/v3/discovery', { code: 403, errors: [{ domain: 'subject_request' }] }],
    ['/v2/events', { errors: [{ code: 'FORBIDDEN' }] }],
    ['/nothing', { statusCode: 403 }],
    ['/_control/clock', { statusCode: 403 }],
  ])("rejects a foreign Host for %s with the service's error format", async (path, body) => {
    const { json, status, text } = await emulator.send('GET', path, { headers: { host: 'evil.example' } });
    expect([status, text]).toEqual([403, expect.stringContaining('evil.example')]);
    expect(json).toMatchObject(body);
  });

  it('accepts localhost', async () => {
    expect((await emulator.send('GET', '/nothing', { headers: { host: 'localhost:1' } })).status).toBe(404);
  });
});
