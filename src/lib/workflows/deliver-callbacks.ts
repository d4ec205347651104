// Stores each callback with its deliveries, and retries a delivery until it succeeds or has no attempts left.
import {
  type DeliveryTarget,
  longestPause,
  newHealth,
  nextDeliveries,
  retryAt,
  takeFailure,
  takeSuccess,
  type TargetHealth,
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
import { counted } from '../kernel/words.ts';
import type { LedgerPort } from './dsr-ports.ts';
import type { Messages } from './confirm-write.ts';

export interface DeliveryPorts {
  outbox: Outbox;
  ledger: LedgerOf;
  targets: readonly DeliveryTarget[];
  /** Maximum number of attempts per delivery. */
  attempts: number;
  concurrency: number;
  /** Makes one attempt. Resolves if the target accepted the callback; otherwise, rejects with the reason. */
  deliver(target: string, callback: ReceivedLine, signal: AbortSignal): Promise<void>;
  /** True while callbacks are being answered. */
  isBusy(): boolean;
  clock: Clock;
  random(): number;
  /** Aborted when the listener stops. In-flight deliveries remain due. */
  signal: AbortSignal;
  out: Messages & { verbose(text: string): void };
}

const HOLD_MS = 10;
const LONGEST_HOLD_MS = 1000;

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

export class Deliveries {
  /** Counts of the deliveries left by earlier runs: due here, due for targets that this run lacks, and dead. */
  readonly left = { due: 0, elsewhere: 0, dead: 0 };
  /** Line numbers of the unreadable lines in the outbox. */
  unreadable: readonly number[] = [];
  readonly #ports: DeliveryPorts;
  #state = emptyOutbox();
  #wake = (): void => undefined;
  readonly #running = new Map<string, Delivery>();
  /** Targets whose outage has been reported. */
  readonly #down = new Set<string>();
  readonly #health: ReadonlyMap<string, TargetHealth>;
  /** Stored callbacks whose state is not yet in the ledger. */
  #unrecorded: ReceivedLine[] = [];

  /** Each job returns lines, which are added to the state before the next job runs. */
  readonly #write = inBatches<() => OutboxLine[]>(async (works) => {
    await this.#ports.outbox.exchange((news) => {
      this.#takeNews(news);
      return works.flatMap((work) =>
        work().map((line) => {
          const text = JSON.stringify(line);
          takeLine(this.#state, text);
          return text;
        }),
      );
    });
    this.#wake();
  });

  readonly #record = inBatches<ReceivedLine[]>(async (callbacks) => {
    const { ledger, outbox, out } = this.#ports;
    this.#unrecorded = this.#unrecorded.concat(callbacks.flat());
    await recordStates(this.#unrecorded, ledger);
    this.#unrecorded = [];
    // The callbacks are already stored, so if the file cannot be rewritten now, a later batch rewrites it.
    if (outbox.isLarge()) await this.#compact().catch((error: unknown) => out.warn((error as Error).message));
  });

  private constructor(ports: DeliveryPorts) {
    this.#ports = ports;
    this.#health = new Map(ports.targets.map(({ name }) => [name, newHealth()]));
  }

  /** Reads the outbox. Its deliveries are due at once, even if an earlier run planned to retry them later. */
  static async open(ports: DeliveryPorts): Promise<Deliveries> {
    const deliveries = new Deliveries(ports);
    await deliveries.#resume();
    ports.signal.addEventListener('abort', () => deliveries.#wake(), { once: true });
    return deliveries;
  }

  async #resume(): Promise<void> {
    await this.#ports.outbox.exchange((news) => {
      this.#takeNews(news);
      for (const line of news.lines.map(readLine)) if (line?.event === 'received') this.#unrecorded.push(line);
      return [];
    });
    await this.#record([]);
    const { seen, unknown } = this.#state;
    // Move the unknown lines to the beginning of the file.
    if (seen.size + unknown.length > 0) await this.#compact();
    this.unreadable = unreadableIn(unknown);
    for (const delivery of this.#state.open.values()) {
      this.#health.get(delivery.target)?.resumed.add(delivery.id);
      this.left[delivery.isDead ? 'dead' : this.#health.has(delivery.target) ? 'due' : 'elsewhere']++;
    }
  }

  /** Resolves once the callback is on disk, with true if it is the first with its status. */
  async store(callback: ReceivedLine): Promise<boolean> {
    let first = false;
    await this.#write(() => {
      first = isFirst(this.#state, callback);
      const due = targetsOf(this.#state, callback, this.#ports.targets);
      if (due.length === 0 && !first) return [];
      // Only deliveries need the callback's bytes.
      return [{ ...callback, targets: due, ...(due.length === 0 && { headers: [], body: '' }) }];
    });
    await this.#record([callback]);
    return first;
  }

  /** Reads the changes that another process made to the file. */
  refresh(): Promise<void> {
    return this.#write(() => []);
  }

  /** Delivers until the signal is aborted, then waits for in-flight attempts. */
  async run(): Promise<void> {
    const { clock, concurrency, signal } = this.#ports;
    const attempts = new Set<Promise<void>>();
    while (!signal.aborted) {
      await this.#whileBusy();
      const busy = { running: [...this.#running.values()], concurrency, targets: this.#health, now: clock.now() };
      const { start, wakeAt } = nextDeliveries(this.#state, busy);
      for (const delivery of start) {
        this.#running.set(delivery.id, delivery);
        const ended: Promise<void> = this.#attempt(delivery).finally(() => {
          this.#running.delete(delivery.id);
          attempts.delete(ended);
          this.#wake();
        });
        attempts.add(ended);
      }
      await this.#pause(wakeAt);
    }
    await Promise.all(attempts);
  }

  #takeNews({ isWhole, lines }: OutboxNews): void {
    if (isWhole) this.#state = emptyOutbox();
    for (const line of lines) takeLine(this.#state, line);
  }

  async #compact(): Promise<void> {
    await this.#ports.outbox.replace((news) => {
      this.#takeNews(news);
      return compactLines(this.#state, this.#ports.clock.now());
    });
  }

  /** Waits up to a second while callbacks are being answered, because starting a process would delay the answers. */
  async #whileBusy(): Promise<void> {
    const { clock, signal } = this.#ports;
    const end = clock.now() + LONGEST_HOLD_MS;
    while (this.#ports.isBusy() && clock.now() < end && !signal.aborted) await clock.sleep(HOLD_MS);
  }

  #waiting(target: string): number {
    return [...this.#state.open.values()].filter((one) => one.target === target && !one.isDead).length;
  }

  #healthOf(target: string): TargetHealth {
    return this.#health.get(target) ?? newHealth();
  }

  async #attempt(delivery: Delivery): Promise<void> {
    const { clock, signal, out } = this.#ports;
    const { callback, target } = delivery;
    // An early attempt does not count, so neither restarts nor successes of other deliveries use up attempts.
    const attempts = delivery.attempts + (delivery.dueAt > clock.now() ? 0 : 1);
    let outcome: Pick<OutcomeLine, 'event' | 'due' | 'reason'> = { event: 'delivered' };
    try {
      await this.#ports.deliver(target, callback, signal);
      const due = takeSuccess(this.#healthOf(target), delivery, clock.now());
      // This delivery still counts as pending.
      const waiting = this.#waiting(target) - 1;
      if (this.#down.delete(target) || due > 0)
        out.note(`${target} works again: ${counted(waiting, 'delivery is', 'deliveries are')} still waiting for it.`);
    } catch (error) {
      if (signal.aborted) return;
      outcome = this.#failed(delivery, attempts, (error as Error).message);
    }
    const line = { ...outcome, id: callback.id, target, at: isoMillis(clock.now()), attempts };
    try {
      await this.#write(() => [line]);
    } catch (error) {
      out.warn(`The outcome of a delivery could not be stored: ${(error as Error).message}`);
      // Retry, but not immediately.
      const again = this.#state.open.get(delivery.id);
      if (again) again.dueAt = clock.now() + longestPause(2);
    }
  }

  #failed(delivery: Delivery, attempts: number, reason: string): Pick<OutcomeLine, 'event' | 'due' | 'reason'> {
    const { attempts: most, clock, out } = this.#ports;
    const { callback, target } = delivery;
    const health = this.#healthOf(target);
    // Report an outage only once.
    const say = health.failed.size > 0 ? out.verbose : out.warn;
    takeFailure(health, delivery, clock.now());
    const what = `${target} of ${callback.request_id ?? callback.id} (${callback.status ?? 'no status'})`;
    if (attempts >= most) {
      out.warn(`Dead letter: ${what} failed ${attempts} times: ${reason}. See: cdpadm dsr callbacks outbox list`);
      return { event: 'dead', reason };
    }
    const isEarly = attempts === delivery.attempts;
    const due = isEarly ? delivery.dueAt : retryAt(attempts, clock.now(), () => this.#ports.random());
    if (!this.#down.has(target) && (attempts > 2 || health.failed.size > 1)) {
      this.#down.add(target);
      out.warn(
        `${target} is failing: ${counted(this.#waiting(target), 'delivery is', 'deliveries are')} waiting for it.`,
      );
    }
    say(`${what} failed: ${reason}. Attempt ${attempts + 1} of ${most} in ${formatDuration(due - clock.now())}.`);
    return { event: 'failed', reason, due: isoMillis(due) };
  }

  /** Sleeps until `at`, or until the deliveries change. */
  async #pause(at: number | undefined): Promise<void> {
    const { clock, signal } = this.#ports;
    const changed = new AbortController();
    this.#wake = () => changed.abort();
    const { signal: change } = changed;
    if (signal.aborted) return;
    if (at === undefined) await new Promise((resolve) => change.addEventListener('abort', resolve, { once: true }));
    else await clock.sleep(at - clock.now(), change).catch(() => undefined);
  }
}

/** Returns the ledger line for a callback; undefined if its body is not a request status. */
function stateNews(callback: ReceivedLine): StateNews | undefined {
  const { at, expected_completion_time: expected, request_id: id, signature, status } = callback;
  if (id === null || status === null) return undefined;
  const times = expected === undefined ? {} : { expected_completion_time: expected };
  return { event: 'state', id, at, status, source: 'callback', ...times, ...(signature && { signature }) };
}
