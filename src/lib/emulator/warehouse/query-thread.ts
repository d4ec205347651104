// Reads a warehouse file in another thread, with a time limit, so that a long query blocks no other request.
import { Worker } from 'node:worker_threads';
import { systemClock } from '../../kernel/clock.ts';

/** A question to the thread (`query-worker.js`), which answers each one once. */
export type Question = { ask: 'open'; file: string } | { ask: 'query'; sql: string } | { ask: 'rows'; count: number };

/** A row by column name; integers above 2^53 are bigint. */
export type Row = Record<string, number | bigint | string | Uint8Array | null>;

/** The warehouse's own error for a file or a query. */
export class QueryError extends Error {}

/** The query exceeded the time limit, which ended the thread. */
export class QueryTimeout extends Error {}

/** The thread ended unexpectedly. */
export class QueryLost extends Error {}

/** The platform ended the thread. */
export class QueryAborted extends Error {}

export type QueryThread = ReturnType<typeof startQueryThread>;

/** Starts a thread without a limit. */
export function startQueryThread() {
  const worker = new Worker(new URL('./query-worker.js', import.meta.url));
  // An idle thread does not keep the program running.
  worker.unref();
  let pending: { resolve(value: unknown): void; reject(reason: Error): void } | undefined;
  let ended: Error | undefined;
  let limitMs = Infinity;
  let deadline = Infinity;

  function end(reason: Error): void {
    ended ??= reason;
    pending?.reject(ended);
  }

  worker.on('message', ({ value, error }: { value?: unknown; error?: string }) => {
    if (error === undefined) pending?.resolve(value);
    else pending?.reject(new QueryError(error));
  });
  worker.on('error', (error) => end(new QueryLost(`the reading thread failed: ${String(error)}`)));
  worker.on('exit', () => end(new QueryLost('the reading thread has ended')));

  async function ask(question: Question): Promise<unknown> {
    if (ended) throw ended;
    const left = Math.max(0, deadline - systemClock.now());
    const answered = new AbortController();
    const limit = systemClock.sleep(left, answered.signal).then(
      () => {
        end(new QueryTimeout(`The query did not finish within ${limitMs / 1000} seconds`));
        return worker.terminate();
      },
      () => undefined,
    );
    try {
      return await new Promise<unknown>((resolve, reject) => {
        pending = { resolve, reject };
        worker.postMessage(question);
      });
    } finally {
      pending = undefined;
      answered.abort();
      await limit;
    }
  }

  return {
    /** Sets a time limit for all further answers together, by the machine's clock. */
    limit: (ms: number): void => {
      limitMs = ms;
      deadline = systemClock.now() + ms;
    },
    /** Opens a file read-only and returns the names of its tables and views. Throws QueryError. */
    open: async (file: string): Promise<string[]> => (await ask({ ask: 'open', file })) as string[],
    /** Starts a query on the open file. Throws QueryError. */
    query: async (sql: string): Promise<void> => {
      await ask({ ask: 'query', sql });
    },
    /** The next rows of the query; fewer than `count` are the last rows. Throws QueryError. */
    rows: async (count: number): Promise<Row[]> => (await ask({ ask: 'rows', count })) as Row[],
    /** Ends the thread. A pending answer rejects with QueryAborted. */
    close: async (): Promise<void> => {
      end(new QueryAborted('the thread was ended'));
      await worker.terminate();
    },
  };
}
