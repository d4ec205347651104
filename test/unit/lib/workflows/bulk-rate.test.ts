// A bulk run takes at most 5% longer than the platform's limit requires, or 6% if the limit is lower than the
// configured rate. This applies to known and unknown limits, with several kinds of window and several latencies.
import { describe, expect, test } from 'vitest';
import { Gate } from '../../../../src/lib/bulk/gate.ts';
import { createEventClock } from '../../../helpers/event-clock.ts';
import { randomFrom } from '../../../helpers/random.ts';
import { sample, size } from '../../../helpers/size.ts';

/** Returns undefined to accept a request at `now`, or the milliseconds to wait. */
type Limiter = (now: number) => number | undefined;

function slidingWindow(limit: number, windowMs = 1000): Limiter {
  const accepted: number[] = [];
  return (now) => {
    while ((accepted[0] ?? Infinity) <= now - windowMs) accepted.shift();
    if (accepted.length >= limit) return upToSeconds((accepted[0] ?? now) + windowMs - now);
    accepted.push(now);
    return undefined;
  };
}

/** Returns a limiter with a fixed window on the platform's clock. */
function fixedWindow(limit: number, windowMs = 1000): Limiter {
  let window = -1;
  let accepted = 0;
  return (now) => {
    const current = Math.floor(now / windowMs);
    if (current !== window) accepted = 0;
    window = current;
    if (accepted >= limit) return upToSeconds((current + 1) * windowMs - now);
    accepted++;
    return undefined;
  };
}

function tokenBucket(rate: number, most: number): Limiter {
  let tokens = most;
  let before = -Infinity;
  return (now) => {
    tokens = Math.min(most, tokens + ((now - before) * rate) / 1000);
    before = now;
    if (tokens < 1) return upToSeconds(((1 - tokens) / rate) * 1000);
    tokens--;
    return undefined;
  };
}

const upToSeconds = (ms: number): number => Math.ceil(ms / 1000) * 1000;

interface Platform {
  accept: Limiter;
  /** Whether every 429 response has a Retry-After header. */
  sendsRetryAfter?: boolean;
  /** Returns the milliseconds until a request arrives. `answerMs` is the time from then until the response. */
  latency(request: number, random: () => number): number;
  answerMs: number;
  /** Every five seconds, the program stalls for this many milliseconds, then sends its pending requests. */
  stallMs?: number;
}

interface Run {
  ms: number;
  rejected: number;
  decisions: string[];
}

/** Sends `count` requests through a gate, optionally at `rate` per second. */
async function send(platform: Platform, rate: number | undefined, count: number, seed = 1): Promise<Run> {
  const clock = createEventClock();
  const startedAt = clock.now();
  const { stallMs = 0 } = platform;
  /** Returns how long a stall delays work that is due at the given time. */
  const stalled = (at: number): number => Math.max(0, stallMs - ((at - startedAt) % 5000));
  const own = { now: clock.now, sleep: (ms: number) => clock.sleep(ms + stalled(clock.now() + ms)) };
  const random = randomFrom(seed);
  const decisions: string[] = [];
  const gate = new Gate({
    concurrency: rate === undefined ? 64 : 256,
    rate,
    giveUpAfterMs: 600_000,
    clock: own,
    random,
    signal: new AbortController().signal,
    onDecision: (text) => decisions.push(text),
    onWait: () => undefined,
  });
  let requests = 0;
  let rejected = 0;

  async function one(): Promise<void> {
    for (let repeat = false; ; repeat = true) {
      const pass = await gate.enter(repeat);
      await clock.sleep(stalled(clock.now() + 1) + platform.latency(requests++, random));
      const wait = platform.accept(clock.now());
      await own.sleep(wait === undefined ? platform.answerMs : 1);
      if (wait === undefined) {
        gate.leave(pass, { kind: 'answered', slowDown: false });
        return;
      }
      rejected++;
      await gate.pauseRow(
        gate.leave(pass, { kind: 'busy', retryAfterMs: platform.sendsRetryAfter ? wait : undefined }),
      );
    }
  }

  await clock.run(Promise.all(Array.from({ length: count }, one)));
  return { ms: clock.now() - startedAt, rejected, decisions };
}

const steady = (ms: number) => (): number => ms;
/** The first requests are slow, because they open connections. */
const coldStart = (ms: number, cold: number) => (request: number, random: () => number) =>
  request < 16 ? cold : ms * (0.5 + random());
/** Returns a function that returns varying latencies, of which one percent are `delay`. */
const jittery = (ms: number, spread: number, delay: number) => (_request: number, random: () => number) =>
  random() < 0.01 ? delay : ms + spread * (random() - 0.5);

async function expectInTime(platform: Omit<Platform, 'accept'>, limit: number): Promise<void> {
  const seconds = 20;
  for (let seed = 1; seed <= size(2, 1); seed++) {
    const run = await send({ ...platform, accept: slidingWindow(limit) }, limit, limit * seconds, seed);
    expect.soft(run.ms).toBeLessThan(seconds * 1000 * 1.05);
    expect.soft(run.rejected).toBeLessThan(limit * seconds * 0.05);
  }
}

const NETWORKS: [string, Omit<Platform, 'accept'>][] = [
  ['a steady network', { latency: steady(2), answerMs: 20 }],
  ['a cold start', { latency: coldStart(2, 60), answerMs: 20 }],
  ['an uneven network', { latency: jittery(5, 5, 80), answerMs: 20 }],
  ['a distant platform', { latency: jittery(60, 30, 120), answerMs: 30 }],
];
const LIMITS = [20, 90, 200, 500].flatMap((limit) =>
  NETWORKS.map(([name, network]) => [limit, name, network] as const),
);

test.each(sample(LIMITS, 5))(
  'finishes within 5% of the required time at %d requests/s with %s',
  async (limit, _name, network) => {
    await expectInTime(network, limit);
  },
);

test.each(sample([20, 90, 200], 1))(
  'finishes within 5% of the required time at %d requests/s even if the program stalls',
  async (limit) => {
    await expectInTime({ latency: steady(2), answerMs: 20, stallMs: 80, sendsRetryAfter: true }, limit);
  },
);

describe('an unknown limit', () => {
  const LIMIT = 50;
  const SECONDS = 300;
  const uneven = (_request: number, random: () => number): number => 3 + 3 * random();
  const distant = { latency: uneven, answerMs: 300, sendsRetryAfter: true };

  const limiters: [string, Platform][] = [
    ['a sliding second', { ...distant, accept: slidingWindow(LIMIT) }],
    ['a sliding second without Retry-After', { ...distant, accept: slidingWindow(LIMIT), sendsRetryAfter: false }],
    ['a sliding second with fast responses', { ...distant, accept: slidingWindow(LIMIT), answerMs: 20 }],
    ['a fixed second', { ...distant, accept: fixedWindow(LIMIT) }],
    ['a sliding minute', { ...distant, accept: slidingWindow(LIMIT * 60, 60_000) }],
    ['a fixed minute', { ...distant, accept: fixedWindow(LIMIT * 60, 60_000) }],
    ['a one-second token bucket', { ...distant, accept: tokenBucket(LIMIT, LIMIT) }],
    ['a ten-second token bucket', { ...distant, accept: tokenBucket(LIMIT, LIMIT * 10) }],
  ];
  test.each(sample(limiters, 3))('is detected and rarely exceeded if the limit is %s', async (_how, platform) => {
    const { ms, rejected } = await send(platform, undefined, LIMIT * SECONDS);
    expect(ms / 1000).toBeLessThan(SECONDS * 1.05);
    expect(rejected).toBeLessThan(LIMIT * SECONDS * 0.01);
  });

  test('is detected even if it is five requests per second', async () => {
    const { ms, rejected } = await send({ ...distant, accept: slidingWindow(5) }, undefined, 5 * SECONDS);
    expect(ms / 1000).toBeLessThan(SECONDS * 1.05);
    expect(rejected).toBeLessThan(30);
  });

  test('is detected and reported if it is half the configured rate', async () => {
    const run = await send({ ...distant, accept: slidingWindow(LIMIT) }, 2 * LIMIT, LIMIT * SECONDS);
    expect(run.ms / 1000).toBeLessThan(SECONDS * 1.06);
    expect(run.rejected).toBeLessThan(LIMIT * SECONDS * 0.01);
    expect(run.decisions.filter((text) => /^the platform accepts 4\d\.\d requests\/s$/.test(text))).not.toEqual([]);
  });

  test('does not slow the run down if it is exceeded only once at the start', async () => {
    let requests = 0;
    const free = await send({ ...distant, accept: () => undefined }, undefined, 20_000);
    const once = await send({ ...distant, accept: () => (++requests === 10 ? 1000 : undefined) }, undefined, 20_000);
    expect(once.ms - free.ms).toBeLessThan(5000);
  });
});

describe.each([
  ['with Retry-After', true],
  ['without Retry-After', false],
])('random 429 responses %s', (_how, sendsRetryAfter) => {
  const shares = [
    ['90%', '1%', 0.01, 0.9],
    ['60%', '5%', 0.05, 0.6],
  ] as const;
  test.each(sample(shares, 1))(
    'reduce the rate to no less than %s if they make up %s of all responses',
    async (_left, _sent, share, minimum) => {
      const platform = { latency: steady(1), answerMs: 100, sendsRetryAfter };
      for (let seed = 1; seed <= size(2, 1); seed++) {
        const random = randomFrom(seed + 100);
        const free = await send({ ...platform, accept: () => undefined }, undefined, 10_000, seed);
        const limited = await send(
          { ...platform, accept: () => (random() < share ? 1000 : undefined) },
          undefined,
          10_000,
          seed,
        );
        expect(free.ms / limited.ms).toBeGreaterThan(minimum);
      }
    },
  );
});

test.each([
  ['at an unknown limit', '83%', '1%', undefined, 0.01, 1.2, 0.04],
  ['at an unknown limit', '59%', '5%', undefined, 0.05, 1.67, 0.08],
  ['at twice the limit', '59%', '5%', 100, 0.05, 1.67, 0.08],
  ['at a rate 10% above the limit', '83%', '0%', 55, 0, 1.2, 0.1],
])(
  '%s, a run reaches more than %s of 50 requests/s if another client causes 429s for %s of the responses',
  async (_rate, _least, _share, rate, share, most, rejected) => {
    const random = randomFrom(7);
    const limit = slidingWindow(50);
    const accept = (now: number): number | undefined => (random() < share ? 1000 : limit(now));
    const run = await send({ latency: steady(4), answerMs: 20, sendsRetryAfter: true, accept }, rate, 10_000);
    expect(run.ms / 200_000).toBeLessThan(most);
    expect(run.rejected / 10_000).toBeLessThan(rejected);
  },
);
