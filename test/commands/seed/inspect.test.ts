// `seed inspect` on exports from several programs.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Inspection } from '../../../src/lib/workflows/seed-inspect.ts';
import { type Seeding, startSeeding, userRow } from '../../helpers/seeding-home.ts';

let seeding: Seeding;
beforeEach(async () => {
  seeding = await startSeeding();
});
afterEach(() => seeding.close());

async function inspect(...args: string[]): Promise<Inspection> {
  const { code, stdout } = await seeding.run(['seed', 'inspect', ...args, '-o', 'json']);
  expect(code).toBe(0);
  return JSON.parse(stdout) as Inspection;
}

describe("a table's columns", () => {
  it('are listed with a proposed field and the number of empty cells, null words and duplicate identities', async () => {
    const file = seeding.write(
      'users.csv',
      'E-mail,orders,note\na@x.example,1,\nb@x.example,NULL,\na@x.example,2,hi\n',
    );
    await inspect(file, '--save-map', 'map.yaml', '--dry-run');
    expect(existsSync(join(seeding.folder, 'map.yaml'))).toBe(false);
    const found = await inspect(file, '--save-map', 'map.yaml');
    expect(found).toMatchObject({
      files: [{ file: 'users.csv', format: 'csv', compression: 'none', rows: 3, row_groups: null }],
      headerless: false,
      bodies: 0,
      columns: [
        { column: 'E-mail', field: 'identity:email', empty: 0, nulls: {} },
        { column: 'orders', field: null, empty: 0, nulls: { NULL: 1 } },
        { column: 'note', field: null, empty: 2, nulls: {} },
      ],
      duplicates: [{ field: 'identity:email', rows: 1 }],
      map: { 'E-mail': 'identity:email' },
    });
    expect(readFileSync(join(seeding.folder, 'map.yaml'), 'utf8')).toBe('E-mail: identity:email\n');
    expect((await inspect(file, '--save-map', 'map.yaml')).map).toEqual(found.map);
    seeding.write('map.yaml', 'E-mail: identity:email\norders: attr:Orders:count\n');
    const again = await seeding.run(['seed', 'inspect', file, '--save-map', 'map.yaml']);
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('map.yaml already exists')]);
    expect(readFileSync(join(seeding.folder, 'map.yaml'), 'utf8')).toContain('orders');
    const { stdout } = await seeding.run(['seed', 'inspect', file]);
    expect(stdout).toContain('Proposed map: --map E-mail=identity:email');
    expect(stdout).not.toContain('a@x.example');
  });

  it('are listed with the number of ids that pandas wrote as floating-point numbers', async () => {
    const file = seeding.write('users.csv', 'customer_id,orders\n1.0,2.0\n2.0,\n3,1.0\n');
    expect((await inspect(file)).columns).toMatchObject([{ floats: 2 }, { floats: 0 }]);
    const { stdout } = await seeding.run(['seed', 'inspect', file]);
    expect(stdout).toContain(
      'customer_id: identity:customer_id, 2 written as decimals such as 123.0, which are not valid ids\n',
    );
  });

  it('are not in the proposed map if their names are already field names', async () => {
    const file = seeding.write('users.csv', 'xpid,attr:Orders:count\n1,2\n');
    expect((await inspect(file)).map).toEqual({});
  });

  it('are an empty list if the file has no header', async () => {
    const found = await inspect(seeding.write('users.csv', '1,5\n2,7\n'));
    expect(found).toMatchObject({ headerless: true, columns: [], map: {} });
  });
});

describe('the source of a file', () => {
  it.each<[string, string, string | Uint8Array]>([
    ['redshift', 'unload', 'id|n\n1|2\n'],
    ['snowflake', 'data_0_0_0.csv.gz', gzipSync('ID,N\n1,2\n')],
    ['spark', 'part-00000-abc.csv', 'id,n\n1,2\n'],
    ['bigquery', 'bq-000000000000.json', '{"id":"1","n":"2"}\n'],
    ['bigquery', 'users.json', '{"id":"9007199254740993"}\n{"id":"9007199254740995"}\n'],
    ['excel', 'users.csv', 'id;n\nx;1.234,50\n'],
    ['pandas', 'users.csv', ',id,n\n0,1.0,NaN\n'],
  ])('is detected as %s in the file %s', async (source, name, content) => {
    expect((await inspect(seeding.write(name, content))).source).toBe(source);
  });

  it('is null if it cannot be detected', async () => {
    expect((await inspect(seeding.write('users.csv', 'id,n\n1,2\n'))).source).toBeNull();
  });
});

it('reports the numbers of bodies and duplicate identities', async () => {
  const file = seeding.write('users.ndjson', `${userRow(1)}\n${userRow(2)}\n${userRow(1)}\n`);
  expect(await inspect(file)).toMatchObject({ bodies: 3, columns: [], duplicates: [{ field: 'xpid', rows: 1 }] });
});

it('reports why rows are unreadable if --columns does not name every column', async () => {
  const args = ['seed', 'inspect', seeding.write('data.csv', '1,2,3,4\n5,6,7,8\n'), '--columns', 'a,b'];
  const problem = 'line 1: this line has 4 cells, but --columns names 2';
  expect((await inspect(...args.slice(2))).files).toMatchObject([{ rows: 2, unreadable: 2, problem }]);
  expect((await seeding.run(args)).stdout).toBe(`data.csv: csv, 2 rows, 2 of them unreadable (${problem})\n`);
});

it('reports ids that Parquet may have rounded, and why a row is unreadable', async () => {
  const columnData = [
    { name: 'customer_id', type: 'DOUBLE' as const, data: [1, 2 ** 60, 1.5] },
    { name: 'city', type: 'BYTE_ARRAY' as const, data: [[0x78], [0xff], [0x79]].map((bytes) => Buffer.from(bytes)) },
  ];
  const file = seeding.write('users.parquet', new Uint8Array(parquetWriteBuffer({ columnData })));
  expect(await inspect(file)).toMatchObject({
    files: [{ rows: 3, unreadable: 1, problem: 'row 2: city: is not UTF-8 (0xff)' }],
    columns: [{ column: 'customer_id', floats: 2 }, { column: 'city' }],
  });
});

it('reports the number of unreadable rows in a file', async () => {
  const file = seeding.write('users.ndjson', `${userRow(1)}\n{"xpid":\n`);
  expect((await inspect(file)).files).toMatchObject([{ rows: 2, unreadable: 1 }]);
  expect((await seeding.run(['seed', 'inspect', file])).stdout).toContain('2 rows, 1 of them unreadable');
});

it('reports the sizes of the row groups in a Parquet file', async () => {
  const columnData = [{ name: 'xpid', data: [1n, 2n, 3n, 4n, 5n], type: 'INT64' as const }];
  const bytes = new Uint8Array(parquetWriteBuffer({ columnData, rowGroupSize: 2 }));
  const file = seeding.write('users.parquet', bytes);
  expect(await inspect(file)).toMatchObject({ files: [{ format: 'parquet', rows: 5, row_groups: [2, 2, 1] }] });
  expect((await seeding.run(['seed', 'inspect', file])).stdout).toContain('row groups of 2 × 2, 1 rows');
});
