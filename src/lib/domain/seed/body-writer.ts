// Converts the bytes of table cells to the bytes of user bodies, without creating a string, value or object per row.
// The contract accepts every body that this module writes. A row with an unusual cell goes to the exact check.
import { SEED_RULES } from '../../contract/seed-rules.ts';
import { isCalendarDate } from '../../contract/shared.ts';
import type { Cells } from '../csv/record.ts';
import type { Column, TableAttribute } from './columns.ts';
import * as scan from './scan.ts';

export interface TableDefaults {
  workspace: string;
  environment: string | undefined;
  cutoffDate: string | undefined;
}

/** Writes part of the body at offset `to`, and returns the offset after it, or FAIL if a cell needs the exact check. */
type Write = (cells: Cells, out: Buffer, to: number) => number;
type WriteCell = (bytes: Buffer, start: number, end: number, out: Buffer, to: number) => number;

/** An item of a list or an object, omitted if its cells are empty. */
interface Part {
  /** The first byte is reserved for the preceding bracket or comma. */
  head: Buffer;
  indexes: readonly number[];
  write: Write;
  tail: Buffer;
}

const MAX_NUMBER_BYTES = 36;
/** Each byte of a cell becomes at most three bytes: `a|b` becomes `"a","b"`, and `k=1` becomes `"k":"1"`. */
const GROWTH = 3;
const PIPE = 0x7c;
const EQUALS = 0x3d;
const COUNT_HEAD = Buffer.from('","count":"');
const DATE_LENGTH = '2026-01-31'.length;
const BEGINNINGS = ['production', 'development'].map((name) => {
  return { name: Buffer.from(name), beginning: Buffer.from(`{"environment":"${name}"`) };
});

export type BodyWriter = NonNullable<ReturnType<typeof createBodyWriter>>;

/** Returns undefined if every row of the table needs the exact check. */
export function createBodyWriter(
  columns: readonly (Column | undefined)[],
  attributes: readonly TableAttribute[],
  defaults: TableDefaults,
  toWire: (word: string) => string,
) {
  const environmentAt = columns.findIndex((column) => column?.kind === 'environment');
  const dateAt = columns.findIndex((column) => column?.kind === 'cutoff_date');
  const types = columns.flatMap((column) => (column?.kind === 'identity' ? [toWire(column.type)] : []));
  // Duplicate wire names and names that start with `__` need the exact check.
  if (new Set(types).size < types.length || types.some((type) => type.startsWith('__'))) return undefined;

  const partsOf = (make: (column: Column) => [head: string, write: WriteCell, tail: string] | undefined): Part[] =>
    columns.flatMap((column, index) => {
      const [head = '', write, tail = ''] = (column && make(column)) ?? [];
      return write ? [partOf(head, [index], single(index, write), tail)] : [];
    });
  const dated = attributes.map(attributePart);
  const workspace = JSON.stringify(defaults.workspace);
  /** Items that belong together; an empty group is omitted unless it is required. */
  const group = (head: string, open: number, close: string, parts: Part[], isRequired = false) => {
    return { head: Buffer.from(head), open, close: Buffer.from(close), parts, isRequired };
  };
  const groups = [
    group('', scan.COMMA, '', partsOf(({ kind }) => (kind === 'xpid' ? [`,"${toWire('xpid')}":`, writeLong, ''] : undefined))),
    group(`,"${toWire('identities')}":`, scan.OPEN_BRACE, '}', partsOf((column) => {
      return column.kind === 'identity' ? [`,${JSON.stringify(toWire(column.type))}:"`, writeText, '"'] : undefined;
    })),
    group(`,"calculated_attributes":{${workspace}:`, scan.OPEN_BRACKET, ']}', dated.map(({ part }) => part), true),
    group(`,"user_attributes":{${workspace}:`, scan.OPEN_BRACKET, ']}', partsOf((column) => {
      if (column.kind !== 'user') return undefined;
      return [`,{"attribute_name":${JSON.stringify(column.name)},"attribute_value":"`, writeText, '"}'];
    })),
  ]; // prettier-ignore
  const given = Buffer.from(defaults.environment ?? '');
  const defaultBeginning = beginningAt(given, 0, given.length);
  const date = Buffer.alloc(DATE_LENGTH);
  const defaultDate = Buffer.from(isCalendarDate(defaults.cutoffDate ?? '') ? (defaults.cutoffDate ?? '') : '');
  const fixed = groups
    .flatMap(({ head, close, parts }) => [head, close, ...parts.flatMap((part) => [part.head, part.tail, COUNT_HEAD])])
    .reduce((sum, { length }) => sum + length, 64);

  /** Writes a date into the heads only if it changed, because most rows of a file have the same date. */
  function setDate(bytes: Buffer, start: number, end: number): boolean {
    if (end - start !== DATE_LENGTH) return false;
    if (scan.matchesAt(bytes, start, date)) return true;
    if (!isCalendarDate(bytes.toString('latin1', start, end))) return false;
    bytes.copy(date, 0, start, end);
    for (const { part, offset } of dated) part.head.set(date, offset);
    return true;
  }

  return {
    /** Returns the maximum body size in bytes for a record of `length` bytes. */
    room: (length: number) => fixed + length * GROWTH,
    /** Writes the body at offset `begin` and returns its end, or FAIL if a cell needs the exact check. */
    write: (cells: Cells, out: Buffer, begin: number) => {
      const { bytes, starts, ends } = cells;
      let beginning = defaultBeginning;
      if (environmentAt >= 0 && starts[environmentAt] !== ends[environmentAt])
        beginning = beginningAt(bytes, starts[environmentAt] as number, ends[environmentAt] as number);
      if (beginning === undefined) return scan.FAIL;
      const isDated =
        dateAt >= 0 && starts[dateAt] !== ends[dateAt]
          ? setDate(bytes, starts[dateAt] as number, ends[dateAt] as number)
          : setDate(defaultDate, 0, defaultDate.length);
      if (!isDated) return scan.FAIL;
      out.set(beginning, begin);
      const begun = begin + beginning.length;
      let to = begun;
      for (const { head, open, parts, close, isRequired } of groups) {
        // A row must have an xpid or an identity.
        if (isRequired && to === begun) return scan.FAIL;
        let sign = open;
        for (const part of parts) {
          if (isEmptyPart(part, cells)) continue;
          if (sign === open && open !== scan.COMMA) to = copyBytes(head, 0, head.length, out, to);
          out.set(part.head, to);
          out[to] = sign;
          sign = scan.COMMA;
          to = part.write(cells, out, to + part.head.length);
          if (to === scan.FAIL) return scan.FAIL;
          to = copyBytes(part.tail, 0, part.tail.length, out, to);
        }
        if (sign === open) {
          if (!isRequired) continue;
          to = copyBytes(head, 0, head.length, out, to);
          out[to++] = open;
        }
        to = copyBytes(close, 0, close.length, out, to);
      }
      out[to++] = scan.CLOSE_BRACE;
      return to;
    },
  };
}

function partOf(head: string, indexes: readonly number[], write: Write, tail: string): Part {
  return { head: Buffer.from(head), indexes, write, tail: Buffer.from(tail) };
}

/** Returns the part for an attribute, and the offset of the date in its head. */
function attributePart({ name, type, cells }: TableAttribute): { part: Part; offset: number } {
  const rule = SEED_RULES[type];
  const before = `,{"attribute_name":${JSON.stringify(name)},"calculation_type":"${type}","cutoff_date":"`;
  const make = (form: string, write: Write, tail: string) => {
    const head = `${before}${'0'.repeat(DATE_LENGTH)}","seed":{"${rule.form}":${form}`;
    const indexes = cells.map((cell) => cell.index);
    return { part: partOf(head, indexes, write, `${tail}}}`), offset: Buffer.byteLength(before) };
  };
  const [{ index, key } = { index: -1, key: undefined }] = cells;
  switch (rule.form) {
    case 'value': {
      const write = rule.holds === 'anything' ? writeText : rule.holds === 'number' ? writeNumber : writeWhole;
      return make('"', single(index, write), '"');
    }
    case 'list':
      return make('["', single(index, writeList), '"]');
    case 'key_value_pairs': {
      if (rule.pairs !== 'average') {
        const isAlone = cells.length === 1 && key === undefined;
        return make('{"', isAlone ? single(index, writePairs) : () => scan.FAIL, '"}');
      }
      const find = (wanted: string): number => cells.find((cell) => cell.key === wanted)?.index ?? -1;
      const [sum, count] = [find('sum'), find('count')];
      const isPair = cells.length === 2 && sum >= 0 && count >= 0;
      return make('{"sum":"', isPair ? average(sum, count) : () => scan.FAIL, '"}');
    }
  }
}

function isEmptyPart({ indexes }: Part, { starts, ends }: Cells): boolean {
  for (const index of indexes) if (starts[index] !== ends[index]) return false;
  return true;
}

function beginningAt(bytes: Buffer, start: number, end: number): Buffer | undefined {
  return BEGINNINGS.find(({ name }) => end - start === name.length && scan.matchesAt(bytes, start, name))?.beginning;
}

function single(index: number, write: WriteCell): Write {
  return ({ bytes, starts, ends }, out, to) => write(bytes, starts[index] as number, ends[index] as number, out, to);
}

/** Returns a writer for an average from a sum cell and a count cell. A count of zero goes to the exact check. */
function average(sum: number, count: number): Write {
  return ({ bytes, starts, ends }, out, begin) => {
    const [start, end] = [starts[count] as number, ends[count] as number];
    let first = start;
    while (first < end && bytes[first] === scan.ZERO) first++;
    if (first === end) return scan.FAIL;
    let to = writeNumber(bytes, starts[sum] as number, ends[sum] as number, out, begin);
    if (to === scan.FAIL) return scan.FAIL;
    to = copyBytes(COUNT_HEAD, 0, COUNT_HEAD.length, out, to);
    return writeWhole(bytes, start, end, out, to);
  };
}

function copyBytes(bytes: Buffer, start: number, end: number, out: Buffer, begin: number): number {
  let to = begin;
  for (let at = start; at < end; at++) out[to++] = bytes[at] as number;
  return to;
}

/** Writes the content of a JSON string, without quotes. Control characters go to the exact check. */
function writeText(bytes: Buffer, start: number, end: number, out: Buffer, begin: number): number {
  let to = begin;
  for (let at = start; at < end; at++) {
    const code = bytes[at] as number;
    if (code === scan.QUOTE || code === scan.BACKSLASH) out[to++] = scan.BACKSLASH;
    else if (code < 0x20) return scan.FAIL;
    out[to++] = code;
  }
  return to;
}

const writeLong: WriteCell = (bytes, start, end, out, to) =>
  scan.scanLong(bytes, start) === end ? copyBytes(bytes, start, end, out, to) : scan.FAIL;

const writeWhole: WriteCell = (bytes, start, end, out, to) =>
  start < end && end - start <= scan.MAX_WHOLE_DIGITS && scan.scanDigits(bytes, start) >= end
    ? copyBytes(bytes, start, end, out, to)
    : scan.FAIL;

const writeNumber: WriteCell = (bytes, start, end, out, to) =>
  end - start <= MAX_NUMBER_BYTES && scan.scanDecimal(bytes, start) === end
    ? copyBytes(bytes, start, end, out, to)
    : scan.FAIL;

function writeList(bytes: Buffer, start: number, end: number, out: Buffer, begin: number): number {
  let to = begin;
  for (let at = start; at <= end; at++) {
    let next = at;
    while (next < end && bytes[next] !== PIPE) next++;
    to = writeText(bytes, at, next, out, to);
    if (to === scan.FAIL || next === end) return to;
    out[to++] = scan.QUOTE;
    out[to++] = scan.COMMA;
    out[to++] = scan.QUOTE;
    at = next;
  }
  return to;
}

/** Writes a cell of pairs, such as `k=1|m=2`, as JSON members without the outer quotes. */
function writePairs(bytes: Buffer, start: number, end: number, out: Buffer, begin: number): number {
  let to = begin;
  for (let at = start, count = 0; ; count++) {
    let next = at;
    let sign = -1;
    for (; next < end && bytes[next] !== PIPE; next++) if (bytes[next] === EQUALS) sign = next;
    if (sign < 0 || scan.isReserved(bytes, at) || !scan.isNewKey(bytes, count, at, sign)) return scan.FAIL;
    to = writeText(bytes, at, sign, out, to);
    if (to === scan.FAIL) return scan.FAIL;
    out[to++] = scan.QUOTE;
    out[to++] = scan.COLON;
    out[to++] = scan.QUOTE;
    to = writeWhole(bytes, sign + 1, next, out, to);
    if (to === scan.FAIL || next === end) return to;
    out[to++] = scan.QUOTE;
    out[to++] = scan.COMMA;
    out[to++] = scan.QUOTE;
    at = next + 1;
  }
}
