// Tests, on a fake clock, the pacing of a bulk run when the platform is busy or failing.
import { describe, expect, test } from 'vitest';
import { Gate } from '../../../../src/lib/bulk/gate.ts';
import type { Feedback } from '../../../../src/lib/domain/pacing/gate.ts';
import { createTestClock, type TestClock } from '../../../helpers/clock.ts';

interface Stage {
  clock: TestClock;
  gate: Gate;
  waits: { ms: number; why: string }[];
  decisions: string[];
}

const MINUTE = 60_000;

function openGate(random = () => 0.5, concurrency = 4, giveUpAfterMs = 10 * MINUTE): Stage {
  const clock = createTestClock();
  const waits: Stage['waits'] = [];
  const decisions: string[] = [];
  const gate = new Gate({
    concurrency,
    rate: undefined,
    giveUpAfterMs,
    clock,
    random,
    signal: new AbortController().signal,
    onDecision: (text) => decisions.push(text),
    onWait: (ms, why) => waits.push({ ms, why }),
  });
  return { clock, gate, waits, decisions };
}

/**
 * Sends `times` requests that get `feedback`, then one that succeeds. Returns the delays between them in milliseconds.
 */
async function measureGaps({ clock, gate }: Stage, times: number, feedback: Feedback): Promise<number[]> {
  const gaps: number[] = [];
  let left = clock.now();
  for (let time = 0; time <= times; time++) {
    const pass = await gate.enter(time > 0);
    if (time > 0) gaps.push(clock.now() - left);
    left = clock.now();
    gate.leave(pass, time < times ? feedback : { kind: 'answered', slowDown: false });
  }
  return gaps;
}

const busy = (retryAfterMs: number | undefined): Feedback => ({ kind: 'busy', retryAfterMs });

describe('the gate with Retry-After', () => {
  test('backs off with increasing delays if Retry-After is 0', async () => {
    const stage = openGate();
    const gaps = await measureGaps(stage, 10, busy(0));
    expect(gaps).toEqual([250, 500, 1000, 2000, 4000, 8000, 15_000, 15_000, 15_000, 15_000]);
    expect(stage.waits.map(({ ms }) => ms)).toEqual(gaps);
    expect(stage.gate.retries).toBe(0);
  });

  test('never waits less than Retry-After, and waits longer after several retries', async () => {
    const gaps = await measureGaps(openGate(), 8, busy(1000));
    expect(gaps).toEqual([1250, 1250, 1250, 2000, 4000, 8000, 15_000, 15_000]);
    expect(
      await measureGaps(
        openGate(() => 0),
        8,
        busy(1000),
      ),
    ).toEqual(Array.from({ length: 8 }, () => 1000));
  });

  test('honors every Retry-After, even after hundreds of them', async () => {
    const stage = openGate();
    await measureGaps(stage, 200, busy(60_000));
    expect(stage.gate.requests).toBe(201);
    expect(stage.waits).toHaveLength(200);
    expect(stage.decisions[0]).toBe('the platform requested a pause: waiting 1m');
  });

  test.each([
    ['0', busy(0)],
    ['absent', busy(undefined)],
  ])('gives up after at least 90 seconds and only 15 requests if Retry-After is always %s', async (_form, signal) => {
    const stage = openGate();
    const start = stage.clock.now();
    await expect(measureGaps(stage, 1000, signal)).rejects.toThrow('the rate limit did not clear');
    expect([stage.gate.requests, stage.gate.retries]).toEqual([15, 0]);
    expect(stage.clock.now() - start).toBeGreaterThan(90_000);
  });

  test('waits for a random fraction of the backoff if there is no Retry-After', async () => {
    const randoms = [0, 1, 0.25];
    expect(
      await measureGaps(
        openGate(() => randoms.shift() ?? 0.5),
        4,
        busy(undefined),
      ),
    ).toEqual([0, 1000, 500, 2000]);
  });

  test('resets the backoff after a response', async () => {
    const stage = openGate();
    expect(await measureGaps(stage, 3, busy(0))).toEqual([250, 500, 1000]);
    expect(await measureGaps(stage, 3, busy(0))).toEqual([250, 500, 1000]);
  });

  test('logs one pause for a burst of 429s, then sends a single probe', async () => {
    const stage = openGate();
    const passes = await Promise.all([1, 2, 3, 4].map(() => stage.gate.enter(false)));
    for (const pass of passes) stage.gate.leave(pass, busy(5000));
    expect(stage.waits).toHaveLength(1);
    let entered = 0;
    const again = passes.map(() => stage.gate.enter(true).then((pass) => (entered++, pass)));
    const first = await again[0];
    expect([entered, stage.clock.now() % 10_000]).toEqual([1, 5250]);
    stage.gate.leave(first ?? { round: 0, at: 0 }, { kind: 'answered', slowDown: false });
    await again[1];
    expect(entered).toBeGreaterThan(1);
  });
});

describe('the gate with failures', () => {
  const trouble: Feedback = { kind: 'trouble', permanent: false };
  const answered: Feedback = { kind: 'answered', slowDown: false };

  /**
   * Sends requests one at a time with the feedback from `feedbackOf`, and returns the time of each in milliseconds
   * since the start.
   */
  async function sendAll(
    { clock, gate }: Stage,
    count: number,
    feedbackOf: (request: number) => Feedback,
  ): Promise<number[]> {
    const start = clock.now();
    const sent: number[] = [];
    for (let request = 1; request <= count; request++) {
      const pass = await gate.enter(false);
      sent.push(clock.now() - start);
      gate.leave(pass, feedbackOf(request));
    }
    return sent;
  }

  test('treats uninterrupted failures as an outage, and probes at increasing intervals until it gives up', async () => {
    const stage = openGate();
    const start = stage.clock.now();
    await expect(sendAll(stage, 1000, () => trouble)).rejects.toThrow('the platform is down');
    expect(stage.clock.now() - start).toBe(10 * MINUTE);
    expect(stage.waits.map(({ ms }) => ms).slice(0, 10)).toEqual([
      375, 750, 1500, 3000, 6000, 12_000, 24_000, 45_000, 45_000, 45_000,
    ]);
    expect(stage.gate.retries).toBe(stage.gate.requests);
  });

  test.each([0, 0.5, 1])(
    'sends at most 15 sequential requests in the first minute of an outage (random value: %d)',
    async (random) => {
      const stage = openGate(() => random);
      const sent = await sendAll(stage, 16, () => trouble);
      expect(sent.filter((at) => at <= MINUTE).length).toBeLessThanOrEqual(15);
    },
  );

  test('survives several outages of five minutes each', async () => {
    const stage = openGate();
    const start = stage.clock.now();
    for (let outage = 0; outage < 3; outage++) {
      const until = stage.clock.now() + 5 * MINUTE;
      for (;;) {
        const pass = await stage.gate.enter(true);
        const isOver = stage.clock.now() >= until;
        stage.gate.leave(pass, isOver ? answered : trouble);
        if (isOver) break;
      }
    }
    expect(stage.clock.now() - start).toBeLessThan(17 * MINUTE);
  });

  test('gives up after a few failures, without waiting, if waiting is not allowed', async () => {
    const stage = openGate(undefined, 4, 0);
    await expect(sendAll(stage, 1000, () => trouble)).rejects.toThrow('the platform is down');
    expect([stage.gate.requests, stage.waits]).toEqual([8, []]);
  });

  test.each([
    [0, 3500],
    [20_000, 13_500],
  ])('if `giveUpAfterMs` is %i, detects an outage from a single failing row within %i ms', async (patience, ms) => {
    const { clock, gate } = openGate(() => 1, 4, patience);
    const start = clock.now();
    for (let failures = 0; failures < 8; failures++) gate.leave(await gate.enter(failures > 0, failures), trouble);
    expect(clock.now() - start).toBe(ms);
  });

  test('gives up immediately on a permanent failure', async () => {
    const stage = openGate();
    const permanent: Feedback = { kind: 'trouble', permanent: true };
    await expect(sendAll(stage, 1000, () => permanent)).rejects.toThrow('a retry cannot help');
    expect(stage.gate.requests).toBe(1);
  });

  test.each([2, 3, 4, 9])('never gives up if one request in %i fails', async (each) => {
    const stage = openGate();
    await sendAll(stage, 5000, (request) => (request % each === 0 ? trouble : answered));
    expect([stage.gate.requests, stage.waits]).toEqual([5000, []]);
  });

  /** Returns the number of concurrent requests that the gate allows after `count` requests. */
  async function roomAfter(stage: Stage, count: number, feedbackOf: (request: number) => Feedback): Promise<number> {
    await sendAll(stage, count, feedbackOf);
    let entered = 0;
    const all = Array.from({ length: 100 }, () => stage.gate.enter(false).then(() => entered++));
    await new Promise((resolve) => setImmediate(resolve));
    stage.gate.stop(new Error('over'));
    await Promise.allSettled(all);
    return entered;
  }

  test('lowers the concurrency if a third of the requests fail (but not if a twentieth fail), and raises it again later', async () => {
    const each = (share: number) => (request: number) => (request % share === 0 ? trouble : answered);
    const calm = await roomAfter(openGate(undefined, 64), 2000, () => answered);
    expect(calm).toBe(64);
    expect(await roomAfter(openGate(undefined, 64), 2000, each(20))).toBe(calm);
    expect(await roomAfter(openGate(undefined, 64), 2000, each(3))).toBeLessThan(calm / 4);
    const past = (request: number) => (request <= 2000 ? each(3)(request) : answered);
    expect(await roomAfter(openGate(undefined, 64), 4000, past)).toBe(calm);
  });

  test('increases the delay before each retry of a failing row without delaying other rows', async () => {
    const stage = openGate();
    const start = stage.clock.now();
    for (const [failures, ms] of [
      [1, 250],
      [2, 500],
      [5, 2500],
      [50, 2500],
    ] as const) {
      const before = stage.clock.now();
      stage.gate.leave(await stage.gate.enter(true, failures), answered);
      expect(stage.clock.now() - before).toBe(ms);
    }
    const after = stage.clock.now();
    stage.gate.leave(await stage.gate.enter(false), answered);
    expect([stage.clock.now(), after - start]).toEqual([after, 5750]);
  });
});

test('counts requests as sent after a stall of the event loop if the stall delayed them', async () => {
  const clock = createTestClock();
  // The first timer fires 400 ms late.
  const stalls = [400];
  const late = { ...clock, sleep: (ms: number) => clock.sleep(ms + (stalls.pop() ?? 0)) };
  const gate = new Gate({
    ...{ concurrency: 9, rate: 4, giveUpAfterMs: MINUTE, clock: late, signal: new AbortController().signal },
    ...{ random: () => 0.5, onDecision: () => undefined, onWait: () => undefined },
  });
  const start = clock.now();
  const sentAt: number[] = [];
  for (let count = 0; count < 5; count++) {
    const pass = await gate.enter(false);
    sentAt.push(clock.now() - start);
    gate.leave(pass, { kind: 'answered', slowDown: false });
  }
  // The first request may have been sent at 650 instead of 0, so at most three more follow within a second.
  expect(sentAt[1]).toBe(650);
  expect(sentAt[4]).toBeGreaterThanOrEqual(1660);
});
