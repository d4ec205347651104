// How a bulk run paces itself when the platform asks it to wait, on a clock that nobody has to wait for.
import { describe, expect, test } from 'vitest';
import { createGate, type Gate, type Signal } from '../../../src/lib/bulk/gate.ts';
import { createTestClock, type TestClock } from '../../helpers/clock.ts';

interface Stage {
  clock: TestClock;
  gate: Gate;
  waits: { ms: number; why: string }[];
  decisions: string[];
}

function openGate(random = () => 0.5, concurrency = 4): Stage {
  const clock = createTestClock();
  const waits: Stage['waits'] = [];
  const decisions: string[] = [];
  const gate = createGate({
    concurrency,
    rate: undefined,
    retries: 4,
    clock,
    random,
    signal: new AbortController().signal,
    onDecision: (text) => decisions.push(text),
    onWait: (ms, why) => waits.push({ ms, why }),
  });
  return { clock, gate, waits, decisions };
}

/** Meets with the same again and again; the milliseconds between one request and the next. */
async function meet({ clock, gate }: Stage, times: number, signal: Signal): Promise<number[]> {
  const gaps: number[] = [];
  let left = clock.now();
  for (let time = 0; time <= times; time++) {
    const pass = await gate.enter(time > 0);
    if (time > 0) gaps.push(clock.now() - left);
    left = clock.now();
    gate.leave(pass, time < times ? signal : { kind: 'answered', ms: 1, slowDown: false });
  }
  return gaps;
}

const busy = (retryAfterMs: number | undefined): Signal => ({ kind: 'busy', retryAfterMs });

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
  const trouble: Signal = { kind: 'trouble', permanent: false };
  const answered: Signal = { kind: 'answered', ms: 1, slowDown: false };

  /** Lets one request after the other meet with what is said of it, until the run ends; how many went. */
  async function runUntilOver({ gate }: Stage, met: (request: number) => Signal): Promise<number> {
    for (let request = 1; request <= 1000; request++) {
      const pass = await gate.enter(false).catch(() => undefined);
      if (pass === undefined) return request - 1;
      gate.leave(pass, met(request));
    }
    return Infinity;
  }

  test('five times in a row ends the run, after a growing pause each', async () => {
    const stage = openGate();
    await expect(meet(stage, 1000, trouble)).rejects.toThrow('the platform is down: 5 attempts in a row failed');
    expect([stage.gate.requests, stage.gate.retries]).toEqual([5, 5]);
    expect(stage.waits.map(({ ms }) => ms)).toEqual([250, 500, 1000, 2000]);
  });

  test.each([2, 3, 4, 9])('of each %ith request ends the run beyond a tenth and ten', async (each) => {
    const stage = openGate();
    const requests = await runUntilOver(stage, (request) => (request % each === 0 ? trouble : answered));
    expect(stage.decisions.at(-1)).toBe('too many requests had to be repeated');
    // The first that is one too many is the last.
    expect(stage.gate.retries).toBe(requests / each);
    expect(stage.gate.retries).toBeGreaterThan(10 + requests / 10);
    expect(stage.gate.retries - 1).toBeLessThanOrEqual(10 + (requests - each) / 10);
  });

  test('of each tenth request goes on for ever, and so does a wait at each second one', async () => {
    for (const [each, signal] of [
      [10, trouble],
      [2, busy(undefined)],
      [2, busy(1000)],
    ] as const) {
      const stage = openGate();
      for (let request = 1; request <= 5000; request++)
        stage.gate.leave(await stage.gate.enter(false), request % each === 0 ? signal : answered);
      expect(stage.gate.requests).toBe(5000);
    }
  });
});
