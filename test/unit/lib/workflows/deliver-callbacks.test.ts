// Callbacks are delivered at least once and in order, despite failures and restarts. The outbox is a real file; the
// clock is a test clock.
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Outbox, openOutboxFile } from '../../../../src/lib/files/outbox.ts';
import { type Clock, ownTurn } from '../../../../src/lib/kernel/clock.ts';
import { type DeliveryTarget, hookTargets } from '../../../../src/lib/domain/callbacks/delivery-order.ts';
import type { ReceivedLine } from '../../../../src/lib/domain/callbacks/outbox.ts';
import {
  type Deliveries,
  type DeliveryPorts,
  openDeliveries,
  storeStates,
} from '../../../../src/lib/workflows/deliver-callbacks.ts';
import { changeDeliveries, chooseDeliveries, openDeliveriesOf } from '../../../../src/commands/dsr/callbacks-outbox.ts';
import { createTestClock, type TestClock } from '../../../helpers/clock.ts';
import { randomFrom } from '../../../helpers/random.ts';
import { size } from '../../../helpers/size.ts';
import { temporaryFolder } from '../../../helpers/temporary-folder.ts';
import { received } from '../domain/callbacks/received.ts';

const STATUSES = ['pending', 'in_progress', 'completed'];
const hooks = (...statuses: string[]): DeliveryTarget[] => hookTargets(statuses.map((status) => ({ status })));
const TARGETS = [{ name: 'forward' }, ...hooks('any', 'completed')];
/** Makes one attempt at a delivery to the target with this name. */
type Deliver = (target: string, callback: ReceivedLine, signal: AbortSignal) => Promise<void>;
interface Options extends Partial<Omit<DeliveryPorts, 'targets'>> {
  targets?: DeliveryTarget[];
}

let path: string;
let clock: TestClock;
let warnings: string[];
/** The states that the ledger received, each as `request status`. */
let recorded: string[];
let runs: { stop(): Promise<void> }[];

beforeEach(() => {
  path = join(temporaryFolder(), 'outbox', 'a.ndjson');
  clock = createTestClock();
  warnings = [];
  recorded = [];
  runs = [];
});
afterEach(async () => {
  for (const run of runs.splice(0)) await run.stop();
});

interface Started extends Pick<Deliveries, 'left' | 'refresh' | 'store'> {
  outbox: Outbox;
  /** Resolves when every delivery has succeeded or is a dead letter. */
  done(): Promise<void>;
  stop(): Promise<void>;
}

async function start(deliver: Deliver, { targets = TARGETS, ...more }: Options = {}): Promise<Started> {
  const outbox = openOutboxFile(path, clock);
  const end = new AbortController();
  const deliveries = await openDeliveries({
    outbox,
    ledger: () => ({
      append: (events) => {
        recorded.push(...events.map(({ id, status }) => `${id} ${status}`));
        return Promise.resolve([...events]);
      },
    }),
    targets: targets.map((target) => {
      return { ...target, deliver: (callback, signal) => deliver(target.name, callback, signal) };
    }),
    attempts: 10,
    concurrency: 4,
    clock,
    random: Math.random,
    signal: end.signal,
    out: { note: () => undefined, warn: (text) => void warnings.push(text), verbose: () => undefined },
    ...more,
  });
  const running = deliveries.run();
  const stop = async (): Promise<void> => {
    end.abort(new Error('stopped'));
    await running;
  };
  runs.push({ stop });
  const done = async (): Promise<void> => {
    while (open().some(({ isDead }) => !isDead)) await turns();
  };
  const { left, refresh, store } = deliveries;
  return { left, store, refresh, outbox, done, stop };
}

/** Gives the listener time to work, because each read of the file is asynchronous. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await ownTurn();
}

/**
 * Returns a clock that divides each sleep into steps of at most a second. The test clock itself jumps to the end of a
 * sleep, even if the sleep is interrupted.
 */
function inSteps(jumping: Clock): Clock {
  return {
    ...jumping,
    sleep: async (ms, signal) => {
      const end = jumping.now() + ms;
      while (jumping.now() < end) await jumping.sleep(Math.min(1000, end - jumping.now()), signal);
    },
  };
}

function open() {
  return openDeliveriesOf([openOutboxFile(path, clock)]).map(({ delivery }) => delivery);
}

/** A delivery that does not finish until the listener stops. */
const hanging: Deliver = (_target, _callback, signal) =>
  new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('ended'))));

/** `request status target`. */
const nameOf = (target: string, { request_id: id, status }: ReceivedLine): string => `${id} ${status} ${target}`;
const requests = (count: number): string[] => Array.from({ length: count }, (_, index) => `r${index}`);

describe('a callback', () => {
  it('is stored together with its deliveries in one write per batch', async () => {
    const { outbox, store, stop } = await start(() => new Promise(() => undefined), { signal: AbortSignal.abort() });
    let writes = 0;
    const exchange = outbox.exchange.bind(outbox);
    outbox.exchange = (work) =>
      exchange((news) => {
        const lines = work(news);
        if (lines.length > 0) writes++;
        return lines;
      });
    const firsts = await Promise.all(requests(600).map((id) => store(received('pending', [], id))));
    await stop();
    expect(firsts.every(Boolean)).toBe(true);
    expect(writes).toBeLessThanOrEqual(3);
    expect(recorded).toHaveLength(600);
    expect(
      open()
        .map(({ target }) => target)
        .sort(),
    ).toHaveLength(1200);
  });

  it('is delivered only once per status, even if it is repeated or already in the ledger', async () => {
    const delivered: string[] = [];
    const deliver: Deliver = (target, callback) => {
      delivered.push(nameOf(target, callback));
      return Promise.resolve();
    };
    // The ledger already has every state, as after `dsr status`.
    const ledger = () => ({ append: () => Promise.resolve([]) });
    const { done, store } = await start(deliver, { ledger });
    const news = [];
    for (const status of ['pending', 'pending', 'completed', 'in_progress', 'completed'])
      news.push(await store(received(status)));
    await done();
    expect(news).toEqual([true, false, true, false, false]);
    expect(delivered.filter((name) => name.endsWith('on-any'))).toEqual([
      expect.stringContaining('pending'),
      expect.stringContaining('completed'),
    ]);
    expect(delivered.filter((name) => name.endsWith('forward'))).toHaveLength(3);
  });

  it('is not acknowledged if it cannot be written, and is stored when the platform sends it again', async () => {
    const { done, outbox, store } = await start(() => Promise.resolve());
    const exchange = outbox.exchange.bind(outbox);
    outbox.exchange = async () => Promise.reject(new Error('the disk is full'));
    await expect(store(received('pending'))).rejects.toThrow('the disk is full');
    outbox.exchange = exchange;
    expect(await store(received('pending'))).toBe(true);
    await done();
    expect(recorded).toEqual([expect.stringContaining('pending')]);
  });

  it('is not acknowledged if the ledger fails, and reaches the ledger on the next start', async () => {
    const ledger = () => ({ append: () => Promise.reject(new Error('no room')) });
    const { done, stop, store } = await start(() => Promise.resolve(), { ledger });
    await expect(store(received('pending'))).rejects.toThrow('no room');
    await done();
    await stop();
    const again = await start(() => Promise.resolve());
    expect(recorded).toEqual([expect.stringContaining('pending')]);
    expect(await again.store(received('pending'))).toBe(false);
  });
});

it('stores many states in the ledger with one write if there are no deliveries', async () => {
  let writes = 0;
  const seen = new Set<string>();
  const store = storeStates(() => ({
    append: async (states) => {
      writes++;
      await ownTurn();
      return states.filter(({ id, status }) => !seen.has(`${id} ${status}`) && seen.add(`${id} ${status}`));
    },
  }));
  const once = requests(100).map((id) => received('pending', [], id));
  const firsts = await Promise.all([...once, ...once.map((it) => ({ ...it }))].map(store));
  expect(firsts).toEqual([...once.map(() => true), ...once.map(() => false)]);
  expect(writes).toBe(1);
  expect(await store({ ...received('pending'), workspace_id: null })).toBe(false);
  expect(await store({ ...received('pending'), request_id: null, status: null })).toBe(false);
});

describe('a delivery', () => {
  it('becomes a dead letter after its last attempt, does not block the next delivery, and can be replayed', async () => {
    const delivered: string[] = [];
    let isHealthy = false;
    const { done, refresh, store } = await start(
      (target, callback) => {
        if (!isHealthy && callback.status === 'pending') return Promise.reject(new Error('exit 3'));
        delivered.push(nameOf(target, callback));
        return Promise.resolve();
      },
      { targets: hooks('any'), attempts: 3 },
    );
    for (const status of STATUSES) await store(received(status, [], 'a'));
    await done();
    expect(delivered).toEqual(['a in_progress on-any', 'a completed on-any']);
    expect(warnings).toEqual([
      expect.stringContaining('on-any of a (pending) failed: exit 3. Attempt 2 of 3'),
      expect.stringContaining('Dead letter: on-any of a (pending) failed 3 times: exit 3.'),
    ]);
    const [dead] = open();
    expect(dead).toMatchObject({ isDead: true, attempts: 3, reason: 'exit 3' });
    isHealthy = true;
    const found = openDeliveriesOf([openOutboxFile(path, clock)]);
    await changeDeliveries(chooseDeliveries(found, [' A']), 'replayed', dead?.callback.at ?? '');
    await refresh();
    await done();
    expect(delivered.at(-1)).toBe('a pending on-any');
    expect(open()).toEqual([]);
  });

  it('is not retried if it is dropped after a failed attempt', async () => {
    const never: Clock['sleep'] = (_ms, signal) =>
      new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(new Error('over'))));
    let attempts = 0;
    const { refresh, store } = await start(
      () => {
        attempts++;
        return Promise.reject(new Error('exit 3'));
      },
      { targets: hooks('any'), clock: { now: clock.now, sleep: never } },
    );
    await store(received('pending', [], 'a'));
    while (open()[0]?.attempts !== 1) await turns();
    const found = openDeliveriesOf([openOutboxFile(path, clock)]);
    expect(() => chooseDeliveries(found, ['a', 'other'])).toThrow(expect.objectContaining({ code: 'dsr.no_delivery' }));
    await changeDeliveries(chooseDeliveries(found, ['a']), 'dropped', found[0]?.delivery.callback.at ?? '');
    await refresh();
    clock.advance(3_600_000);
    await refresh();
    expect([attempts, open()]).toEqual([1, []]);
  });

  it('remains due, and no attempt is counted, if it is in progress when the listener stops', async () => {
    const { stop, store } = await start(hanging, { targets: hooks('any') });
    await store(received('pending'));
    await stop();
    expect(open()).toMatchObject([{ isDead: false, attempts: 0, reason: null }]);
    const delivered: string[] = [];
    const again = await start((target, callback) => {
      delivered.push(nameOf(target, callback));
      return Promise.resolve();
    });
    expect(again.left).toEqual({ due: 1, elsewhere: 0, dead: 0 });
    await again.done();
    expect(delivered).toHaveLength(1);
  });

  it('is attempted on each restart, but does not become a dead letter through restarts while its target is down', async () => {
    const never: Clock['sleep'] = (_ms, signal) =>
      new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(new Error('over'))));
    const options = { targets: [{ name: 'forward' }], clock: { now: clock.now, sleep: never }, random: () => 1 };
    let tries = 0;
    const down = () => Promise.reject(new Error(`connection refused ${++tries}`));
    for (let starts = 1; starts <= 30; starts++) {
      const { left, stop, store } = await start(down, options);
      if (starts === 1) for (const id of requests(4)) await store(received('pending', [], id));
      while (tries < 4 * starts) await turns();
      expect(left.dead).toBe(0);
      await stop();
      clock.advance(20);
    }
    expect(Math.max(...open().map(({ attempts }) => attempts))).toBe(1);
    const up = await start(() => Promise.resolve(), options);
    await up.done();
  });

  it('is kept and counted if its target was set only in an earlier run', async () => {
    const first = await start(() => Promise.reject(new Error('down')), { attempts: 1, targets: hooks('any') });
    await first.store(received('pending', [], 'a'));
    await first.done();
    await first.stop();
    const second = await start(hanging, { targets: hooks('completed') });
    await second.store(received('completed', [], 'a'));
    await second.stop();
    const third = await start(() => Promise.resolve(), { targets: [{ name: 'forward' }] });
    expect(third.left).toEqual({ due: 0, elsewhere: 1, dead: 1 });
  });

  it('reports an outage of its target once, and succeeds after the outage', async () => {
    const up = clock.now() + 60_000;
    const all = requests(15).flatMap((id) => STATUSES.map((status) => received(status, [], id)));
    const delivered: string[] = [];
    const notes: string[] = [];
    const { done, store } = await start(
      (target, callback) => {
        if (clock.now() < up) return Promise.reject(new Error('connection refused'));
        delivered.push(nameOf(target, callback));
        return Promise.resolve();
      },
      {
        targets: [{ name: 'forward' }],
        clock: inSteps(clock),
        out: {
          note: (text) => void notes.push(text as string),
          warn: (text) => void warnings.push(text),
          verbose: () => undefined,
        },
      },
    );
    await Promise.all(all.map(store));
    await done();
    expect(open()).toEqual([]);
    expect(delivered.sort()).toEqual(all.map((callback) => nameOf('forward', callback)).sort());
    expect([notes, warnings.length]).toEqual([['forward works again.'], 1]);
  });
});

describe('an outbox', () => {
  it('delivers everything in order, even if targets fail and the listener restarts at any time', async () => {
    const seed = Math.floor(Math.random() * 2 ** 32);
    const random = randomFrom(seed);
    const delivered: string[] = [];
    const wanted = requests(size(400, 20)).flatMap((id) => STATUSES.map((status) => received(status, [], id)));
    const left = [...wanted];
    let running = 0;
    let maximum = 0;
    const deliver: Deliver = async (target, callback, signal) => {
      maximum = Math.max(maximum, ++running);
      try {
        await clock.sleep(Math.floor(random() * 100), signal);
        if (random() < 0.3) throw new Error('exit 1');
        delivered.push(nameOf(target, callback));
      } finally {
        running--;
      }
    };
    while (left.length > 0) {
      const { stop, store } = await start(deliver, { attempts: 1000 });
      const some = left.slice(0, 1 + Math.floor(random() * 40));
      await Promise.all(some.map(store));
      // The platform can repeat callbacks even after they are acknowledged.
      left.splice(0, random() < 0.8 ? some.length : 0);
      await stop();
      // A process that is killed during a write leaves a partial line.
      if (random() < 0.5) appendFileSync(path, '{"event":"received","id":"to');
    }
    const last = await start(deliver, { attempts: 1000 });
    await last.done();
    await last.stop();
    const names = wanted.flatMap((callback) => {
      const targets = ['forward', 'on-any', ...(callback.status === 'completed' ? ['on-completed'] : [])];
      return targets.map((target) => nameOf(target, callback));
    });
    expect(new Set(delivered), `seed ${seed}`).toEqual(new Set(names));
    for (const target of ['forward', 'on-any']) {
      for (const id of requests(size(400, 20))) {
        const order = [...new Set(delivered)].filter((name) => name.startsWith(`${id} `) && name.endsWith(target));
        expect(order, `seed ${seed}`).toEqual(STATUSES.map((status) => `${id} ${status} ${target}`));
      }
    }
    expect(maximum).toBeLessThanOrEqual(4);
    expect(new Set(recorded).size).toBe(wanted.length);
    // Compaction removes the bodies of delivered callbacks.
    await (await start(deliver)).stop();
    expect(readFileSync(path, 'utf8')).not.toContain('"received"');
  });
});
