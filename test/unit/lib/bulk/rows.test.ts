// Tests the number, the position, and the cells or value of each row in CSV, NDJSON and JSON input.
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { openTable, type Row } from '../../../../src/lib/bulk/rows.ts';
import { openBytes } from '../../../../src/lib/bulk/sources/bytes.ts';
import { inputSource } from '../../../helpers/input-source.ts';
import { temporaryFolder } from '../../../helpers/temporary-folder.ts';

interface Read {
  columns: string[] | undefined;
  delimiter: string;
  rows: Row[];
  digest: string;
}

async function openFile(path: string, signal = new AbortController().signal) {
  const opened = await openBytes(path, { io: { cwd: '/', stdin: Readable.from([]) }, signal }, {});
  return { ...opened, name: basename(path) };
}

async function read(text: string | Buffer, name?: string): Promise<Read> {
  const bytes = Buffer.from(text);
  const path = join(temporaryFolder(), name ?? 'unused');
  if (name !== undefined) writeFileSync(path, bytes);
  const table = await openTable([
    name === undefined
      ? await openBytes('-', inputSource('/', Readable.from([bytes])), { isReread: true })
      : await openFile(path),
  ]);
  const rows: Row[] = [];
  for await (const group of table.rows) rows.push(...group);
  const { columns, delimiter } = table.heading;
  return { columns: columns?.map((cell) => cell.text), delimiter, rows, digest: table.digest() };
}

const contents = ({ rows }: Read): unknown[] => rows.map(({ content, number }) => [number, content]);
const place = (row: Row | undefined, where: Parameters<Row['locate']>[0]): string => {
  const found = row?.locate(where);
  return `${found?.line}:${found?.column}`;
};

describe('the file format', () => {
  const ROW = '{"email":"a"}';
  it.each<[string, string, unknown]>([
    ['a.ndjson', ROW, [[1, { value: { email: 'a' } }]]],
    ['a.JSONL', ROW, [[1, { value: { email: 'a' } }]]],
    ['a.json', `[${ROW}]`, [[1, { value: { email: 'a' } }]]],
    ['a.csv', 'email\na', [[1, { cells: ['a'] }]]],
    ['json', 'email\na', [[1, { cells: ['a'] }]]],
    ['a.json.txt', 'email\na', [[1, { cells: ['a'] }]]],
    ['a.ndjson.csv', 'email\na', [[1, { cells: ['a'] }]]],
    ['standard input', 'email [x]\n{a}', [[1, { cells: ['{a}'] }]]],
    // Standard input has no name, so its format is detected from its content.
    ['standard input', 'email\na', [[1, { cells: ['a'] }]]],
    [
      'standard input',
      ` ${ROW}\n${ROW}`,
      [
        [1, { value: { email: 'a' } }],
        [2, { value: { email: 'a' } }],
      ],
    ],
    [
      'standard input',
      `[${ROW},\n${ROW}]`,
      [
        [1, { value: { email: 'a' } }],
        [2, { value: { email: 'a' } }],
      ],
    ],
    ['standard input', `[${ROW}]\n`, [[1, { value: { email: 'a' } }]]],
    ['standard input', '{\n"email":"a"}', [[1, { value: { email: 'a' } }]]],
  ])('is detected for %s with the content %j', async (name, text, rows) => {
    expect(contents(await read(text, name === 'standard input' ? undefined : name))).toEqual(rows);
  });
});

const UNCLOSED = 'this cell starts with a quote that is never closed';

describe('the CSV reader', () => {
  it('numbers the rows after the header line and skips empty lines', async () => {
    const table = await read('email;group_id\n\na;1\n\r\nb;2', 'a.csv');
    expect([table.columns, table.delimiter]).toEqual([['email', 'group_id'], ';']);
    expect(contents(table)).toEqual([
      [1, { cells: ['a', '1'] }],
      [2, { cells: ['b', '2'] }],
    ]);
    expect(place(table.rows[1], { column: 1 })).toBe('5:3');
    expect(place(table.rows[1], { path: ['email'] })).toBe('5:1');
  });

  it('accepts a file with only a header line, with or without a trailing newline', async () => {
    for (const text of ['email,group_id', 'email,group_id\n']) {
      const table = await read(text, 'a.csv');
      expect([table.columns, table.rows]).toEqual([['email', 'group_id'], []]);
    }
  });

  it('accepts a header that spans several chunks', async () => {
    const long = `a\n${'b'.repeat(200_000)}`;
    const table = await read(`"${long}",x\n1,2\n`, 'a.csv');
    expect([table.columns, contents(table)]).toEqual([[long, 'x'], [[1, { cells: ['1', '2'] }]]]);
    const open = read(`"a\n${'b'.repeat(200_000)}`, 'a.csv');
    await expect(open).rejects.toMatchObject({ issues: [{ line: 1, column: 1, message: UNCLOSED }] });
  });

  it('accepts newlines in column names', async () => {
    const table = await read('"e\nmail",x\na,b\n', 'a.csv');
    expect([table.columns, contents(table)]).toEqual([['e\nmail', 'x'], [[1, { cells: ['a', 'b'] }]]]);
  });

  it.each([
    ['one cell too few', 'a,b\n1\n', 'this line has 1 cell, but the header has 2', '2:1'],
    ['two cells too many', 'a,b\n1,2,3,4\n', 'this line has 4 cells, but the header has 2', '2:5'],
  ])('reports the position of a row with %s, and reads the next row', async (_what, text, fault, at) => {
    const table = await read(`${text}5,6\n`, 'a.csv');
    expect(contents(table)).toEqual([
      [1, { fault }],
      [2, { cells: ['5', '6'] }],
    ]);
    expect(place(table.rows[0], { column: 0 })).toBe(at);
  });

  it.each([
    ['a file that ends in a quoted column name', '"email\n', 1, 1, UNCLOSED],
    ['a file that ends in a quoted cell', 'email\n"a\n', 2, 1, UNCLOSED],
    ['text after a closing quote', 'email\n"a"b\n', 2, 4, expect.stringContaining('follows a closing quote')],
    [
      "text after a column name's closing quote",
      '"email"b\na\n',
      1,
      8,
      expect.stringContaining('follows a closing quote'),
    ],
  ])('rejects %s', async (_what, text, line, column, message) => {
    const issues = [{ file: 'a.csv', line, column, path: '', message: message as string }];
    await expect(read(text, 'a.csv')).rejects.toMatchObject({
      code: 'input.invalid',
      message: 'a.csv cannot be read.',
      issues,
    });
  });

  it('yields the rows before a damaged chunk', async () => {
    const path = join(temporaryFolder(), 'a.csv');
    writeFileSync(path, `email\n${'a@example.com\n'.repeat(20_000)}"b"c\n${'a@example.com\n'.repeat(20_000)}`);
    const { rows } = await openTable([await openFile(path)]);
    let last = 0;
    const all = async (): Promise<void> => {
      for await (const group of rows) last = group.at(-1)?.number ?? last;
    };
    await expect(all()).rejects.toMatchObject({ code: 'input.invalid', issues: [{ line: 20_002, column: 4 }] });
    expect(last).toBeGreaterThan(10_000);
    expect(last).toBeLessThanOrEqual(20_000);
  });

  it('reads a gzip file, and gzip data from standard input', async () => {
    const bytes = gzipSync('email\na\n');
    for (const name of ['a.csv.gz', undefined])
      expect(contents(await read(bytes, name))).toEqual([[1, { cells: ['a'] }]]);
  });

  it.each([
    ['email,x\na,\0\n', 2, 3, 'unexpected NUL'],
    ['email,x\na,b"\n', 2, 4, 'an unquoted cell contains a quote'],
  ])('reports the line and column of an error after 2,000 rows: %j', async (text, line, column, message) => {
    const filler = 'a,b\n'.repeat(2000);
    const read = async (): Promise<void> => {
      const path = join(temporaryFolder(), 'a.csv');
      writeFileSync(path, text.replace('\n', `\n${filler}`));
      for await (const rows of (await openTable([await openFile(path)])).rows) expect(rows.length).toBeGreaterThan(0);
    };
    await expect(read()).rejects.toMatchObject({
      code: 'input.invalid',
      issues: [{ line: line + 2000, column, message: expect.stringContaining(message) as string }],
    });
  });

  it('does not lose rows at chunk boundaries', async () => {
    const wanted = Array.from({ length: 20_000 }, (_, row) => [`é${row}@example.com`, `"g ${row}`]);
    const text = wanted.map(([mail, group]) => `${mail ?? ''},"${(group ?? '').replaceAll('"', '""')}"`).join('\r\n');
    const table = await read(`email,group_id\r\n${text}`, 'a.csv');
    expect(table.rows.map(({ content }) => ('cells' in content ? content.cells : content))).toEqual(wanted);
    expect(place(table.rows.at(-1), { column: 0 })).toBe('20001:1');
  });
});

describe('the NDJSON reader', () => {
  it('reads one value per line, and counts empty lines in positions but not in row numbers', async () => {
    const table = await read('{"a":1}\n\n  \n{"b":9223372036854775807}', 'a.ndjson');
    expect(contents(table)).toEqual([
      [1, { value: { a: 1 } }],
      [2, { value: { b: 9223372036854775807n } }],
    ]);
    expect(table.columns).toBeUndefined();
    expect(place(table.rows[1], { path: ['b'] })).toBe('4:6');
    expect(place(table.rows[1], { path: ['b'], at: 'key' })).toBe('4:2');
    expect(place(table.rows[1], { column: 3 })).toBe('4:1');
  });

  it('reports the position of an invalid line, and reads the next line', async () => {
    const table = await read('{"a":1}\n{"a":}\n{"a":2}\n', 'a.ndjson');
    expect(table.rows.map(({ content, number }) => [number, Object.keys(content)])).toEqual([
      [1, ['value']],
      [2, ['fault']],
      [3, ['value']],
    ]);
    expect(place(table.rows[1], { path: [] })).toBe('2:6');
  });

  it('rejects a row with a duplicate key, because the wrong identity might be used', async () => {
    const table = await read('{"email":"a","email":"b"}\n', 'a.ndjson');
    expect(contents(table)).toEqual([[1, { fault: expect.stringContaining('`email`') as string }]]);
    expect(place(table.rows[0], { path: [] })).toBe('1:14');
  });

  it('does not lose rows at chunk boundaries', async () => {
    const wanted = Array.from({ length: 10_000 }, (_, row) => ({ email: `é${row}@example.com` }));
    const table = await read(wanted.map((row) => JSON.stringify(row)).join('\n'), 'a.ndjson');
    expect(table.rows.map(({ content }) => ('value' in content ? content.value : content))).toEqual(wanted);
  });
});

describe('the JSON reader', () => {
  it('accepts a list of rows or a single row', async () => {
    const list = await read('[\n {"a":1},\n {"b":2}]', 'a.json');
    expect(contents(list)).toEqual([
      [1, { value: { a: 1 } }],
      [2, { value: { b: 2 } }],
    ]);
    expect(place(list.rows[1], { path: ['b'] })).toBe('3:7');
    expect(place(list.rows[1], { path: ['b'], at: 'key' })).toBe('3:3');
    expect(place(list.rows[1], { column: 0 })).toBe('3:2');
    const one = await read('{"a":\n1}', 'a.json');
    expect(contents(one)).toEqual([[1, { value: { a: 1 } }]]);
    expect(place(one.rows[0], { path: ['a'] })).toBe('2:1');
  });

  it.each([
    ['[{"a":1},]', '1:10', 'an element is missing'],
    ['[,{"a":1}]', '1:2', 'an element is missing'],
    ['[{"é":1}\n {"b":2}]', '2:2', 'a comma is missing'],
    ['[{"é":1}, {"b":2,}]', '1:18', 'not valid JSON'],
    ['[{"a":1}', '1:9', 'the array is not closed'],
  ])('reports the position of the error in %j', async (text, wanted, message) => {
    const { rows } = await read(text, 'a.json');
    const faults = rows.filter(({ content }) => 'fault' in content);
    expect(faults.map((row) => [place(row, { path: [] }), row.content])).toEqual([
      [wanted, { fault: expect.stringContaining(message) as string }],
    ]);
  });

  it('accepts a sequence of values without an array, as exported by BigQuery', async () => {
    const { rows } = await read('{"a":1}\n{"a":2}\n', 'a.json');
    expect(rows.map((row) => [row.number, place(row, { path: ['a'] })])).toEqual([
      [1, '1:6'],
      [2, '2:6'],
    ]);
  });
});

describe("an input's digest", () => {
  it.each(['a.csv', 'a.ndjson', 'a.json'])(
    'is the SHA-256 hash of the bytes of %s, whether read from a file or from standard input',
    async (name) => {
      const text = name === 'a.csv' ? '\ufeffemail\na\n' : '[{"email":"a"}]';
      const wanted = createHash('sha256').update(text).digest('hex');
      expect((await read(text, name)).digest).toBe(wanted);
      expect((await read(text)).digest).toBe(wanted);
    },
  );
});

it('stops after the current group of rows when the run is aborted', async () => {
  const stop = new AbortController();
  const path = join(temporaryFolder(), 'a.csv');
  writeFileSync(path, `email\n${'a@example.com\n'.repeat(100_000)}`);
  const { rows } = await openTable([await openFile(path)], stop.signal);
  const groups: number[] = [];
  const reading = (async () => {
    for await (const group of rows) {
      groups.push(group.length);
      stop.abort(new Error('stopped'));
    }
  })();
  await expect(reading).rejects.toThrow('stopped');
  expect(groups).toHaveLength(1);
});
