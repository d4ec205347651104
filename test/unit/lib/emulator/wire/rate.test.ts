// The rate limit for roles: 100 requests per sliding minute of the platform's clock, per organization.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRateLimit } from '../../../../../src/lib/emulator/wire/rate.ts';
import { type PlatformError, rejection } from '../../../../../src/lib/emulator/wire/platform-error.ts';
import { startTestEmulator } from '../../../../helpers/emulator.ts';
import { opened } from '../../../../helpers/opened.ts';

describe('the roles endpoints', () => {
  test('allow 100 requests per minute, then return 429 with Retry-After until the window has room', async () => {
    const fixtures = { organizations: [{ id: 1 }, { id: 2 }], accounts: [{ id: 1 }, { id: 2, org_id: 2 }] };
    const emulator = await opened(startTestEmulator({ clock: 'manual', fixtures }));
    const get = (org = 1) => emulator.call('GET', `/platform/v2/organizations/${org}/accounts/${org}/tasks`);
    const put = () => emulator.call('PUT', '/platform/v2/organizations/1/accounts/1/roles', { body: { roles: [] } });
    const start = Date.parse(await emulator.api.now());
    // Every authorized request counts, even if it is rejected.
    for (let count = 0; count < 49; count++) expect((await get()).status).toBe(200);
    expect((await put()).status).toBe(200);
    expect((await emulator.call('PUT', '/platform/v2/organizations/1/accounts/1/roles', { body: '{' })).status).toBe(
      400,
    );
    await emulator.send('GET', '/platform/v2/organizations/1/accounts/1/tasks');
    await emulator.api.advance('30s');
    for (let count = 0; count < 49; count++) expect((await get()).status).toBe(200);

    const limited = await put();
    expect(limited.status).toBe(429);
    expect(limited.headers['retry-after']).toBe('30');
    expect(limited.json).toEqual({ statusCode: 429, errors: [{ message: 'Rate limit exceeded' }] });
    expect((await get(2)).status).toBe(200);

    await emulator.api.set(new Date(start + 59_001).toISOString());
    expect((await get()).headers['retry-after']).toBe('1');
    await emulator.api.set(new Date(start + 60_000).toISOString());
    for (let count = 0; count < 51; count++) expect((await get()).status).toBe(200);
    expect((await get()).headers['retry-after']).toBe('30');

    await emulator.reset();
    expect((await get()).status).toBe(200);
  });
});

const waitFor = (seconds: string) => rejection(429, seconds);

/** Returns the seconds to wait if the request is rejected. */
function secondsToWait(admit: () => void): number | undefined {
  try {
    admit();
    return undefined;
  } catch (error) {
    return Number((error as PlatformError).failure.message);
  }
}

describe('a rate limit', () => {
  test('never exceeds the limit in any minute, never rejects below it, and returns the time to wait', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5 }),
        fc.array(fc.integer({ min: 0, max: 30_000 }), { maxLength: 60 }),
        (limit, pauses) => {
          const rate = createRateLimit(limit, { now: () => now }, waitFor);
          const accepted: number[] = [];
          let now = 1_000_000;
          for (const pause of pauses) {
            now += pause;
            const inMinute = accepted.filter((time) => time > now - 60_000).length;
            const seconds = secondsToWait(() => rate.admit(1));
            if (seconds === undefined) {
              expect(inMinute).toBeLessThan(limit);
              accepted.push(now);
            } else {
              expect(inMinute).toBe(limit);
              const wait = seconds * 1000;
              const free = (accepted.at(-limit) ?? 0) + 60_000 - now;
              expect(wait).toBeGreaterThanOrEqual(free);
              expect(wait).toBeLessThan(free + 1000);
            }
          }
        },
      ),
    );
  });

  test('forgets requests that lie in the future after the clock is set back', () => {
    let now = 5_000_000;
    const rate = createRateLimit(1, { now: () => now }, waitFor);
    rate.admit(1);
    now = 1_000_000;
    rate.admit(1);
    now += 1;
    expect(secondsToWait(() => rate.admit(1))).toBe(60);
  });
});
