// Parquet by row groups: every row once, with its number in the file, and what is no Parquet.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { expect, it } from 'vitest';
import { openParquet, type ParquetFile } from '../../../../src/lib/files/parquet.ts';
import { temporaryFolder } from '../../../helpers/temporary-folder.ts';

const BIG = 9_223_372_036_854_775_000n;

/** A file of the numbers from BIG on, beside their texts. */
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

/** Group, first row, count, and the first and last of the texts of what is read. */
async function partsOf(file: ParquetFile, wants: (group: number) => boolean): Promise<unknown[][]> {
  const parts: unknown[][] = [];
  for await (const { group, firstRow, rows } of file.rows(wants)) {
    parts.push([group, firstRow, rows.length, rows[0]?.['user:note'], rows.at(-1)?.['user:note']]);
  }
  return parts;
}

it('tells its columns, and gives each group with its rows, digit for digit', async () => {
  const file = await openParquet(write(7, 3), 'a.parquet');
  expect(file.columns).toEqual(['xpid', 'user:note']);
  const rows: unknown[] = [];
  for await (const part of file.rows(() => true)) rows.push(...part.rows);
  expect(rows).toEqual(
    Array.from({ length: 7 }, (_, index) => ({ xpid: BIG + BigInt(index), 'user:note': `n${index}` })),
  );
});

it('gives the groups that are wanted, with the number of the first row in the file', async () => {
  const path = write(7, 3);
  const parts = [
    [0, 0, 3, 'n0', 'n2'],
    [1, 3, 3, 'n3', 'n5'],
    [2, 6, 1, 'n6', 'n6'],
  ];
  expect(await partsOf(await openParquet(path, 'a'), () => true)).toEqual(parts);
  expect(await partsOf(await openParquet(path, 'a'), (group) => group !== 1)).toEqual([parts[0], parts[2]]);
  expect(await partsOf(await openParquet(path, 'a'), (group) => group === 2)).toEqual([parts[2]]);
  expect(await partsOf(await openParquet(path, 'a'), () => false)).toEqual([]);
});

it('gives a large group in parts', async () => {
  expect(await partsOf(await openParquet(write(10_150, 10_050), 'a'), () => true)).toEqual([
    [0, 0, 10_000, 'n0', 'n9999'],
    [0, 10_000, 50, 'n10000', 'n10049'],
    [1, 10_050, 100, 'n10050', 'n10149'],
  ]);
});

it('lets a file go that was read a little of', async () => {
  const file = await openParquet(write(7, 3), 'a');
  for await (const { firstRow } of file.rows(() => true)) {
    expect(firstRow).toBe(0);
    break;
  }
});

it.each<[string, (whole: Buffer) => Buffer]>([
  ['nothing', () => Buffer.alloc(0)],
  ['a text', () => Buffer.from('xpid,user:note\n1,a\n')],
  ['one that is cut off', (whole) => whole.subarray(0, whole.length - 20)],
])('%s is no Parquet', async (_what, damage) => {
  const path = write(7, 3);
  writeFileSync(path, damage(readFileSync(path)));
  await expect(openParquet(path, 'the/name')).rejects.toMatchObject({
    code: 'input.invalid',
    message: 'the/name cannot be read.',
    issues: [{ file: 'the/name', path: '', message: expect.stringMatching(/^is no readable Parquet: ./) as string }],
  });
});

it('tells what is damaged within while it reads', async () => {
  const path = write(7, 3);
  const bytes = readFileSync(path);
  bytes.fill(0xff, 4, 40);
  writeFileSync(path, bytes);
  const file = await openParquet(path, 'the/name');
  await expect(partsOf(file, () => true)).rejects.toMatchObject({
    code: 'input.invalid',
    issues: [{ file: 'the/name', path: '', message: expect.stringMatching(/^is no readable Parquet: ./) as string }],
  });
});
