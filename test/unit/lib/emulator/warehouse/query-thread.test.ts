// The thread that reads warehouse files: one response per request, a time limit and cancellation.
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  QueryAborted,
  QueryError,
  type QueryThread,
  startQueryThread,
} from '../../../../../src/lib/emulator/warehouse/reader.ts';
import { RunFailure } from '../../../../../src/lib/emulator/stores/pipelines.ts';
import { temporaryFolder } from '../../../../helpers/temporary-folder.ts';
import { makeWarehouse } from '../../../../helpers/warehouse.ts';

const TOO_SLOW = new RunFailure('pipeline', 'The query did not finish within 0.3 seconds');

const ENDLESS = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n';

let folder: string;
let file: string;
let thread: QueryThread;
beforeEach(async () => {
  // Use one file per test, because a terminated thread leaves the driver's lock in place.
  folder = temporaryFolder();
  file = await makeWarehouse(
    folder,
    'CREATE TABLE a (i); CREATE VIEW b AS SELECT 1; INSERT INTO a VALUES (1), (2), (3)',
  );
  thread = startQueryThread();
});
afterEach(() => thread.close());

test('lists tables and views, and returns rows on request', async () => {
  expect(await thread.open(file)).toEqual(['a', 'b']);
  await thread.query('SELECT i, 9007199254740993 AS big FROM a');
  expect(await thread.rows(2)).toEqual([
    { i: 1, big: 9007199254740993n },
    { i: 2, big: 9007199254740993n },
  ]);
  expect(await thread.rows(2)).toEqual([{ i: 3, big: 9007199254740993n }]);
  expect(await thread.rows(2)).toEqual([]);
  await thread.query('SELECT 1 AS one');
  expect(await thread.rows(2)).toEqual([{ one: 1 }]);
});

test('does not write to the file', async () => {
  await thread.open(file);
  await thread.query('DELETE FROM a').catch(() => undefined);
  await expect(thread.rows(1)).rejects.toThrow(QueryError);
  await thread.query('SELECT count(*) AS count FROM a');
  expect(await thread.rows(1)).toEqual([{ count: 3 }]);
});

test('reports errors in files and queries, and remains usable', async () => {
  await expect(thread.open(join(folder, 'missing.db'))).rejects.toThrow(QueryError);
  await thread.open(file);
  await expect(thread.query('SELECT missing FROM a')).rejects.toThrow(new QueryError('no such column: missing'));
  await thread.query('SELECT i FROM a LIMIT 1');
  expect(await thread.rows(5)).toEqual([{ i: 1 }]);
});

test('stops if a response takes too long', async () => {
  const limited = startQueryThread();
  await limited.open(file);
  await limited.query(ENDLESS);
  // Set the limit only after the thread has started, which can take a long time on a busy machine.
  limited.limit(300);
  await expect(limited.rows(1)).rejects.toThrow(TOO_SLOW);
  await expect(limited.open(file)).rejects.toThrow(TOO_SLOW);
});

test('stops if its responses take too long in total', async () => {
  await thread.open(file);
  await thread.query(ENDLESS.replace('count(*)', 'i'));
  thread.limit(300);
  const readForever = async (): Promise<never> => {
    for (;;) await thread.rows(250);
  };
  await expect(readForever()).rejects.toThrow(TOO_SLOW);
});

test('stops on request during a query', async () => {
  await thread.open(file);
  await thread.query(ENDLESS);
  const rows = expect(thread.rows(1)).rejects.toThrow(QueryAborted);
  await thread.close();
  await rows;
});
