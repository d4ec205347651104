// A run ends when the platform's limit lets it, within 5 %: one that it was told of, and after some minutes one that it has
// to find, however the platform counts, and whether its answers and the roads to it are quick or slow.
import { describe, expect, test } from 'vitest';
import { createGate } from '../../../../src/lib/bulk/gate.ts';
import { createEventClock } from '../../../helpers/event-clock.ts';
import { randomFrom } from '../../../helpers/random.ts';
import { sample, size } from '../../../helpers/size.ts';

/** What a platform says to a request that comes at `now`: nothing when it is taken, else how long to wait. */
type Limiter = (now: number) => number | undefined;

/** At most so many in any stretch of time, wherever it begins. */
function inAny(limit: number, stretchMs = 1000): Limiter {
  const taken: number[] = [];
  return (now) => {
    while ((taken[0] ?? Infinity) <= now - stretchMs) taken.shift();
    if (taken.length >= limit) return upToSeconds((taken[0] ?? now) + stretchMs - now);
    taken.push(now);
    return undefined;
  };
}

/** At most so many in each stretch of the platform's clock. */
function inEach(limit: number, stretchMs = 1000): Limiter {
  let stretch = -1;
  let taken = 0;
  return (now) => {
    const current = Math.floor(now / stretchMs);
    if (current !== stretch) taken = 0;
    stretch = current;
    if (taken >= limit) return upToSeconds((current + 1) * stretchMs - now);
    taken++;
    return undefined;
  };
}

/** So many a second; what is not used is stored. */
function stored(rate: number, most: number): Limiter {
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
  takes: Limiter;
  /** Whether it tells how long to wait. */
  tells?: boolean;
  /** Milliseconds until a request arrives, and from there to the answer. */
  way(request: number, random: () => number): number;
  answerMs: number;
  /** So long the program stands still every five seconds: what it was about to send leaves it afterwards. */
  standsStillMs?: number;
}

interface Run {
  ms: number;
  refused: number;
  decisions: string[];
}

/** Sends `count` requests through a gate, at `rate` a second if there is one. */
async function send(platform: Platform, rate: number | undefined, count: number, seed = 1): Promise<Run> {
  const clock = createEventClock();
  const startedAt = clock.now();
  const { standsStillMs = 0 } = platform;
  /** How much later than then the program goes on. */
  const held = (at: number): number => Math.max(0, standsStillMs - ((at - startedAt) % 5000));
  const own = { now: clock.now, sleep: (ms: number) => clock.sleep(ms + held(clock.now() + ms)) };
  const random = randomFrom(seed);
  const decisions: string[] = [];
  const gate = createGate({
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
  let refused = 0;

  async function one(): Promise<void> {
    for (let repeat = false; ; repeat = true) {
      const pass = await gate.enter(repeat);
      await clock.sleep(held(clock.now() + 1) + platform.way(requests++, random));
      const wait = platform.takes(clock.now());
      await own.sleep(wait === undefined ? platform.answerMs : 1);
      if (wait === undefined) {
        gate.leave(pass, { kind: 'answered', ms: clock.now() - pass.at, slowDown: false });
        return;
      }
      refused++;
      await gate.rest(gate.leave(pass, { kind: 'busy', retryAfterMs: platform.tells ? wait : undefined }));
    }
  }

  await clock.run(Promise.all(Array.from({ length: count }, one)));
  return { ms: clock.now() - startedAt, refused, decisions };
}

const steady = (ms: number) => (): number => ms;
/** Connections are opened first: the first requests arrive late, the next ones on time. */
const coldStart = (ms: number, cold: number) => (request: number, random: () => number) =>
  request < 16 ? cold : ms * (0.5 + random());
/** Now and then one is held up. */
const held = (ms: number, spread: number, delay: number) => (_request: number, random: () => number) =>
  random() < 0.01 ? delay : ms + spread * (random() - 0.5);

async function expectInTime(platform: Omit<Platform, 'takes'>, limit: number): Promise<void> {
  const seconds = 20;
  for (let seed = 1; seed <= size(2, 1); seed++) {
    const run = await send({ ...platform, takes: inAny(limit) }, limit, limit * seconds, seed);
    expect.soft(run.ms).toBeLessThan(seconds * 1000 * 1.05);
    expect.soft(run.refused).toBeLessThan(limit * seconds * 0.05);
  }
}

const ROADS: [string, Omit<Platform, 'takes'>][] = [
  ['a steady road', { way: steady(2), answerMs: 20 }],
  ['a cold start', { way: coldStart(2, 60), answerMs: 20 }],
  ['an uneven road', { way: held(5, 5, 80), answerMs: 20 }],
  ['far away', { way: held(60, 30, 120), answerMs: 30 }],
];
const LIMITS = [20, 90, 200, 500].flatMap((limit) => ROADS.map(([name, road]) => [limit, name, road] as const));

test.each(sample(LIMITS, 5))('at %d requests a second, %s', async (limit, _name, road) => {
  await expectInTime(road, limit);
});

test.each(sample([20, 90, 200], 1))(
  'at %d requests a second, by a program that stands still now and then',
  async (limit) => {
    await expectInTime({ way: steady(2), answerMs: 20, standsStillMs: 80, tells: true }, limit);
  },
);

describe('a limit that it is not told of', () => {
  const LIMIT = 50;
  const SECONDS = 300;
  const uneven = (_request: number, random: () => number): number => 3 + 3 * random();
  const far = { way: uneven, answerMs: 300, tells: true };

  const ways: [string, Platform][] = [
    ['any second', { ...far, takes: inAny(LIMIT) }],
    ['any second, without Retry-After', { ...far, takes: inAny(LIMIT), tells: false }],
    ['any second, answered quickly', { ...far, takes: inAny(LIMIT), answerMs: 20 }],
    ['each second of its clock', { ...far, takes: inEach(LIMIT) }],
    ['any minute', { ...far, takes: inAny(LIMIT * 60, 60_000) }],
    ['each minute of its clock', { ...far, takes: inEach(LIMIT * 60, 60_000) }],
    ['a second, and a second stored', { ...far, takes: stored(LIMIT, LIMIT) }],
    ['a second, and ten seconds stored', { ...far, takes: stored(LIMIT, LIMIT * 10) }],
  ];
  test.each(sample(ways, 3))('so many in %s: it is found, and seldom met', async (_how, platform) => {
    const { ms, refused } = await send(platform, undefined, LIMIT * SECONDS);
    expect(ms / 1000).toBeLessThan(SECONDS * 1.05);
    expect(refused).toBeLessThan(LIMIT * SECONDS * 0.01);
  });

  test('five a second are found', async () => {
    const { ms, refused } = await send({ ...far, takes: inAny(5) }, undefined, 5 * SECONDS);
    expect(ms / 1000).toBeLessThan(SECONDS * 1.05);
    expect(refused).toBeLessThan(30);
  });

  test('it is half of what was told: it is found and said', async () => {
    const run = await send({ ...far, takes: inAny(LIMIT) }, 2 * LIMIT, LIMIT * SECONDS);
    expect(run.ms / 1000).toBeLessThan(SECONDS * 1.06);
    expect(run.refused).toBeLessThan(LIMIT * SECONDS * 0.01);
    expect(run.decisions.filter((text) => /^the platform accepts 4\d\.\d requests\/s$/.test(text))).not.toEqual([]);
  });

  test('met once at the start, by what others sent, it does not hold the run up', async () => {
    let requests = 0;
    const free = await send({ ...far, takes: () => undefined }, undefined, 20_000);
    const once = await send({ ...far, takes: () => (++requests === 10 ? 1000 : undefined) }, undefined, 20_000);
    expect(once.ms - free.ms).toBeLessThan(5000);
  });
});

describe.each([
  ['with Retry-After', true],
  ['without Retry-After', false],
])('answers of 429 at random, %s', (_how, tells) => {
  const shares = [
    [0.01, 0.9],
    [0.05, 0.6],
  ] as const;
  test.each(sample(shares, 1))('to a share of %d leave the run at least %d of its rate', async (share, least) => {
    const platform = { way: steady(1), answerMs: 100, tells };
    for (let seed = 1; seed <= size(2, 1); seed++) {
      const random = randomFrom(seed + 100);
      const free = await send({ ...platform, takes: () => undefined }, undefined, 10_000, seed);
      const met = await send(
        { ...platform, takes: () => (random() < share ? 1000 : undefined) },
        undefined,
        10_000,
        seed,
      );
      expect(free.ms / met.ms).toBeGreaterThan(least);
    }
  });
});
