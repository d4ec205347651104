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

/** The health of a target, as seen in this run's attempts. */
export interface TargetHealth {
  /** Deliveries that have failed since the last success. */
  failed: Set<string>;
  /** When the first of these deliveries failed. */
  failedSince: number;
  /** Number of pauses since the target went down. */
  pauses: number;
  /** While the target is down, no delivery is attempted before this time. */
  retryAt: number;
  /** Deliveries that became due because another one succeeded. The value is true until the attempt fails. */
  woken: Map<string, boolean>;
  /** Deliveries from an earlier run. Each is due at once until it fails, because a restart often comes with a fix. */
  resumed: Set<string>;
}

export function newHealth(): TargetHealth {
  return { failed: new Set(), failedSince: 0, pauses: 0, retryAt: 0, woken: new Map(), resumed: new Set() };
}

/** After this many deliveries fail in a row, the target counts as down: no single delivery can be the cause. */
const DOWN_AFTER = 3;
const LONGEST_PROBE_PAUSE_MS = 30_000;
const SHORTEST_OUTAGE_MS = 10_000;

function isDown({ failed }: TargetHealth): boolean {
  return failed.size >= DOWN_AFTER;
}

export function takeFailure(health: TargetHealth, { id }: Delivery, now: number): void {
  if (health.failed.size === 0) health.failedSince = now;
  health.failed.add(id);
  health.resumed.delete(id);
  if (health.woken.has(id)) health.woken.set(id, false);
  // Concurrent attempts that fail together count once.
  if (isDown(health) && now >= health.retryAt) {
    health.retryAt = now + Math.min(LONGEST_PROBE_PAUSE_MS, FIRST_PAUSE_MS * 2 ** health.pauses++);
  }
}

/**
 * Marks the deliveries that failed since the last success as due, and returns their number. A delivery that fails again
 * waits for its own pauses, so that successes of other deliveries do not use up its attempts (decision: D360).
 */
export function takeSuccess(health: TargetHealth, { id }: Delivery, now: number): number {
  const { failed, woken } = health;
  const isEndOfOutage = isDown(health) && now - health.failedSince >= SHORTEST_OUTAGE_MS;
  woken.delete(id);
  failed.delete(id);
  const due = [...failed].filter((one) => isEndOfOutage || !woken.has(one));
  for (const one of due) woken.set(one, true);
  failed.clear();
  health.pauses = 0;
  health.retryAt = 0;
  return due.length;
}

export interface Running {
  running: readonly Delivery[];
  concurrency: number;
  targets: ReadonlyMap<string, TargetHealth>;
  now: number;
}

/**
 * Returns the deliveries that may start now, and the time when another one may start. A hook waits for the hooks of the
 * request's earlier callbacks, but not for other hooks of the same callback. The forward address gets one callback of a
 * request at a time. Neither kind takes the last free slot from the other, so that a hanging receiver does not block
 * the hooks (decision: D258). A target that is down gets one attempt at a time.
 */
export function nextDeliveries(
  { open }: OutboxState,
  { concurrency, now, running, targets }: Running,
): { start: Delivery[]; wakeAt: number | undefined } {
  const kinds = new Set([...targets.keys()].map(kindOf));
  const most = kinds.size > 1 ? Math.max(1, concurrency - 1) : concurrency;
  const busy = { forward: 0, hook: 0 };
  for (const { target } of running) busy[kindOf(target)]++;
  const probed = new Set(running.map(({ target }) => target));
  const active = new Set(running.map(({ id }) => id));
  const start: Delivery[] = [];
  /** Current callback of each lane (the hooks of a request, or its forward deliveries). */
  const heads = new Map(running.map((delivery) => [laneOf(delivery), delivery.callback.id]));
  let wakeAt: number | undefined;
  for (const delivery of open.values()) {
    if (busy.forward + busy.hook >= concurrency) break;
    const health = targets.get(delivery.target);
    if (delivery.isDead || !health) continue;
    const kind = kindOf(delivery.target);
    const lane = laneOf(delivery);
    const head = heads.get(lane);
    if ((head ?? delivery.callback.id) !== delivery.callback.id || active.has(delivery.id)) continue;
    heads.set(lane, delivery.callback.id);
    if (isDown(health) && probed.has(delivery.target)) continue;
    const isDue = health.woken.get(delivery.id) === true || health.resumed.has(delivery.id);
    const dueAt = Math.max(isDue ? 0 : delivery.dueAt, health.retryAt);
    if (dueAt > now) wakeAt = Math.min(wakeAt ?? Infinity, dueAt);
    else if (busy[kind] < most) {
      busy[kind]++;
      probed.add(delivery.target);
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
