// Deliveries start in order per request, up to the concurrency limit, with increasing pauses after failures.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  hookTargets,
  longestPause,
  nextDeliveries,
  retryAt,
  targetsOf,
} from '../../../../../src/lib/domain/callbacks/delivery-order.ts';
import {
  type Delivery,
  emptyOutbox,
  type OutboxState,
  takeLine,
} from '../../../../../src/lib/domain/callbacks/outbox.ts';
import { randomFrom } from '../../../../helpers/random.ts';
import { runs } from '../../../../helpers/size.ts';
import { AT, received } from './received.ts';

const NOW = Date.parse(AT);
const FORWARD = { name: 'forward' };
const ANY = { name: 'on-any', status: 'any' };
const DONE = { name: 'on-completed', status: 'completed' };
const ALL = [FORWARD, ANY, DONE];

function stateOf(...lines: unknown[]): OutboxState {
  const state = emptyOutbox();
  for (const line of lines) takeLine(state, JSON.stringify(line));
  return state;
}

const named = (...targets: { name: string }[]) => new Set(targets.map(({ name }) => name));

function next(state: OutboxState, options: Partial<Parameters<typeof nextDeliveries>[1]> = {}) {
  const all = { running: [], concurrency: 4, targets: named(...ALL), resumed: new Set<string>(), now: NOW };
  const { start, wakeAt } = nextDeliveries(state, { ...all, ...options });
  return { wakeAt, start: start.map(({ callback, target }) => `${callback.request_id} ${callback.status} ${target}`) };
}

describe('delivery targets', () => {
  it('are named after their status, with a number added to duplicates', () => {
    const hooks = ['completed', 'any', 'completed', 'completed'].map((status) => ({ status }));
    expect(hookTargets(hooks)).toEqual([
      { name: 'on-completed', status: 'completed' },
      { name: 'on-any', status: 'any' },
      { name: 'on-completed-2', status: 'completed' },
      { name: 'on-completed-3', status: 'completed' },
    ]);
  });

  it.each([
    ['the first callback of a request', [], 'completed', ['forward', 'on-any', 'on-completed']],
    ['the first callback with another status', ['pending'], 'in_progress', ['forward', 'on-any']],
    ['a repeated callback', ['pending'], 'pending', []],
    ['a late status', ['completed'], 'pending', ['forward']],
  ])('are selected for %s', (_what, before, status, expected) => {
    const state = stateOf(...before.map((word) => received(word)));
    expect(targetsOf(state, received(status), ALL)).toEqual(expected);
  });

  it('include only the forward address if a different body repeats a known status', () => {
    const state = stateOf(received('completed'));
    expect(targetsOf(state, { ...received('completed'), id: 'other bytes' }, ALL)).toEqual(['forward']);
  });

  it('include only the forward address for a body without a status', () => {
    const callback = { ...received('x'), request_id: null, status: null };
    expect(targetsOf(emptyOutbox(), callback, ALL)).toEqual(['forward']);
  });
});

describe('the next deliveries', () => {
  it('are the oldest pending ones of each request, separately for hooks and the forward address', () => {
    const state = stateOf(
      received('pending', ['forward', 'on-any'], 'a'),
      received('in_progress', ['forward', 'on-any'], 'a'),
      received('pending', ['on-any'], 'b'),
    );
    expect(next(state).start).toEqual(['a pending forward', 'a pending on-any', 'b pending on-any']);
  });

  it('wait until a failed delivery for the same request is due again', () => {
    const first = received('pending', ['on-any'], 'a');
    const due = new Date(NOW + 5000).toISOString();
    const failed = { event: 'failed', id: first.id, target: 'on-any', at: AT, attempts: 1, due };
    const state = stateOf(first, received('in_progress', ['on-any'], 'a'), failed);
    expect(next(state)).toEqual({ start: [], wakeAt: NOW + 5000 });
    expect(next(state, { now: NOW + 5000 })).toEqual({ start: ['a pending on-any'], wakeAt: undefined });
    // After a restart, it is due at once.
    expect(next(state, { resumed: new Set(state.open.keys()) }).start).toEqual(['a pending on-any']);
  });

  it('do not wait for a dead letter or for a target that this listener lacks', () => {
    const first = received('pending', ['on-any', 'on-pending'], 'a');
    const dead = { event: 'dead', id: first.id, target: 'on-any', at: AT, attempts: 10 };
    const state = stateOf(first, dead, received('in_progress', ['on-any'], 'a'));
    expect(next(state).start).toEqual(['a in_progress on-any']);
  });

  it('include a replayed dead letter rather than a later delivery for the same request', () => {
    const first = received('pending', ['on-any'], 'a');
    const lines = ['dead', 'replayed'].map((event) => ({ event, id: first.id, target: 'on-any', at: AT, attempts: 0 }));
    const state = stateOf(first, received('in_progress', ['on-any'], 'a'), ...lines);
    expect(next(state).start).toEqual(['a pending on-any']);
  });

  it('include all other hooks of a callback if one hangs or waits, but not the hooks of the next callback', () => {
    const first = received('completed', ['on-any', 'on-completed'], 'a');
    const failed = {
      event: 'failed',
      id: first.id,
      target: 'on-any',
      at: AT,
      attempts: 1,
      due: '2999-01-01T00:00:00Z',
    };
    const later = received('cancelled', ['on-any'], 'a');
    const state = stateOf(first, later);
    expect(next(state).start).toEqual(['a completed on-any', 'a completed on-completed']);
    const [hanging] = state.open.values();
    expect(next(state, { running: [hanging as Delivery] }).start).toEqual(['a completed on-completed']);
    expect(next(stateOf(first, later, failed)).start).toEqual(['a completed on-completed']);
  });

  it('leave one slot for hooks while forwards use all other slots', () => {
    const requests = ['a', 'b', 'c', 'd', 'e'];
    const forwards = stateOf(...requests.map((id) => received('pending', ['forward'], id)));
    expect(next(forwards).start).toHaveLength(3);
    expect(next(forwards, { targets: named(FORWARD) }).start).toHaveLength(4);
    expect(next(forwards, { concurrency: 1 }).start).toHaveLength(1);
    const running = [...forwards.open.values()].slice(0, 3);
    const hooks = stateOf(received('pending', ['on-any'], 'z'));
    expect(next(hooks, { running }).start).toEqual(['z pending on-any']);
  });

  it('respect the order within each request and the concurrency limit, even after failures', () => {
    const statuses = ['pending', 'in_progress', 'completed'];
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 1, max: 5 }),
        fc.nat(),
        (requests, concurrency, seed) => {
          const random = randomFrom(seed);
          const state = emptyOutbox();
          const sentCount = new Map<string, number>();
          for (const id of requests) {
            const status = statuses[sentCount.get(id) ?? 0];
            sentCount.set(id, (sentCount.get(id) ?? 0) + 1);
            if (status === undefined) continue;
            const callback = received(status, [], id);
            takeLine(state, JSON.stringify({ ...callback, targets: targetsOf(state, callback, ALL) }));
          }
          const due = new Set(state.open.keys());
          const done: string[] = [];
          let running: Delivery[] = [];
          let now = NOW;
          const targets = named(...ALL);
          const resumed = new Set<string>();
          for (let turn = 0; state.open.size > 0; turn++) {
            expect(turn).toBeLessThan(2000);
            const { start, wakeAt } = nextDeliveries(state, { running, concurrency, targets, resumed, now });
            running = [...running, ...start];
            expect(running.length).toBeLessThanOrEqual(concurrency);
            const lanes = running.map(({ callback, target }) => `${callback.request_id} ${target === 'forward'}`);
            const heads = running.map(({ callback }, index) => `${lanes[index]} ${callback.id}`);
            expect(new Set(heads).size).toBe(new Set(lanes).size);
            expect(new Set(running.map(({ id }) => id)).size).toBe(running.length);
            if (running.length === 0) now = wakeAt ?? now;
            const [ended] = running.splice(Math.floor(random() * running.length), 1);
            if (!ended) continue;
            const attempts = ended.attempts + 1;
            const isDelivered = random() > 0.3;
            const at = new Date(retryAt(attempts, now, random)).toISOString();
            const outcome = { id: ended.callback.id, target: ended.target, at: AT, attempts };
            takeLine(
              state,
              JSON.stringify({ ...outcome, ...(isDelivered ? { event: 'delivered' } : { event: 'failed', due: at }) }),
            );
            if (isDelivered) done.push(ended.id);
          }
          expect(new Set(done)).toEqual(due);
          for (const kind of [true, false]) {
            for (const id of new Set(requests)) {
              // Callbacks finish in order, but the hooks of one callback may finish in any order.
              const eventsIn = (ids: Iterable<string>): string[] =>
                [...ids]
                  .filter((one) => one.endsWith('forward') === kind && isOf(one, id))
                  .map((one) => one.slice(0, one.indexOf('.')));
              expect(eventsIn(done)).toEqual(eventsIn(due));
            }
          }
        },
      ),
      runs(300),
    );

    function isOf(delivery: string, request: string): boolean {
      return statuses.some((status) => delivery.startsWith(received(status, [], request).id));
    }
  });
});

describe('a failed delivery', () => {
  it('is retried after a random fraction of a maximum pause, which increases to eight hours', () => {
    expect([1, 2, 3, 4, 8, 9, 30].map(longestPause)).toEqual([
      1000, 4000, 16_000, 64_000, 16_384_000, 28_800_000, 28_800_000,
    ]);
    expect(retryAt(3, NOW, () => 0)).toBe(NOW);
    expect(retryAt(3, NOW, () => 0.5)).toBe(NOW + 8000);
  });

  it('outlasts a one-minute outage within ten attempts, except in fewer than one in a million cases', () => {
    // The nine pauses last less than a minute in total only if all the long pauses happen to be very short.
    const long = [4, 5, 6, 7, 8, 9].map(longestPause);
    const bound = long.reduce((chance, pause) => chance * Math.min(1, 60_000 / pause), 1);
    expect(bound).toBeLessThan(1e-6);
  });
});
