// Data models on the embedded platform: every rule and status.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MODEL } from '../../helpers/sync-definitions.ts';
import { startWarehouseEmulator, type WarehouseEmulator } from '../../helpers/warehouse.ts';

const INVALID = 'Creation failed through a request error or unprocessable entity: ';

let emulator: WarehouseEmulator;

describe('data models', () => {
  beforeEach(async () => {
    emulator = await startWarehouseEmulator();
  });
  afterEach(() => emulator.close());

  test('are created, read, changed and deleted', async () => {
    const made = await emulator.create('data-models', { ...MODEL, errors: [] });
    expect([made.status, made.json]).toMatchObject([
      200,
      { ...MODEL, status: 'valid', errors: [], last_modified_on: null },
    ]);
    expect(await emulator.get('data-models')).toEqual([made.json]);
    const changed = await emulator.put('data-models', { ...MODEL, name: 'New' });
    expect(changed.json).toMatchObject({ name: 'New', last_modified_by: expect.any(String) as string });
    expect(await emulator.get('data-models/people')).toEqual(changed.json);
    expect((await emulator.ask('DELETE', 'data-models/people')).status).toBe(204);
    expect((await emulator.ask('DELETE', 'data-models/people')).status).toBe(404);
  });

  test.each<[string, unknown, string]>([
    ['a taken id', MODEL, `${INVALID}id \`people\` is taken`],
    ['an id that is no slug', { ...MODEL, id: 'a/b' }, `${INVALID}id may hold`],
    ['another type', { ...MODEL, type: 'table' }, `${INVALID}type must be \`sql\``],
    ['no type', { ...MODEL, type: undefined }, `${INVALID}type is missing`],
    ['no query', { ...MODEL, config: {} }, `${INVALID}config.sql_query is missing`],
    ['two queries', query('SELECT 1; SELECT 2'), 'Invalid SQL: only a single statement is allowed'],
    ['a deletion', query('DELETE FROM a'), 'Invalid SQL: a query begins with SELECT or WITH, not with DELETE'],
    ['half a query', query('SELECT a FROM'), 'Invalid SQL: incomplete input'],
    ['a misspelt query', query('SELECT a FORM b.c'), 'Invalid SQL: near \\"b\\": syntax error'],
    ['open parentheses', query('SELECT (1 FROM a'), 'Invalid SQL: near \\"FROM\\": syntax error'],
  ])('refuse %s', async (_what, body, sentence) => {
    await emulator.create('data-models', MODEL);
    const reply = await emulator.create('data-models', body);
    expect([reply.status, reply.text]).toEqual([400, expect.stringContaining(sentence)]);
    if ((body as { id: string }).id === 'people') return;
    const update = await emulator.ask('PUT', 'data-models/people', { ...(body as object), id: 'people' });
    if (!sentence.includes('id may')) expect(update.status).toBe(400);
  });

  test.each([
    'SELECT a FROM missing',
    'SELECT missing.b FROM a.b.c',
    'WITH x AS (SELECT 1) SELECT * FROM x',
    'SELECT f(1)',
  ])('leave it to the run whether %j finds what it asks for', async (sql) => {
    expect((await emulator.create('data-models', query(sql))).status).toBe(200);
  });
});

function query(sql_query: string) {
  return { ...MODEL, id: 'other', config: { sql_query } };
}
