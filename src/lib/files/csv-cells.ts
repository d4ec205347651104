// Reads CSV (RFC 4180) piece by piece, so that a file's size does not matter, and knows where every cell stands.
import { csvCell } from '../kernel/csv-cell.ts';

export interface Cell {
  text: string;
  /** Both from 1; columns in UTF-16 units, as editors count them. */
  line: number;
  column: number;
}

export interface CsvFault {
  line: number;
  column: number;
  message: string;
}

export interface CsvReader {
  /** Takes the next piece of the text; the records that it completes. */
  push(text: string): Cell[][];
  /** The last record, where the text ends without a line feed. */
  end(): Cell[][];
  /** Set at the first character that is no CSV; nothing is read from there on. */
  readonly fault: CsvFault | undefined;
}

const QUOTE = 0x22;
const LINE_FEED = 0x0a;
const RETURN = 0x0d;

/** A cell of this length is a quote that was never closed. */
const MAX_CELL = 1024 * 1024;

type State = 'cell-start' | 'plain' | 'quoted' | 'after-quote';

/** `delimiter` is one character. Lines without anything are passed over. */
export function createCsvReader(delimiter: string): CsvReader {
  const comma = delimiter.charCodeAt(0);
  let state: State = 'cell-start';
  let record: Cell[] = [];
  let pieces = '';
  let line = 1;
  let column = 1;
  let start = { line: 1, column: 1 };
  let fault: CsvFault | undefined;
  // A carriage return ends a line only together with the line feed behind it.
  let held = '';

  function endCell(): void {
    record.push({ text: pieces, ...start });
    pieces = '';
    state = 'cell-start';
  }

  function endRecord(done: Cell[][]): void {
    endCell();
    if (record.length > 1 || record[0]?.text !== '') done.push(record);
    record = [];
  }

  function read(text: string): Cell[][] {
    const done: Cell[][] = [];
    for (let at = 0; at < text.length && !fault; at++) {
      const code = text.charCodeAt(at);
      if (state === 'cell-start') start = { line, column };
      if (state === 'quoted') {
        if (code === QUOTE) state = 'after-quote';
        else {
          const end = endOfQuoted(text, at);
          pieces += text.slice(at, end);
          if (pieces.length > MAX_CELL)
            fault = { ...start, message: 'this cell begins with a quote that is never closed' };
          ({ line, column } = placeAfter(text, at, end, line, column));
          at = end - 1;
          continue;
        }
      } else if (code === comma) endCell();
      else if (code === LINE_FEED) {
        endRecord(done);
        line++;
        column = 0;
      } else if (code === RETURN && text.charCodeAt(at + 1) === LINE_FEED) {
        // The line feed ends the record.
      } else if (state === 'after-quote') {
        if (code === QUOTE) {
          pieces += '"';
          state = 'quoted';
        } else
          fault = { line, column, message: 'text follows a closing quote; a quote within quotes is written twice' };
      } else if (code === QUOTE) {
        if (state === 'cell-start') state = 'quoted';
        else fault = { line, column, message: 'a quote stands inside an unquoted cell; put the whole cell in quotes' };
      } else if (code === 0) fault = { line, column, message: 'a NUL character stands here; is this a text file?' };
      else {
        const end = endOfPlain(text, at, comma);
        pieces += text.slice(at, end);
        state = 'plain';
        column += end - at;
        at = end - 1;
        continue;
      }
      column++;
    }
    return done;
  }

  return {
    get fault() {
      return fault;
    },
    push: (text) => {
      const all = held + text;
      held = all.endsWith('\r') ? '\r' : '';
      return read(held === '' ? all : all.slice(0, -1));
    },
    end: () => {
      const done = read(held);
      held = '';
      if (state === 'quoted') fault ??= { ...start, message: 'this cell begins with a quote that is never closed' };
      else endRecord(done);
      return fault ? [] : done;
    },
  };
}

function endOfQuoted(text: string, from: number): number {
  const end = text.indexOf('"', from);
  return end < 0 ? text.length : end;
}

function endOfPlain(text: string, from: number, comma: number): number {
  let at = from + 1;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === comma || code === LINE_FEED || code === RETURN || code === QUOTE || code === 0) break;
  }
  return at;
}

/** Line and column behind a part of the text that may hold line feeds. */
function placeAfter(text: string, from: number, to: number, line: number, column: number) {
  let lines = line;
  let lastStart = -1;
  for (let at = text.indexOf('\n', from); at >= 0 && at < to; at = text.indexOf('\n', at + 1)) {
    lines++;
    lastStart = at + 1;
  }
  return { line: lines, column: lastStart < 0 ? column + to - from : to - lastStart + 1 };
}

/** One line of CSV; cells are quoted where they must be. */
export function csvLine(cells: readonly string[], delimiter = ','): string {
  return `${cells.map((cell) => csvCell(cell, delimiter)).join(delimiter)}\n`;
}
