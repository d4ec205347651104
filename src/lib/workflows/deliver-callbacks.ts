// Callbacks through the outbox: each is stored with the deliveries that it makes due, and these are tried until they succeed.
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
} from '../domain/callbacks/outbox.ts';
import type { StateNews } from '../domain/dsr/ledger.ts';
import { inBatches } from '../kernel/batches.ts';
import type { Clock } from '../kernel/clock.ts';
import { formatDuration, isoMillis } from '../kernel/timestamps.ts';
import type { LedgerPort } from './dsr-ports.ts';
import type { Tell } from './ports.ts';

interface News {
  lines: readonly unknown[];
  isWhole: boolean;
}

/** The file of lines (`config/outbox.ts`). */
export interface OutboxPort {
  read(): News;
  exchange(work: (news: News) => readonly unknown[]): Promise<void>;
  replace(work: (news: News) => readonly unknown[]): Promise<void>;
  isLarge(): boolean;
}

export interface DeliveryPorts {
  outbox: Omit<OutboxPort, 'read'>;
  ledger: LedgerOf;
  targets: readonly DeliveryTarget[];
  /** The most attempts of one delivery. */
  attempts: number;
  /** The most that run at once. */
  concurrency: number;
  /** One attempt: resolves when the target accepted the callback, rejects with the reason otherwise. */
  deliver(target: string, callback: ReceivedLine, signal: AbortSignal): Promise<void>;
  /** Whether callbacks are being answered. */
  isBusy(): boolean;
  clock: Clock;
  random(): number;
  /** Aborted when the listener ends: what runs then stays due. */
  signal: AbortSignal;
  tell: Tell & { verbose(text: string): void };
}

export interface Deliveries {
  /** What an earlier run left: due here, due to targets that this run does not have, and dead. */
  readonly left: { due: number; elsewhere: number; dead: number };
  /** Resolves once the callback is on the disk: whether it is the first with its status. */
  store(callback: ReceivedLine): Promise<boolean>;
  /** Reads what another process changed in the file. */
  refresh(): Promise<void>;
  /** Delivers until the signal is aborted, and then until no attempt runs any more. */
  run(): Promise<void>;
}

const HOLD_MS = 10;
const LONGEST_HOLD_MS = 1000;

type LedgerOf = (workspace: string) => Pick<LedgerPort, 'append'>;

/** Writes their states to the ledger, which drops what it knows already. Those whose state was news. */
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

/** How callbacks are stored that are due to nothing: in the ledger alone. */
export function storeStates(ledger: LedgerOf): Deliveries['store'] {
  const news = new Set<ReceivedLine>();
  const record = inBatches<ReceivedLine>(async (callbacks) => {
    for (const callback of await recordStates(callbacks, ledger)) news.add(callback);
  });
  return async (callback) => {
    await record(callback);
    return news.delete(callback);
  };
}

/** Reads the outbox. What is in it is due at once, whatever pause an earlier run had begun. */
export async function openDeliveries(ports: DeliveryPorts): Promise<Deliveries> {
  const { clock, outbox, signal, targets, tell } = ports;
  const now = (): string => isoMillis(clock.now());
  let state = emptyOutbox();
  let wake = (): void => undefined;
  const running = new Map<string, Delivery>();
  /** Targets whose last attempt failed: an outage is told once. */
  const failing = new Set<string>();
  /** Stored callbacks whose state is not in the ledger yet. */
  let unrecorded: ReceivedLine[] = [];

  function takeNews({ isWhole, lines }: News): void {
    if (isWhole) state = emptyOutbox();
    for (const line of lines) takeLine(state, line);
  }

  /** Each `work` takes its lines into the state and answers them. */
  const write = inBatches<() => OutboxLine[]>(async (works) => {
    await outbox.exchange((news) => {
      takeNews(news);
      return works.flatMap((work) => work());
    });
    wake();
  });

  const record = inBatches<ReceivedLine[]>(async (callbacks) => {
    unrecorded = [...unrecorded, ...callbacks.flat()];
    await recordStates(unrecorded, ports.ledger);
    unrecorded = [];
    // What is stored is acknowledged all the same: the file is replaced the next time.
    if (outbox.isLarge()) await compact().catch((error: unknown) => tell.warn((error as Error).message));
  });

  async function compact(): Promise<void> {
    await outbox.replace((news) => {
      takeNews(news);
      return compactLines(state, clock.now());
    });
  }

  /** Callbacks are answered first: to start a process holds them up. */
  async function whileBusy(): Promise<void> {
    const end = clock.now() + LONGEST_HOLD_MS;
    while (ports.isBusy() && clock.now() < end && !signal.aborted) await clock.sleep(HOLD_MS);
  }

  async function store(callback: ReceivedLine): Promise<boolean> {
    let first = false;
    await write(() => {
      first = isFirst(state, callback);
      const due = targetsOf(state, callback, targets);
      if (due.length === 0 && !first) return [];
      // The bytes are kept only for deliveries.
      const line = { ...callback, targets: due, ...(due.length === 0 && { headers: [], body: '' }) };
      takeLine(state, line);
      return [line];
    });
    await record([callback]);
    return first;
  }

  async function attempt(delivery: Delivery): Promise<void> {
    const { callback, target } = delivery;
    const attempts = delivery.attempts + 1;
    const outcome: OutcomeLine = { event: 'delivered', id: callback.id, target, at: now(), attempts };
    try {
      await ports.deliver(target, callback, signal);
      failing.delete(target);
    } catch (error) {
      if (signal.aborted) return;
      Object.assign(outcome, failed(delivery, attempts, (error as Error).message));
    }
    outcome.at = now();
    try {
      await write(() => {
        takeLine(state, outcome);
        return [outcome];
      });
    } catch (error) {
      tell.warn(`The outcome of a delivery could not be stored: ${(error as Error).message}`);
      // It is tried again, and not at once.
      const again = state.open.get(delivery.id);
      if (again) again.dueAt = clock.now() + longestPause(2);
    }
  }

  function failed({ callback, target }: Delivery, attempts: number, reason: string): Partial<OutcomeLine> {
    const what = `${target} of ${callback.request_id ?? callback.id} (${callback.status ?? 'no status'})`;
    if (attempts >= ports.attempts) {
      tell.warn(`Dead letter: ${what} failed ${attempts} times: ${reason}. See: cdpadm dsr callbacks outbox list`);
      return { event: 'dead', reason };
    }
    const due = retryAt(attempts, clock.now(), () => ports.random());
    const say = failing.has(target) ? tell.verbose : tell.warn;
    failing.add(target);
    say(
      `${what} failed: ${reason}. Attempt ${attempts + 1} of ${ports.attempts} in ${formatDuration(due - clock.now())}.`,
    );
    return { event: 'failed', reason, due: isoMillis(due) };
  }

  /** Sleeps until `at`, or until something changes. */
  async function pause(at: number | undefined): Promise<void> {
    const changed = new AbortController();
    wake = () => changed.abort();
    const { signal: change } = changed;
    if (signal.aborted) return;
    if (at === undefined) await new Promise((resolve) => change.addEventListener('abort', resolve, { once: true }));
    else await clock.sleep(at - clock.now(), change).catch(() => undefined);
  }

  await outbox.exchange((news) => {
    takeNews(news);
    for (const line of news.lines.map(readLine)) if (line?.event === 'received') unrecorded.push(line);
    return [];
  });
  await record([]);
  if (state.seen.size > 0) await compact();
  const names = new Set(targets.map(({ name }) => name));
  const left = { due: 0, elsewhere: 0, dead: 0 };
  for (const delivery of state.open.values()) {
    delivery.dueAt = 0;
    left[delivery.isDead ? 'dead' : names.has(delivery.target) ? 'due' : 'elsewhere']++;
  }
  signal.addEventListener('abort', () => wake(), { once: true });

  return {
    left,
    store,
    refresh: () => write(() => []),
    run: async () => {
      const attempts = new Set<Promise<void>>();
      while (!signal.aborted) {
        await whileBusy();
        const { concurrency } = ports;
        const busy = { running: [...running.values()], concurrency, targets, now: clock.now() };
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

/** The line of the ledger for a callback; none where its body is not the status of a request. */
function stateNews(callback: ReceivedLine): StateNews | undefined {
  const { at, expected_completion_time: expected, request_id: id, signature, status } = callback;
  if (id === null || status === null) return undefined;
  const times = expected === undefined ? {} : { expected_completion_time: expected };
  return { event: 'state', id, at, status, source: 'callback', ...times, ...(signature && { signature }) };
}
