// Reads the rows of a query from a copy of a warehouse file, in a worker thread, with a time limit.
import { copyFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { WAREHOUSE_FAILURES } from '../../contract/failures.ts';
import { makeScratchFolder } from '../../kernel/temporary-file.ts';
import { RunFailure } from '../stores/pipelines.ts';
import type { WarehouseFile } from './access.ts';
import { resolveAmong, rewriteTables } from './sql.ts';
import { Worker } from 'node:worker_threads';

/** A request to the thread (`query-worker.js`), which sends one response to each request. */
export type Question = { ask: 'open'; file: string } | { ask: 'query'; sql: string } | { ask: 'rows'; count: number };

/** A row, keyed by column name. Integers outside the safe range are bigints. */
export type Row = Record<string, number | bigint | string | Uint8Array | null>;

/** The warehouse's error message for a file or a query. */
export class QueryError extends Error {}

/** The platform stopped the thread. */
export class QueryAborted extends Error {}

export type QueryThread = ReturnType<typeof startQueryThread>;

export function startQueryThread() {
  const worker = new Worker(new URL('./query-worker.js', import.meta.url));
  // An idle thread must not keep the program running.
  worker.unref();
  let pending: { resolve(value: unknown): void; reject(reason: Error): void } | undefined;
  let ended: Error | undefined;
  let timer: NodeJS.Timeout | undefined;

  function end(reason: Error): void {
    ended ??= reason;
    pending?.reject(ended);
  }

  worker.on('message', ({ value, error }: { value?: unknown; error?: string }) => {
    if (error === undefined) pending?.resolve(value);
    else pending?.reject(new QueryError(error));
  });
  worker.on('error', (error) => end(new RunFailure('pipeline', `the reader thread failed: ${String(error)}`)));
  worker.on('exit', () => end(new RunFailure('pipeline', 'the reader thread has exited')));

  function ask(question: Question): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (ended) return reject(ended);
      pending = { resolve, reject };
      worker.postMessage(question);
    });
  }

  return {
    /** Sets a total time limit for all later responses, in real time. Without `ms`, removes the limit. */
    limit: (ms?: number): void => {
      clearTimeout(timer);
      if (ms === undefined) return;
      timer = setTimeout(() => {
        end(new RunFailure('pipeline', `The query did not finish within ${ms / 1000} seconds`));
        void worker.terminate();
      }, ms);
    },
    /** Opens a file read-only and returns the names of its tables and views. Throws QueryError. */
    open: async (file: string): Promise<string[]> => (await ask({ ask: 'open', file })) as string[],
    /** Starts a query on the open file. Throws QueryError. */
    query: (sql: string): Promise<unknown> => ask({ ask: 'query', sql }),
    /** Returns the next rows of the query. Fewer than `count` rows means that there are no more. Throws QueryError. */
    rows: async (count: number): Promise<Row[]> => (await ask({ ask: 'rows', count })) as Row[],
    /** Ends the thread. A pending request rejects with QueryAborted. */
    close: async (): Promise<void> => {
      clearTimeout(timer);
      end(new QueryAborted('the thread was stopped'));
      await worker.terminate();
    },
  };
}

/** Large enough to need few round trips to the thread, and small enough to write a batch in a few milliseconds. */
const BATCH_ROWS = 250;

/** Maximum real time for a run to read its rows (decision: D247). */
const LIMIT_MS = 30_000;

/** Returns the error for a warehouse that cannot be opened. */
export function closedWarehouse(reason: string): RunFailure {
  return new RunFailure('connection', `${WAREHOUSE_FAILURES.unreachable.message}: ${reason}`, true);
}

/** The open copy, and a key that identifies the state of the original file. */
interface Opened {
  key: string;
  copy: string;
  tables: string[];
}

export function createWarehouseReader() {
  let thread: QueryThread | undefined;
  let opened: Opened | undefined;
  let folder: string | undefined;
  let closed = false;
  let last: Promise<unknown> = Promise.resolve();

  /**
   * Opens a copy, because the driver locks a file even for reading, and a killed thread leaves its lock behind.
   * Queries cannot write to the original. A changed file is copied again.
   */
  async function open(reading: QueryThread, warehouse: WarehouseFile): Promise<Opened> {
    const key = await keyOf(warehouse);
    if (opened?.key === key) return opened;
    folder ??= makeScratchFolder('warehouse');
    const copy = join(folder, `${Math.random().toString(36).slice(2)}.db`);
    if ('file' in warehouse) await copyFile(warehouse.file, copy);
    else await (await import('./sample.ts')).makeSampleWarehouse(copy);
    const before = opened?.copy;
    opened = { key, copy, tables: await reading.open(copy) };
    if (before !== undefined) await rm(before, { force: true });
    return opened;
  }

  async function read(warehouse: WarehouseFile, sql: string, take: (rows: Row[]) => boolean): Promise<void> {
    if (closed) throw new QueryAborted('the platform is shutting down');
    const reading = (thread ??= startQueryThread());
    reading.limit(LIMIT_MS);
    try {
      const { tables } = await open(reading, warehouse).catch((error: unknown) => {
        throw error instanceof QueryAborted ? error : closedWarehouse((error as Error).message);
      });
      await reading.query(rewriteTables(sql, resolveAmong(tables)));
      for (;;) {
        const rows = await reading.rows(BATCH_ROWS);
        if (!take(rows) || rows.length < BATCH_ROWS) return;
      }
    } catch (error) {
      // The thread may be in any state, so the next run starts a new one.
      thread = undefined;
      opened = undefined;
      await reading.close();
      throw error;
    } finally {
      reading.limit();
    }
  }

  return {
    /**
     * Opens the warehouse and passes the query's rows to `take` in batches, until `take` returns false. Only one read
     * may run at a time. Throws RunFailure, QueryError and, after `close`, QueryAborted.
     */
    read: (...given: Parameters<typeof read>): Promise<void> => {
      const result = read(...given);
      last = result.catch(() => undefined);
      return result;
    },
    close: async (): Promise<void> => {
      closed = true;
      await thread?.close();
      await last;
      if (folder !== undefined) await rm(folder, { recursive: true, force: true });
    },
  };
}

async function keyOf(warehouse: WarehouseFile): Promise<string> {
  if (!('file' in warehouse)) return 'sample';
  const { mtimeMs, size } = await stat(warehouse.file);
  return JSON.stringify([warehouse.file, mtimeMs, size]);
}
