// Some cells are copied as bytes and others need exact parsing. The body must be the same in both cases.
import { describe, expect, it, test } from 'vitest';
import { checkRow, createRowRules } from '../../../../../src/lib/domain/seed/read-row.ts';
import type { TableDefaults } from '../../../../../src/lib/domain/seed/body-writer.ts';
import { readHeader } from '../../../../../src/lib/domain/seed/columns.ts';
import { cellsOf } from '../../../../../src/lib/domain/csv/record.ts';
import { createTable, type Table } from '../../../../../src/lib/domain/seed/table.ts';
import { canonicalJson, parseJson } from '../../../../../src/lib/kernel/json.ts';

const DEFAULTS: TableDefaults = { workspace: '5001', environment: 'production', cutoffDate: '2024-02-29' };
const rules = createRowRules({}, { identityType: ['__proto__', '_a'] });

function tableOf(header: readonly string[], defaults: Partial<TableDefaults> = {}, own = rules): Table {
  const { columns, issues } = readHeader(header, undefined, own);
  expect(issues).toEqual([]);
  return createTable(header, columns, { ...DEFAULTS, ...defaults }, own);
}

/** Returns the body written into a buffer of the requested size; undefined if the row needs exact parsing. */
function directBody(table: Table, cells: readonly string[]): string | undefined {
  const found = cellsOf(cells);
  if (!table.nulls.clear(found)) return undefined;
  const out = Buffer.alloc(table.writer?.room(found.bytes.length) ?? 0);
  const end = table.writer?.write(found, out, 0) ?? -1;
  expect(end).toBeLessThanOrEqual(out.length);
  return end < 0 ? undefined : out.toString('utf8', 0, end);
}

/** Returns the body after exact parsing of the same cells and validation against the contract. */
function exactBody(table: Table, cells: readonly string[]): string | undefined {
  const checked = checkRow(table.value(cells), rules);
  return 'text' in checked ? canonicalJson(parseJson(checked.text)) : undefined;
}

const digits = (count: number): string => '1234567890'.repeat(4).slice(0, count);
const pairs = (count: number): string => Array.from({ length: count }, (_, index) => `k${index}=${index}`).join('|');
const TEXTS = [
  'a',
  ' ',
  'say "no" \\',
  '"',
  '\\',
  'a|b=c:d,e;f',
  'Ünïcödé ☃ 😀',
  '\u007f',
  '{"a":1}',
  '[]',
  'x'.repeat(900),
];
const CONTROLS = ['\u0000', '\u0001', 'a\tb', '\u001f'];

describe.each<[string, string[], string[]]>([
  ['xpid', ['0', '1', '-1', '9199999999999999999', '-7201284209016359738', digits(18)], ['9223372036854775808', '1.0', '01', '-0', '-', 'x', '+1', '1 ', ' 1', `-92${digits(17)}`, digits(20)]],
  ['identity:email', [...TEXTS.filter((text) => /^[!-~].*[!-~]$/.test(text)), 'a b', 'für', '+49 1', '-1', 'a1.5', 'x'.repeat(4096)], [...CONTROLS, ' ', ' a', 'a ', '\u007f', 'a\u0085', '\ufeffa', 'a\u00a0', '1.5', '1E+17', '-1,2e+3', 'x'.repeat(4097)]],
  ['user:note', TEXTS, CONTROLS],
  ['attr:A:first_occurrence', TEXTS, CONTROLS],
  ['attr:A:sum', ['0', '-0', '007', '1.50', '-3.25', digits(36)], ['1.', '.5', '-', '--1', '1e5', '+1', ' 1', '1 ', '1.2.3', 'x', digits(37)]],
  ['attr:A:minimum', ['-1.5'], ['x']],
  ['attr:A:max', ['-1.5'], ['x']],
  ['attr:A:count', ['0', '007', digits(18)], ['-1', '1.0', '1e5', ' 1', '1x', 'x', digits(19)]],
  ['attr:A:unique_values_count', ['a|b'], ['\u0001']],
  ['attr:A:last_occurrence_timestamp', ['1609459200000', '0'], ['-1', '2024-01-01']],
  ['attr:A:unique_list', ['a', 'a|b', '|', '||a', 'say "no"|\\', 'ü|😀', 'a,b=c'], ['\u0001', 'a|\t', 'a\u001f|b']],
  ['attr:A:most_frequent', ['a=1', 'a=1|b=2', 'a==1', 'a=b=1', '_=1', 'say "no"=1', 'é=1|e=2', 'ab=1|ba=1', pairs(16)], ['a', 'a=', 'a=1|', '|a=1', 'a=1|b', 'a=x', 'a=-1', 'a=1|a=2', '__a=1', 'a=1|__b=1', 'a\t=1', pairs(17), `a=${digits(19)}`]],
  ['environment', ['production', 'development'], ['prod', 'Production', 'production ', 'productioN', 'developmen', 'developmenT']],
  ['cutoff_date', ['2024-01-31', '2000-02-29', '1999-12-31'], ['2024-02-30', '2023-02-29', '2024-1-31', '2024-01-31 ', '2024/01/31', 'x']],
])('a cell of %s', (title, directCells, exactCells) => {
  const isIdentity = title === 'xpid' || title.startsWith('identity:');
  const make = (): Table => tableOf([...(isIdentity ? [] : ['xpid']), title, 'attr:B:count']);
  const cells = (cell: string): string[] => [...(isIdentity ? [] : ['7']), cell, '1'];

  it('is written directly if it is clearly valid', () => {
    const table = make();
    for (const cell of directCells) {
      const text = directBody(table, cells(cell));
      if (text === undefined) expect.fail(`not written: ${JSON.stringify(cell)}`);
      expect(canonicalJson(parseJson(text)), cell).toBe(exactBody(table, cells(cell)));
    }
  });

  it('needs exact parsing if it is not clearly valid, without affecting the next row', () => {
    const table = make();
    const [valid = ''] = directCells;
    const before = directBody(table, cells(valid));
    for (const cell of exactCells) {
      expect(directBody(table, cells(cell)), cell).toBeUndefined();
      expect(directBody(table, cells(valid))).toBe(before);
    }
  });

  it('does not add a field if it is empty, and needs exact parsing if the row then has no identity', () => {
    const table = make();
    const text = directBody(table, cells(''));
    expect(text === undefined ? undefined : canonicalJson(parseJson(text))).toBe(exactBody(table, cells('')));
    expect(text === undefined).toBe(isIdentity);
  });
}); // prettier-ignore

// The keys `all` and `items` have the same lengths as `sum` and `count`.
test.each(['sum=1|items=2', 'all=1|count=2', 'count=2|all=1', 'items=2|sum=1', 'items=2|all=1'])(
  'does not write a body for the invalid average %s, either directly or after exact parsing',
  (cell) => {
    const table = tableOf(['xpid', 'attr:A:average']);
    expect(directBody(table, ['7', cell])).toBeUndefined();
    expect(exactBody(table, ['7', cell])).toBeUndefined();
  },
);

// Tests the first cell, because it starts at offset 0 of the record.
test.each<[string, string]>([
  ['attr:A:most_frequent', '=1'],
  ['attr:A:count', ''],
  ['environment', 'development'],
  ['cutoff_date', '2024-01-31'],
  // The cells after this one start at large offsets, but are not long.
  ['user:a', 'x'.repeat(900)],
])('writes the first cell directly if its column is %s and its text is %j', (title, cell) => {
  const table = tableOf([title, 'xpid', 'attr:B:count', 'identity:email']);
  const row = [cell, '7', '1', 'x'.repeat(90)];
  const text = directBody(table, row);
  expect(text !== undefined).toBe(true);
  if (text !== undefined) expect(canonicalJson(parseJson(text))).toBe(exactBody(table, row));
});

test.each<[string, string]>([
  ['attr:A:most_frequent', '12'],
  ['attr:A:most_frequent', 'a12'],
  ['attr:A:average', 'sum=1|count=2'],
  ['attr:A:average:sum', '1'],
  ['environment', 'developments'],
])('needs exact parsing for the first cell if its column is %s and its text is %j', (title, cell) => {
  const table = tableOf([title, 'xpid', 'attr:B:count', 'identity:email']);
  const row = [cell, '7', '1', 'x'.repeat(90)];
  const text = directBody(table, row);
  expect(text !== undefined).toBe(false);
  if (text !== undefined) expect(canonicalJson(parseJson(text))).toBe(exactBody(table, row));
});

test.each([
  ['attr:A:average:sum', 'attr:A:average:count'],
  ['attr:A:average:count', 'attr:A:average:sum'],
])('writes the average in the first two columns, %s and %s, with the same result as exact parsing', (...titles) => {
  const table = tableOf([...titles, 'xpid', 'attr:B:count']);
  for (const cells of [
    ['1', '2'],
    ['', ''],
    ['1', ''],
    ['', '1'],
  ]) {
    const row = [...cells, '7', '1'];
    const text = directBody(table, row);
    expect(text && canonicalJson(parseJson(text))).toBe(exactBody(table, row));
  }
});

describe('cells for one attribute', () => {
  it.each<[string[], string[]]>([
    [
      ['attr:A:average:sum', 'attr:A:average:count'],
      ['1.5', '2'],
    ],
    [
      ['attr:A:average:count', 'attr:A:average:sum'],
      ['2', '-1.5'],
    ],
    [
      ['attr:A:average:sum', 'attr:A:average:count'],
      ['', ''],
    ],
    [
      ['attr:A:most_frequent:x', 'attr:A:most_frequent:y'],
      ['', ''],
    ],
  ])('are combined directly into one seed: columns %j, values %j', (header, cells) => {
    // Attributes before and after the seed also test the commas.
    const table = tableOf(['xpid', 'attr:First:count', ...header, 'attr:Last:count']);
    for (const [first, last] of [
      ['1', '2'],
      ['', '2'],
      ['1', ''],
      ['', ''],
    ] as const) {
      const row = ['7', first, ...cells, last];
      const text = directBody(table, row);
      expect(text !== undefined).toBe(true);
      if (text !== undefined) expect(canonicalJson(parseJson(text))).toBe(exactBody(table, row));
    }
  });

  it.each<[string[], string[]]>([
    [
      ['attr:A:average:sum', 'attr:A:average:count'],
      ['1', ''],
    ],
    [
      ['attr:A:average:sum', 'attr:A:average:count'],
      ['', '1'],
    ],
    [
      ['attr:A:average:sum', 'attr:A:average:count'],
      ['1', '0'],
    ],
    [
      ['attr:A:average:sum', 'attr:A:average:count'],
      ['1', '00'],
    ],
    [
      ['attr:A:average:sum', 'attr:A:average:count'],
      ['x', '1'],
    ],
    [['attr:A:average:sum'], ['1']],
    [
      ['attr:A:average', 'attr:A:average:sum'],
      ['sum=1|count=2', ''],
    ],
    [
      ['attr:A:most_frequent:x', 'attr:A:most_frequent:"a""b"'],
      ['1', '007'],
    ],
    [
      ['attr:A:most_frequent:x', 'attr:A:most_frequent:y'],
      ['', '2'],
    ],
    [
      ['attr:A:most_frequent:x', 'attr:A:most_frequent:y'],
      ['1', ''],
    ],
    [['attr:A:most_frequent:x'], ['1']],
    [
      ['attr:A:most_frequent:x', 'attr:A:most_frequent:y'],
      ['1', 'x'],
    ],
    [
      ['attr:A:most_frequent:x', 'attr:A:most_frequent:y'],
      ['-1', '1'],
    ],
    [
      ['attr:A:most_frequent:x', 'attr:A:most_frequent:__y'],
      ['1', '1'],
    ],
    [
      ['attr:A:most_frequent', 'attr:A:most_frequent:x'],
      ['a=1', '2'],
    ],
  ])('need exact parsing: columns %j, values %j', (header, cells) => {
    // Attributes before and after the seed also test the commas.
    const table = tableOf(['xpid', 'attr:First:count', ...header, 'attr:Last:count']);
    for (const [first, last] of [
      ['1', '2'],
      ['', '2'],
      ['1', ''],
      ['', ''],
    ] as const) {
      const row = ['7', first, ...cells, last];
      const text = directBody(table, row);
      expect(text !== undefined).toBe(false);
      if (text !== undefined) expect(canonicalJson(parseJson(text))).toBe(exactBody(table, row));
    }
  });
});

test('rejects a row with neither an id nor identities', () => {
  const table = tableOf(['xpid', 'identity:email', 'identity:customer_id', 'user:a', 'user:b']);
  for (const row of [
    ['7', '', '', '', ''],
    ['', 'a', '', '', 'b'],
    ['', '', 'c', 'a', ''],
    ['7', 'a', 'c', 'a', 'b'],
  ]) {
    const text = directBody(table, row);
    expect(canonicalJson(parseJson(text ?? 'null'))).toBe(exactBody(table, row));
  }
  expect(directBody(table, ['', '', '', 'a', 'b'])).toBeUndefined();
  expect(directBody(tableOf(['identity:email']), [''])).toBeUndefined();
});

test('writes the environment and date from the row or the defaults, if they are present and valid', () => {
  const header = ['xpid', 'environment', 'cutoff_date', 'attr:A:count'];
  const find = (text: string | undefined): string | undefined =>
    text && [...text.matchAll(/"(?:environment|cutoff_date)":"([^"]*)"/g)].map(([, found]) => found).join(' ');
  const table = tableOf(header);
  expect(find(directBody(table, ['7', '', '', '1']))).toBe('production 2024-02-29');
  expect(find(directBody(table, ['7', 'development', '2024-01-31', '1']))).toBe('development 2024-01-31');
  expect(find(directBody(table, ['7', '', '', '1']))).toBe('production 2024-02-29');
  const bare = tableOf(header, { environment: undefined, cutoffDate: undefined });
  expect(find(directBody(bare, ['7', 'development', '2024-01-31', '1']))).toBe('development 2024-01-31');
  expect(directBody(bare, ['7', '', '2024-01-31', '1'])).toBeUndefined();
  expect(directBody(bare, ['7', 'development', '', '1'])).toBeUndefined();
  const invalid = tableOf(header, { environment: 'prod', cutoffDate: '2024-02-30' });
  expect(directBody(invalid, ['7', '', '2024-01-31', '1'])).toBeUndefined();
  expect(directBody(invalid, ['7', 'production', '', '1'])).toBeUndefined();
});

test('needs exact parsing if two columns contain the same identity, or if an identity type is reserved', () => {
  const merge = createRowRules({ other: 'email' });
  expect(tableOf(['identity:email', 'identity:other'], {}, merge).writer).toBeUndefined();
  expect(tableOf(['identity:__proto__']).writer).toBeUndefined();
  expect(tableOf(['identity:_a']).writer).toBeDefined();
});

test('writes deployment-specific names', () => {
  const table = tableOf(['xpid', 'identity:email'], {}, createRowRules({ xpid: 'pid', email: 'mail' }));
  expect(directBody(table, ['7', 'a'])).toBe(
    '{"environment":"production","pid":7,"identities":{"mail":"a"},"calculated_attributes":{"5001":[]}}',
  );
});
