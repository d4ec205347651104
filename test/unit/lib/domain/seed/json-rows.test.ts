// Reads rows from JSON bytes: the line, the row number, and the offset where reading can resume.
import { describe, expect, it } from 'vitest';
import { createRowRules } from '../../../../../src/lib/domain/seed/read-row.ts';
import { reasonOf } from '../../../../../src/lib/domain/seed/batch.ts';
import { RowPacker } from '../../../../../src/lib/domain/seed/packer.ts';
import { ElementReader, createLineReader } from '../../../../../src/lib/domain/seed/json-rows.ts';
import type { RowReader } from '../../../../../src/lib/domain/seed/scan.ts';

const row = (xpid: number): string => `{"environment":"production","xpid":${xpid},"calculated_attributes":{}}`;
const BOM = '\ufeff';

type Make = (packer: RowPacker) => RowReader;
const elements: Make = (packer) => new ElementReader(packer);
const lines: Make = (packer) => createLineReader(packer, { line: 0, offset: 0 });

/** Returns each row in input order: position, line, body or reason for the rejection, and end offset. */
function read(make: Make, chunks: readonly (string | Buffer)[]) {
  const packer = new RowPacker({ rows: 1, bytes: 10_000 }, createRowRules({}), () => false);
  packer.begin(0, 0);
  const reader = make(packer);
  for (const chunk of chunks) reader.feed(Buffer.from(chunk));
  reader.end();
  packer.flush();
  const rows = packer.ready.flatMap((batch) => [
    ...batch.rejected.map(({ position, line, issues, original }) => {
      return { position, line, reason: reasonOf(issues), original, end: batch.endOffset };
    }),
    ...Array.from({ length: batch.count }, (_, index) => {
      return { position: batch.to, line: batch.line(index), body: batch.row(index).toString(), end: batch.endOffset };
    }),
  ]); // prettier-ignore
  return { rows, offset: packer.offset };
}

const everyByte = (text: string): string[] => [...Buffer.from(text, 'latin1')].map((code) => String.fromCharCode(code));
const ways = (text: string): string[][] => [[text], everyByte(text), [text.slice(0, 40), text.slice(40)]];

describe('NDJSON lines', () => {
  it('are read as rows with line numbers and end offsets', () => {
    const text = `${row(1)}\n\n \t${row(2)} \r\n  \n${row(3)}`;
    const ends = [row(1).length + 1, text.indexOf('\r') + 2, text.length];
    for (const chunks of ways(text)) {
      expect(read(lines, chunks)).toEqual({
        rows: [1, 3, 5].map((line, index) => {
          return { position: line, line, body: row(index + 1), end: ends[index] };
        }),
        // At the end of the input, there is nothing to resume.
        offset: -1,
      });
    }
  });

  it('continue the numbers of earlier lines, and do not have end offsets if the input has no offsets', () => {
    const text = `${row(1)}\n${row(2)}\n`;
    const later = read((packer) => createLineReader(packer, { line: 7, offset: 1000 }), [text]);
    expect(later.rows.map(({ position, end }) => [position, end])).toEqual([
      [8, 1000 + row(1).length + 1],
      [9, 1000 + text.length],
    ]);
    const bare = read((packer) => createLineReader(packer, { line: 0, offset: -1 }), [text]);
    expect(bare.rows.map(({ position, end }) => [position, end])).toEqual([
      [1, -1],
      [2, -1],
    ]);
  });

  it('are accepted after a byte order mark', () => {
    const texts = [`${BOM}${row(1)}\n${row(2)}`, `${row(1)}\n${BOM}${row(2)}\n`, `${BOM}\n${BOM}${row(2)}\n`];
    const found = texts.map((text) => read(lines, [text]).rows.map((line) => [line.position, 'body' in line]));
    const both = [
      [1, true],
      [2, true],
    ];
    expect(found).toEqual([both, both, [[2, true]]]);
  });

  it('are rejected individually if they contain invalid UTF-8', () => {
    const invalid = Buffer.from(row(2).replace('production', 'pr\u00ffd'), 'latin1');
    for (const last of ['\n', `\n${row(3)}`]) {
      const { rows } = read(lines, [Buffer.concat([Buffer.from(`${row(1)}\n`), invalid, Buffer.from(last)])]);
      expect(rows[0]).toMatchObject({ body: row(1) });
      expect(rows[1]).toMatchObject({ position: 2, reason: 'contains invalid UTF-8' });
      expect(rows).toHaveLength(last === '\n' ? 2 : 3);
    }
  });

  it('are rejected with their first 200 characters if they are longer than 32 MiB, and later lines are read', () => {
    const maximum = 32 * 1024 * 1024;
    const long = Buffer.alloc(maximum, 'x');
    const { rows } = read(lines, [`${row(1)}\n`, long, 'yy', `z\n${row(2)}\n`]);
    expect(rows).toEqual([
      { position: 1, line: 1, body: row(1), end: row(1).length + 1 },
      {
        position: 2,
        line: 2,
        reason: 'the row is longer than 32 MiB',
        original: 'x'.repeat(200),
        end: row(1).length + 1 + maximum + 4 + row(2).length + 1,
      },
      { position: 3, line: 3, body: row(2), end: row(1).length + 1 + maximum + 4 + row(2).length + 1 },
    ]);
    // A line with exactly the maximum length is read.
    expect(read(lines, [long]).rows).not.toMatchObject([{ reason: 'the row is longer than 32 MiB' }]);
  });
});

describe('JSON elements', () => {
  const rowsOf = (text: string) =>
    ways(text).map((chunks) =>
      read(elements, chunks).rows.map((found) => ('body' in found ? found.body : found.original)),
    );
  const all = (wanted: string[]): string[][] => [wanted, wanted, wanted];
  const tricky = '{"a":"]},[{ \\\\","b\\"":[{}, []],"c":[1,"\\\\\\"}"]}'; // prettier-ignore

  it.each<[string, string[]]>([
    [`[${row(1)},${row(2)}]`, [row(1), row(2)]],
    [`\n[ ${row(1)} ,\n\t${row(2)}\r\n]\n`, [row(1), row(2)]],
    [`${row(1)}${row(2)} ${row(3)}`, [row(1), row(2), row(3)]],
    [`[${tricky},${row(1)}]`, [tricky, row(1)]],
    // An element that is not an object is rejected individually.
    [`[7,${row(1)},"a, b]","\\"",null]`, ['7', row(1), '"a, b]"', '"\\""', 'null']],
    [`[true]${row(1)}`, ['true', row(1)]],
    [`7 8\n${row(1)}`, ['7', '8', row(1)]],
    [`[[${row(1)}],${row(2)}]`, [`[${row(1)}]`, row(2)]],
    // A second array after the first one counts as an element.
    [`[${row(1)}] [${row(2)}]`, [row(1), `[${row(2)}]`]],
    // Outside an array, commas are not allowed between values.
    [`${row(1)},${row(2)}`, [row(1), '', row(2)]],
    [`[${row(1)},`, [row(1), '']],
    [`[${row(1)},{"a":`, [row(1), '{"a":']],
  ])('are read from %j', (text, wanted) => {
    expect(rowsOf(text)).toEqual(all(wanted));
  });

  it.each([1, 2, 3, 7, 1000])('are accepted after a byte order mark, in chunks of size %i', (size) => {
    for (const text of [`${BOM}[${row(1)},\n ${row(2)}]\n`, `${BOM}${row(1)} ${row(2)}`]) {
      const bytes = Buffer.from(text);
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
        bytes.subarray(index * size, (index + 1) * size),
      );
      expect(read(elements, chunks).rows.map((found) => 'body' in found && found.body)).toEqual([row(1), row(2)]);
    }
  });

  it('are checked even if the input is shorter than a byte order mark', () => {
    const reasons = (text: string): (string | undefined)[] =>
      read(elements, everyByte(text)).rows.map((found) => ('reason' in found ? found.reason : undefined));
    expect([reasons(''), reasons('[]')]).toEqual([[], []]);
    expect(reasons('[')).toEqual(['the array is not closed: the file is truncated']);
    expect([reasons('{}'), reasons('1')]).toMatchObject([[expect.any(String)], [expect.any(String)]]);
  });

  it('are numbered by index, and have the number of the line on which they start', () => {
    const text = `[\n${row(1)},{"a":"\\\n",\n"b":1}\n,\n\n7,${row(2)}\n`;
    for (const chunks of ways(text)) {
      expect(read(elements, chunks).rows.map(({ position, line }) => [position, line])).toEqual([
        [1, 2],
        [2, 2],
        [3, 6],
        [4, 6],
        [5, 7],
      ]);
    }
    expect(read(elements, [text]).rows.at(-1)).toMatchObject({
      reason: 'the array is not closed: the file is truncated',
    });
  });

  it('are rejected individually if they contain invalid UTF-8', () => {
    const invalid = Buffer.from(`[${row(1)},${row(2).replace('production', 'pr\u00ffd')},${row(3)}]`, 'latin1');
    const { rows } = read(elements, [invalid]);
    expect(rows.map((found) => ('reason' in found ? found.reason : found.body))).toEqual([
      row(1),
      'contains invalid UTF-8',
      row(3),
    ]);
  });

  it('stop the reader if they are longer than 32 MiB, and are reported with their first 200 characters', () => {
    const packer = new RowPacker({ rows: 1, bytes: 10_000 }, createRowRules({}), () => false);
    packer.begin(0, 0);
    const reader = new ElementReader(packer);
    reader.feed(Buffer.from(`[${row(1)},"`));
    reader.feed(Buffer.alloc(32 * 1024 * 1024, 'x'));
    expect(reader.isOver).toBe(true);
    packer.flush();
    expect(packer.ready.flatMap(({ rejected }) => rejected)).toMatchObject([
      {
        position: 2,
        issues: [{ path: '', message: 'the row is longer than 32 MiB; the rest was not read' }],
        original: `"${'x'.repeat(199)}`,
      },
    ]);
  });
});
