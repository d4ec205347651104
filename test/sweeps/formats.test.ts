// Prints the result of every command in every format: a parser for the format must find the same data as in the JSON.
import { isDeepStrictEqual } from 'node:util';
import { parse as parseCsv } from 'csv-parse/sync';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { COMMON_FORMATS } from '../../src/lib/runtime/command-line/help.ts';
import { parseJson, stringifyJson } from '../../src/lib/kernel/json.ts';
import { CASES, type CommandCase, isEndless, recordOf } from './cases.ts';
import { nameOf } from './program.ts';
import { pick, randomFrom } from '../helpers/random.ts';
import { isWhole, sample, size } from '../helpers/size.ts';
import { SEED, printLine } from './sweep.ts';
import { createWorld, type World } from './world.ts';

/** Omits long-running commands, which print one line per event in every format. */
const cases = CASES.filter((one) => one.elsewhere === undefined && !one.plain && !isEndless(one));
type Format = (typeof COMMON_FORMATS)[number];
const OTHERS = COMMON_FORMATS.filter((format) => format !== 'json');

/** The column names and the cells in each row. */
interface Sheet {
  columns: string[];
  rows: string[][];
}

const sheets: Partial<Record<Format, (text: string) => Sheet>> = {
  table: (text) =>
    sheetOf(
      text
        .replace(/\n$/, '')
        .split('\n')
        .map((line) => line.split('\t')),
    ),
  csv: (text) => sheetOf(parseCsv(text, { relax_column_count: false })),
  markdown: (text) => {
    const lines = text.trimEnd().split('\n').map(markdownCells);
    const [head = [], rule = [], ...rows] = lines;
    expect(
      rule.every((cell) => /^:?-{3,}:?$/.test(cell)),
      text,
    ).toBe(true);
    return sheetOf([head, ...rows]);
  },
};

function sheetOf([columns = [], ...rows]: string[][]): Sheet {
  for (const row of rows) expect(row, row.join(' | ')).toHaveLength(columns.length);
  return { columns, rows };
}

/** Splits a GitHub Markdown table row: an escaped bar does not end a cell, and escapes are removed. */
function markdownCells(line: string): string[] {
  expect(line).toMatch(/^\|.*\|$/);
  const cells = line.slice(1, -1).split(/(?<!\\)\|/);
  return cells.map((cell) =>
    cell
      .trim()
      .replaceAll('<br>', '\n')
      .replaceAll(/\\([\\`*_{}[\]<>()#+\-.!|~@:])/g, '$1')
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&amp;', '&'),
  );
}

/**
 * A hash or a random id. No word has eight of these letters in a row, so only shorter matches need a digit.
 */
const HEX = /\b([0-9a-f]{8,}|(?=[0-9a-f]*\d)[0-9a-f]{6,7})\b/g;

/** Replaces the parts that differ between runs. */
function steady(text: string): string {
  return text
    .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(\.\d+)?(Z|\+\d\d:\d\d)?/g, 'TIME')
    .replaceAll(/\b[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, 'UUID')
    .replaceAll(/\b\d{8}T\d{9}Z-[0-9a-f]{6}\b/g, 'REVISION')
    .replaceAll(/(?<=")[\w-]{43}(?=")/g, 'HASH')
    .replaceAll(HEX, 'HEX')
    .replaceAll(/[^"]*cdpadm-test-\w+(\/work-\w+)?/g, 'HOME')
    .replaceAll(/\b(\d+[hms] ?)*\d+[hms]\b/g, 'SPAN')
    .replaceAll(/(?<="seconds":)[\d.]+/g, '0');
}

/** Keeps big integers exact by converting them to strings. */
const plain = (value: unknown): unknown =>
  JSON.parse(steady(stringifyJson(value, undefined).replaceAll(/(?<=[[:,])-?\d{16,}(?=[,\]}])/g, '"$&"')));

type Row = Record<string, unknown>;
const isRow = (value: unknown): value is Row => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Compares the cells in each column with the field of that name; returns the number of compared cells. */
function expectCells({ columns, rows }: Sheet, data: unknown): number {
  const records = Array.isArray(data) ? data : [data];
  if (rows.length !== records.length) return 0;
  let compared = 0;
  const names = columns.map((name) => name.toLowerCase().replaceAll(' ', '_'));
  for (const [index, row] of rows.entries()) {
    const record = records[index] as unknown;
    if (!isRow(record)) return 0;
    for (const [place, name] of names.entries()) {
      const value = record[name];
      if (!['string', 'number'].includes(typeof value) || name === 'seconds') continue;
      const cell = steady(row[place] ?? '').replace(/^'(?=[=+\-@])/, '');
      // The human-readable output has a space instead of an underscore in a status.
      expect(cell.replaceAll(/[\s_]+/g, ' '), name).toBe(String(value).replaceAll(/[\s_]+/g, ' '));
      compared++;
    }
  }
  return compared;
}

let world: World;
let compared = 0;
const random = randomFrom(SEED);
beforeAll(async () => {
  printLine(`seed ${SEED}`);
  world = await createWorld();
});
afterAll(() => world.close());

async function outputOf(one: CommandCase, format: Format): Promise<string> {
  const { code, stderr, stdout } = await world.run(one, ['-o', format]);
  expect(one.exits ?? [0], `${format}: ${stderr}`).toContain(code);
  return stdout;
}

function expectSame(format: Format, text: string, data: unknown): void {
  if (format === 'yaml') {
    for (const version of ['1.2', '1.1'] as const)
      expect(plain(parseYaml(text, { version, intAsBigInt: true }))).toEqual(data);
  } else if (format === 'ndjson') {
    const lines = text
      .split('\n')
      .slice(0, -1)
      .map((line) => plain(parseJson(line)));
    expect(lines).toEqual(Array.isArray(data) ? data : [data]);
  } else if (format === 'name') {
    const ids = text.split('\n').slice(0, -1);
    if (Array.isArray(data)) expect(ids).toHaveLength(data.length);
    expect(ids.filter((id) => id.trim() === '')).toEqual([]);
  } else if (
    format === 'csv' ||
    text.startsWith('|') ||
    (format === 'table' && Array.isArray(data) && data.length > 0)
  ) {
    const sheet = sheets[format]?.(text);
    if (sheet) compared += expectCells(sheet, data);
  } else {
    // A command that writes a file reports it on standard error.
    if (format !== 'table') expect(text.trim()).not.toBe('');
  }
}

test.each(sample(cases, 60).map((one) => [nameOf(one), one] as const))(
  'prints the same data in every format: %s',
  async (_line, one) => {
    const { calls, reads, formats = COMMON_FORMATS } = recordOf(one);
    const known = OTHERS.filter((format) => formats.includes(format));
    await world.prepare(one);
    const json = await outputOf(one, 'json');
    let data = plain(parseJson(json));
    // The response has no body, so only the JSON formats and YAML print something.
    if (data === null) return;
    // A command that writes needs a new world for each format, so a sample run tests only one format in
    // addition to JSON.
    const isSteady = reads === true && !(one.reports && calls === 'none');
    for (const format of isSteady || isWhole ? known : [pick(known, random)]) {
      if (!isSteady) await world.prepare(one);
      const text = await outputOf(one, format);
      try {
        expectSame(format, text, data);
      } catch (difference) {
        // The platform's clock runs, so a request's status may have changed, in which case the JSON has changed too.
        const later: unknown = isSteady ? plain(parseJson(await outputOf(one, 'json'))) : data;
        if (isDeepStrictEqual(later, data)) throw difference;
        data = later;
        expectSame(format, text, data);
      }
    }
  },
);

test('the tests above compare enough cells with fields', () => {
  expect(compared).toBeGreaterThan(size(200, 60));
});
