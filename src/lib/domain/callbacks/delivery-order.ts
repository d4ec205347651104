// Decides which deliveries of an outbox may start, in what order, and when a failed one is retried.
import { type Delivery, isFirst, isRepeat, type OutboxState, type ReceivedLine, requestOf } from './outbox.ts';

/** The target of callbacks: a flag of the listener, identified by its name and not by its value (decision: D263). */
export interface DeliveryTarget {
  /** `forward`, `on-completed`, `on-completed-2`. */
  name: string;
  /** Only callbacks that are the first with this status; `any` is each status. Undefined: every callback. */
  status?: string;
}

export const FORWARD = 'forward';

/** The targets of `--on`, in the order of the command line. */
export function hookTargets(statuses: readonly string[]): DeliveryTarget[] {
  const counts = new Map<string, number>();
  return statuses.map((status) => {
    const count = (counts.get(status) ?? 0) + 1;
    counts.set(status, count);
    return { name: count === 1 ? `on-${status}` : `on-${status}-${count}`, status };
  });
}

/** The names of the targets that a callback is due to. A repeat is due to none. */
export function targetsOf(state: OutboxState, callback: ReceivedLine, targets: readonly DeliveryTarget[]): string[] {
  if (isRepeat(state, callback)) return [];
  const first = isFirst(state, callback);
  return targets
    .filter(({ status }) => status === undefined || (first && (status === 'any' || status === callback.status)))
    .map(({ name }) => name);
}

export interface Running {
  running: readonly Delivery[];
  /** The most that may run. */
  concurrency: number;
  targets: readonly DeliveryTarget[];
  now: number;
}

/**
 * The deliveries that may start now, and when the next one may. Deliveries of one request to hooks run one after the
 * other, and so do those to the forward address. Neither kind takes the last free place from the other, so that a
 * receiver that hangs does not stop the hooks (decision: D258).
 */
export function nextDeliveries(
  { open }: OutboxState,
  { concurrency, now, running, targets }: Running,
): { start: Delivery[]; wakeAt: number | undefined } {
  const known = new Set(targets.map(({ name }) => name));
  const kinds = new Set(targets.map(({ name }) => kindOf(name)));
  const most = kinds.size > 1 ? Math.max(1, concurrency - 1) : concurrency;
  const busy = { forward: 0, hook: 0 };
  for (const { target } of running) busy[kindOf(target)]++;
  const start: Delivery[] = [];
  const heads = new Set(running.map(laneOf));
  let wakeAt: number | undefined;
  for (const delivery of open.values()) {
    if (busy.forward + busy.hook >= concurrency) break;
    if (delivery.isDead || !known.has(delivery.target)) continue;
    const kind = kindOf(delivery.target);
    const lane = laneOf(delivery);
    if (heads.has(lane)) continue;
    heads.add(lane);
    if (delivery.dueAt > now) wakeAt = Math.min(wakeAt ?? Infinity, delivery.dueAt);
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

/** The longest pause after this many failed attempts: ten of them bridge hours (decision: D259). */
export function longestPause(attempts: number): number {
  return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * GROWTH ** (attempts - 1));
}

/** Full jitter: any part of the longest pause. */
export function retryAt(attempts: number, now: number, random: () => number): number {
  return now + random() * longestPause(attempts);
}
