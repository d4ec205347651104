// Writes the bodies of users from the cells of a table, bytes to bytes: no text, no value and no object is made of a
// row. The contract accepts all that it writes. A row with an unusual cell is left to the exact check.
import { isCalendarDate } from '../../contract/shared.ts';
import type { Cells } from '../csv/record.ts';
import { copyBytes, writeText } from './cell-writers.ts';
import type { TableAttribute } from './cells.ts';
import type { Column } from './columns.ts';
import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COMMA,
  FAIL,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  scanLong,
  matchesAt,
} from './scan.ts';
import { DATE_LENGTH, isEmptyPart, seedPartOf, writeSeed } from './attribute-writer.ts';

/** Values of rows without their own. */
export interface TableDefaults {
  workspace: string;
  environment: string | undefined;
  cutoffDate: string | undefined;
}

export interface BodyWriter {
  /** The maximum size of the body for a record of `length` bytes. */
  room(length: number): number;
  /** Writes the body and returns its length; FAIL if a cell needs the exact check. */
  write(cells: Cells, out: Buffer): number;
}

/** Longer ones are left to the exact check. */
const MAX_IDENTITY_BYTES = 1000;
/** Every byte of a cell stands as at most three: `a|b` becomes `"a","b"`, a pair `"k":"1"`. */
const GROWTH = 3;
/** Punctuation around a cell. */
const AROUND = 16;

/** A member of an object that has one for some of the columns; the first byte is for the sign before it. */
interface Member {
  head: Buffer;
  index: number;
}

/** Undefined if every row of the table needs the exact check. */
export function createBodyWriter(
  columns: readonly (Column | undefined)[],
  attributes: readonly TableAttribute[],
  defaults: TableDefaults,
  toWire: (word: string) => string,
): BodyWriter | undefined {
  const at = (kind: Column['kind']): number => columns.findIndex((column) => column?.kind === kind);
  const xpidAt = at('xpid');
  const environmentAt = at('environment');
  const dateAt = at('cutoff_date');
  const types = columns.flatMap((column) => (column?.kind === 'identity' ? [toWire(column.type)] : []));
  // Two columns may have one name on the wire, and names with `__` are special: both need the exact check.
  if (new Set(types).size < types.length || types.some((type) => type.startsWith('__'))) return undefined;
  const known = attributes.map(seedPartOf);

  const members = (kind: 'identity' | 'user', head: (column: Column) => string): Member[] =>
    columns.flatMap((column, index) => (column?.kind === kind ? [{ head: Buffer.from(head(column)), index }] : []));
  const identities = members('identity', (column) => `,${JSON.stringify(toWire((column as { type: string }).type))}:"`);
  const users = members('user', (column) => {
    return `,{"attribute_name":${JSON.stringify((column as { name: string }).name)},"attribute_value":"`;
  });
  const workspace = JSON.stringify(defaults.workspace);
  const given = Buffer.from(defaults.environment ?? '');
  const defaultBeginning = beginningAt(given, 0, given.length);
  const xpidHead = Buffer.from(`,"${toWire('xpid')}":`);
  const identitiesHead = Buffer.from(`,"${toWire('identities')}":`);
  const attributesHead = Buffer.from(`,"calculated_attributes":{${workspace}:`);
  const usersHead = Buffer.from(`,"user_attributes":{${workspace}:`);
  const date = Buffer.alloc(DATE_LENGTH);
  const defaultDate = Buffer.from(isCalendarDate(defaults.cutoffDate ?? '') ? (defaults.cutoffDate ?? '') : '');
  const fixed =
    [BEGINNINGS.development, xpidHead, identitiesHead, attributesHead, usersHead].reduce(sumOfLengths, AROUND) +
    [...identities, ...users, ...known, ...known.flatMap(({ keyed }) => keyed)]
      .map(({ head }) => head)
      .reduce((sum, head) => sum + head.length + AROUND, 0);

  /** Writes a date into the heads; most rows of a file have the same one. */
  function setDate(bytes: Buffer, start: number, end: number): boolean {
    if (end - start !== DATE_LENGTH) return false;
    let same = 0;
    while (same < DATE_LENGTH && bytes[start + same] === date[same]) same++;
    if (same === DATE_LENGTH) return true;
    if (!isCalendarDate(bytes.toString('latin1', start, end))) return false;
    bytes.copy(date, 0, start, end);
    for (const part of known) part.head.set(date, part.dateAt);
    return true;
  }

  return {
    room: (length) => fixed + length * GROWTH,
    write: ({ bytes, starts, ends }, out) => {
      let beginning = defaultBeginning;
      if (environmentAt >= 0 && starts[environmentAt] !== ends[environmentAt]) {
        beginning = beginningAt(bytes, starts[environmentAt] as number, ends[environmentAt] as number);
      }
      if (beginning === undefined) return FAIL;
      const hasDate = dateAt >= 0 && starts[dateAt] !== ends[dateAt];
      const isDated = hasDate
        ? setDate(bytes, starts[dateAt] as number, ends[dateAt] as number)
        : setDate(defaultDate, 0, defaultDate.length);
      if (!isDated) return FAIL;
      out.set(beginning);
      let to = beginning.length;

      let isLocated = false;
      if (xpidAt >= 0) {
        const start = starts[xpidAt] as number;
        const end = ends[xpidAt] as number;
        if (start < end) {
          if (scanLong(bytes, start) !== end) return FAIL;
          out.set(xpidHead, to);
          to = copyBytes(bytes, start, end, out, to + xpidHead.length);
          isLocated = true;
        }
      }
      let sign = OPEN_BRACE;
      for (const { head, index } of identities) {
        const start = starts[index] as number;
        const end = ends[index] as number;
        if (start === end) continue;
        if (end - start > MAX_IDENTITY_BYTES) return FAIL;
        if (sign === OPEN_BRACE) {
          out.set(identitiesHead, to);
          to += identitiesHead.length;
        }
        out.set(head, to);
        out[to] = sign;
        sign = COMMA;
        to = writeText(bytes, start, end, out, to + head.length);
        if (to === FAIL) return FAIL;
        out[to++] = QUOTE;
      }
      if (sign === COMMA) out[to++] = CLOSE_BRACE;
      else if (!isLocated) return FAIL;

      out.set(attributesHead, to);
      to += attributesHead.length;
      sign = OPEN_BRACKET;
      for (const part of known) {
        if (isEmptyPart(part, starts, ends)) continue;
        out.set(part.head, to);
        out[to] = sign;
        sign = COMMA;
        to = writeSeed(part, bytes, starts, ends, out, to + part.head.length);
        if (to === FAIL) return FAIL;
        out[to++] = CLOSE_BRACE;
        out[to++] = CLOSE_BRACE;
      }
      if (sign === OPEN_BRACKET) out[to++] = OPEN_BRACKET;
      out[to++] = CLOSE_BRACKET;
      out[to++] = CLOSE_BRACE;

      sign = OPEN_BRACKET;
      for (const { head, index } of users) {
        const start = starts[index] as number;
        const end = ends[index] as number;
        if (start === end) continue;
        if (sign === OPEN_BRACKET) {
          out.set(usersHead, to);
          to += usersHead.length;
        }
        out.set(head, to);
        out[to] = sign;
        sign = COMMA;
        to = writeText(bytes, start, end, out, to + head.length);
        if (to === FAIL) return FAIL;
        out[to++] = QUOTE;
        out[to++] = CLOSE_BRACE;
      }
      if (sign === COMMA) {
        out[to++] = CLOSE_BRACKET;
        out[to++] = CLOSE_BRACE;
      }
      out[to++] = CLOSE_BRACE;
      return to;
    },
  };
}

const PRODUCTION = Buffer.from('production');
const DEVELOPMENT = Buffer.from('development');
const BEGINNINGS = {
  production: Buffer.from('{"environment":"production"'),
  development: Buffer.from('{"environment":"development"'),
};

function beginningAt(bytes: Buffer, start: number, end: number): Buffer | undefined {
  if (end - start === PRODUCTION.length && matchesAt(bytes, start, PRODUCTION)) return BEGINNINGS.production;
  return end - start === DEVELOPMENT.length && matchesAt(bytes, start, DEVELOPMENT)
    ? BEGINNINGS.development
    : undefined;
}

function sumOfLengths(sum: number, { length }: Buffer): number {
  return sum + length;
}
