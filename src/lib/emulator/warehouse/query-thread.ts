// A warehouse file read in a thread of its own, so that a long query holds up nobody, with a limit of time.
import { Worker } from 'node:worker_threads';
import { systemClock } from '../../kernel/clock.ts';

/** What the thread is asked (`query-worker.js`); it answers each question once. */
export type Question = { ask: 'open'; file: string } | { ask: 'query'; sql: string } | { ask: 'rows'; count: number };

/** A row by column name; integers beyond 2^53 are bigint. */
export type Row = Record<string, number | bigint | string | Uint8Array | null>;

/** The warehouse's own complaint about a file or a query. */
export class QueryError extends Error {}

/** The answers took longer than the limit; the thread is gone. */
export class QueryTimeout extends Error {}

/** The thread ended by itself, which is nothing that it should do. */
export class QueryLost extends Error {}

/** The thread was ended from outside. */
export class QueryAborted extends Error {}

export type QueryThread = ReturnType<typeof startQueryThread>;

/** Starts a thread without a limit. */
export function startQueryThread() {
  const worker = new Worker(new URL('./query-worker.js', import.meta.url));
  // The program may end while the thread has nothing to do.
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
    /** Gives all answers from now on together this much of the machine's time. */
    limit: (ms: number): void => {
      limitMs = ms;
      deadline = systemClock.now() + ms;
    },
    /** Opens a file read-only and returns the names of its tables and views. Throws QueryError. */
    open: async (file: string): Promise<string[]> => (await ask({ ask: 'open', file })) as string[],
    /** Begins a query on the open file. Throws QueryError. */
    query: async (sql: string): Promise<void> => {
      await ask({ ask: 'query', sql });
    },
    /** The next rows of the query; fewer than `count` are the last ones. Throws QueryError. */
    rows: async (count: number): Promise<Row[]> => (await ask({ ask: 'rows', count })) as Row[],
    /** Ends the thread, whatever it is doing. Who waits for an answer gets QueryAborted. */
    close: async (): Promise<void> => {
      end(new QueryAborted('the thread was ended'));
      await worker.terminate();
    },
  };
}
