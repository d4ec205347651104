// A limit that is known is neither exceeded in any second nor left unused.
import { expect, test } from 'vitest';
import { createSlots } from '../../../../../src/lib/domain/pacing/slots.ts';
import { randomFrom } from '../../../../helpers/random.ts';

test.each([0.5, 1, 2.5, 7, 90, 200, 5000])('at %d a second, with timers that come late', (rate) => {
  const random = randomFrom(1);
  const slots = createSlots(rate);
  const sent: number[] = [];
  let now = 0;
  while (sent.length < Math.max(20, rate * 20)) {
    now = Math.max(now, slots.from);
    // Now and then nothing goes for a while.
    if (random() < 0.1 / rate) now += random() * 100;
    slots.take(now);
    sent.push(now);
  }
  const inAStretch = Math.ceil(rate);
  const stretchMs = (inAStretch / rate) * 1000;
  for (let index = inAStretch; index < sent.length; index++) {
    const since = (sent[index] ?? 0) - (sent[index - inAStretch] ?? 0);
    if (since < stretchMs) expect.fail(`${inAStretch + 1} requests within ${since} ms`);
  }
  const idle = ((sent.length - inAStretch) / rate) * 1000;
  expect(sent.at(-1)).toBeLessThan(idle * 1.05);
});

test('what was to go while the program stood still went afterwards', () => {
  const slots = createSlots(4);
  for (const at of [0, 100, 200, 300]) slots.take(at);
  expect(slots.from).toBe(1010);
  slots.delayed(200, 500);
  expect(slots.from).toBe(1010);
  slots.take(1010);
  slots.take(1110);
  // The third and the fourth went at 500.
  expect(slots.from).toBe(1510);
});
