// The bulk adapter for data subject requests. Journals ids before they are sent, and outcomes once they are known.
import { randomUUID } from 'node:crypto';
import type { DsrRequest } from '../contract/dsr.ts';
import type { LedgerNews, LedgerRequest } from '../domain/dsr/ledger.ts';
import { identitiesOf } from '../domain/dsr/normalize.ts';
import { countComplete, type RowStates, shownState } from '../domain/dsr/row-states.ts';
import { type DsrJournal, foreignJournal, type JournalLine } from '../files/bulk-journal.ts';
import { steadyClock } from '../kernel/clock.ts';
import { KnownError } from '../kernel/errors.ts';
import { conflictWith, markOf, readUnresolved } from './dsr-proof.ts';
import { type BulkPorts, type RowOutcome, type RowRun, sendRow } from './dsr-bulk-send.ts';
import { createRowReader, readAgain, type ReadyRow } from './dsr-row-reader.ts';
import { duplicateText, type EarlierRequest, submittedEvent } from './dsr-submit.ts';
import { Gate } from '../bulk/gate.ts';
import { checkErrorLimit, createReporter, runTasks, type Task } from '../bulk/runner.ts';

/** Number of rows whose ids are written at once. After a kill, the next run asks the platform about unsent rows. */
const PLANNED_AT_ONCE = 512;
/** Number of outcomes written at once. After a kill, the next run reads the missing outcomes from the platform. */
const WRITTEN_AT_ONCE = 1024;
const WRITTEN_AFTER_MS = 500;

type Complete = Extract<JournalLine, { d: unknown }>['d'][number];

/**
 * Runs until each row is complete or unknown. Even if an error ends the run early, the journal is up to date. `unsigned`
 * is the number of responses with an invalid signature.
 */
export async function submitRows(ports: BulkPorts) {
  const { clock, concurrency, journal, ledger, maxErrors, options, signal, states, submitter } = ports;
  const gate = new Gate(ports);
  /** Rows with a journaled id that were not sent. */
  const unsent = new Set<number>();
  const outcomes = createOutcomes(ports);
  const progress = createReporter(clock, () => ports.onProgress(gate));
  let completed = 0;
  let unsigned = 0;
  /** Read if a row has an id from the file. */
  let unresolved: ReturnType<typeof readUnresolved> | undefined;
  const describe = (request: DsrRequest) => submittedEvent(request, submitter, ledger, clock.now());

  const failure = await runTasks({ clock, signal, gate, atOnce: concurrency * 2 }, tasks);
  await outcomes.write();
  if (failure) {
    // The next run sends these rows immediately, without reading first.
    if (unsent.size > 0) journal.write({ u: [...unsent] });
    // The error states the number of requests, which may have increased since the last row was completed.
    ports.onProgress(gate);
    throw failure.error;
  }
  progress.end();
  return { requests: gate.requests, retries: gate.retries, unsigned };

  /** Yields the remaining rows, in groups. The ids of each group are in the journal. */
  async function* tasks(hardSignal: AbortSignal): AsyncGenerator<Task[]> {
    const { api, table } = ports;
    const [create, get] = [await api.openCreate(), await api.openGet()];
    const run: RowRun = { gate, create, get, describe, completed: () => completed, hardSignal };
    const reader = createRowReader(table, options);
    let group: ReadyRow[] = [];
    for await (const rows of table.rows) {
      for (const row of rows) {
        if (!states.isLeft(row.number)) continue;
        const { ready } = readAgain(reader, row);
        if (ready.done) {
          states.plan(row.number, ready.request.subject_request_id);
          states.complete(row.number, 'skipped');
          continue;
        }
        group.push(ready);
        if (group.length < PLANNED_AT_ONCE) continue;
        yield plan(group, run);
        group = [];
      }
      // A file may contain only complete rows, so allow the run to stop here.
      yield [];
    }
    yield plan(group, run);
  }

  /** Assigns ids to the rows, and journals the ids before any row is sent. */
  function plan(group: readonly ReadyRow[], run: RowRun): Task[] {
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
      unsent.add(row);
    }
    const given = group.flatMap(({ hasId, request }) => (hasId ? [request.subject_request_id] : []));
    // Each group reads the ledger at most once, the first time that one of its rows needs an entry.
    let entries: Promise<ReadonlyMap<string, LedgerRequest>> | undefined;
    return ready.map(({ item, mayExist }) => async () => {
      const { hasId: givenId, request, row } = item;
      const find = async () => ports.duplicates.get(row) ?? (await ports.findDuplicate?.(await describe(request)));
      const refusal = mayExist ? undefined : refusalOf(await find(), givenId && (await conflictOf(request)));
      if (refusal) {
        unsent.delete(row);
        await finish(item, { ...refusal, signed: true });
        return;
      }
      const known = async () => (await (entries ??= ledger.find(given))).get(request.subject_request_id);
      let sends = 0;
      const onSend = (): void => {
        sends++;
        unsent.delete(row);
      };
      // A response may quote the person's identities, and the errors and traces that quote it outlive the run.
      const shown = identitiesOf(request).map(([, value]) => ports.redactor.hide(value));
      const { ended, ...outcome } = await sendRow({ request, mayExist, givenId, known, onSend }, run, ports).catch(
        (error: unknown) => {
          // A status such as 401 shows that the platform did not accept the request (decision: D415).
          const { status = 0 } = error instanceof KnownError ? error : {};
          if (!mayExist && sends === 1 && status >= 400 && status < 500 && status !== 429) unsent.add(row);
          throw error;
        },
      );
      // An error that ended the run may quote the identities, so they stay hidden.
      if (!ended) for (const show of shown) show();
      await finish(item, outcome);
      if (ended) throw ended;
    });
  }

  /** Returns the conflict if an earlier request with this id, for another person, may still arrive. */
  async function conflictOf(request: DsrRequest): Promise<KnownError | undefined> {
    const entry = (await (unresolved ??= readUnresolved(ledger))).get(request.subject_request_id);
    return entry && conflictWith(entry, await describe(request));
  }

  async function finish({ hasId, request, row }: ReadyRow, outcome: RowOutcome): Promise<void> {
    const { error = '', signed, state, ...times } = outcome;
    const id = request.subject_request_id;
    if (!signed) unsigned++;
    const shown = shownState(state);
    if (shown !== 'unknown') completed++;
    // An unknown row may be on the platform. If its id is from the file, another request may have that id.
    const isRecorded = shown !== 'failed' && (shown !== 'unknown' || !hasId);
    // Write the request and its response on one line, which halves the time to read a ledger of a million requests.
    const status = shown !== 'unknown' && { status: 'pending' as const };
    outcomes.add(
      error === '' ? [row, state] : [row, state, error],
      ...(isRecorded ? [{ ...(await describe(request)), ...status, ...times }] : []),
      ...(state === 'differs' ? [markOf(id, error, clock.now())] : []),
    );
    states.complete(row, state, error);
    progress.update();
    await outcomes.writeIfDue();
    checkErrorLimit(maxErrors, states.count('failed'), countComplete(states));
  }
}

/** Returns the outcome of a row that must not be sent. */
function refusalOf(before: EarlierRequest | undefined, conflict: KnownError | false | undefined) {
  if (before) {
    const error = `not sent: ${duplicateText(before)}. To send it anyway, submit the results file with --allow-duplicates`;
    return { state: 'failed', error } as const;
  }
  return conflict ? ({ state: 'failed', error: conflict.message } as const) : undefined;
}

function createOutcomes({ journal, ledger, ...ports }: Pick<BulkPorts, 'clock' | 'journal' | 'ledger'>) {
  const { now } = steadyClock(ports.clock);
  let rows: Complete[] = [];
  let news: LedgerNews[] = [];
  let writtenAt = now();
  let writing = Promise.resolve();

  /** Writes the ledger first, because a row that is complete in the journal is never added to the ledger later. */
  async function writeGroup(): Promise<void> {
    if (rows.length === 0) return;
    const [group, entries] = [rows, news];
    [rows, news, writtenAt] = [[], [], now()];
    await ledger.record(entries);
    journal.write({ d: group });
  }

  const write = (): Promise<void> => (writing = writing.catch(() => undefined).then(writeGroup));
  return {
    add: (row: Complete, ...entries: LedgerNews[]): void => {
      rows.push(row);
      news.push(...entries);
    },
    write,
    writeIfDue: async (): Promise<void> => {
      if (rows.length >= WRITTEN_AT_ONCE || now() - writtenAt >= WRITTEN_AFTER_MS) await write();
    },
  };
}

/** Restores the states of an earlier run. Throws failed (1) if the journal is not about the `rows` of the input. */
export async function restoreStates(journal: DsrJournal, states: RowStates, rows: number): Promise<void> {
  for await (const line of journal.lines()) {
    const numbers = 'u' in line ? line.u : ('p' in line ? line.p : line.d).map(([row]) => row);
    const other = numbers.find((row) => row < 1 || row > rows);
    if (other !== undefined) throw foreignJournal(journal, `it contains row ${other}, but the file has ${rows}`);
    if ('p' in line) for (const [row, id] of line.p) states.plan(row, id);
    else if ('u' in line) for (const row of line.u) states.release(row);
    else
      for (const [row, state, error] of line.d)
        // Earlier versions recorded a rejected duplicate as a state of its own.
        states.complete(row, state === 'repeat' ? 'failed' : state, error);
  }
}
