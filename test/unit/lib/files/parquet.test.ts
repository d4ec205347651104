// Reads Parquet by row group: each row once with its number in the file, and errors for invalid files.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SchemaElement } from 'hyparquet';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { expect, it } from 'vitest';
import { openParquet, type ParquetFile } from '../../../../src/lib/files/parquet.ts';
import { stringifyJson } from '../../../../src/lib/kernel/json.ts';
import { randomFrom } from '../../../helpers/random.ts';
import { temporaryFolder } from '../../../helpers/temporary-folder.ts';

const BIG = 9_223_372_036_854_775_000n;

/** Writes a file with integers of at least BIG in one column and strings in the other. */
function write(rows: number, rowGroupSize: number): string {
  const ids = Array.from({ length: rows }, (_, index) => BIG + BigInt(index % 800));
  const columnData = [
    { name: 'xpid', data: ids, type: 'INT64' as const },
    { name: 'user:note', data: ids.map((_, index) => `n${index}`), type: 'STRING' as const },
  ];
  const path = join(temporaryFolder(), 'a.parquet');
  writeFileSync(path, new Uint8Array(parquetWriteBuffer({ columnData, rowGroupSize })));
  return path;
}

async function allOf(file: ParquetFile, wantsColumn?: (index: number) => boolean): Promise<unknown[][]> {
  const all: unknown[][] = [];
  for await (const { rows } of file.rows(() => true, wantsColumn)) all.push(...rows);
  return all;
}

/** Returns, for each part, the number of its first row, the row count, and its first and last string. */
async function partsOf(file: ParquetFile, wants: (group: number) => boolean): Promise<unknown[][]> {
  const parts: unknown[][] = [];
  for await (const { firstRow, rows } of file.rows(wants)) {
    parts.push([firstRow, rows.length, rows[0]?.[1], rows.at(-1)?.[1]]);
  }
  return parts;
}

it('returns the columns and every row with every digit of large integers', async () => {
  const file = await openParquet(write(7, 3), 'a.parquet');
  expect(file.columns).toEqual(['xpid', 'user:note']);
  expect(await allOf(file)).toEqual(Array.from({ length: 7 }, (_, index) => [BIG + BigInt(index), `n${index}`]));
});

it("reads only the requested groups, and returns the number of each group's first row", async () => {
  const path = write(7, 3);
  const parts = [
    [0, 3, 'n0', 'n2'],
    [3, 3, 'n3', 'n5'],
    [6, 1, 'n6', 'n6'],
  ];
  expect(await partsOf(await openParquet(path, 'a'), () => true)).toEqual(parts);
  expect(await partsOf(await openParquet(path, 'a'), (group) => group !== 1)).toEqual([parts[0], parts[2]]);
  expect(await partsOf(await openParquet(path, 'a'), (group) => group === 2)).toEqual([parts[2]]);
  expect(await partsOf(await openParquet(path, 'a'), () => false)).toEqual([]);
});

it('reads a large group in parts', async () => {
  expect(await partsOf(await openParquet(write(1150, 1050), 'a'), () => true)).toEqual([
    [0, 500, 'n0', 'n499'],
    [500, 500, 'n500', 'n999'],
    [1000, 50, 'n1000', 'n1049'],
    [1050, 100, 'n1050', 'n1149'],
  ]);
});

it('lets the reader stop early without an error', async () => {
  const file = await openParquet(write(7, 3), 'a');
  for await (const { firstRow } of file.rows(() => true)) {
    expect(firstRow).toBe(0);
    break;
  }
});

it.each<[string, (original: Buffer) => Buffer]>([
  ['an empty file', () => Buffer.alloc(0)],
  ['a text file', () => Buffer.from('xpid,user:note\n1,a\n')],
  ['a truncated Parquet file', (original) => original.subarray(0, original.length - 20)],
])('rejects %s', async (_what, damage) => {
  const path = write(7, 3);
  writeFileSync(path, damage(readFileSync(path)));
  await expect(openParquet(path, 'the/name')).rejects.toMatchObject({
    code: 'input.invalid',
    message: 'the/name cannot be read.',
    issues: [
      { file: 'the/name', path: '', message: expect.stringMatching(/^is not a readable Parquet file: ./) as string },
    ],
  });
});

it('reports damaged pages while reading', async () => {
  const path = write(7, 3);
  const bytes = readFileSync(path);
  bytes.fill(0xff, 4, 40);
  writeFileSync(path, bytes);
  const file = await openParquet(path, 'the/name');
  await expect(partsOf(file, () => true)).rejects.toMatchObject({
    code: 'input.invalid',
    issues: [
      { file: 'the/name', path: '', message: expect.stringMatching(/^is not a readable Parquet file: ./) as string },
    ],
  });
});

it.each([25, 32])('rejects dictionary indexes of %i bits', async (bits) => {
  const path = join(temporaryFolder(), 'a.parquet');
  const data = Array.from({ length: 80 }, (_, index) => (index % 2 === 0 ? 'a' : 'b'));
  const columnData = [{ name: 'user:note', data, type: 'STRING' as const, nullable: false }];
  const bytes = Buffer.from(parquetWriteBuffer({ columnData, codec: 'UNCOMPRESSED' }));
  // Ten groups of eight one-bit indexes.
  const at = bytes.indexOf(Buffer.from([1, 10 * 2 + 1, 0xaa, 0xaa]));
  bytes[at] = bits;
  writeFileSync(path, bytes);
  await expect(allOf(await openParquet(path, 'a.parquet'))).rejects.toMatchObject({
    issues: [{ message: `is not a readable Parquet file: it uses dictionary indexes of ${bits} bits` }],
  });
});

it('skips a column that is not requested, even if its type is unsupported', async () => {
  const columnData = [
    { name: 'xpid', data: [1n, 2n] },
    { name: 'spans', data: [new Uint8Array(12), new Uint8Array(12)] },
  ];
  const schema: SchemaElement[] = [
    { name: 'root', num_children: 2 },
    { name: 'xpid', type: 'INT64', repetition_type: 'REQUIRED' },
    { name: 'spans', type: 'FIXED_LEN_BYTE_ARRAY', type_length: 12, converted_type: 'INTERVAL', repetition_type: 'REQUIRED' },
  ]; // prettier-ignore
  const path = join(temporaryFolder(), 'a.parquet');
  writeFileSync(path, new Uint8Array(parquetWriteBuffer({ columnData, schema })));
  const file = await openParquet(path, 'a.parquet');
  expect(await allOf(file, (index) => index === 0)).toEqual([
    [1n, null],
    [2n, null],
  ]);
  await expect(allOf(file)).rejects.toMatchObject({
    issues: [
      { message: 'is not a readable Parquet file: its column `spans` has the type INTERVAL; cast it in the export' },
    ],
  });
});

it('stops with a hint if the pages do not fit in memory', async () => {
  const file = await openParquet(write(1000, 1000), 'a.parquet', 4000);
  await expect(allOf(file)).rejects.toMatchObject({
    issues: [{ message: 'is not a readable Parquet file: its pages need more than 4 KiB at once' }],
    hint: expect.stringContaining('smaller pages or row groups') as string,
  });
});

/**
 * Files written by pyarrow 25 with pages that contain few values, rows that span pages, dictionaries that end early, and
 * checksums.
 */
const SAMPLES = new URL('../../../data/parquet/', import.meta.url);

it.each(['pages-v1.parquet', 'pages-v2.parquet'])('assembles nested rows from %s', async (name) => {
  const file = await openParquet(fileURLToPath(new URL(name, SAMPLES)), name);
  const wanted = JSON.parse(readFileSync(new URL('nested.json', SAMPLES), 'utf8')) as Record<string, unknown>[];
  const found: unknown[] = [];
  for (const cells of await allOf(file)) {
    const named = cells.map((cell, index) => [file.columns[index], typeof cell === 'bigint' ? String(cell) : cell] as const);
    found.push(JSON.parse(stringifyJson(Object.fromEntries(named), undefined).replace(/:(-?\d{15,})/g, ':"$1"')));
  }
  expect(found).toEqual(wanted);
}); // prettier-ignore

it("reports a damaged file if a page's checksum does not match", async () => {
  const path = join(temporaryFolder(), 'a.parquet');
  const bytes = readFileSync(new URL('pages-v1.parquet', SAMPLES));
  // Flip a bit in the first value of the first dictionary.
  bytes[50] = (bytes[50] ?? 0) ^ 1;
  writeFileSync(path, bytes);
  await expect(allOf(await openParquet(path, 'a.parquet'))).rejects.toMatchObject({
    issues: [{ message: expect.stringContaining('checksum') as string }],
  });
});

it('returns rows or an error for any damaged file', async () => {
  const random = randomFrom(5);
  const path = join(temporaryFolder(), 'a.parquet');
  for (const name of ['pages-v1.parquet', 'pages-v2.parquet']) {
    const original = readFileSync(new URL(name, SAMPLES));
    for (let round = 0; round < 20; round++) {
      const bytes = Buffer.from(original);
      for (let step = 0; step < 3; step++) bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256);
      writeFileSync(path, bytes);
      const read = openParquet(path, name).then((file) => allOf(file));
      await read.catch((error: unknown) => expect(error).toMatchObject({ code: 'input.invalid' }));
    }
  }
});
