// The thread that reads a warehouse file: opens it read-only, runs one query at a time and returns rows on request (see
// `reader.ts`). It is JavaScript, because a thread starts from a file and Node 20 cannot run TypeScript.
import { parentPort } from 'node:worker_threads';
import driver from 'node-sqlite3-wasm';

/** @typedef {import('./reader.ts').Question} Question */

/** @type {InstanceType<typeof import('node-sqlite3-wasm').Database> | undefined} */
let database;
/** @type {ReturnType<InstanceType<typeof import('node-sqlite3-wasm').Database>['prepare']> | undefined} */
let statement;
/** @type {Iterator<Record<string, unknown>> | undefined} */
let rows;

/** @param {Question} question */
function answer(question) {
  switch (question.ask) {
    case 'open': {
      endQuery();
      database?.close();
      database = new driver.Database(question.file, { readOnly: true });
      return database.all("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')").map(({ name }) => name);
    }
    case 'query':
      endQuery();
      statement = database?.prepare(question.sql);
      rows = statement?.iterate();
      return undefined;
    case 'rows': {
      /** @type {Record<string, unknown>[]} */
      const batch = [];
      while (batch.length < question.count) {
        const next = rows?.next();
        if (!next || next.done === true) break;
        batch.push(next.value);
      }
      if (batch.length < question.count) endQuery();
      return batch;
    }
  }
}

function endQuery() {
  const ended = statement;
  statement = undefined;
  rows = undefined;
  try {
    ended?.finalize();
  } catch {
    // Repeats the error of the last step.
  }
}

parentPort?.on('message', (/** @type {Question} */ question) => {
  try {
    parentPort?.postMessage({ value: answer(question) });
  } catch (error) {
    parentPort?.postMessage({ error: error instanceof Error ? error.message : String(error) });
  }
});
