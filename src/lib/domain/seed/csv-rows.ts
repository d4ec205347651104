// Finds the records in a stream of CSV bytes (RFC 4180; also with semicolons or tabs) and turns them into users.
import { isUtf8 } from 'node:buffer';
import { invalidInput } from '../../kernel/errors.ts';
import { type Column, type ColumnMap, readHeader } from './columns.ts';
import { MAX_ROW_BYTES, Pending, type RowReader } from './json-rows.ts';
import type { RowPacker } from './packer.ts';
import { createTable, type Table, type TableDefaults } from './table.ts';

export interface CsvOptions {
  name: string;
  defaults: TableDefaults;
  map: ColumnMap | undefined;
  toWire(word: string): string;
  /** Whether the record of this number, from 0, is ours (`--shard`). */
  isOurs(record: number): boolean;
}

/** Positions are the lines on which records begin. Throws invalid input (9) for a header that cannot be used. */
export function createCsvReader(packer: RowPacker, options: CsvOptions): RowReader {
  const pending = new Pending();
  let line = 1;
  let record = -1;
  let separator = ',';
  let table: Table | undefined;
  let width = 0;

  function takeRecord(cells: string[], raw: () => string): void {
    if (table === undefined) {
      ({ table, width } = openTable(cells, options));
      return;
    }
    record++;
    if (!options.isOurs(record)) return;
    if (cells.length !== width) {
      const found = `${cells.length} ${cells.length === 1 ? 'column' : 'columns'}`;
      packer.refuse(line, `has ${found}; the header has ${width}`, raw());
      return;
    }
    const text = table.text(cells);
    if (text === undefined) packer.takeValue(table.value(cells), line);
    else packer.takeChecked(text, line);
  }

  /** Takes the whole records of a text; returns where the first begins that is not whole. */
  function takeText(text: string, isLast: boolean): number {
    let at = 0;
    // Looked for once, not once for each record: most files have none.
    let quote = text.indexOf('"');
    while (at < text.length) {
      const feed = text.indexOf('\n', at);
      const end = feed < 0 ? text.length : feed;
      if (table === undefined) separator = separatorOf(text.slice(at, end));
      const start = at;
      if (quote >= 0 && quote < at) quote = text.indexOf('"', at);
      if (quote < 0 || quote >= end) {
        const last = end > at && text.charCodeAt(end - 1) === 0x0d ? end - 1 : end;
        if (last > at) takeRecord(splitPlain(text, at, last, separator), () => text.slice(start, last));
        line++;
        at = end + 1;
        continue;
      }
      const parsed = splitQuoted(text, at, separator);
      if (parsed === undefined) {
        if (!isLast) return at;
        packer.refuse(line, 'a double quote is not closed', text.slice(at, at + 200));
        return text.length;
      }
      const stop = parsed.end;
      takeRecord(parsed.cells, () => text.slice(start, stop));
      for (let next = text.indexOf('\n', at); next >= 0 && next < stop; next = text.indexOf('\n', next + 1)) line++;
      at = stop;
    }
    return text.length;
  }

  function take(length: number, isLast: boolean): void {
    const region = pending.bytes.subarray(0, length);
    if (!isUtf8(region)) {
      throw invalidInput(`${options.name} cannot be read as text.`, [
        { file: options.name, line, path: '', message: 'from here on a byte is not UTF-8; save the file as UTF-8' },
      ]);
    }
    let text = region.toString('utf8');
    let skipped = 0;
    if (table === undefined && text.startsWith('\ufeff')) {
      text = text.slice(1);
      skipped = 3;
    }
    const rest = takeText(text, isLast);
    pending.drop(rest >= text.length ? length : skipped + Buffer.byteLength(text.slice(0, rest)));
  }

  return {
    feed: (chunk) => {
      pending.append(chunk);
      const whole = pending.wholeLines();
      if (whole > 0) take(whole, false);
      if (pending.length > MAX_ROW_BYTES) {
        throw invalidInput(`${options.name} cannot be read.`, [
          { file: options.name, line, path: '', message: 'a record has no end: is a double quote not closed?' },
        ]);
      }
    },
    end: () => {
      if (pending.length > 0) take(pending.length, true);
      if (table === undefined) throw invalidInput(`${options.name} has no header.`, []);
    },
  };
}

function openTable(header: string[], { name, defaults, map, toWire }: CsvOptions): { table: Table; width: number } {
  return { table: tableOf(header, { name, defaults, map, toWire }), width: header.length };
}

/** The table for a header. Throws invalid input (9) with every column that is wrong. */
export function tableOf(
  header: readonly string[],
  { name, defaults, map, toWire }: Pick<CsvOptions, 'name' | 'defaults' | 'map' | 'toWire'>,
): Table {
  const { columns, issues } = readHeader(header, map);
  if (issues.length > 0) {
    const places = issues.map(({ column, message }) => ({ file: name, line: 1, path: column, message }));
    throw invalidInput(`The header of ${name} cannot be used.`, places);
  }
  return createTable(columns satisfies (Column | undefined)[], defaults, toWire);
}

function separatorOf(header: string): string {
  return [',', '\t', ';'].find((sign) => header.includes(sign)) ?? ',';
}

function splitPlain(text: string, start: number, end: number, separator: string): string[] {
  const cells: string[] = [];
  let at = start;
  for (;;) {
    const next = text.indexOf(separator, at);
    if (next < 0 || next >= end) {
      cells.push(text.slice(at, end));
      return cells;
    }
    cells.push(text.slice(at, next));
    at = next + 1;
  }
}

/** A record with quotes; undefined when it does not end in the text. `end` is behind its line feed. */
function splitQuoted(text: string, start: number, separator: string): { cells: string[]; end: number } | undefined {
  const cells: string[] = [];
  let at = start;
  for (;;) {
    let cell = '';
    if (text.charAt(at) === '"') {
      for (let from = at + 1; ;) {
        const quote = text.indexOf('"', from);
        if (quote < 0) return undefined;
        cell += text.slice(from, quote);
        at = quote + 1;
        if (text.charAt(at) !== '"') break;
        cell += '"';
        from = at + 1;
      }
    }
    // What follows a closing quote belongs to the cell, as most readers have it.
    let end = at;
    while (end < text.length && text.charAt(end) !== separator && text.charAt(end) !== '\n') end++;
    const isEnd = end >= text.length || text.charAt(end) === '\n';
    const last = isEnd && text.charAt(end - 1) === '\r' && end - 1 >= at ? end - 1 : end;
    cells.push(cell + text.slice(at, last));
    if (isEnd) return { cells, end: Math.min(text.length, end + 1) };
    at = end + 1;
  }
}
