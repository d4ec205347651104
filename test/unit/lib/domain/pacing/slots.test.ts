// A known rate limit is never exceeded, and almost all of it is used.
import { expect, test } from 'vitest';
import { createSlots } from '../../../../../src/lib/domain/pacing/learned-rate.ts';
import { randomFrom } from '../../../../helpers/random.ts';

test.each([0.5, 1, 2.5, 7, 90, 200, 5000])('keeps a rate of %d per second even if timers are late', (rate) => {
  const random = randomFrom(1);
  const slots = createSlots(rate);
  const sent: number[] = [];
  let now = 0;
  while (sent.length < Math.max(20, rate * 20)) {
    now = Math.max(now, slots.from);
    // Delay some requests, as late timers would.
    if (random() < 0.1 / rate) now += random() * 100;
    slots.take(now);
    sent.push(now);
  }
  const inWindow = Math.ceil(rate);
  const windowMs = (inWindow / rate) * 1000;
  for (let index = inWindow; index < sent.length; index++) {
    const since = (sent[index] ?? 0) - (sent[index - inWindow] ?? 0);
    if (since < windowMs) expect.fail(`${inWindow + 1} requests within ${since} ms`);
  }
  const expectedMs = ((sent.length - inWindow) / rate) * 1000;
  expect(sent.at(-1)).toBeLessThan(expectedMs * 1.05);
});

test('counts each request at the time it was sent, even if a stalled event loop delayed it', () => {
  const slots = createSlots(4);
  for (const at of [0, 100, 200, 300]) slots.take(at);
  expect(slots.from).toBe(1010);
  slots.delayed(200, 500);
  expect(slots.from).toBe(1010);
  slots.take(1010);
  slots.take(1110);
  // The third and fourth requests were sent at 500.
  expect(slots.from).toBe(1510);
});
