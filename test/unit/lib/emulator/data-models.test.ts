// Data models on the embedded platform: every rule and status.
import { beforeEach, describe, expect, test } from 'vitest';
import { opened } from '../../../helpers/opened.ts';
import { MODEL } from '../../../helpers/sync-definitions.ts';
import { startWarehouseEmulator, type WarehouseEmulator } from '../../../helpers/warehouse.ts';

const INVALID = 'Creation failed through a request error or unprocessable entity: ';

const OTHER = { ...MODEL, id: 'other' };

let emulator: WarehouseEmulator;

describe('data models', () => {
  beforeEach(async () => {
    emulator = await opened(startWarehouseEmulator());
  });

  test('are created, read, changed and deleted', async () => {
    const created = await emulator.create('data-models', { ...MODEL, errors: [] });
    expect([created.status, created.json]).toMatchObject([
      200,
      { ...MODEL, status: 'valid', errors: [], last_modified_on: null },
    ]);
    expect(await emulator.get('data-models')).toEqual([created.json]);
    const changed = await emulator.put('data-models', { ...MODEL, name: 'New' });
    expect(changed.json).toMatchObject({ name: 'New', last_modified_by: expect.any(String) as string });
    expect(await emulator.get('data-models/people')).toEqual(changed.json);
    expect((await emulator.ask('DELETE', 'data-models/people')).status).toBe(204);
    expect((await emulator.ask('DELETE', 'data-models/people')).status).toBe(404);
  });

  test.each<[string, unknown, string]>([
    ['a different type', { ...OTHER, type: 'table' }, `${INVALID}type must be \`sql\``],
    ['no type', { ...OTHER, type: undefined }, `${INVALID}type is missing`],
    ['no query', { ...OTHER, config: {} }, `${INVALID}config.sql_query is missing`],
    ['two queries', query('SELECT 1; SELECT 2'), 'Invalid SQL: only a single statement is allowed'],
    ['a deletion', query('DELETE FROM a'), 'Invalid SQL: a query begins with SELECT or WITH, not with DELETE'],
    ['open parentheses', query('SELECT (1 FROM a'), 'Invalid SQL: ( is not closed'],
    ['no columns', query('SELECT FROM a'), 'Invalid SQL: SELECT has no columns'],
  ])('are rejected with %s, both when created and when changed', async (_what, body, sentence) => {
    const rejection = [400, expect.stringContaining(sentence)];
    const created = await emulator.create('data-models', body);
    expect([created.status, created.text]).toEqual(rejection);
    await emulator.create('data-models', OTHER);
    const changed = await emulator.ask('PUT', 'data-models/other', body);
    expect([changed.status, changed.text]).toEqual(rejection);
  });

  test.each([
    ['is taken', 'other', 'id `other` is taken'],
    ['is not a slug', 'a/b', 'id may contain only'],
  ])('are rejected if their id %s', async (_what, id, sentence) => {
    await emulator.create('data-models', OTHER);
    const reply = await emulator.create('data-models', { ...OTHER, id });
    expect([reply.status, reply.text]).toEqual([400, expect.stringContaining(INVALID + sentence)]);
  });

  test.each([
    'SELECT a FROM missing',
    'SELECT missing.b FROM a.b.c',
    'WITH x AS (SELECT 1) SELECT * FROM x',
    'SELECT f(1)',
  ])('are accepted with the query %j, even if the names in it do not exist', async (sql) => {
    expect((await emulator.create('data-models', query(sql))).status).toBe(200);
  });

  test.each<[string, string]>([
    [
      'valid in Snowflake',
      'SELECT id, doc:city::string AS city FROM shop.public.people QUALIFY row_number() OVER (ORDER BY id) = 1',
    ],
    ['valid in BigQuery', "SELECT * EXCEPT (age), FROM `shop.people` # it's all"],
    ['valid in Redshift', 'SELECT TOP 10 id FROM shop.people'],
    ['valid in Databricks', "SELECT id, 'it\\'s' AS word FROM shop.people VERSION AS OF 3"],
    ['not valid in any warehouse', 'SELECT a FROM'],
  ])('are accepted with a note if SQLite cannot parse their query, which is %s', async (_where, sql) => {
    const created = await emulator.create('data-models', query(sql));
    const note = expect.stringMatching(/^Not checked: the warehouse's dialect may allow it\. SQLite, .*: .*/) as string;
    expect([created.status, created.json]).toMatchObject([200, { status: 'valid', errors: [{ message: note }] }]);
    const copy = await opened(startWarehouseEmulator({ fixtures: { data_models: [query(sql)] } }));
    const state = await copy.send('GET', '/_control/state');
    expect((await copy.send('POST', '/_control/state', { body: state.text })).status).toBe(200);
    expect(await copy.get('data-models/other')).toMatchObject({ status: 'valid', errors: [{ message: note }] });
    const changed = await emulator.put('data-models', query('SELECT 1 AS id'));
    expect(changed.json).toMatchObject({ status: 'valid', errors: [] });
  });
});

function query(sql_query: string) {
  return { ...OTHER, config: { sql_query } };
}
