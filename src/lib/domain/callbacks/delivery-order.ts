// Determines which deliveries of an outbox may start, in what order, and when a failed one is retried.
import { type Delivery, isFirst, isRepeat, type OutboxState, type ReceivedLine, requestOf } from './outbox.ts';

/** A target for callbacks, identified by the name of its flag, not by the flag's value (decision: D263). */
export interface DeliveryTarget {
  /** `forward`, `on-completed`, `on-completed-2`. */
  name: string;
  /** Delivers only the first callback with this status, or with each status (`any`); if omitted, every callback. */
  status?: string;
}

export const FORWARD = 'forward';

/** Adds the names of the `--on` targets, in command-line order. */
export function hookTargets<Hook extends { status: string }>(hooks: readonly Hook[]): (Hook & { name: string })[] {
  const counts = new Map<string, number>();
  return hooks.map((hook) => {
    const count = (counts.get(hook.status) ?? 0) + 1;
    counts.set(hook.status, count);
    return { ...hook, name: `on-${hook.status}${count === 1 ? '' : `-${count}`}` };
  });
}

/** Returns the names of the targets that must receive a callback; an empty list for a repeated callback. */
export function targetsOf(state: OutboxState, callback: ReceivedLine, targets: readonly DeliveryTarget[]): string[] {
  if (isRepeat(state, callback)) return [];
  const first = isFirst(state, callback);
  return targets
    .filter(({ status }) => status === undefined || (first && (status === 'any' || status === callback.status)))
    .map(({ name }) => name);
}

interface Running {
  running: readonly Delivery[];
  concurrency: number;
  /** This listener's targets, by name. */
  targets: Pick<ReadonlyMap<string, unknown>, 'has' | 'keys'>;
  resumed: ReadonlySet<string>;
  now: number;
}

/**
 * Returns the deliveries that may start now, and the time when another one may start. A hook waits for the hooks of the
 * request's earlier callbacks, but not for other hooks of the same callback. The forward address gets one callback of a
 * request at a time. Neither kind takes the last free slot from the other, so that a hanging receiver does not block
 * the hooks (decision: D258). Deliveries in `resumed` are due at once, because a restart often comes with a fix.
 */
export function nextDeliveries(
  { open }: OutboxState,
  { concurrency, now, resumed, running, targets }: Running,
): { start: Delivery[]; wakeAt: number | undefined } {
  const kinds = new Set([...targets.keys()].map(kindOf));
  const most = kinds.size > 1 ? Math.max(1, concurrency - 1) : concurrency;
  const busy = { forward: 0, hook: 0 };
  for (const { target } of running) busy[kindOf(target)]++;
  const active = new Set(running.map(({ id }) => id));
  const start: Delivery[] = [];
  /** Current callback of each lane (the hooks of a request, or its forward deliveries). */
  const heads = new Map(running.map((delivery) => [laneOf(delivery), delivery.callback.id]));
  let wakeAt: number | undefined;
  for (const delivery of open.values()) {
    if (busy.forward + busy.hook >= concurrency) break;
    if (delivery.isDead || !targets.has(delivery.target)) continue;
    const kind = kindOf(delivery.target);
    const lane = laneOf(delivery);
    const head = heads.get(lane);
    if ((head ?? delivery.callback.id) !== delivery.callback.id || active.has(delivery.id)) continue;
    heads.set(lane, delivery.callback.id);
    const dueAt = resumed.has(delivery.id) ? 0 : delivery.dueAt;
    if (dueAt > now) wakeAt = Math.min(wakeAt ?? Infinity, dueAt);
    else if (busy[kind] < most) {
      busy[kind]++;
      start.push(delivery);
    }
  }
  return { start, wakeAt };
}

function laneOf({ callback, target }: Delivery): string {
  return `${kindOf(target)} ${requestOf(callback)}`;
}

function kindOf(target: string): 'forward' | 'hook' {
  return target === FORWARD ? 'forward' : 'hook';
}

const FIRST_PAUSE_MS = 1000;
const GROWTH = 4;
const LONGEST_PAUSE_MS = 8 * 3_600_000;

/** Returns the maximum pause after this many failed attempts; ten attempts span hours (decision: D259). */
export function longestPause(attempts: number): number {
  return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * GROWTH ** (attempts - 1));
}

/** Returns the time of the next attempt: after a random fraction of the maximum pause (full jitter). */
export function retryAt(attempts: number, now: number, random: () => number): number {
  return now + random() * longestPause(attempts);
}
