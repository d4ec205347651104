// With --curl, no command changes anything: a command that sends no request rejects the flag.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CASES, recordOf } from './cases.ts';
import { createWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(async () => {
  await world.close();
});

const local = CASES.filter((one) => {
  const { calls, effect } = recordOf(one);
  return one.elsewhere === undefined && effect === 'local' && (calls === 'none' || calls === 'settings');
});

test.each(local)('$command rejects --curl, because it sends no request', async (one) => {
  await world.prepare(one);
  const { code, stderr } = await world.run(one, ['--curl']);
  expect([code, stderr]).toEqual([2, expect.stringContaining('This command sends no request')]);
});
