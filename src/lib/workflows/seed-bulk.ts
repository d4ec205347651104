// A bulk run: one pass over the inputs, rows checked and packed as they come, batches sent as fast as the platform takes
// them, and a checkpoint of what is complete, so that a run that ends in any way can be resumed.
import { setMaxListeners } from 'node:events';
import { type Batch, reasonOf } from '../domain/seed/batch.ts';
import { createMarks, type Completed, completedBefore } from '../domain/seed/marks.ts';
import { type BatchLimits, RowPacker } from '../domain/seed/packer.ts';
import type { RowRules } from '../domain/seed/row-rules.ts';
import type { Reject, RejectsFile } from '../files/seed-rejects.ts';
import type { SeedCheckpoint, SeedCounts, SeedJournal } from '../files/seed-journal.ts';
import { waitAtMost } from '../kernel/clock.ts';
import type { CliError } from '../kernel/errors.ts';
import { holdYoungSpace } from '../kernel/young-space.ts';
import { createGate, type GateOptions } from './bulk-gate.ts';
import { createBatchSender, type SendPorts } from './seed-send.ts';
import type { SeedInput } from './seed-input.ts';
import { fail } from '../errors/fail.ts';

export interface SeedBulkPorts extends GateOptions, Pick<SendPorts, 'sender'> {
  inputs: SeedInput[];
  rules: RowRules;
  limits: BatchLimits;
  /** Ends the run when more rows than this are refused. */
  maxErrors: MaxErrors | undefined;
  /** Undefined when nothing can be resumed (standard input). */
  journal: SeedJournal | undefined;
  /** What an earlier run left, with the fingerprints of the inputs as they are now. */
  before: SeedCheckpoint;
  rejects: RejectsFile;
  onProgress(state: SeedProgress): void;
}

export type MaxErrors = { rows: number } | { percent: number };

export interface SeedProgress {
  counts: SeedCounts;
  /** Bytes whose rows are complete, about, of `totalBytes`, where the inputs tell. */
  bytes: number;
  totalBytes: number | undefined;
}

/** How long what is under way may take to end after Ctrl-C. */
const GRACE_MS = 600;
const CHECKPOINT_MS = 500;
/** A percentage of few rows says nothing. */
const MIN_ROWS_FOR_PERCENT = 1000;

/** Runs until every row is accepted or refused. Throws CliError for whatever ends it sooner; the journal is up to date. */
export async function seedBulk(ports: SeedBulkPorts): Promise<SeedCounts> {
  const { clock, signal, limits, inputs, journal, rejects, before } = ports;
  const startedAt = clock.now();
  const hard = new AbortController();
  // One listener for each request under way.
  setMaxListeners(0, hard.signal);
  const gate = createGate(ports);
  const sender = createBatchSender({ ...ports, gate, hardSignal: hard.signal });
  const completed: Completed = before;
  const marks = createMarks(completed);
  const packer = new RowPacker(limits, ports.rules, completedBefore(completed));
  const counts = { ...before.counts };
  const underWay = new Set<Promise<void>>();
  let wake: (() => void) | undefined;
  let failure: unknown;
  let checkpointAt = startedAt;
  /** Read so far, and how many rows they held. */
  let bytes = 0;
  let rowsRead = before.counts.accepted + before.counts.rejected;
  const totalBytes = totalOf(inputs);

  function fail(error: unknown): void {
    failure ??= error;
    gate.stop(failure);
    wake?.();
  }
  const onAbort = (): void => fail(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();

  function tally(): SeedCounts {
    const { requests, retries, ms } = before.counts;
    return {
      ...counts,
      requests: requests + gate.requests,
      retries: retries + gate.retries,
      ms: ms + clock.now() - startedAt,
    };
  }

  /** What is read is ahead of what is complete: by all of a short file. */
  function bytesCompleted(): number {
    return rowsRead === 0 ? 0 : bytes * Math.min(1, (counts.accepted + counts.rejected) / rowsRead);
  }

  function checkpoint(finished: boolean): SeedCounts {
    const now = tally();
    rejects.sync();
    const { mark, beyond } = marks.snapshot();
    // Also before the first one: a file that a killed run leaves there is then known to be its own.
    const kept = finished && rejects.bytes === null ? null : { path: rejects.path, bytes: rejects.bytes ?? 0 };
    journal?.write({ files: before.files, mark, beyond, counts: now, rejects: kept, finished });
    checkpointAt = clock.now();
    holdYoungSpace();
    return now;
  }

  async function completeBatch(batch: Batch, entry: { complete(): void }): Promise<void> {
    const blamed = batch.count === 0 ? [] : await sender.complete(batch);
    const { name } = inputs[batch.file] as SeedInput;
    const refused: Reject[] = [
      ...batch.refused.map(({ line, issues, original }) => ({ file: name, line, reason: reasonOf(issues), original })),
      ...blamed.map(({ row, reason }) => {
        return { file: name, line: batch.line(row), reason, original: batch.row(row).toString('utf8') };
      }),
    ];
    rejects.add(refused.sort((a, b) => a.line - b.line));
    counts.accepted += batch.count - blamed.length;
    counts.rejected += refused.length;
    counts.batches++;
    entry.complete();
    packer.recycle(batch);
    if (isTooMany(ports.maxErrors, counts)) fail(tooManyErrors(counts));
    else if (clock.now() - checkpointAt >= CHECKPOINT_MS) checkpoint(false);
    ports.onProgress({ counts: tally(), bytes: bytesCompleted(), totalBytes });
  }

  function start(batch: Batch): void {
    const { file, from, to, endOffset } = batch;
    const entry = marks.open({ file, from, to, endOffset });
    const run: Promise<void> = completeBatch(batch, entry)
      .catch(fail)
      .finally(() => {
        underWay.delete(run);
        wake?.();
      });
    underWay.add(run);
  }

  /** Starts what is packed, and waits while as much is under way as may be. */
  async function submit(): Promise<void> {
    const ready = packer.ready.splice(0);
    for (const { count, refused } of ready) rowsRead += count + refused.length;
    for (const batch of ready) {
      while (failure === undefined && underWay.size >= ports.concurrency + 2) {
        await new Promise<void>((resolve) => (wake = resolve));
      }
      if (failure !== undefined) return;
      start(batch);
    }
  }

  async function readAll(): Promise<void> {
    let inputsBefore = 0;
    for (const [file, input] of inputs.entries()) {
      const begin = inputsBefore;
      inputsBefore += input.bytes ?? 0;
      if (file < completed.mark.file) continue;
      const resumed = file === completed.mark.file ? completed.mark : { position: 0, offset: 0 };
      packer.begin(file, resumed.position);
      for await (const read of input.rows(packer, resumed)) {
        bytes = begin + read;
        await submit();
        if (failure !== undefined) return;
      }
      packer.flush();
      await submit();
    }
    while (failure === undefined && underWay.size > 0) await new Promise<void>((resolve) => (wake = resolve));
  }

  try {
    checkpoint(false);
    await readAll();
  } catch (error) {
    fail(error);
  }
  signal.removeEventListener('abort', onAbort);
  if (failure !== undefined) {
    // What is under way may still arrive; what does not is sent again by the next run, which does no harm.
    const all = Promise.all(underWay);
    await waitAtMost(all, GRACE_MS, clock);
    hard.abort(failure);
    await all;
  }
  const complete = failure === undefined;
  const result = checkpoint(complete);
  // Where nothing was sent there is nothing to go on with, and the corrected file is no second run.
  if (!complete && result.requests === 0 && result.accepted + result.rejected === 0) journal?.remove();
  if (!complete) throw failure;
  return result;
}

function totalOf(inputs: readonly SeedInput[]): number | undefined {
  return inputs.reduce<number | undefined>(
    (sum, { bytes }) => (sum === undefined || bytes === undefined ? undefined : sum + bytes),
    0,
  );
}

function isTooMany(limit: MaxErrors | undefined, { accepted, rejected }: SeedCounts): boolean {
  if (limit === undefined) return false;
  if ('rows' in limit) return rejected > limit.rows;
  const rows = accepted + rejected;
  return rows >= MIN_ROWS_FOR_PERCENT && rejected > (rows * limit.percent) / 100;
}

function tooManyErrors({ accepted, rejected }: SeedCounts): CliError {
  return fail('seed.too_many_errors', {
    message: `Stopped: ${rejected} of ${accepted + rejected} rows were refused, more than --max-errors allows.`,
  });
}
