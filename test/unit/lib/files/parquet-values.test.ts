// Exact values from Parquet files: samples written by pandas, pyarrow and DuckDB, and random numbers and timestamps.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SchemaElement } from 'hyparquet';
import { type ColumnSource, parquetWriteBuffer } from 'hyparquet-writer';
import { describe, expect, it } from 'vitest';
import { leafConverter } from '../../../../src/lib/files/parquet-values.ts';
import { type CellFault, openParquet } from '../../../../src/lib/files/parquet.ts';
import { randomFrom } from '../../../helpers/random.ts';
import { size } from '../../../helpers/size.ts';
import { temporaryFolder } from '../../../helpers/temporary-folder.ts';

interface ReadFile {
  rows: Record<string, unknown>[];
  faults: [row: number, fault: CellFault][];
}

async function read(path: string): Promise<ReadFile> {
  const all: ReadFile = { rows: [], faults: [] };
  const file = await openParquet(path, path);
  for await (const { firstRow, rows, faults } of file.rows(() => true)) {
    const named = (cells: unknown[]) => cells.map((cell, index) => [file.columns[index], cell] as const);
    all.rows.push(...rows.map((cells) => Object.fromEntries(named(cells)) as Record<string, unknown>));
    for (const [index, found] of faults)
      all.faults.push(...found.map((fault): [number, CellFault] => [firstRow + index, fault]));
  }
  return all;
}

const sample = (name: string): Promise<ReadFile> =>
  read(new URL(`../../../data/exports/${name}`, import.meta.url).pathname);

type Element = Omit<SchemaElement, 'name' | 'repetition_type'>;

function write(column: ColumnSource, element?: Element): string {
  const path = join(temporaryFolder(), 'a.parquet');
  const schema: SchemaElement[] = [
    { name: 'root', num_children: 1 },
    { name: column.name, repetition_type: 'OPTIONAL', ...element },
  ];
  const bytes = parquetWriteBuffer({ columnData: [column], ...(element && { schema }) });
  writeFileSync(path, new Uint8Array(bytes));
  return path;
}

async function readColumn(data: ColumnSource['data'], element: Element): Promise<unknown[]> {
  const { rows, faults } = await read(write({ name: 'c', data }, element));
  expect(faults).toEqual([]);
  return rows.map(({ c }) => c);
}

describe('reading Parquet samples from other programs', () => {
  it('reads a DECIMAL with scale 0 as an integer, and any other DECIMAL as decimal text', async () => {
    const ids = { xpid: 9_007_199_254_740_993n, 'identity:customer_id': 900_719_925_474_099_301n };
    expect((await sample('xdec18.parquet')).rows).toEqual([{ ...ids, 'attr:Orders:count': 5, 'attr:S:sum': '1.1' }]);
    const wide = (await sample('xdec38.parquet')).rows[0];
    expect(typeof wide?.['xpid']).toBe('bigint');
    expect((await sample('dec38.parquet')).rows[0]?.['spend']).toBe('12345678901234567890123456789.50');
  });

  it('reads dates and times as ISO 8601 with all their digits', async () => {
    const { rows } = await sample('alltypes.parquet');
    expect(rows[0]).toMatchObject({
      'attr:F:first_occurrence_timestamp': '2024-01-01T12:00:00.000',
      'user:ts_ns': '2024-01-01T12:00:00.123456789',
      'user:tz': '2024-01-01T12:00:00.000Z',
      'user:d': '2024-01-01',
      'user:t': '12:01:00.000',
      cutoff_date: '2024-01-01',
    });
  });

  it('reads the smallest and largest 64-bit integers, UUIDs and nulls exactly', async () => {
    const { rows } = await sample('alltypes.parquet');
    expect(rows.map((row) => row['user:big'])).toEqual([2n ** 63n - 1n, -(2n ** 63n), 9_007_199_254_740_993n]);
    expect(rows.map((row) => row['user:u'])).toEqual([2n ** 64n - 1n, 0n, 1n]);
    expect(rows.map((row) => row['user:dict'])).toEqual(['x', 'y', null]);
    expect((await sample('odd.parquet')).rows[0]?.['city']).toBe('77aee98b-8361-4b02-9eb3-362594f48240');
  });

  it('reports binary data that is not UTF-8 with its row, column and bytes', async () => {
    const { rows, faults } = await sample('alltypes.parquet');
    expect(faults).toEqual([[0, { path: 'user:b', message: 'is not UTF-8 (0xff00)' }]]);
    expect(rows.map((row) => row['user:b'])).toEqual(['0xff00', 'ab', null]);
  });
});

describe('the Parquet reader', () => {
  it.each<[string, Element, unknown[], unknown[]]>([
    ['INT32', { type: 'INT32', converted_type: 'DECIMAL', scale: 2, precision: 9 }, [-5n, 0n, 123n, null], ['-0.05', '0.00', '1.23', null]],
    ['INT64', { type: 'INT64', converted_type: 'DECIMAL', scale: 3, precision: 18 }, [-(10n ** 18n - 1n)], ['-999999999999999.999']],
    ['a logical type without a converted type', { type: 'INT64', logical_type: { type: 'DECIMAL', scale: 2, precision: 18 } }, [123n], ['1.23']],
    ['a byte array', { type: 'BYTE_ARRAY', converted_type: 'DECIMAL', scale: 1, precision: 38 }, [-128n, 1n, 255n], ['-12.8', '0.1', '25.5']],
    ['fixed bytes with scale 0, which become integers,', { type: 'FIXED_LEN_BYTE_ARRAY', type_length: 16, converted_type: 'DECIMAL', scale: 0, precision: 38 }, [-1n, 10n ** 37n], [-1n, 10n ** 37n]],
  ])('reads a DECIMAL stored as %s', async (_what, element, data, wanted) => {
    expect(await readColumn(data, element)).toEqual(wanted);
  }); // prettier-ignore

  it.each<[string, Element, unknown[], unknown[]]>([
    ['milliseconds in UTC', { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' }, [0n, -1n], ['1970-01-01T00:00:00.000Z', '1969-12-31T23:59:59.999Z']],
    ['microseconds in UTC', { type: 'INT64', converted_type: 'TIMESTAMP_MICROS' }, [1n, -1n], ['1970-01-01T00:00:00.000001Z', '1969-12-31T23:59:59.999999Z']],
    ['local nanoseconds', { type: 'INT64', logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: false, unit: 'NANOS' } }, [1n], ['1970-01-01T00:00:00.000000001']],
    ['a time of day in milliseconds', { type: 'INT32', converted_type: 'TIME_MILLIS' }, [86_399_999], ['23:59:59.999Z']],
    ['a local time of day in nanoseconds', { type: 'INT64', logical_type: { type: 'TIME', isAdjustedToUTC: false, unit: 'NANOS' } }, [1_500n], ['00:00:00.000001500']],
    ['dates before 1970', { type: 'INT32', converted_type: 'DATE' }, [-1, 0], ['1969-12-31', '1970-01-01']],
  ])('reads %s', async (_what, element, data, wanted) => {
    expect(await readColumn(data, element)).toEqual(wanted);
  }); // prettier-ignore

  it('reports a date that is not in the calendar', async () => {
    const { faults } = await read(write({ name: 'c', data: [200_000_000] }, { type: 'INT32', converted_type: 'DATE' }));
    expect(faults).toEqual([[0, { path: 'c', message: 'is out of range for a date (200000000)' }]]);
  });

  it('keeps a byte order mark in a string', async () => {
    const texts = ['\ufeffa', 'a'];
    expect(await readColumn(texts, { type: 'BYTE_ARRAY', converted_type: 'UTF8' })).toEqual(texts);
  });

  it('keeps integers in JSON exact, and keeps text that is not JSON unchanged', () => {
    const parse = leafConverter({ name: 'c', type: 'BYTE_ARRAY', converted_type: 'JSON' });
    expect(parse(Buffer.from('{"a":9007199254740993}'))).toEqual({ a: 9_007_199_254_740_993n });
    expect(parse(Buffer.from('{'))).toBe('{');
  });

  it('converts the values in lists, maps and structs', async () => {
    const decimal = { type: 'INT64', converted_type: 'DECIMAL', scale: 2, precision: 18 } as const;
    const schema: SchemaElement[] = [
      { name: 'root', num_children: 3 },
      { name: 'amounts', repetition_type: 'OPTIONAL', converted_type: 'LIST', num_children: 1 },
      { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
      { name: 'element', repetition_type: 'OPTIONAL', ...decimal },
      { name: 'by', repetition_type: 'OPTIONAL', converted_type: 'MAP', num_children: 1 },
      { name: 'key_value', repetition_type: 'REPEATED', num_children: 2 },
      { name: 'key', repetition_type: 'REQUIRED', type: 'BYTE_ARRAY', converted_type: 'UTF8' },
      { name: 'value', repetition_type: 'OPTIONAL', ...decimal },
      { name: 'last', repetition_type: 'OPTIONAL', num_children: 1 },
      { name: 'day', repetition_type: 'OPTIONAL', type: 'INT32', converted_type: 'DATE' },
    ];
    const columnData = [
      { name: 'amounts', data: [[1n, null, -250n], null] },
      { name: 'by', data: [{ red: 123n }, null] },
      { name: 'last', data: [{ day: 1 }, null] },
    ];
    const path = join(temporaryFolder(), 'nested.parquet');
    writeFileSync(path, new Uint8Array(parquetWriteBuffer({ columnData, schema })));
    const { rows, faults } = await read(path);
    expect(faults).toEqual([]);
    expect(rows[0]).toEqual({ amounts: ['0.01', null, '-2.50'], by: { red: '1.23' }, last: { day: '1970-01-02' } });
    expect(rows[1]?.['last'] ?? null).toBeNull();
  });

  it('reports a map key that is not UTF-8', async () => {
    const schema: SchemaElement[] = [
      { name: 'root', num_children: 1 },
      { name: 'by', repetition_type: 'OPTIONAL', converted_type: 'MAP', num_children: 1 },
      { name: 'key_value', repetition_type: 'REPEATED', num_children: 2 },
      { name: 'key', repetition_type: 'REQUIRED', type: 'BYTE_ARRAY' },
      { name: 'value', repetition_type: 'OPTIONAL', type: 'INT32' },
    ];
    const data = [[{ key: Uint8Array.of(0xff), value: 1 }]];
    const path = join(temporaryFolder(), 'keys.parquet');
    writeFileSync(path, new Uint8Array(parquetWriteBuffer({ columnData: [{ name: 'by', data }], schema })));
    expect((await read(path)).faults).toEqual([[0, { path: 'by', message: 'is not UTF-8 (0xff)' }]]);
  });
});

const COUNT = size(100_000, 5000, 300);

/** Returns random integers of at most `bits` bits. */
function integers(seed: number, bits: number): bigint[] {
  const random = randomFrom(seed);
  return Array.from({ length: COUNT }, () => {
    let value = 0n;
    for (let filled = 0; filled < bits; filled += 32) value = (value << 32n) | BigInt(Math.floor(random() * 2 ** 32));
    return BigInt.asIntN(bits, value) >> BigInt(Math.floor(random() * random() * bits));
  });
}

/** Reports only the first difference, to keep the failure message short. */
function expectSame(found: readonly unknown[], wanted: readonly unknown[]): void {
  const at = wanted.findIndex((value, index) => found[index] !== value);
  expect([at, found[at], found.length]).toEqual([-1, undefined, wanted.length]);
}

/** Converts to decimal text independently of the reader, by inserting the point into the digits. */
function withPoint(value: bigint, scale: number): string {
  const digits = String(value).replace('-', '');
  const text = '0'.repeat(Math.max(0, scale + 1 - digits.length)) + digits;
  return (value < 0n ? '-' : '') + text.replace(new RegExp(`(\\d{${scale}})$`), '.$1');
}

describe(`${COUNT.toLocaleString('en')} random values`, () => {
  it.each<[string, Element, number]>([
    ['DECIMAL(9, 4) in INT32', { type: 'INT32', converted_type: 'DECIMAL', scale: 4, precision: 9 }, 30],
    ['DECIMAL(18, 2) in INT64', { type: 'INT64', converted_type: 'DECIMAL', scale: 2, precision: 18 }, 60],
    ['DECIMAL(38, 9) in fixed bytes', { type: 'FIXED_LEN_BYTE_ARRAY', type_length: 16, converted_type: 'DECIMAL', scale: 9, precision: 38 }, 126],
    ['DECIMAL(38, 6) in bytes', { type: 'BYTE_ARRAY', converted_type: 'DECIMAL', scale: 6, precision: 38 }, 126],
  ])('keep every digit and stay distinct in a %s', async (_what, element, bits) => {
    const values = integers(bits, bits);
    const found = await readColumn(values, element);
    expectSame(found, values.map((value) => withPoint(value, element.scale ?? 0)));
    expect(new Set(found).size).toBe(new Set(values).size);
  }); // prettier-ignore

  it.each<[string, Element, number]>([
    ['a DECIMAL(18, 0)', { type: 'INT64', converted_type: 'DECIMAL', scale: 0, precision: 18 }, 60],
    ['a DECIMAL(38, 0)', { type: 'FIXED_LEN_BYTE_ARRAY', type_length: 16, converted_type: 'DECIMAL', scale: 0, precision: 38 }, 126],
    ['an INT64', { type: 'INT64' }, 64],
  ])('keep every digit as integers in %s', async (_what, element, bits) => {
    const values = integers(bits + 1, bits);
    expectSame(await readColumn(values, element), values);
  }); // prettier-ignore

  it('keep every digit in an unsigned INT64', async () => {
    const values = integers(7, 64).map((value) => BigInt.asUintN(64, value));
    expectSame(await readColumn(values, { type: 'INT64', converted_type: 'UINT_64' }), values);
  }); // prettier-ignore

  it('keep every digit in a microsecond timestamp', async () => {
    const values = integers(8, 55);
    const found = (await readColumn(values, { type: 'INT64', converted_type: 'TIMESTAMP_MICROS' })) as string[];
    const micros = found.map((text) => {
      const [, whole = '', fraction = ''] = /^(.*)\.(\d+)Z$/.exec(text) ?? [];
      return BigInt(Date.parse(`${whole}Z`)) * 1000n + BigInt(fraction.padEnd(6, '0'));
    });
    expectSame(micros, values);
  });
});
