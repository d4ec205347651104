// Delivers batches until every row is accepted or rejected. Retries, finds the invalid rows of a rejected
// batch, and shrinks oversized bodies.
import type { SeedingApi } from '../api/index.ts';
import type { Batch } from '../domain/seed/batch.ts';
import type { BatchLimits } from '../domain/seed/packer.ts';
import { createBlame, type Blame } from '../domain/seed/blame.ts';
import type { Gate } from '../bulk/gate.ts';
import { mayPass, type Rejected, sendThrough } from './gated-send.ts';

export interface SendPorts {
  sender: Awaited<ReturnType<SeedingApi['openBulk']>>;
  gate: Gate;
  /** Limits that are shared with the packer. */
  limits: BatchLimits;
  /** Aborted to end even in-flight requests. */
  hardSignal: AbortSignal;
}

/** A row that the platform rejected. */
export interface Blamed {
  /** Index of the row in its batch. */
  row: number;
  reason: string;
}

export type BatchDelivery = ReturnType<typeof createBatchDelivery>;

type Rejection = Pick<Rejected, 'status' | 'messages'>;

type Rows = readonly number[];

const TOO_LARGE = 413;
/** Statuses that reject a single body. Any other permanent rejection concerns the whole run. */
const BODY_STATUSES = [400, 422, TOO_LARGE];

/** Returns a function that resolves to a batch's rejected rows, or rejects when the run has ended. */
export function createBatchDelivery({ sender, gate, limits, hardSignal }: SendPorts) {
  const blame: Blame = createBlame();
  /** The most rows that the platform accepted in one request. */
  let longest = 0;

  /** Sends one body until the platform accepts or rejects it. Throws the error that ends the run. */
  async function deliver(body: Buffer): Promise<Rejection | undefined> {
    const request = {
      send: () => sender.send(body, hardSignal),
      endsRun: ({ status }: Rejected) => !BODY_STATUSES.includes(status),
    };
    for (let isRepeat = false, failures = 0; ; isRepeat = true) {
      const outcome = await sendThrough(gate, { ...request, isRepeat, failures });
      if (outcome.kind === 'accepted') return undefined;
      if (outcome.kind === 'rejected' && !mayPass(outcome)) return outcome;
      if (outcome.kind === 'lost' || outcome.status !== 429) failures++;
    }
  }

  return async (batch: Batch): Promise<Blamed[]> => {
    const rejected: Blamed[] = [];
    const sizeOf = (rows: Rows): number =>
      rows.length === batch.count ? batch.size : rows.reduce((sum, row) => sum + batch.row(row).length + 1, 1);

    async function send(rows: Rows): Promise<Rejection | undefined> {
      const rejection = await deliver(batch.bodyOf(rows));
      if (rejection !== undefined) return rejection;
      blame.accepted(batch, rows);
      longest = Math.max(longest, rows.length);
      return undefined;
    }

    async function complete(rows: Rows): Promise<void> {
      if (rows.length === 0) return;
      // The batch was packed before the platform rejected a body of its size.
      if (rows.length > 1 && (rows.length > limits.rows || sizeOf(rows) > limits.bytes)) {
        for (const half of halvesOf(rows)) await complete(half);
        return;
      }
      const rejection = await send(rows);
      if (rejection === undefined) return;
      const before = rejected.length;
      await narrow(rows, rejection);
      // No row was invalid, so the platform rejected the number of rows, unless it accepted as many before.
      if (rejected.length === before && rows.length > longest)
        limits.rows = Math.min(limits.rows, Math.ceil(rows.length / 2));
    }

    /** Finds the invalid rows among rows that were rejected together. */
    async function narrow(rows: Rows, rejection: Rejection): Promise<void> {
      const isTooLarge = rejection.status === TOO_LARGE;
      if (isTooLarge && rows.length > 1) {
        limits.rows = Math.min(limits.rows, Math.ceil(rows.length / 2));
        limits.bytes = Math.min(limits.bytes, sizeOf(rows) - 1);
        await complete(rows);
        return;
      }
      const judged = isTooLarge ? undefined : blame.judge(batch, rows, rejection.messages);
      const { guilty, rest, suspects } = judged ?? { guilty: rows, rest: [], suspects: [] };
      for (const row of guilty) rejected.push({ row, reason: reasonOf(rejection) });
      await complete(rest);
      if (suspects.length === 0) return;
      const [first, second] = halvesOf(suspects);
      const answer = await send(first);
      if (answer !== undefined) await narrow(first, answer);
      // If the first half is accepted, the second half contains an invalid row, unless the rows are only too many.
      if (answer === undefined && second.length > 1) await narrow(second, rejection);
      else await complete(second);
    }

    const all: number[] = [];
    for (let row = 0; row < batch.count; row++) all.push(row);
    for (const rows of blame.sort(batch, all)) await complete(rows);
    return rejected;
  };
}

function halvesOf(rows: Rows): [Rows, Rows] {
  const half = rows.length >> 1;
  return [rows.slice(0, half), rows.slice(half)];
}

function reasonOf({ status, messages }: Rejection): string {
  const said = messages.join('; ');
  return `the platform rejected it (${status})${said === '' ? '' : `: ${said}`}`;
}
