// Delivers batches until each of their rows is accepted or rejected. Retries, finds the invalid rows of a rejected
// batch, and shrinks bodies that are too large.
import type { SeedingApi } from '../api/index.ts';
import type { Batch } from '../domain/seed/batch.ts';
import { createBlame, type Blame } from '../domain/seed/blame.ts';
import type { BatchLimits } from '../domain/seed/packer.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Gate } from '../bulk/gate.ts';
import { mayPass, type Refused, sendThrough } from './gated-send.ts';

export interface SendPorts {
  sender: Awaited<ReturnType<SeedingApi['openBulk']>>;
  gate: Gate;
  clock: Clock;
  /** Limits that are shared with the packer. */
  limits: BatchLimits;
  /** Aborted when even requests in progress must end. */
  hardSignal: AbortSignal;
}

/** A row that the platform rejected. */
export interface Blamed {
  /** The index of the row in the batch. */
  row: number;
  reason: string;
}

export type BatchDelivery = ReturnType<typeof createBatchDelivery>;

/** How the platform rejected a body. */
type Refusal = Pick<Refused, 'status' | 'messages'>;

/** Statuses that concern the body. Any other rejection concerns the whole run. */
const BODY_STATUSES: ReadonlySet<number> = new Set([400, 422]);
const TOO_LARGE = 413;

export function createBatchDelivery({ sender, gate, clock, limits, hardSignal }: SendPorts) {
  const blame: Blame = createBlame();

  /** Sends one body until the platform accepts or rejects it. Throws the error that ends the run. */
  async function deliver(body: Buffer): Promise<Refusal | undefined> {
    const request = {
      send: () => sender.send(body, hardSignal),
      endsRun: ({ status }: Refused) => !BODY_STATUSES.has(status) && status !== TOO_LARGE,
    };
    for (let isRepeat = false, failures = 0; ; isRepeat = true) {
      const outcome = await sendThrough(gate, clock, { ...request, isRepeat, failures });
      if (outcome.kind === 'accepted') return undefined;
      if (outcome.kind === 'refused' && !mayPass(outcome)) return outcome;
      if (outcome.kind === 'lost' || outcome.status !== 429) failures++;
    }
  }

  async function completeRows(batch: Batch, rows: readonly number[], refused: Blamed[]): Promise<void> {
    if (rows.length === 0) return;
    // The batch was packed before the platform rejected a body of its size.
    if (rows.length > 1 && (rows.length > limits.rows || sizeOf(batch, rows) > limits.bytes)) {
      const half = rows.length >> 1;
      await completeRows(batch, rows.slice(0, half), refused);
      await completeRows(batch, rows.slice(half), refused);
      return;
    }
    const refusal = await deliver(batch.bodyOf(rows));
    if (refusal === undefined) blame.accepted(batch, rows);
    else await narrow(batch, rows, refusal, refused);
  }

  /** Finds the invalid rows among rows that were rejected together. */
  async function narrow(batch: Batch, rows: readonly number[], refusal: Refusal, refused: Blamed[]): Promise<void> {
    if (refusal.status === TOO_LARGE) {
      await shrink(batch, rows, refusal, refused);
      return;
    }
    const found = blame.judge(batch, rows, refusal.messages);
    const reason = reasonOf(refusal);
    if (found.guilty.length > 0) {
      for (const row of found.guilty) refused.push({ row, reason });
      await completeRows(batch, found.rest, refused);
      return;
    }
    // At least one of the suspects is invalid, so only their two halves need requests.
    await completeRows(batch, found.rest, refused);
    await halve(batch, found.suspects, refusal, refused);
  }

  async function halve(batch: Batch, rows: readonly number[], refusal: Refusal, refused: Blamed[]): Promise<void> {
    const middle = rows.length >> 1;
    const [first, second] = [rows.slice(0, middle), rows.slice(middle)];
    const answer = await deliver(batch.bodyOf(first));
    if (answer !== undefined) {
      await narrow(batch, first, answer, refused);
      await completeRows(batch, second, refused);
      return;
    }
    blame.accepted(batch, first);
    // The first half was accepted, so the second half contains an invalid row.
    await narrow(batch, second, refusal, refused);
  }

  async function shrink(batch: Batch, rows: readonly number[], refusal: Refusal, refused: Blamed[]): Promise<void> {
    const [only] = rows;
    if (rows.length === 1 && only !== undefined) {
      refused.push({ row: only, reason: reasonOf(refusal) });
      return;
    }
    limits.rows = Math.min(limits.rows, Math.ceil(rows.length / 2));
    limits.bytes = Math.min(limits.bytes, sizeOf(batch, rows) - 1);
    await completeRows(batch, rows, refused);
  }

  return {
    /** Resolves to the rejected rows; all others were accepted. Rejects when the run has ended. */
    complete: async (batch: Batch): Promise<Blamed[]> => {
      const refused: Blamed[] = [];
      const all = Array.from({ length: batch.count }, (_, row) => row);
      for (const rows of blame.sort(batch, all)) await completeRows(batch, rows, refused);
      return refused;
    },
  };
}

function sizeOf(batch: Batch, rows: readonly number[]): number {
  if (rows.length === batch.count) return batch.size;
  return rows.reduce((sum, row) => sum + batch.row(row).length + 1, 1);
}

function reasonOf({ status, messages }: Refusal): string {
  const said = messages.join('; ');
  return `the platform rejected it (${status})${said === '' ? '' : `: ${said}`}`;
}
