// The bulk adapter for seeding: packs rows into batches, delivers them, and writes checkpoints to resume the run.
import { checkErrorLimit, createReporter, type MaxErrors, runTasks, type Task } from '../bulk/runner.ts';
import { Gate, type GateOptions } from '../bulk/gate.ts';
import { type Batch, reasonOf } from '../domain/seed/batch.ts';
import { type BatchLimits, RowPacker } from '../domain/seed/packer.ts';
import { createMarks, completedBefore } from '../domain/seed/marks.ts';
import type { SeedCheckpoint, SeedCounts, SeedJournal } from '../files/bulk-journal.ts';
import type { Reject, RejectsFile } from '../files/seed-rejects.ts';
import { steadyClock } from '../kernel/clock.ts';
import { limitHeap } from '../kernel/host.ts';
import { type BatchDelivery, createBatchDelivery, type SendPorts } from './seed-send.ts';
import { readBatches, type SeedInputs } from './seed-input.ts';

export interface SeedBulkPorts extends GateOptions, SeedInputs, Pick<SendPorts, 'sender'> {
  limits: BatchLimits;
  /** Maximum number or share of rejected rows; the run stops if there are more. */
  maxErrors: MaxErrors | undefined;
  /** Undefined for standard input, which cannot be resumed. */
  journal: SeedJournal | undefined;
  /** State left by an earlier run, with the current fingerprints of the inputs. */
  before: SeedCheckpoint;
  rejects: RejectsFile;
  onProgress(state: SeedProgress): void;
}

export interface SeedProgress {
  counts: SeedCounts;
  /** Approximate number of completed bytes. The total is undefined if an input's size is unknown. */
  bytes: number;
  totalBytes: number | undefined;
}

const CHECKPOINT_MS = 500;

/** Runs until every row is accepted or rejected. If an error ends the run early, the journal is up to date. */
export async function seedBulk(ports: SeedBulkPorts): Promise<SeedCounts> {
  const { before, concurrency, inputs, journal, limits, maxErrors, rejects, rules, signal } = ports;
  const clock = steadyClock(ports.clock);
  const gate = new Gate(ports);
  const marks = createMarks(before);
  const packer = new RowPacker(limits, rules, completedBefore(before));
  const counts = { ...before.counts };
  const progress = createReporter(clock, report);
  const startedAt = clock.now();
  // NaN if the size of an input is unknown.
  const size = inputs.reduce((sum, { bytes = NaN }) => sum + bytes, 0);
  const totalBytes = Number.isNaN(size) ? undefined : size;
  let checkpointAt = startedAt;
  let recorded = before;
  let isLimited = false;
  let bytesRead = 0;
  let rowsRead = counts.accepted + counts.rejected;

  const failure = await runTasks({ clock, signal, gate, atOnce: concurrency + 2 }, (hardSignal) =>
    tasks(createBatchDelivery({ ...ports, gate, hardSignal })),
  );
  progress.end();
  const result = checkpoint(failure === undefined);
  // If nothing was sent, there is nothing to resume, and the corrected file can be sent without --restart.
  if (result.requests === 0 && result.accepted + result.rejected === 0) journal?.remove();
  if (failure) throw failure.error;
  return result;

  async function* tasks(deliver: BatchDelivery): AsyncGenerator<Task[]> {
    checkpoint(false);
    for await (const { batches, bytes } of readBatches(inputs, packer, before.mark)) {
      isLimited ||= limitHeap();
      bytesRead = bytes;
      for (const { count, rejected } of batches) rowsRead += count + rejected.length;
      yield batches.map((batch) => () => complete(batch, deliver, marks.open(batch)));
    }
  }

  async function complete(batch: Batch, deliver: BatchDelivery, entry: { complete(): void }): Promise<void> {
    const blamed = batch.count === 0 ? [] : await deliver(batch);
    const file = inputs[batch.file]?.name ?? '';
    const rejected: Reject[] = [
      ...batch.rejected.map(({ issues, ...row }) => ({ ...row, file, reason: reasonOf(issues) })),
      ...blamed.map(({ row, reason }) => {
        return { file, line: batch.line(row), reason, original: batch.row(row).toString('utf8') };
      }),
    ];
    rejects.add(rejected.sort((a, b) => a.line - b.line));
    counts.accepted += batch.count - blamed.length;
    counts.rejected += rejected.length;
    counts.batches++;
    entry.complete();
    packer.recycle(batch);
    if (clock.now() - checkpointAt >= CHECKPOINT_MS || rejects.isFull) checkpoint(false);
    progress.update();
    checkErrorLimit(maxErrors, counts.rejected, counts.accepted + counts.rejected);
  }

  function report(): void {
    // Reading is ahead of completion: a short file is read in full before any row is complete.
    const share = Math.min(1, (counts.accepted + counts.rejected) / (rowsRead || 1));
    ports.onProgress({ counts: tally(), bytes: bytesRead * share, totalBytes });
  }

  function checkpoint(finished: boolean): SeedCounts {
    const now = tally();
    // If the process is killed after it writes rejected rows, a resumed run recognizes them as its own.
    const extended = rejects.state();
    if (extended.next) journal?.write({ ...recorded, rejects: extended });
    rejects.sync();
    // Record the file even before the first reject, so that a resumed run recognizes it as its own.
    const kept = finished && rejects.bytes === null ? null : rejects.state();
    recorded = { ...before, ...marks.snapshot(), counts: now, rejects: kept, finished };
    journal?.write(recorded);
    checkpointAt = clock.now();
    return now;
  }

  function tally(): SeedCounts {
    const { requests, retries, ms } = before.counts;
    return {
      ...counts,
      requests: requests + gate.requests,
      retries: retries + gate.retries,
      ms: ms + clock.now() - startedAt,
    };
  }
}
