// Writes the seed of one attribute from the cells of its columns, bytes to bytes.
import { SEED_RULES } from '../../contract/seed-rules.ts';
import {
  copyBytes,
  isNumber,
  isWhole,
  writeAverage,
  writeList,
  writePairs,
  writeSumAndCount,
  writeText,
} from './cell-writers.ts';
import type { TableAttribute } from './cells.ts';
import { CLOSE_BRACE, COMMA, FAIL, OPEN_BRACE, QUOTE } from './scan.ts';

/** The constant part of an attribute, and its cells. */
export interface SeedPart {
  /**
   * `pairs` are `k=1|m=2` in one cell, `keyed` are cells of one key each, `average-cell` is `sum=1|count=2`; `rare` is
   * left to the exact check.
   */
  kind: 'text' | 'number' | 'whole' | 'list' | 'average' | 'average-cell' | 'pairs' | 'keyed' | 'rare';
  /** Up to the seed's value. Its first byte is for the sign before it: a bracket or a comma. */
  head: Buffer;
  /** Offset of the date in the head. */
  dateAt: number;
  index: number;
  /** The column of an average's count. */
  countAt: number;
  keyed: { head: Buffer; index: number }[];
}

export const DATE_LENGTH = '2026-01-31'.length;

/** The constant part of one attribute. */
export function seedPartOf({ name, type, cells }: TableAttribute): SeedPart {
  const rule = SEED_RULES[type];
  const find = (key: string): number => cells.find((cell) => cell.key === key)?.index ?? -1;
  const before = `,{"attribute_name":${JSON.stringify(name)},"calculation_type":"${type}","cutoff_date":"`;
  const make = (
    kind: SeedPart['kind'],
    form: string,
    index: number,
    countAt = -1,
    keyed: SeedPart['keyed'] = [],
  ): SeedPart => {
    const head = Buffer.from(`${before}${'0'.repeat(DATE_LENGTH)}","seed":{"${rule.form}":${form}`);
    return { kind, head, dateAt: Buffer.byteLength(before), index, countAt, keyed };
  };
  const index = cells[0]?.index ?? -1;
  switch (rule.form) {
    case 'value':
      if (rule.holds === 'anything') return make('text', '"', index);
      return make(rule.holds === 'number' ? 'number' : 'whole', '"', index);
    case 'list':
      return make('list', '["', index);
    case 'key_value_pairs': {
      const isAlone = cells.length === 1 && cells[0]?.key === undefined;
      if (rule.pairs === 'average') {
        const [sumAt, countAt] = [find('sum'), find('count')];
        if (cells.length === 2 && sumAt >= 0 && countAt >= 0) return make('average', '{"sum":"', sumAt, countAt);
        if (isAlone) return make('average-cell', '{"sum":"', index);
      } else if (isAlone) return make('pairs', '{"', index);
      const keyed = cells.map((cell) => {
        return { head: Buffer.from(`,${JSON.stringify(cell.key ?? '')}:"`), index: cell.index };
      });
      const isPlain = rule.pairs === 'counts' && cells.every(({ key }) => key !== undefined && !key.startsWith('__'));
      return make(isPlain ? 'keyed' : 'rare', '', -1, -1, keyed);
    }
  }
}

export function isEmptyPart({ index, countAt, keyed }: SeedPart, starts: Int32Array, ends: Int32Array): boolean {
  if (index >= 0) return starts[index] === ends[index] && (countAt < 0 || starts[countAt] === ends[countAt]);
  return keyed.every((cell) => starts[cell.index] === ends[cell.index]);
}

/** Writes the rest of a seed after its head. */
export function writeSeed(
  part: SeedPart,
  bytes: Buffer,
  starts: Int32Array,
  ends: Int32Array,
  out: Buffer,
  begin: number,
): number {
  let to = begin;
  const start = starts[part.index] as number;
  const end = ends[part.index] as number;
  switch (part.kind) {
    case 'text':
      to = writeText(bytes, start, end, out, to);
      if (to === FAIL) return FAIL;
      out[to++] = QUOTE;
      return to;
    case 'number':
      if (!isNumber(bytes, start, end)) return FAIL;
      to = copyBytes(bytes, start, end, out, to);
      out[to++] = QUOTE;
      return to;
    case 'whole':
      if (!isWhole(bytes, start, end)) return FAIL;
      to = copyBytes(bytes, start, end, out, to);
      out[to++] = QUOTE;
      return to;
    case 'list':
      return writeList(bytes, start, end, out, to);
    case 'average': {
      const first = starts[part.countAt] as number;
      const last = ends[part.countAt] as number;
      return writeSumAndCount(bytes, start, end, first, last, out, to);
    }
    case 'average-cell':
      return writeAverage(bytes, start, end, out, to);
    case 'rare':
      return FAIL;
    case 'pairs':
      return writePairs(bytes, start, end, out, to);
    case 'keyed':
      return writeKeyed(part, bytes, starts, ends, out, to);
  }
}

function writeKeyed(
  { keyed }: SeedPart,
  bytes: Buffer,
  starts: Int32Array,
  ends: Int32Array,
  out: Buffer,
  begin: number,
): number {
  let to = begin;
  let sign = OPEN_BRACE;
  for (const { head, index } of keyed) {
    const start = starts[index] as number;
    const end = ends[index] as number;
    if (start === end) continue;
    if (!isWhole(bytes, start, end)) return FAIL;
    out.set(head, to);
    out[to] = sign;
    sign = COMMA;
    to = copyBytes(bytes, start, end, out, to + head.length);
    out[to++] = QUOTE;
  }
  out[to++] = CLOSE_BRACE;
  return to;
}
