// Reads the rows of a query from a copy of a warehouse file, in another thread.
import { copyFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { makeScratchFolder } from '../../kernel/scratch-folder.ts';
import { QueryAborted, type QueryThread, type Row, startQueryThread } from './query-thread.ts';
import type { WarehouseFile } from './access.ts';
import { resolveAmong, rewriteTables } from './sql.ts';

/** Large enough for few round trips to the thread; small enough to write a batch in a few milliseconds. */
const BATCH_ROWS = 250;

/** Time limit for a run to read its rows, by the machine's clock (decision: D247). */
const LIMIT_MS = 30_000;

/** The warehouse could not be opened. */
export class WarehouseClosed extends Error {}

/** The open copy, and a key for the state of the original file. */
interface Opened {
  key: string;
  copy: string;
  tables: string[];
}

/** `limitMs` is the time limit of one `read`. */
export function createWarehouseReader(limitMs = LIMIT_MS) {
  let thread: QueryThread | undefined;
  let opened: Opened | undefined;
  let folder: string | undefined;
  let closed = false;
  let last: Promise<unknown> = Promise.resolve();

  /**
   * Copies the file, because the driver locks a file even to read it, and a thread that is ended leaves the lock. Queries
   * cannot write to the original. A changed file is copied again.
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

  async function tablesOf(reading: QueryThread, warehouse: WarehouseFile): Promise<string[]> {
    try {
      return (await open(reading, warehouse)).tables;
    } catch (error) {
      if (error instanceof QueryAborted) throw error;
      throw new WarehouseClosed(error instanceof Error ? error.message : String(error));
    }
  }

  async function read(warehouse: WarehouseFile, sql: string, take: (rows: Row[]) => boolean): Promise<void> {
    if (closed) throw new QueryAborted('the platform closes');
    const reading = (thread ??= startQueryThread());
    reading.limit(limitMs);
    try {
      const tables = await tablesOf(reading, warehouse);
      await reading.query(rewriteTables(sql, resolveAmong(tables)));
      for (;;) {
        const rows = await reading.rows(BATCH_ROWS);
        if (!take(rows) || rows.length < BATCH_ROWS) return;
      }
    } catch (error) {
      // The thread may be in any state, so the next run starts another one.
      thread = undefined;
      opened = undefined;
      await reading.close();
      throw error;
    }
  }

  return {
    /**
     * Opens the warehouse and passes its rows to `take` in batches, until `take` returns false. One read at a time. Throws
     * WarehouseClosed, QueryError, QueryTimeout, and QueryAborted after `close`.
     */
    read: (...given: Parameters<typeof read>): Promise<void> => {
      const result = read(...given);
      last = result.catch(() => undefined);
      return result;
    },
    /** Stops the current read and removes the copies. */
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
