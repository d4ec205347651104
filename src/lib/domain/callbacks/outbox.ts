// The lines of an outbox, and the state that they combine into: pending deliveries and received statuses.
import { groupBy } from '../../kernel/group-by.ts';
import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { parseWith } from '../../contract/explain.ts';
import { readRecord } from '../../kernel/json.ts';
import { isoMillis } from '../../kernel/timestamps.ts';
import { isAdvance } from '../dsr/statuses.ts';
import { SignatureFacts } from './verify.ts';

const time = z.string().check(z.refine((text) => !Number.isNaN(Date.parse(text))));
const identified = { id: z.string(), at: time };

/** A verified callback and its required deliveries, on one line, so that neither is stored without the other. */
const ReceivedLine = z.looseObject({
  event: z.literal('received'),
  ...identified,
  address: z.string(),
  /** Null if the body contains no workspace. */
  workspace_id: z.nullable(z.string()),
  /** Request id and status are null if the body is not a request status. */
  request_id: z.nullable(z.string()),
  status: z.nullable(z.string()),
  expected_completion_time: z.exactOptional(z.nullable(z.string())),
  targets: z.readonly(z.array(z.string())),
  signature: z.exactOptional(SignatureFacts),
  headers: z.readonly(z.array(z.readonly(z.tuple([z.string(), z.string()])))),
  body: z.string(),
});

/** The outcome of a delivery. `attempts` counts the attempts since the callback was received or replayed. */
const OutcomeLine = z.looseObject({
  event: z.enum(['delivered', 'failed', 'dead', 'replayed', 'dropped']),
  ...identified,
  target: z.string(),
  attempts: z.int(),
  due: z.exactOptional(time),
  reason: z.exactOptional(z.string()),
});

/** Replaces the lines that compaction removes for a request. */
const SeenLine = z.looseObject({
  event: z.literal('seen'),
  ...identified,
  statuses: z.readonly(z.array(z.string())),
  events: z.readonly(z.array(z.string())),
});

const OutboxLine = z.discriminatedUnion('event', [ReceivedLine, OutcomeLine, SeenLine]);
export type ReceivedLine = z.infer<typeof ReceivedLine>;
export type OutcomeLine = z.infer<typeof OutcomeLine>;
export type OutboxLine = z.infer<typeof OutboxLine>;

export interface Delivery {
  /** `EVENT.TARGET`. */
  id: string;
  target: string;
  callback: ReceivedLine;
  isDead: boolean;
  attempts: number;
  /** Milliseconds since the epoch. */
  dueAt: number;
  reason: string | null;
}

interface SeenRequest {
  at: string;
  /** Statuses that advanced the request, oldest first. */
  statuses: string[];
  events: Set<string>;
}

export interface OutboxState {
  /** Pending deliveries in the order of their callbacks. */
  open: Map<string, Delivery>;
  seen: Map<string, SeenRequest>;
  /** Lines that are damaged or from a newer version, kept unchanged. */
  unknown: string[];
}

export function emptyOutbox(): OutboxState {
  return { open: new Map(), seen: new Map(), unknown: [] };
}

/** Returns the same id for the same bytes from the same workspace, on every machine and after every restart. */
export function eventId(address: string, workspace: string | undefined, body: Buffer): string {
  const hash = createHash('sha256').update(JSON.stringify([address, workspace ?? null]));
  return hash.update(body).digest('hex').slice(0, 20);
}

export function deliveryId({ id }: { id: string }, target: string): string {
  return `${id}.${target}`;
}

/** Returns the request that a callback belongs to. A callback without a request id counts as its own request. */
export function requestOf({ id, request_id, workspace_id }: ReceivedLine): string {
  return request_id === null ? id : `${workspace_id} ${request_id}`;
}

/** True if these bytes were received before. */
export function isRepeat(state: OutboxState, callback: ReceivedLine): boolean {
  return state.seen.get(requestOf(callback))?.events.has(callback.id) === true;
}

/** True for the first callback with its status, unless an earlier callback had a later status (decision: D257). */
export function isFirst(state: OutboxState, callback: ReceivedLine): boolean {
  const { status } = callback;
  const statuses = state.seen.get(requestOf(callback))?.statuses ?? [];
  return status !== null && !statuses.includes(status) && isAdvance(statuses.at(-1), status);
}

export function takeLine(state: OutboxState, text: string): void {
  const line = readLine(text);
  if (text === '') return;
  if (line === undefined) state.unknown.push(text);
  else if (line.event === 'received') takeReceived(state, line);
  else if (line.event === 'seen') {
    const { at, events, id, statuses } = line;
    state.seen.set(id, { at, statuses: [...statuses], events: new Set(events) });
  } else takeOutcome(state, line);
}

function takeReceived(state: OutboxState, line: ReceivedLine): void {
  if (isRepeat(state, line)) return;
  const key = requestOf(line);
  const before = state.seen.get(key);
  const statuses = before?.statuses ?? [];
  if (line.status !== null && isFirst(state, line)) statuses.push(line.status);
  state.seen.set(key, { at: line.at, statuses, events: new Set([...(before?.events ?? []), line.id]) });
  for (const target of line.targets) {
    const id = deliveryId(line, target);
    const due = { id, target, callback: line, isDead: false, attempts: 0, dueAt: 0, reason: null };
    state.open.set(id, due);
  }
}

function takeOutcome({ open }: OutboxState, line: OutcomeLine): void {
  const delivery = open.get(deliveryId(line, line.target));
  if (!delivery) return;
  if (line.event === 'delivered' || line.event === 'dropped') {
    open.delete(delivery.id);
    return;
  }
  delivery.isDead = line.event === 'dead';
  delivery.attempts = line.attempts;
  delivery.dueAt = line.due === undefined ? 0 : Date.parse(line.due);
  delivery.reason = line.reason ?? delivery.reason;
}

/** Time within which the platform may repeat a callback. Older statuses are dropped. */
const REMEMBERED_MS = 90 * 86_400_000;

/** Returns the fewest lines that produce the same state, except for statuses older than `REMEMBERED_MS`. */
export function compactLines({ open, seen, unknown }: OutboxState, now: number): string[] {
  const lines: OutboxLine[] = [];
  for (const deliveries of groupBy(open.values(), ({ callback }) => callback.id).values()) {
    lines.push({ ...deliveries[0].callback, targets: deliveries.map(({ target }) => target) });
    for (const { attempts, callback, dueAt, isDead, reason, target } of deliveries) {
      if (attempts === 0 && reason === null && !isDead) continue;
      const { at, id } = callback;
      const due = isDead ? {} : { due: isoMillis(dueAt) };
      const line: OutcomeLine = { event: isDead ? 'dead' : 'failed', id, target, at, attempts, ...due };
      lines.push({ ...line, ...(reason !== null && { reason }) });
    }
  }
  const needed = new Set([...open.values()].map(({ callback }) => requestOf(callback)));
  for (const [id, { at, events: ids, statuses }] of seen) {
    if (!needed.has(id) && now - Date.parse(at) > REMEMBERED_MS) continue;
    lines.push({ event: 'seen', id, at, statuses, events: [...ids] });
  }
  return [...unknown, ...lines.map((line) => JSON.stringify(line))];
}

/** Returns the numbers of damaged or newer lines, but not of an unfinished one: the platform resends its callback. */
export function unreadableIn(lines: readonly string[]): number[] {
  const isUnfinished = (text: string): boolean => /^(?:\{.*[^}]|\{?\0*)$/s.test(text);
  return lines.flatMap((text, index) => (isUnfinished(text) || readLine(text) ? [] : [index + 1]));
}

/** Parses a line. Returns undefined for a line that this version does not know. */
export function readLine(text: string): OutboxLine | undefined {
  return parseWith(OutboxLine, readRecord(text)).data;
}
