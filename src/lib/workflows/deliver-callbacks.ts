// Stores each callback with its deliveries, and retries a delivery until it succeeds or has no attempts left.
import { once } from 'node:events';
import {
  type DeliveryTarget,
  longestPause,
  nextDeliveries,
  retryAt,
  targetsOf,
} from '../domain/callbacks/delivery-order.ts';
import {
  compactLines,
  type Delivery,
  emptyOutbox,
  isFirst,
  type OutboxLine,
  type OutcomeLine,
  readLine,
  type ReceivedLine,
  takeLine,
  unreadableIn,
} from '../domain/callbacks/outbox.ts';
import type { StateNews } from '../domain/dsr/ledger.ts';
import type { Outbox, OutboxNews } from '../files/outbox.ts';
import { inBatches } from '../kernel/batches.ts';
import type { Clock } from '../kernel/clock.ts';
import { formatDuration, isoMillis } from '../kernel/timestamps.ts';
import type { LedgerPort } from './dsr-ports.ts';
import type { Messages } from './confirm-write.ts';

/** A target, and one attempt to deliver to it. Rejects with the reason if the target did not accept the callback. */
export interface OpenTarget extends DeliveryTarget {
  deliver(callback: ReceivedLine, signal: AbortSignal): Promise<void>;
}

export interface DeliveryPorts {
  outbox: Outbox;
  ledger: LedgerOf;
  targets: readonly OpenTarget[];
  attempts: number;
  concurrency: number;
  clock: Clock;
  random(): number;
  /** Aborted when the listener stops. In-flight deliveries remain due. */
  signal: AbortSignal;
  out: Messages & { verbose(text: string): void };
}

/** Stores a callback. Resolves once it is on disk, with true if it is the first with its status. */
type Store = (callback: ReceivedLine) => Promise<boolean>;
type LedgerOf = (workspace: string) => Pick<LedgerPort, 'append'>;

/** Writes callback states to the ledger, which skips known states. Returns the callbacks whose state is new. */
async function recordStates(callbacks: readonly ReceivedLine[], ledger: LedgerOf): Promise<ReceivedLine[]> {
  const news = new Set<StateNews>();
  const states = callbacks.map((callback) => ({ callback, state: stateNews(callback) }));
  for (const workspace of new Set(callbacks.map(({ workspace_id: id }) => id))) {
    const own = states.flatMap(({ callback, state }) => (callback.workspace_id === workspace && state ? [state] : []));
    if (workspace === null || own.length === 0) continue;
    for (const state of await ledger(workspace).append(own)) news.add(state);
  }
  return states.flatMap(({ callback, state }) => (state && news.has(state) ? [callback] : []));
}

/** Returns `store` for a listener without targets: callbacks go only to the ledger. */
export function storeStates(ledger: LedgerOf): Store {
  const news = new Set<ReceivedLine>();
  const record = inBatches<ReceivedLine>(async (callbacks) => {
    for (const callback of await recordStates(callbacks, ledger)) news.add(callback);
  });
  return async (callback) => {
    await record(callback);
    return news.delete(callback);
  };
}

export type Deliveries = Awaited<ReturnType<typeof openDeliveries>>;

/** Reads the outbox. Its deliveries are due at once, even if an earlier run planned to retry them later. */
export async function openDeliveries(ports: DeliveryPorts) {
  const { attempts: most, clock, concurrency, ledger, outbox, out, signal } = ports;
  const targets = new Map(ports.targets.map((target) => [target.name, target]));
  let state = emptyOutbox();
  let wake = (): void => undefined;
  const running = new Map<string, Delivery>();
  /** Deliveries from an earlier run that this run has not attempted yet. */
  const resumed = new Set<string>();
  /** Targets whose last attempt failed: an outage is reported only once. */
  const failing = new Set<string>();
  /** Stored callbacks whose state is not yet in the ledger. */
  let unrecorded: ReceivedLine[] = [];

  function takeNews({ isWhole, lines }: OutboxNews): void {
    if (isWhole) state = emptyOutbox();
    for (const line of lines) takeLine(state, line);
  }

  const compact = () =>
    outbox.replace((news) => {
      takeNews(news);
      return compactLines(state, clock.now());
    });

  /** Each job returns lines, which are added to the state before the next job runs. */
  const write = inBatches<() => OutboxLine[]>(async (works) => {
    await outbox.exchange((news) => {
      takeNews(news);
      return works.flatMap((work) =>
        work().map((line) => {
          const text = JSON.stringify(line);
          takeLine(state, text);
          return text;
        }),
      );
    });
    wake();
  });

  const record = inBatches<ReceivedLine[]>(async (callbacks) => {
    unrecorded = unrecorded.concat(callbacks.flat());
    await recordStates(unrecorded, ledger);
    unrecorded = [];
    // The callbacks are already stored, so if the file cannot be rewritten now, a later batch rewrites it.
    if (outbox.isLarge()) await compact().catch((error: unknown) => out.warn((error as Error).message));
  });

  await outbox.exchange((news) => {
    takeNews(news);
    for (const line of news.lines.map(readLine)) if (line?.event === 'received') unrecorded.push(line);
    return [];
  });
  await record([]);
  // Move the unknown lines to the beginning of the file.
  if (state.seen.size + state.unknown.length > 0) await compact();
  const left = { due: 0, elsewhere: 0, dead: 0 };
  for (const { id, isDead, target } of state.open.values()) {
    resumed.add(id);
    left[isDead ? 'dead' : targets.has(target) ? 'due' : 'elsewhere']++;
  }
  signal.addEventListener('abort', () => wake(), { once: true });

  async function attempt(delivery: Delivery): Promise<void> {
    const { callback, target } = delivery;
    // An early attempt does not count, so restarts do not use up attempts.
    const attempts = delivery.attempts + (delivery.dueAt > clock.now() ? 0 : 1);
    resumed.delete(delivery.id);
    let outcome: Pick<OutcomeLine, 'event' | 'due' | 'reason'> = { event: 'delivered' };
    try {
      await (targets.get(target) as OpenTarget).deliver(callback, signal);
      if (failing.delete(target)) out.note(`${target} works again.`);
    } catch (error) {
      if (signal.aborted) return;
      outcome = failed(delivery, attempts, (error as Error).message);
    }
    const line = { ...outcome, id: callback.id, target, at: isoMillis(clock.now()), attempts };
    try {
      await write(() => [line]);
    } catch (error) {
      out.warn(`The outcome of a delivery could not be stored: ${(error as Error).message}`);
      // Retry, but not immediately.
      const again = state.open.get(delivery.id);
      if (again) again.dueAt = clock.now() + longestPause(2);
    }
  }

  function failed(delivery: Delivery, attempts: number, reason: string) {
    const { callback, dueAt, target } = delivery;
    const say = failing.has(target) ? out.verbose : out.warn;
    failing.add(target);
    const what = `${target} of ${callback.request_id ?? callback.id} (${callback.status ?? 'no status'})`;
    if (attempts >= most) {
      out.warn(`Dead letter: ${what} failed ${attempts} times: ${reason}. See: cdpadm dsr callbacks outbox list`);
      return { event: 'dead' as const, reason };
    }
    const due = attempts === delivery.attempts ? dueAt : retryAt(attempts, clock.now(), () => ports.random());
    say(`${what} failed: ${reason}. Attempt ${attempts + 1} of ${most} in ${formatDuration(due - clock.now())}.`);
    return { event: 'failed' as const, reason, due: isoMillis(due) };
  }

  /** Sleeps until `at`, or until the deliveries change. */
  async function pause(at: number | undefined): Promise<void> {
    const changed = new AbortController();
    wake = () => changed.abort();
    if (signal.aborted) return;
    if (at === undefined) await once(changed.signal, 'abort');
    else await clock.sleep(at - clock.now(), changed.signal).catch(() => undefined);
  }

  return {
    /** Counts of the deliveries left by earlier runs: due here, due for targets that this run lacks, and dead. */
    left,
    /** Line numbers of the unreadable lines in the outbox. */
    unreadable: unreadableIn(state.unknown),
    store: async (callback: ReceivedLine) => {
      let first = false;
      await write(() => {
        first = isFirst(state, callback);
        const due = targetsOf(state, callback, ports.targets);
        if (due.length === 0 && !first) return [];
        // Only deliveries need the callback's bytes.
        return [{ ...callback, targets: due, ...(due.length === 0 && { headers: [], body: '' }) }];
      });
      await record([callback]);
      return first;
    },
    /** Reads the changes that another process made to the file. */
    refresh: () => write(() => []),
    /** Delivers until the signal is aborted, then waits for in-flight attempts. */
    run: async (): Promise<void> => {
      const attempts = new Set<Promise<void>>();
      while (!signal.aborted) {
        const busy = { running: [...running.values()], concurrency, targets, resumed, now: clock.now() };
        const { start, wakeAt } = nextDeliveries(state, busy);
        for (const delivery of start) {
          running.set(delivery.id, delivery);
          const ended: Promise<void> = attempt(delivery).finally(() => {
            running.delete(delivery.id);
            attempts.delete(ended);
            wake();
          });
          attempts.add(ended);
        }
        await pause(wakeAt);
      }
      await Promise.all(attempts);
    },
  };
}

/** Returns the ledger line for a callback; undefined if its body is not a request status. */
function stateNews(callback: ReceivedLine): StateNews | undefined {
  const { at, expected_completion_time: expected, request_id: id, signature, status } = callback;
  if (id === null || status === null) return undefined;
  const times = expected === undefined ? {} : { expected_completion_time: expected };
  return { event: 'state', id, at, status, source: 'callback', ...times, ...(signature && { signature }) };
}
