// The shared budget: at most 90 requests per minute across processes, even if its file is damaged or the clock is set
// back.
import { readdirSync, readFileSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { rolesEndpoints } from '../../../../src/lib/contract/roles.ts';
import { nextSlots, takeSlots } from '../../../../src/lib/http/limits/budget.ts';
import { createCacheFiles } from '../../../../src/lib/kernel/cache-files.ts';
import { createTestClock, TEST_TIME } from '../../../helpers/clock.ts';
import { type FaultServer, json, startFaultServer } from '../../../helpers/fault-server.ts';
import { temporaryFolder } from '../../../helpers/temporary-folder.ts';
import { opened } from '../../../helpers/opened.ts';
import { fail, never, testClient } from './setup.ts';
import { loggedWaits } from './logged-waits.ts';

const MINUTE = 60_000;
const A = { address: 'https://a.example', key: 'https://a.example' };
const cacheFiles = createCacheFiles(fail);
let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

/** Returns the maximum number of requests in any minute. */
function busiest(times: readonly number[]): number {
  const sorted = [...times].sort((a, b) => a - b);
  return Math.max(...sorted.map((from) => sorted.filter((time) => time >= from && time < from + MINUTE).length));
}

/** Simulates a process whose clock records waits instead of sleeping. */
function processAt(now: () => number) {
  const decisions: string[] = [];
  const take = async (count = 1, address = 'https://a.example'): Promise<number> => {
    const { clock, waited } = loggedWaits(now);
    const options = { cacheFiles, budgetFolder: folder, clock, onDecision: (text: string) => decisions.push(text) };
    await takeSlots('roles', { address, key: address }, count, options, never);
    return now() + waited();
  };
  return { take, decisions };
}

function budgetFile(): string {
  const name = readdirSync(folder).find((file) => file.endsWith('.json'));
  if (name === undefined) throw new Error('no budget file');
  return join(folder, name);
}

describe('the next slots', () => {
  test('never exceed the limit in any window', () => {
    const requests = fc.array(
      fc.record({ pause: fc.integer({ min: 0, max: 40_000 }), count: fc.integer({ min: 1, max: 90 }) }),
      {
        maxLength: 40,
      },
    );
    fc.assert(
      fc.property(requests, (steps) => {
        let now = TEST_TIME;
        let slots: number[] = [];
        const sent: number[] = [];
        for (const { pause, count } of steps) {
          now += pause;
          const next = nextSlots(slots, now, count, 90);
          slots = next.slots;
          expect(next.due).toBeGreaterThanOrEqual(now);
          expect(slots.length).toBeLessThanOrEqual(90);
          sent.push(...Array<number>(count).fill(next.due));
        }
        if (sent.length > 0) expect(busiest(sent)).toBeLessThanOrEqual(90);
      }),
    );
  });

  test('are no later than necessary', () => {
    const full = Array.from({ length: 90 }, (_item, index) => TEST_TIME + index);
    expect(nextSlots(full.slice(1), TEST_TIME + 100, 1, 90).due).toBe(TEST_TIME + 100);
    expect(nextSlots(full, TEST_TIME + 100, 1, 90).due).toBe(TEST_TIME + 61_000);
    expect(nextSlots(full, TEST_TIME + 100, 2, 90).due).toBe(TEST_TIME + 61_001);
    expect(nextSlots([], TEST_TIME, 90, 90).due).toBe(TEST_TIME);
    // Later requests never get earlier slots.
    expect(nextSlots([TEST_TIME, TEST_TIME, TEST_TIME + 500], TEST_TIME, 1, 90).due).toBe(TEST_TIME + 500);
  });
});

describe('the shared budget', () => {
  test('counts the requests of all concurrent processes that use the same address', async () => {
    const processes = Array.from({ length: 5 }, () => processAt(() => TEST_TIME));
    const sent: number[] = [];
    await Promise.all(
      processes.map(async ({ take }) => {
        for (let request = 0; request < 20; request++) sent.push(await take());
      }),
    );
    expect(sent.filter((time) => time === TEST_TIME)).toHaveLength(90);
    expect(busiest(sent)).toBe(90);
    expect(processes.flatMap(({ decisions }) => decisions)[0]).toMatch(
      /^waiting 1m 1s: all your processes share 90 requests per minute for roles at https:\/\/a\.example$/,
    );
    expect(await processAt(() => TEST_TIME).take(1, 'https://b.example')).toBe(TEST_TIME);
  });

  test('respects the limit if the clock is set back', async () => {
    let now = TEST_TIME;
    const { take } = processAt(() => now);
    await take(90);
    now -= 10 * 365 * 24 * 60 * MINUTE;
    expect((await take()) - now).toBe(61_000);
    now += 61_000;
    expect(await take(80)).toBe(now);
  });

  test.each([
    ['empty', ''],
    ['truncated', '{"written":1,"slo'],
    ['with an invalid shape', '{"written":"x","slots":{}}'],
    ['with only `null`', 'null'],
    ['with slots in the far future', JSON.stringify({ written: TEST_TIME, slots: [TEST_TIME + 1e12] })],
    ['with a slot that is not a time', JSON.stringify({ written: TEST_TIME, slots: [TEST_TIME, 'later'] })],
    ['with a negative slot', JSON.stringify({ written: TEST_TIME, slots: [-1] })],
    ['without its write time', JSON.stringify({ slots: Array(90).fill(TEST_TIME) })],
    ['with a number in place of the slots', JSON.stringify({ written: TEST_TIME, slots: 90 })],
    ['with only a number', '7'],
    ['with slots out of order', JSON.stringify({ written: TEST_TIME, slots: [TEST_TIME, TEST_TIME - 5] })],
  ])('replaces a file that is damaged: %s', async (_name, content) => {
    const { take } = processAt(() => TEST_TIME);
    await take(90);
    writeFileSync(budgetFile(), content);
    expect(await take(90)).toBe(TEST_TIME);
    expect(await take()).toBe(TEST_TIME + 61_000);
  });

  test('keeps its file private and bounded in size, and never opens the file through a symbolic link', async () => {
    const clock = createTestClock();
    const { take } = processAt(clock.now);
    for (let round = 0; round < 300; round++) {
      clock.advance(1000);
      await take();
    }
    expect(statSync(budgetFile()).mode & 0o777).toBe(0o600);
    expect(readFileSync(budgetFile()).length).toBe(2048);
    const path = budgetFile();
    rmSync(path);
    symlinkSync(join(folder, 'elsewhere'), path);
    await expect(take()).rejects.toMatchObject({ code: 'files.symlink' });
  });

  test('reports a pause only if it lasts a second or longer', async () => {
    let now = TEST_TIME;
    const { take, decisions } = processAt(() => now);
    await take(90);
    now += 60_001;
    await take();
    expect(decisions).toEqual([]);
    now = TEST_TIME + 60_000;
    await take(90);
    expect(decisions).toHaveLength(1);
  });

  test.each([
    ['respects a lower limit in a profile', 30, 3],
    ['ignores a higher limit in a profile', 900, 1],
  ])('%s', async (_name, most, waits) => {
    const clock = createTestClock();
    const options = { cacheFiles, budgetFolder: folder, clock, onDecision: () => undefined };
    for (let request = 0; request < 91; request++) await takeSlots('roles', { ...A, most }, 1, options, never);
    expect(clock.sleeps[0]).toBe(61_000);
    expect(clock.sleeps).toHaveLength(waits);
    // A single reservation may exceed the profile's limit.
    clock.advance(61_000);
    await takeSlots('roles', { ...A, most }, 40, options, never);
    expect(clock.sleeps).toHaveLength(waits);
  });

  test('uses one file for all ports of a host', async () => {
    const clock = createTestClock();
    const options = { cacheFiles, budgetFolder: folder, clock, onDecision: () => undefined };
    for (let port = 5000; port < 5091; port++)
      await takeSlots('roles', { address: `http://127.0.0.1:${port}`, key: 'local' }, 1, options, never);
    expect(readdirSync(folder)).toHaveLength(1);
    expect(clock.sleeps).toEqual([61_000]);
  });

  test('removes the files of other addresses that were last written more than two hours ago', async () => {
    const { take } = processAt(() => TEST_TIME);
    const names = ['a', 'b'].map((digit) => `rate-roles-${digit.repeat(16)}.json`);
    const others = ['other.json', `rate-roles-${'a'.repeat(16)}.json.old`, `rate-roles-${'c'.repeat(16)}.lock`];
    await take();
    const first = budgetFile();
    for (const name of [...names, ...others]) writeFileSync(join(folder, name), '');
    const hoursAgo = (hours: number): number => Date.now() / 1000 - hours * 3600;
    for (const name of [...others, names[0] ?? '']) utimesSync(join(folder, name), hoursAgo(2.1), hoursAgo(2.1));
    utimesSync(join(folder, names[1] ?? ''), hoursAgo(1.9), hoursAgo(1.9));
    utimesSync(first, hoursAgo(3), hoursAgo(3));
    await take();
    expect(readdirSync(folder)).toContain(names[0]);
    await take(1, 'https://b.example');
    expect(readdirSync(folder)).not.toContain(names[0]);
    expect(readdirSync(folder)).toHaveLength(3 + others.length);
    expect(readdirSync(folder)).toEqual(expect.arrayContaining([basename(first), names[1], ...others]));
  });

  test('rejects a reservation that is larger than the budget', async () => {
    await expect(processAt(() => TEST_TIME).take(91)).rejects.toThrow(RangeError);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('stops waiting when it is aborted', async () => {
    await processAt(() => TEST_TIME).take(90);
    const stop = new AbortController();
    const clock = createTestClock();
    const sleep = async (ms: number, signal?: AbortSignal): Promise<void> => {
      stop.abort(new Error('enough'));
      await clock.sleep(ms, signal);
    };
    const options = { cacheFiles, budgetFolder: folder, clock: { ...clock, sleep }, onDecision: () => undefined };
    await expect(takeSlots('roles', A, 1, options, stop.signal)).rejects.toThrow('enough');
  });
});

describe('the client', () => {
  let server: FaultServer;
  beforeEach(async () => {
    server = await opened(startFaultServer());
    server.otherwise(json({ roles: [] }));
  });
  const params = { orgId: 1n, accountId: 2n };

  test('counts every request against the budget, including retries', async () => {
    const http = testClient(server.url);
    server.next(json({}, { status: 500 }), json({}, { status: 500 }));
    for (let call = 0; call < 88; call++) await http.call(rolesEndpoints.get, { params });
    expect(server.requests).toHaveLength(90);
    expect(http.decisions.filter((text) => text.startsWith('waiting'))).toEqual([]);
    await http.call(rolesEndpoints.get, { params });
    expect(http.decisions.at(-1)).toMatch(/^waiting 1m/);
  });

  test('sends reserved requests without another pause', async () => {
    const http = testClient(server.url);
    for (let call = 0; call < 89; call++) await http.call(rolesEndpoints.get, { params });
    await http.reserve(rolesEndpoints.replace, 2);
    expect(http.clock.sleeps).toEqual([61_000]);
    await http.call(rolesEndpoints.get, { params, reserved: true });
    await http.call(rolesEndpoints.replace, { params, body: { roles: [] }, reserved: true });
    expect(http.clock.sleeps).toEqual([61_000]);
  });
});
