// Reads the rows of a query from a warehouse: a copy of its file, in a thread of its own.
import { copyFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { makeScratchFolder } from '../../kernel/scratch-folder.ts';
import { QueryAborted, type QueryThread, type Row, startQueryThread } from './query-thread.ts';
import type { WarehouseFile } from './access.ts';
import { resolveAmong, rewriteTables } from './sql.ts';

/** Enough that the thread is not asked too often, few enough that a batch is written in some milliseconds. */
const BATCH_ROWS = 250;

/** The machine's time that a run may take to read its rows (decision: D247). */
const LIMIT_MS = 30_000;

/** The warehouse could not be opened. */
export class WarehouseClosed extends Error {}

/** The file that the thread has open: which one, as it was when it was copied. */
interface Opened {
  key: string;
  copy: string;
  tables: string[];
}

/** `limitMs`: what one `read` may take. */
export function createWarehouseReader(limitMs = LIMIT_MS) {
  let thread: QueryThread | undefined;
  let opened: Opened | undefined;
  let folder: string | undefined;
  let closed = false;
  let last: Promise<unknown> = Promise.resolve();

  /**
   * The driver locks a file even to read it, and leaves the lock behind when its thread is ended. A copy is nobody
   * else's, and cannot be written to by any query. It is made again when the file has changed.
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
      // Whatever state the thread is in, the next run begins with a new one.
      thread = undefined;
      opened = undefined;
      await reading.close();
      throw error;
    }
  }

  return {
    /**
     * One at a time: opens the warehouse and gives its rows to `take`, batch by batch; `take` returns false to have no more. Throws
     * WarehouseClosed, QueryError, QueryTimeout; QueryAborted after `close`.
     */
    read: (...given: Parameters<typeof read>): Promise<void> => {
      const result = read(...given);
      last = result.catch(() => undefined);
      return result;
    },
    /** Ends what is being read and removes the copies. */
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
