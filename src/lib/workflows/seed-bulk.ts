// A bulk run: one pass over the inputs, rows checked and packed as they come, batches sent as fast as the platform takes
// them, and a checkpoint of what is complete, so that a run that ends in any way can be resumed.
import { type Batch, reasonOf } from '../domain/seed/batch.ts';
import { createMarks, completedBefore, type Marks } from '../domain/seed/marks.ts';
import { type BatchLimits, RowPacker } from '../domain/seed/packer.ts';
import type { RowRules } from '../domain/seed/row-rules.ts';
import type { Reject, RejectsFile } from '../files/seed-rejects.ts';
import type { SeedCheckpoint, SeedCounts, SeedJournal } from '../files/seed-journal.ts';
import { holdYoungSpace } from '../kernel/host.ts';
import { checkErrorLimit, type MaxErrors } from '../bulk/error-limit.ts';
import { createGate, type Gate, type GateOptions } from '../bulk/gate.ts';
import { createHardStop, runTasks, type Task } from '../bulk/runner.ts';
import { type BatchDelivery, createBatchDelivery, type SendPorts } from './seed-send.ts';
import type { SeedInput } from './seed-input.ts';

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

export interface SeedProgress {
  counts: SeedCounts;
  /** Bytes whose rows are complete, about, of `totalBytes`, where the inputs tell. */
  bytes: number;
  totalBytes: number | undefined;
}

const CHECKPOINT_MS = 500;

/** Runs until every row is accepted or refused. Throws KnownError for whatever ends it sooner; the journal is up to date. */
export async function seedBulk(ports: SeedBulkPorts): Promise<SeedCounts> {
  const { clock, concurrency, journal, signal } = ports;
  const hard = createHardStop();
  const gate = createGate(ports);
  const run = new SeedRun(ports, gate, hard.signal);
  const failure = await runTasks(run.tasks(), { clock, signal, gate, hard, atOnce: concurrency + 2 });
  // Batches that did not arrive are sent again by the next run, which does no harm.
  const result = run.checkpoint(failure === undefined);
  if (!failure) return result;
  // Where nothing was sent there is nothing to continue, and the corrected file is no second run.
  if (result.requests === 0 && result.accepted + result.rejected === 0) journal?.remove();
  throw failure.error;
}

class SeedRun {
  readonly #ports: SeedBulkPorts;
  readonly #gate: Gate;
  readonly #delivery: BatchDelivery;
  readonly #marks: Marks;
  readonly #packer: RowPacker;
  readonly #counts: SeedCounts;
  readonly #startedAt: number;
  readonly #totalBytes: number | undefined;
  #checkpointAt: number;
  /** Read so far, and how many rows they held. */
  #bytes = 0;
  #rowsRead: number;

  constructor(ports: SeedBulkPorts, gate: Gate, hardSignal: AbortSignal) {
    const { before, clock, inputs, limits, rules } = ports;
    this.#ports = ports;
    this.#gate = gate;
    this.#delivery = createBatchDelivery({ ...ports, gate, hardSignal });
    this.#marks = createMarks(before);
    this.#packer = new RowPacker(limits, rules, completedBefore(before));
    this.#counts = { ...before.counts };
    this.#startedAt = clock.now();
    this.#checkpointAt = this.#startedAt;
    this.#rowsRead = before.counts.accepted + before.counts.rejected;
    this.#totalBytes = totalOf(inputs);
  }

  /** The batches of all inputs behind what an earlier run completed. */
  async *tasks(): AsyncGenerator<Task[]> {
    const { before, inputs } = this.#ports;
    this.checkpoint(false);
    let inputsBefore = 0;
    for (const [file, input] of inputs.entries()) {
      const begin = inputsBefore;
      inputsBefore += input.bytes ?? 0;
      if (file < before.mark.file) continue;
      const resumed = file === before.mark.file ? before.mark : { position: 0, offset: 0 };
      this.#packer.begin(file, resumed.position);
      for await (const read of input.rows(this.#packer, resumed)) {
        this.#bytes = begin + read;
        yield this.#packed();
      }
      this.#packer.flush();
      yield this.#packed();
    }
  }

  #packed(): Task[] {
    const ready = this.#packer.ready.splice(0);
    for (const { count, refused } of ready) this.#rowsRead += count + refused.length;
    return ready.map((batch) => () => {
      const { file, from, to, endOffset } = batch;
      return this.#complete(batch, this.#marks.open({ file, from, to, endOffset }));
    });
  }

  async #complete(batch: Batch, entry: { complete(): void }): Promise<void> {
    const { clock, inputs, maxErrors, onProgress, rejects } = this.#ports;
    const counts = this.#counts;
    const blamed = batch.count === 0 ? [] : await this.#delivery.complete(batch);
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
    this.#packer.recycle(batch);
    if (clock.now() - this.#checkpointAt >= CHECKPOINT_MS) this.checkpoint(false);
    onProgress({ counts: this.#tally(), bytes: this.#bytesCompleted(), totalBytes: this.#totalBytes });
    checkErrorLimit(maxErrors, counts.rejected, counts.accepted + counts.rejected);
  }

  checkpoint(finished: boolean): SeedCounts {
    const { before, clock, journal, rejects } = this.#ports;
    const now = this.#tally();
    rejects.sync();
    const { mark, beyond } = this.#marks.snapshot();
    // Also before the first one: a file that a killed run leaves there is then known to be its own.
    const kept = finished && rejects.bytes === null ? null : { path: rejects.path, bytes: rejects.bytes ?? 0 };
    journal?.write({ files: before.files, mark, beyond, counts: now, rejects: kept, finished });
    this.#checkpointAt = clock.now();
    holdYoungSpace();
    return now;
  }

  #tally(): SeedCounts {
    const { requests, retries, ms } = this.#ports.before.counts;
    return {
      ...this.#counts,
      requests: requests + this.#gate.requests,
      retries: retries + this.#gate.retries,
      ms: ms + this.#ports.clock.now() - this.#startedAt,
    };
  }

  /** What is read is ahead of what is complete: by all of a short file. */
  #bytesCompleted(): number {
    const { accepted, rejected } = this.#counts;
    return this.#rowsRead === 0 ? 0 : this.#bytes * Math.min(1, (accepted + rejected) / this.#rowsRead);
  }
}

function totalOf(inputs: readonly SeedInput[]): number | undefined {
  return inputs.reduce<number | undefined>(
    (sum, { bytes }) => (sum === undefined || bytes === undefined ? undefined : sum + bytes),
    0,
  );
}
