// What an outbox holds: its lines, and the open deliveries and received statuses that they add up to.
import { createHash } from 'node:crypto';
import { isRecord } from '../../kernel/json.ts';
import { isoMillis } from '../../kernel/timestamps.ts';
import { isAdvance } from '../dsr/statuses.ts';
import type { HeaderLines, SignatureFacts } from './verify.ts';

/** A genuine callback and the deliveries that it makes due: one line, so that neither can be stored without the other. */
export interface ReceivedLine {
  event: 'received';
  /** The stable event id: the same for the same bytes from the same workspace. */
  id: string;
  at: string;
  address: string;
  /** Null where the body names none. */
  workspace_id: string | null;
  /** Both null where the body is not the status of a request. */
  request_id: string | null;
  status: string | null;
  expected_completion_time?: string | null;
  targets: readonly string[];
  signature?: SignatureFacts;
  headers: HeaderLines;
  /** Base64: the bytes as they came. */
  body: string;
}

/** What became of one delivery. `attempts` counts those since it was received or replayed. */
export interface OutcomeLine {
  event: 'delivered' | 'failed' | 'dead' | 'replayed' | 'dropped';
  id: string;
  target: string;
  at: string;
  attempts: number;
  /** When it is tried again. */
  due?: string;
  reason?: string;
}

/** What was received about one request, in place of the lines that compaction removes. */
export interface SeenLine {
  event: 'seen';
  id: string;
  at: string;
  statuses: readonly string[];
  events: readonly string[];
}

export type OutboxLine = ReceivedLine | OutcomeLine | SeenLine;

export interface Delivery {
  /** `EVENT.TARGET`. */
  id: string;
  target: string;
  callback: ReceivedLine;
  isDead: boolean;
  attempts: number;
  /** Milliseconds since the epoch. */
  dueAt: number;
  /** Why the last attempt failed. */
  reason: string | null;
}

interface SeenRequest {
  at: string;
  /** Each status that was news, oldest first. */
  statuses: string[];
  events: Set<string>;
}

export interface OutboxState {
  /** In the order in which their callbacks came. */
  open: Map<string, Delivery>;
  seen: Map<string, SeenRequest>;
  /** Lines that mean nothing to this version. */
  unknown: unknown[];
}

export function emptyOutbox(): OutboxState {
  return { open: new Map(), seen: new Map(), unknown: [] };
}

/** The same bytes from the same workspace have the same id, on every machine and after every restart. */
export function eventId(address: string, workspace: string | undefined, body: Buffer): string {
  const hash = createHash('sha256').update(JSON.stringify([address, workspace ?? null]));
  return hash.update(body).digest('hex').slice(0, 20);
}

export function deliveryId({ id }: { id: string }, target: string): string {
  return `${id}.${target}`;
}

/** The request that a callback is about; one without a request stands for itself. */
export function requestOf({ id, request_id, workspace_id }: ReceivedLine): string {
  return request_id === null ? id : `${workspace_id} ${request_id}`;
}

/** Whether these bytes were received before. */
export function isRepeat(state: OutboxState, callback: ReceivedLine): boolean {
  return state.seen.get(requestOf(callback))?.events.has(callback.id) === true;
}

/** Whether it is the first callback with its status, and no later status came by callback before (decision: D257). */
export function isFirst(state: OutboxState, callback: ReceivedLine): boolean {
  const { status } = callback;
  const statuses = state.seen.get(requestOf(callback))?.statuses ?? [];
  return status !== null && !statuses.includes(status) && isAdvance(statuses.at(-1), status);
}

/** Adds a line to the state. One that a newer version wrote, or that is damaged, is only kept. */
export function takeLine(state: OutboxState, value: unknown): void {
  const line = readLine(value);
  if (line === undefined) state.unknown.push(value);
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

/** The platform may repeat a callback for so long. What was received earlier is forgotten. */
const REMEMBERED_MS = 90 * 86_400_000;

/** The fewest lines that add up to the same state. */
export function compactLines({ open, seen, unknown }: OutboxState, now: number): unknown[] {
  const lines: unknown[] = [...unknown];
  const events = new Map<string, Delivery[]>();
  for (const delivery of open.values()) {
    events.set(delivery.callback.id, [...(events.get(delivery.callback.id) ?? []), delivery]);
  }
  for (const deliveries of events.values()) {
    const [first] = deliveries;
    if (!first) continue;
    lines.push({ ...first.callback, targets: deliveries.map(({ target }) => target) });
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
    lines.push({ event: 'seen', id, at, statuses, events: [...ids] } satisfies SeenLine);
  }
  return lines;
}

const OUTCOMES = ['delivered', 'failed', 'dead', 'replayed', 'dropped'];

/** Undefined for what is not a line of ours. */
export function readLine(value: unknown): OutboxLine | undefined {
  if (!isRecord(value) || !isText(value['id']) || !isTime(value['at'])) return undefined;
  const { event } = value;
  const isOurs =
    event === 'received'
      ? isReceived(value)
      : event === 'seen'
        ? isTexts(value['statuses']) && isTexts(value['events'])
        : isText(event) && OUTCOMES.includes(event) && isOutcome(value);
  return isOurs ? (value as unknown as OutboxLine) : undefined;
}

type Fields = Record<string, unknown>;

function isReceived({ address, body, expected_completion_time: expected, headers, ...line }: Fields): boolean {
  return (
    [address, body].every(isText) &&
    [line['workspace_id'], line['request_id'], line['status'], expected ?? null].every(isTextOrNull) &&
    isTexts(line['targets']) &&
    Array.isArray(headers) &&
    headers.every((header) => isTexts(header) && header.length === 2)
  );
}

function isOutcome({ attempts, due, reason, target }: Fields): boolean {
  return (
    isText(target) &&
    Number.isSafeInteger(attempts) &&
    (due === undefined || isTime(due)) &&
    (reason === undefined || isText(reason))
  );
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isTextOrNull(value: unknown): boolean {
  return value === null || isText(value);
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every(isText);
}

function isTime(value: unknown): boolean {
  return isText(value) && !Number.isNaN(Date.parse(value));
}
