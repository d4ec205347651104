// To fit tables to the terminal, cells are truncated, columns are dropped or rows become cards. Ids are never
// truncated.
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { createStyle, plainStyle } from '../../../../src/lib/render/style.ts';
import { drawRecord, drawTable } from '../../../../src/lib/render/table.ts';
import type { Column } from '../../../../src/lib/render/view.ts';
import { displayWidth } from '../../../../src/lib/render/width.ts';
import { runs } from '../../../helpers/size.ts';

interface Role {
  role_id: string;
  name: string;
  tasks: number;
  description: string;
}

const columns: Column<Role>[] = [
  { key: 'role_id', id: true, value: (role) => role.role_id },
  { key: 'name', value: (role) => role.name },
  { key: 'tasks', rank: 1, align: 'right', value: (role) => role.tasks },
  { key: 'description', rank: 2, value: (role) => role.description, paint: (text, _role, style) => style.dim(text) },
];

const rows: Role[] = [
  { role_id: 'marketing_user', name: 'Marketing', tasks: 4, description: 'Sees audiences and changes none of them' },
  { role_id: 'an-id-that-is-rather-long', name: '日本語の名前', tasks: 12, description: '' },
  { role_id: 'x', name: 'forged\nrow\u001b[31m', tasks: 0, description: 'short' },
];

describe('a table', () => {
  it.each([100, 80, 60, 40, 20])('fits into %i columns', async (width) => {
    const text = await drawTable(rows, columns, { width, style: plainStyle, header: true });
    await expect(`${text}\n`).toMatchFileSnapshot(`../../../golden/table-${width}.txt`);
  });

  test('is drawn with one heading for any number of rows', async () => {
    const long = Array.from({ length: 130_000 }, () => rows[2] as Role);
    const text = await drawTable(long, columns.slice(0, 1), { width: 100, style: plainStyle, header: true });
    expect(text).toBe(`ROLE ID${'\nx'.repeat(130_000)}`);
  });

  test('uses the same columns in every part of a long list', async () => {
    const long = Array.from({ length: 700 }, (_, at) => rows[at % 2] as Role);
    const text = await drawTable(long, columns, { width: 100, style: plainStyle, header: true });
    expect(new Set(text.split('\n'))).toHaveLength(3);
  });

  test('is drawn without headings on request', async () => {
    const text = await drawTable(rows.slice(0, 1), columns, { width: 100, style: plainStyle, header: false });
    expect(text).toBe('marketing_user  Marketing  4  Sees audiences and changes none of them');
  });
});

test('never exceeds the terminal width, and never truncates an id', async () => {
  const text = fc.string({ maxLength: 60 });
  const role = fc.record({
    role_id: fc.string({ minLength: 1, maxLength: 12, unit: fc.constantFrom('a', 'b', 'c', '-', '_') }),
    name: text,
    tasks: fc.nat(),
    description: text,
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(role, { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 40, max: 120 }),
      async (list, width) => {
        const drawn = await drawTable(list, columns, { width, style: plainStyle, header: true });
        for (const { role_id } of list) expect(drawn).toContain(role_id);
        for (const line of drawn.split('\n')) expect(displayWidth(line)).toBeLessThanOrEqual(width);
      },
    ),
    runs(50),
  );
});

test('drops a column that does not fit and must not be truncated, and gives its space to the others', async () => {
  const withWhole = columns.map((column) => (column.key === 'name' ? { ...column, whole: true } : column));
  const draw = (width: number): Promise<string> =>
    drawTable(rows, withWhole, { width, style: plainStyle, header: true });
  expect(await draw(100)).toContain('Marketing');
  expect(await draw(70)).not.toContain('Marketing');
  expect(await draw(75)).toContain('Sees audiences and changes none of them');
});

describe('a column that is empty in every row', () => {
  interface Run {
    id: string;
    status: string;
    started_on: string;
    range_start: string;
    errors: string;
  }
  const runColumns: Column<Run>[] = [
    { key: 'id', id: true, value: (run) => run.id },
    { key: 'status', value: (run) => run.status },
    { key: 'started_on', rank: 5, value: (run) => run.started_on },
    { key: 'range_start', rank: 2, value: (run) => run.range_start },
    { key: 'errors', rank: 1, value: (run) => run.errors },
  ];
  const run: Run = { id: 'r-1', status: 'success', started_on: 'a while ago', range_start: '', errors: '' };
  const headingsOf = async (list: Run[], width: number): Promise<string[]> => {
    const drawn = await drawTable(list, runColumns, { width, style: plainStyle, header: true });
    return (drawn.split('\n')[0] ?? '').split(/ {2,}/);
  };

  test('is kept if there is space', async () => {
    expect(await headingsOf([run], 60)).toEqual(['ID', 'STATUS', 'STARTED ON', 'RANGE START', 'ERRORS']);
  });

  test('is dropped only if space is short, but before columns that have values, even if those columns rank lower', async () => {
    expect(await headingsOf([run], 40)).toEqual(['ID', 'STATUS', 'STARTED ON', 'ERRORS']);
    expect(await headingsOf([run], 30)).toEqual(['ID', 'STATUS', 'STARTED ON']);
  });

  test('is dropped before a cell is truncated', async () => {
    const long = { ...run, started_on: 'a while ago and a little longer' };
    const drawn = await drawTable([long], runColumns, { width: 50, style: plainStyle, header: true });
    expect(drawn).toBe(`ID   STATUS   STARTED ON\nr-1  success  ${long.started_on}`);
  });

  test('is treated differently from a column with a value in any row, which is dropped by its rank', async () => {
    const failed = { ...run, errors: 'Table gone' };
    expect(await headingsOf([run, failed], 46)).toEqual(['ID', 'STATUS', 'STARTED ON', 'ERRORS']);
    expect(await headingsOf([run, failed], 28)).toEqual(['ID', 'STATUS', 'ERRORS']);
  });

  test('is kept if it has no rank', async () => {
    const drawn = await drawTable([{ ...run, status: '' }], runColumns, { width: 14, style: plainStyle, header: true });
    expect(drawn.split('\n')[0]).toBe('ID   STATUS');
  });
});

test('prints the same text with colors', async () => {
  const style = await createStyle(true);
  const colored = await drawTable(rows, columns, { width: 80, style, header: true });
  const plain = await drawTable(rows, columns, { width: 80, style: plainStyle, header: true });
  expect(colored).not.toBe(plain);
  expect(
    colored
      .replace(/\p{Cc}\[\d+m/gu, '')
      .split('\n')
      .map((line) => line.trimEnd()),
  ).toEqual(plain.split('\n'));
});

test('prints one line per field of a record, without truncating it', () => {
  expect(drawRecord(rows[0] as Role, columns, plainStyle)).toBe(
    [
      'ROLE ID      marketing_user',
      'NAME         Marketing',
      'TASKS        4',
      'DESCRIPTION  Sees audiences and changes none of them',
    ].join('\n'),
  );
});

test('wraps the long values of a record at word boundaries, but never wraps an id', () => {
  const role = { ...(rows[0] as Role), role_id: 'an id with spaces that is longer than the terminal is' };
  expect(drawRecord(role, columns, plainStyle, 40)).toBe(
    [
      'ROLE ID      an id with spaces that is longer than the terminal is',
      'NAME         Marketing',
      'TASKS        4',
      'DESCRIPTION  Sees audiences and changes',
      '             none of them',
    ].join('\n'),
  );
});

describe('headings that are ids', () => {
  const matrix = (ids: string[]): Column<Record<string, string>>[] => [
    { key: 'task', id: true, value: (row) => row['task'] },
    ...ids.map((id): Column<Record<string, string>> => ({
      key: id,
      title: id,
      idTitle: true,
      value: (row) => row[id],
    })),
  ];
  const draw = (ids: string[], row: Record<string, string>, width: number) =>
    drawTable([row], matrix(ids), { width, style: plainStyle, header: true });

  test('wrap at word boundaries if the table does not fit', async () => {
    const roles = ['admin-role', 'read-only-role', 'team:audiences_only'];
    const row = { task: 'audiences:*', 'admin-role': 'yes' };
    expect(await draw(roles, row, 80)).toBe(
      'TASK         admin-role  read-only-role  team:audiences_only\naudiences:*  yes',
    );
    expect(await draw(roles, row, 47)).toBe(
      [
        '                                     team:',
        '                         read-only-  audiences_',
        'TASK         admin-role  role        only',
        'audiences:*  yes',
      ].join('\n'),
    );
  });

  test('are replaced by cards without empty fields if even single words do not fit', async () => {
    const roles = Array.from({ length: 6 }, (_, index) => `roleNumber${index}OfMany`);
    const row = { task: 'audiences:*', roleNumber2OfMany: 'yes' };
    expect(await draw(roles, row, 100)).toBe('TASK               audiences:*\nroleNumber2OfMany  yes');
  });
});

test('removes control characters from a heading sent by the platform', async () => {
  const forged: Column<Role>[] = [{ key: 'role_id', title: 'x\u001b[31m\nforged', idTitle: true, value: () => 'y' }];
  expect(await drawTable(rows, forged, { width: 80, style: plainStyle, header: true })).not.toMatch(/\u001b|x\n/);
});

test.each([
  [40, '2026-12-22T04:44Z'],
  [31, '2026-12-22'],
])('shortens a time at %i columns to %s', async (width, shown) => {
  const dated: Column<string>[] = [
    { key: 'id', id: true, value: () => 'x'.repeat(19) },
    { key: 'at', value: (at) => at },
  ];
  const drawn = await drawTable(['2026-12-22T04:44:32.125Z'], dated, { width, style: plainStyle, header: true });
  expect(drawn.split('\n')[1]).toBe(`${'x'.repeat(19)}  ${shown}`);
});

test('wraps the JSON in a record at field boundaries', () => {
  const drawn = drawRecord(
    '{"type":"incremental","from":"2024"}',
    [{ key: 'mode', value: (it) => it }],
    plainStyle,
    28,
  );
  expect(drawn).toBe('MODE  {"type":"incremental",\n      "from":"2024"}');
});

test("measures, truncates and draws a value's display text rather than the value", async () => {
  const withDisplayText: Column<Role>[] = [
    { key: 'role_id', id: true, value: (role) => role.role_id },
    { key: 'name', value: () => '{"value":"for programs"}', said: (role) => role.name },
  ];
  const [role] = rows as [Role];
  expect(drawRecord(role, withDisplayText, plainStyle)).toBe('ROLE ID  marketing_user\nNAME     Marketing');
  const drawn = await drawTable([role], withDisplayText, { width: 30, style: plainStyle, header: false });
  expect(drawn).toBe('marketing_user  Marketing');
});
