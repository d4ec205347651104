// How a bulk run paces itself when the platform asks it to wait, on a clock that nobody has to wait for.
import { describe, expect, test } from 'vitest';
import { createGate, type Gate } from '../../../../src/lib/bulk/gate.ts';
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
  const gate = createGate({
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

/** Meets with the same again and again; the milliseconds between one request and the next. */
async function meet({ clock, gate }: Stage, times: number, feedback: Feedback): Promise<number[]> {
  const gaps: number[] = [];
  let left = clock.now();
  for (let time = 0; time <= times; time++) {
    const pass = await gate.enter(time > 0);
    if (time > 0) gaps.push(clock.now() - left);
    left = clock.now();
    gate.leave(pass, time < times ? feedback : { kind: 'answered', ms: 1, slowDown: false });
  }
  return gaps;
}

const busy = (retryAfterMs: number | undefined): Feedback => ({ kind: 'busy', retryAfterMs });

describe('Retry-After', () => {
  test('of 0, or of a date that is past, still has our own back-off, which grows', async () => {
    const stage = openGate();
    const gaps = await meet(stage, 10, busy(0));
    expect(gaps).toEqual([250, 500, 1000, 2000, 4000, 8000, 15_000, 15_000, 15_000, 15_000]);
    expect(stage.waits.map(({ ms }) => ms)).toEqual(gaps);
    expect(stage.gate.retries).toBe(0);
  });

  test('is never undercut, and is exceeded once it was said often', async () => {
    const gaps = await meet(openGate(), 8, busy(1000));
    expect(gaps).toEqual([1250, 1250, 1250, 2000, 4000, 8000, 15_000, 15_000]);
    expect(
      await meet(
        openGate(() => 0),
        8,
        busy(1000),
      ),
    ).toEqual(Array.from({ length: 8 }, () => 1000));
  });

  test('that lies ahead is waited for however often it is said', async () => {
    const stage = openGate();
    await meet(stage, 200, busy(60_000));
    expect(stage.gate.requests).toBe(201);
    expect(stage.waits).toHaveLength(200);
    expect(stage.decisions[0]).toBe('the platform asked to wait: waiting 1m');
  });

  test.each([
    ['0', busy(0)],
    ['absent', busy(undefined)],
  ])('%s for ever ends the run after some minutes and few requests', async (_form, signal) => {
    const stage = openGate();
    const begun = stage.clock.now();
    await expect(meet(stage, 1000, signal)).rejects.toThrow('the rate limit did not clear');
    expect([stage.gate.requests, stage.gate.retries]).toEqual([15, 0]);
    expect(stage.clock.now() - begun).toBeGreaterThan(90_000);
  });

  test('absent is met with a random part of our own back-off', async () => {
    const luck = [0, 1, 0.25];
    expect(
      await meet(
        openGate(() => luck.shift() ?? 0.5),
        4,
        busy(undefined),
      ),
    ).toEqual([0, 1000, 500, 2000]);
  });

  test('begins from the start after an answer', async () => {
    const stage = openGate();
    expect(await meet(stage, 3, busy(0))).toEqual([250, 500, 1000]);
    expect(await meet(stage, 3, busy(0))).toEqual([250, 500, 1000]);
  });

  test('told to many at once is told on once, and one request looks whether it is over', async () => {
    const stage = openGate();
    const passes = await Promise.all([1, 2, 3, 4].map(() => stage.gate.enter(false)));
    for (const pass of passes) stage.gate.leave(pass, busy(5000));
    expect(stage.waits).toHaveLength(1);
    let entered = 0;
    const again = passes.map(() => stage.gate.enter(true).then((pass) => (entered++, pass)));
    const first = await again[0];
    expect([entered, stage.clock.now() % 10_000]).toEqual([1, 5250]);
    stage.gate.leave(first ?? { round: 0, at: 0 }, { kind: 'answered', ms: 1, slowDown: false });
    await again[1];
    expect(entered).toBeGreaterThan(1);
  });
});

describe('trouble', () => {
  const trouble: Feedback = { kind: 'trouble', permanent: false };
  const answered: Feedback = { kind: 'answered', ms: 1, slowDown: false };

  /** One request after the other meets with what `met` says, until the run ends; when each was sent, from the start. */
  async function sendAll({ clock, gate }: Stage, count: number, met: (request: number) => Feedback): Promise<number[]> {
    const begun = clock.now();
    const sent: number[] = [];
    for (let request = 1; request <= count; request++) {
      const pass = await gate.enter(false);
      sent.push(clock.now() - begun);
      gate.leave(pass, met(request));
    }
    return sent;
  }

  test('without a success is an outage: single probes at growing intervals, until the run gives up', async () => {
    const stage = openGate();
    const begun = stage.clock.now();
    await expect(sendAll(stage, 1000, () => trouble)).rejects.toThrow('the platform is down');
    expect(stage.clock.now() - begun).toBe(10 * MINUTE);
    expect(stage.waits.map(({ ms }) => ms).slice(0, 10)).toEqual([
      375, 750, 1500, 3000, 6000, 12_000, 24_000, 45_000, 45_000, 45_000,
    ]);
    expect(stage.gate.retries).toBe(stage.gate.requests);
  });

  test.each([0, 0.5, 1])(
    'sends at most 15 requests one after the other in the first minute of an outage, with luck of %d',
    async (luck) => {
      const stage = openGate(() => luck);
      const sent = await sendAll(stage, 16, () => trouble);
      expect(sent.filter((at) => at <= MINUTE).length).toBeLessThanOrEqual(15);
    },
  );

  test('that lasts five minutes is survived, and the next one has the same patience', async () => {
    const stage = openGate();
    const begun = stage.clock.now();
    for (let outage = 0; outage < 3; outage++) {
      const until = stage.clock.now() + 5 * MINUTE;
      for (;;) {
        const pass = await stage.gate.enter(true);
        const isOver = stage.clock.now() >= until;
        stage.gate.leave(pass, isOver ? answered : trouble);
        if (isOver) break;
      }
    }
    expect(stage.clock.now() - begun).toBeLessThan(17 * MINUTE);
  });

  test('ends the run at once if that is wanted', async () => {
    const stage = openGate(undefined, 4, 0);
    await expect(sendAll(stage, 1000, () => trouble)).rejects.toThrow('the platform is down');
    expect([stage.gate.requests, stage.waits]).toEqual([8, []]);
  });

  test('that no repeat can end gives up at once', async () => {
    const stage = openGate();
    const permanent: Feedback = { kind: 'trouble', permanent: true };
    await expect(sendAll(stage, 1000, () => permanent)).rejects.toThrow('a retry cannot help');
    expect(stage.gate.requests).toBe(1);
  });

  test.each([2, 3, 4, 9])('of each %ith request never ends the run', async (each) => {
    const stage = openGate();
    await sendAll(stage, 5000, (request) => (request % each === 0 ? trouble : answered));
    expect([stage.gate.requests, stage.waits]).toEqual([5000, []]);
  });

  /** How many may be under way at once, after as many requests. */
  async function roomAfter(stage: Stage, count: number, met: (request: number) => Feedback): Promise<number> {
    await sendAll(stage, count, met);
    let entered = 0;
    const all = Array.from({ length: 100 }, () => stage.gate.enter(false).then(() => entered++));
    await new Promise((resolve) => setImmediate(resolve));
    stage.gate.stop(new Error('over'));
    await Promise.allSettled(all);
    return entered;
  }

  test('of more than a tenth and ten lowers the concurrency, and successes raise it again', async () => {
    const each = (share: number) => (request: number) => (request % share === 0 ? trouble : answered);
    const calm = await roomAfter(openGate(undefined, 64), 2000, () => answered);
    expect(calm).toBe(64);
    expect(await roomAfter(openGate(undefined, 64), 2000, each(20))).toBe(calm);
    expect(await roomAfter(openGate(undefined, 64), 2000, each(3))).toBeLessThan(calm / 4);
    const past = (request: number) => (request <= 2000 ? each(3)(request) : answered);
    expect(await roomAfter(openGate(undefined, 64), 4000, past)).toBe(calm);
  });

  test('of one row delays its own repeat, more each time, and no other row', async () => {
    const stage = openGate();
    const begun = stage.clock.now();
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
    expect([stage.clock.now(), after - begun]).toEqual([after, 5750]);
  });
});
