// Tests catching up on due work in several areas.
import { expect, test } from 'vitest';
import { createCatchUp } from '../../../../src/lib/emulator/open-platform.ts';

/** Returns an area with work due at each of these times. The area records its completed work in `done`. */
function areaDueAt(name: string, times: number[], done: string[]) {
  return {
    nextDue: () => times[0],
    catchUp: async (now: number) => {
      await Promise.resolve();
      while ((times[0] ?? Infinity) <= now) done.push(`${name}${times.shift()}`);
    },
  };
}

test('runs work from all areas in time order', async () => {
  const done: string[] = [];
  const areas = [areaDueAt('a', [1, 4, 9], done), areaDueAt('b', [2, 3, 20], done), {}];
  await createCatchUp(areas, () => 10).run();
  expect(done).toEqual(['a1', 'b2', 'b3', 'a4', 'a9']);
});

test('calls an area without due times at every due time of the other areas, and at the end', async () => {
  const done: string[] = [];
  const silent = { catchUp: (now: number) => void done.push(`s${now}`) };
  await createCatchUp([silent, areaDueAt('a', [1, 4], done)], () => 10).run();
  expect(done).toEqual(['s1', 'a1', 's4', 'a4', 's10']);
});

test('continues while the clock advances', async () => {
  const done: string[] = [];
  let now = 1;
  const area = areaDueAt('a', [1, 2, 3], done);
  const catchUp = createCatchUp([area], () => now++);
  await catchUp.run();
  expect(done).toEqual(['a1', 'a2', 'a3']);
});

test('runs one round at a time, and resolves when it is complete', async () => {
  const done: string[] = [];
  let now = 1;
  const catchUp = createCatchUp([areaDueAt('a', [1, 2], done)], () => now);
  const first = catchUp.run();
  now = 2;
  const second = catchUp.run();
  expect(catchUp.busy()).toBe(true);
  await first;
  await second;
  expect(done).toEqual(['a1', 'a2']);
  expect(catchUp.busy()).toBe(false);
});

test('rejects if a round fails, and can run the next round', async () => {
  let fails = true;
  const area = {
    catchUp: () => {
      if (fails) throw new Error('failed');
    },
  };
  const catchUp = createCatchUp([area], () => 1);
  await expect(catchUp.run()).rejects.toThrow('failed');
  fails = false;
  await expect(catchUp.run()).resolves.toBeUndefined();
});

test('does not cause an unhandled rejection if background work fails', async () => {
  let calls = 0;
  const area = {
    catchUp: () => {
      calls++;
      throw new Error('failed');
    },
  };
  const catchUp = createCatchUp([area], () => 1);
  catchUp.start();
  // An unhandled rejection would make this test file fail.
  await expect(catchUp.run()).rejects.toThrow('failed');
  expect(calls).toBe(2);
});

test('does not start any work after it is stopped', async () => {
  const done: string[] = [];
  const catchUp = createCatchUp([areaDueAt('a', [1, 2], done), areaDueAt('b', [1], done)], () => 10);
  const running = catchUp.run();
  await catchUp.stop();
  await running;
  await catchUp.run();
  expect(done.length).toBeLessThan(3);
});
