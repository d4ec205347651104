// A bulk run: ids journaled before they are sent, rows sent as fast as the platform takes them, and a result file at the end.
import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { dsrEndpoints, type DsrRequest } from '../contract/dsr.ts';
import { isLeft, type RowStates } from '../domain/dsr/row-states.ts';
import type { DsrJournal, JournalLine } from '../files/dsr-journal.ts';
import type { DsrTable } from '../files/dsr-rows.ts';
import { waitAtMost } from '../kernel/clock.ts';
import { stringifyJson } from '../kernel/json.ts';
import { type RowOutcome, type RowTask, sendRow } from './dsr-bulk-send.ts';
import { createRowReader, type ReadyRow, type RowOptions } from './dsr-row-reader.ts';
import type { DsrPorts, LedgerEntry, LedgerNews, VerifyMessage } from './dsr-ports.ts';
import { submittedEvent } from './dsr-submit.ts';
import { createGate, type GateOptions } from './bulk-gate.ts';

export interface BulkPorts
  extends DsrPorts, Pick<GateOptions, 'concurrency' | 'rate' | 'retries' | 'random' | 'onWait'> {
  /** The file once more, for sending. */
  table: DsrTable;
  options: RowOptions;
  journal: DsrJournal;
  /** As the journal left them. */
  states: RowStates;
  verify: VerifyMessage;
  onProgress(): void;
  onDecision(text: string): void;
}

export interface BulkCounts {
  requests: number;
  retries: number;
  /** Answers whose signature does not fit. */
  unsigned: number;
}

/** How long what is under way may take to end after Ctrl-C. */
const GRACE_MS = 600;
/** Rows get their ids in groups: one wait for the disk for all of them. The next run asks for those that never went out. */
const PLANNED_AT_ONCE = 512;
/** Complete rows are written in groups: what a killed process did not write is asked for by the next one. */
const WRITTEN_AT_ONCE = 1024;
const WRITTEN_AFTER_MS = 500;

type Complete = Extract<JournalLine, { d: unknown }>['d'][number];

/** Runs until every row is complete or unknown. Throws what ends it sooner; the journal then knows how far it came. */
export async function submitRows(ports: BulkPorts): Promise<BulkCounts> {
  const { api, clock, journal, ledger, options, signal, states } = ports;
  const hard = new AbortController();
  // Every request under way listens to it; from eleven on Node would warn on standard error.
  setMaxListeners(0, hard.signal);
  const gate = createGate(ports);
  const marks = dsrEndpoints.create.names?.body ?? [];
  const rowPorts = {
    gate,
    create: await api.openCreate(),
    get: await api.openGet(),
    encode: (request: DsrRequest) => Buffer.from(stringifyJson(options.names.encode(request, marks)), 'utf8'),
    workspace: ports.sender.workspace_id,
    verify: ports.verify,
    describe: (request: DsrRequest) => submittedEvent(request, ports.sender, ledger, clock.now()),
    completed: () => completed,
    clock,
    hardSignal: hard.signal,
  };
  const underWay = new Set<Promise<void>>();
  /** Rows with a journaled id of which nothing went out yet. */
  const unsent = new Set<number>();
  let complete: Complete[] = [];
  let news: LedgerNews[] = [];
  let writtenAt = clock.now();
  let completed = 0;
  let writing: Promise<void> | undefined;
  let unsigned = 0;
  let failure: { error: unknown } | undefined;
  let wake: (() => void) | undefined;

  function fail(error: unknown): void {
    failure ??= { error };
    gate.stop(failure.error);
    wake?.();
  }
  const onAbort = (): void => fail(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();

  /** The ledger first: a row that only the journal calls complete would never come into it. */
  async function writeComplete(): Promise<void> {
    while (writing !== undefined || complete.length > 0) {
      writing ??= writeGroup().finally(() => (writing = undefined));
      await writing;
    }
  }

  async function writeGroup(): Promise<void> {
    const [rows, events] = [complete, news];
    [complete, news, writtenAt] = [[], [], clock.now()];
    await ledger.record(events);
    journal.write({ d: rows });
  }

  async function finish({ hasId, request, row }: ReadyRow, outcome: RowOutcome): Promise<void> {
    const { error, expected_completion_time, received_time, signed, state } = outcome;
    if (!signed) unsigned++;
    if (state !== 'unknown') completed++;
    // An unknown row whose id is ours may be on the platform. A given id may be another request's: that is no entry.
    if (state !== 'failed' && (state !== 'unknown' || !hasId)) {
      // One line for the request and its response: a ledger of a million is read in half the time.
      news.push({
        ...(await rowPorts.describe(request)),
        ...(state !== 'unknown' && { status: 'pending' }),
        ...(expected_completion_time !== undefined && { expected_completion_time }),
        ...(received_time !== undefined && { received_time }),
      });
    }
    states.complete(row, state, error);
    complete.push(error === undefined ? [row, state] : [row, state, error]);
    ports.onProgress();
    if (complete.length >= WRITTEN_AT_ONCE || clock.now() - writtenAt >= WRITTEN_AFTER_MS) await writeComplete();
  }

  function start(item: ReadyRow, mayExist: boolean, known: RowTask['known']): void {
    const { hasId, request, row } = item;
    const run: Promise<void> = sendRow(
      { request, mayExist, givenId: hasId, known, onSend: () => unsent.delete(row) },
      rowPorts,
    )
      .then((outcome) => finish(item, outcome))
      .catch(fail)
      .finally(() => {
        underWay.delete(run);
        wake?.();
      });
    underWay.add(run);
  }

  /** Gives the rows their ids, writes those down, and only then lets them go. */
  async function submit(group: ReadyRow[]): Promise<void> {
    const planned: [number, string][] = [];
    const ready = group.map((item) => {
      const { hasId, request, row } = item;
      const known = states.id(row);
      const id = hasId ? request.subject_request_id : (known ?? randomUUID());
      const mayExist = states.state(row) !== 'open';
      if (!mayExist) planned.push([row, id]);
      return { mayExist, item: { ...item, request: { ...request, subject_request_id: id } } };
    });
    if (planned.length > 0) journal.write({ p: planned });
    for (const [row, id] of planned) {
      states.plan(row, id);
      unsent.add(row);
    }
    const entries = ledgerOf(group);
    for (const { item, mayExist } of ready) {
      while (failure === undefined && underWay.size >= ports.concurrency * 2) {
        await new Promise<void>((resolve) => (wake = resolve));
      }
      if (failure !== undefined) return;
      start(item, mayExist, async () => (await entries()).get(item.request.subject_request_id));
    }
  }

  /** Reads the ledger once for the given ids of a group, when the first of them needs it. */
  function ledgerOf(group: readonly ReadyRow[]): () => Promise<ReadonlyMap<string, LedgerEntry>> {
    let entries: Promise<ReadonlyMap<string, LedgerEntry>> | undefined;
    const ids = group.flatMap(({ hasId, request }) => (hasId ? [request.subject_request_id] : []));
    return () => (entries ??= ledger.find(ids));
  }

  async function readAll(): Promise<void> {
    const reader = createRowReader(ports.table, options);
    let group: ReadyRow[] = [];
    for await (const rows of ports.table.rows) {
      for (const row of rows) {
        if (failure !== undefined) return;
        if (!isLeft(states.state(row.number))) continue;
        const read = reader.read(row);
        // The whole file was checked a moment ago, and its digest is compared at the end.
        if ('issues' in read) throw new Error('a row changed while the file was submitted');
        if (read.ready.done) {
          states.plan(row.number, read.ready.request.subject_request_id);
          states.complete(row.number, 'skipped');
          continue;
        }
        group.push(read.ready);
        if (group.length < PLANNED_AT_ONCE) continue;
        await submit(group);
        group = [];
      }
    }
    await submit(group);
    while (failure === undefined && underWay.size > 0) await new Promise<void>((resolve) => (wake = resolve));
  }

  try {
    await readAll();
  } catch (error) {
    fail(error);
  }
  signal.removeEventListener('abort', onAbort);
  if (failure !== undefined) await endInGrace();
  await writeComplete();
  if (failure !== undefined) {
    // So that the next run sends these at once, and does not ask for them first.
    if (unsent.size > 0) journal.write({ u: [...unsent] });
    throw failure.error;
  }
  return { requests: gate.requests, retries: gate.retries, unsigned };

  /** What is under way may still be answered; what is not is asked for by the next run. */
  async function endInGrace(): Promise<void> {
    const all = Promise.all(underWay);
    await waitAtMost(all, GRACE_MS, clock);
    hard.abort(failure?.error);
    await all;
  }
}

/** Puts what an earlier run wrote into the states. */
export async function restoreStates(journal: DsrJournal, states: RowStates): Promise<void> {
  for await (const line of journal.lines()) {
    if ('p' in line) for (const [row, id] of line.p) states.plan(row, id);
    else if ('u' in line) for (const row of line.u) states.release(row);
    else if ('d' in line) for (const [row, state, error] of line.d) states.complete(row, state, error);
  }
}
