// Together, runs that share a rate use almost all of it, whatever their sizes. If the store is down, each run uses its
// own share.
import { expect, test } from 'vitest';
import { Gate } from '../../../../src/lib/bulk/gate.ts';
import type { RateStore } from '../../../../src/lib/bulk/rate-store.ts';
import { createEventClock, type EventClock } from '../../../helpers/event-clock.ts';

const RATE = 200;
const LATENCY_MS = 50;
const SIZES = [3200, 1600, 800, 400, 200, 100, 50, 50];

/** Schedules requests like the Redis script, but does not learn from responses. */
function createStore(clock: EventClock, isUp = (): boolean => true): RateStore {
  const everyMs = (1000 / RATE) * 1.01;
  let next = 0;
  return {
    take: async (count) => {
      await clock.sleep(1);
      if (!isUp()) throw new Error('connect ECONNREFUSED');
      const start = Math.max(clock.now(), next);
      next = start + count * everyMs;
      return { inMs: start - clock.now(), everyMs };
    },
    limited: () => Promise.resolve(),
    close: () => undefined,
  };
}

/**
 * Starts all runs at the same time, against a platform with a rate limit. Returns by what fraction the runs exceeded
 * the minimum time, the ratio of rejected to accepted requests, and how often a run lost the store.
 */
async function run(sizes: readonly number[], isUp?: () => boolean) {
  const clock = createEventClock();
  const store = createStore(clock, isUp);
  const begun = clock.now();
  const accepted: number[] = [];
  let rejected = 0;
  let lost = 0;
  const one = async (size: number): Promise<void> => {
    const gate = new Gate({
      ...{ clock, signal: new AbortController().signal, concurrency: 64, rate: RATE / sizes.length },
      ...{ giveUpAfterMs: 600_000, random: () => 0.5, onDecision: () => undefined, onWait: () => undefined },
      shared: { store, onLost: () => lost++ },
    });
    const send = async (): Promise<void> => {
      for (let isRepeat = false; ; isRepeat = true) {
        const pass = await gate.enter(isRepeat);
        const now = clock.now();
        const isOver = accepted.filter((at) => at > now - 1000).length >= RATE;
        if (!isOver) accepted.push(now);
        else rejected++;
        await clock.sleep(LATENCY_MS);
        if (!isOver) {
          gate.leave(pass, { kind: 'answered', slowDown: false });
          return;
        }
        const pauseMs = gate.leave(pass, { kind: 'busy', retryAfterMs: 1000 });
        if (pauseMs > 0) await gate.pauseRow(pauseMs);
      }
    };
    await Promise.all(Array.from({ length: size }, send));
  };
  await clock.run(Promise.all(sizes.map(one)));
  const ideal = (accepted.length / RATE) * 1000;
  return { longer: (clock.now() - begun) / ideal - 1, rejected: rejected / accepted.length, lost };
}

test('finishes eight unequal runs within 5% of the minimum time, with 429 responses to fewer than 1% of the requests', async () => {
  const { longer, rejected, lost } = await run(SIZES);
  expect(longer).toBeLessThan(0.05);
  expect(rejected).toBeLessThan(0.01);
  expect(lost).toBe(0);
});

test("falls back to each run's own share if the store is unreachable, and reports the outage once per run", async () => {
  const { longer, rejected, lost } = await run([400, 400, 400, 400], () => false);
  expect(longer).toBeLessThan(0.1);
  expect(rejected).toBeLessThan(0.01);
  expect(lost).toBe(4);
});

test('uses the store again once it is reachable', async () => {
  let asked = 0;
  // Every run loses the store on its first request and finds it again on its next attempt.
  const { longer, lost } = await run(SIZES.slice(0, 4), () => ++asked > 4);
  expect(lost).toBe(4);
  expect(longer).toBeLessThan(0.35);
});
