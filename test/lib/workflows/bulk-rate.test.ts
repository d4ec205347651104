// A run at a known limit ends when the limit lets it, within 5 %, on a platform that counts in every second, wherever it
// begins, and whose answers and roads are now quick, now slow.
import { describe, expect, test } from 'vitest';
import { createGate } from '../../../src/lib/workflows/bulk-gate.ts';
import { createEventClock } from '../../helpers/event-clock.ts';
import { randomFrom } from '../../helpers/random.ts';

interface Platform {
  /** Requests in any second. */
  limit: number;
  /** Milliseconds until a request arrives, and from there to the answer. */
  way(request: number, random: () => number): number;
  answerMs: number;
}

interface Run {
  ms: number;
  accepted: number;
  refused: number;
}

/** Sends `count` requests through a gate at `rate` a second. */
async function send(platform: Platform, rate: number, count: number, seed: number): Promise<Run> {
  const clock = createEventClock();
  const random = randomFrom(seed);
  const gate = createGate({
    concurrency: 256,
    rate,
    retries: 4,
    clock,
    random,
    signal: new AbortController().signal,
    onDecision: () => undefined,
    onWait: () => undefined,
  });
  const counted: number[] = [];
  let requests = 0;
  let refused = 0;

  async function one(): Promise<void> {
    for (let repeat = false; ; repeat = true) {
      const pass = await gate.enter(repeat);
      const sentAt = clock.now();
      await clock.sleep(platform.way(requests++, random));
      const arrivedAt = clock.now();
      while (counted.length > 0 && (counted[0] as number) <= arrivedAt - 1000) counted.shift();
      const isTaken = counted.length < platform.limit;
      if (isTaken) counted.push(arrivedAt);
      else refused++;
      await clock.sleep(isTaken ? platform.answerMs : 1);
      if (isTaken) {
        gate.leave(pass, { kind: 'answered', ms: clock.now() - sentAt, slowDown: false });
        return;
      }
      gate.leave(pass, { kind: 'busy', retryAfterMs: undefined });
    }
  }

  const startedAt = clock.now();
  await clock.run(Promise.all(Array.from({ length: count }, one)));
  return { ms: clock.now() - startedAt, accepted: count, refused };
}

const steady = (ms: number) => (): number => ms;
/** Connections are opened first: the first requests arrive late, the next ones on time. */
const coldStart = (ms: number, cold: number) => (request: number, random: () => number) =>
  request < 16 ? cold : ms * (0.5 + random());
/** Now and then one is held up. */
const held = (ms: number, spread: number, delay: number) => (_request: number, random: () => number) =>
  random() < 0.01 ? delay : ms + spread * (random() - 0.5);

describe.each([20, 90, 200, 500])('at %d requests a second', (limit) => {
  test.each<[string, Platform]>([
    ['a steady road', { limit, way: steady(2), answerMs: 20 }],
    ['a cold start', { limit, way: coldStart(2, 60), answerMs: 20 }],
    ['an uneven road', { limit, way: held(5, 5, 80), answerMs: 20 }],
    ['far away', { limit, way: held(60, 30, 120), answerMs: 30 }],
  ])('%s', async (_name, platform) => {
    const seconds = 20;
    const runs: Run[] = [];
    for (let seed = 1; seed <= 2; seed++) runs.push(await send(platform, limit, limit * seconds, seed));
    for (const run of runs) {
      expect.soft(run.ms).toBeLessThan(seconds * 1000 * 1.05);
      expect.soft(run.refused).toBeLessThan(limit * seconds * 0.05);
    }
  });
});

test('a limit that is lower than what one was told is not hammered', async () => {
  const run = await send({ limit: 50, way: steady(2), answerMs: 20 }, 200, 1000, 1);
  expect(run.refused).toBeLessThan(0.3 * run.accepted);
});
