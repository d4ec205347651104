// A bulk run: ids journaled before they are sent, rows sent as fast as the platform takes them, and a result file at the end.
import { randomUUID } from 'node:crypto';
import { dsrEndpoints } from '../contract/dsr.ts';
import type { LedgerNews, LedgerRequest } from '../domain/dsr/ledger.ts';
import { countComplete, isLeft, type RowStates } from '../domain/dsr/row-states.ts';
import type { DsrJournal, JournalLine } from '../files/dsr-journal.ts';
import type { RowTable } from '../bulk/rows.ts';
import { stringifyJson } from '../kernel/json.ts';
import { type RowOutcome, type RowPorts, sendRow } from './dsr-bulk-send.ts';
import { createRowReader, type ReadyRow, type RowOptions } from './dsr-row-reader.ts';
import type { DsrPorts, VerifyMessage } from './dsr-ports.ts';
import { submittedEvent } from './dsr-submit.ts';
import { checkErrorLimit, type MaxErrors } from '../bulk/error-limit.ts';
import { createGate, type Gate, type GateOptions } from '../bulk/gate.ts';
import { createHardStop, runTasks, type Task } from '../bulk/runner.ts';

export interface BulkPorts
  extends DsrPorts, Pick<GateOptions, 'concurrency' | 'giveUpAfterMs' | 'rate' | 'random' | 'onWait'> {
  /** The file once more, for sending. */
  table: RowTable;
  options: RowOptions;
  journal: DsrJournal;
  /** As the journal left them. */
  states: RowStates;
  verify: VerifyMessage;
  maxErrors: MaxErrors | undefined;
  onProgress(): void;
  onDecision(text: string): void;
}

export interface BulkCounts {
  requests: number;
  retries: number;
  /** Answers whose signature does not fit. */
  unsigned: number;
}

/** Rows get their ids in groups: one wait for the disk for all of them. The next run asks for those that never went out. */
const PLANNED_AT_ONCE = 512;
/** Complete rows are written in groups: what a killed process did not write is asked for by the next one. */
const WRITTEN_AT_ONCE = 1024;
const WRITTEN_AFTER_MS = 500;

type Complete = Extract<JournalLine, { d: unknown }>['d'][number];

/** Runs until every row is complete or unknown. Throws what ends it sooner; the journal then knows how far it came. */
export async function submitRows(ports: BulkPorts): Promise<BulkCounts> {
  const { clock, concurrency, journal, signal } = ports;
  const hard = createHardStop();
  const gate = createGate(ports);
  const run = new SubmitRun(ports, await openRowPorts(ports, gate, hard.signal));
  const failure = await runTasks(run.tasks(), { clock, signal, gate, hard, atOnce: concurrency * 2 });
  await run.writeComplete();
  if (failure) {
    // So that the next run sends these at once, and does not ask for them first.
    if (run.unsent.size > 0) journal.write({ u: [...run.unsent] });
    throw failure.error;
  }
  return { requests: gate.requests, retries: gate.retries, unsigned: run.unsigned };
}

async function openRowPorts(
  ports: BulkPorts,
  gate: Gate,
  hardSignal: AbortSignal,
): Promise<Omit<RowPorts, 'completed'>> {
  const { api, clock, ledger, options, submitter, verify } = ports;
  const marks = dsrEndpoints.create.names?.body ?? [];
  return {
    gate,
    create: await api.openCreate(),
    get: await api.openGet(),
    encode: (request) => Buffer.from(stringifyJson(options.names.encode(request, marks)), 'utf8'),
    workspace: submitter.workspace_id,
    verify,
    describe: (request) => submittedEvent(request, submitter, ledger, clock.now()),
    clock,
    hardSignal,
  };
}

class SubmitRun {
  /** Rows with a journaled id of which nothing went out yet. */
  readonly unsent = new Set<number>();
  /** Responses whose signature does not fit. */
  unsigned = 0;
  readonly #ports: BulkPorts;
  readonly #rowPorts: RowPorts;
  #completed = 0;
  #complete: Complete[] = [];
  #news: LedgerNews[] = [];
  #writtenAt: number;
  #writing: Promise<void> | undefined;

  constructor(ports: BulkPorts, rowPorts: Omit<RowPorts, 'completed'>) {
    this.#ports = ports;
    this.#rowPorts = { ...rowPorts, completed: () => this.#completed };
    this.#writtenAt = ports.clock.now();
  }

  /** The rows that are left, each group with ids in the journal. */
  async *tasks(): AsyncGenerator<Task[]> {
    const { options, states, table } = this.#ports;
    const reader = createRowReader(table, options);
    let group: ReadyRow[] = [];
    for await (const rows of table.rows) {
      for (const row of rows) {
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
        yield this.#plan(group);
        group = [];
      }
      // Rows that are complete may fill the file: a stop is heard here.
      yield [];
    }
    yield this.#plan(group);
  }

  /** Gives the rows their ids and journals those before any of them is sent. */
  #plan(group: readonly ReadyRow[]): Task[] {
    const { journal, states } = this.#ports;
    const planned: [number, string][] = [];
    const ready = group.map((item) => {
      const { hasId, request, row } = item;
      const id = hasId ? request.subject_request_id : (states.id(row) ?? randomUUID());
      const mayExist = states.state(row) !== 'open';
      if (!mayExist) planned.push([row, id]);
      return { mayExist, item: { ...item, request: { ...request, subject_request_id: id } } };
    });
    if (planned.length > 0) journal.write({ p: planned });
    for (const [row, id] of planned) {
      states.plan(row, id);
      this.unsent.add(row);
    }
    const entries = this.#ledgerOf(group);
    return ready.map(({ item, mayExist }) => async () => {
      const { hasId: givenId, request, row } = item;
      const known = async () => (await entries()).get(request.subject_request_id);
      const onSend = () => void this.unsent.delete(row);
      await this.#finish(item, await sendRow({ request, mayExist, givenId, known, onSend }, this.#rowPorts));
    });
  }

  /** Reads the ledger once for the given ids of a group, when the first of them needs it. */
  #ledgerOf(group: readonly ReadyRow[]): () => Promise<ReadonlyMap<string, LedgerRequest>> {
    let entries: Promise<ReadonlyMap<string, LedgerRequest>> | undefined;
    const ids = group.flatMap(({ hasId, request }) => (hasId ? [request.subject_request_id] : []));
    return () => (entries ??= this.#ports.ledger.find(ids));
  }

  async #finish({ hasId, request, row }: ReadyRow, outcome: RowOutcome): Promise<void> {
    const { clock, maxErrors, onProgress, states } = this.#ports;
    const { error, expected_completion_time, received_time, signed, state } = outcome;
    if (!signed) this.unsigned++;
    if (state !== 'unknown') this.#completed++;
    // An unknown row whose id is ours may be on the platform. A given id may be another request's: that is no entry.
    if (state !== 'failed' && (state !== 'unknown' || !hasId)) {
      // One line for the request and its response: a ledger of a million is read in half the time.
      this.#news.push({
        ...(await this.#rowPorts.describe(request)),
        ...(state !== 'unknown' && { status: 'pending' }),
        ...(expected_completion_time !== undefined && { expected_completion_time }),
        ...(received_time !== undefined && { received_time }),
      });
    }
    states.complete(row, state, error);
    this.#complete.push(error === undefined ? [row, state] : [row, state, error]);
    onProgress();
    if (this.#complete.length >= WRITTEN_AT_ONCE || clock.now() - this.#writtenAt >= WRITTEN_AFTER_MS)
      await this.writeComplete();
    checkErrorLimit(maxErrors, states.count('failed'), countComplete(states));
  }

  /** The ledger first: a row that only the journal calls complete would never come into it. */
  async writeComplete(): Promise<void> {
    while (this.#writing !== undefined || this.#complete.length > 0) {
      this.#writing ??= this.#writeGroup().finally(() => (this.#writing = undefined));
      await this.#writing;
    }
  }

  async #writeGroup(): Promise<void> {
    const { clock, journal, ledger } = this.#ports;
    const [rows, events] = [this.#complete, this.#news];
    [this.#complete, this.#news, this.#writtenAt] = [[], [], clock.now()];
    await ledger.record(events);
    journal.write({ d: rows });
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
