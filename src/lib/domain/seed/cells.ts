// Cells of a table and the seeds that are made of them: at once as text where a cell is plainly right.
import { SEED_RULES } from '../../contract/seed-rules.ts';
import type { CalculationType } from '../../contract/seeding.ts';

/** A column that an attribute is made of; `key` for one of its pairs. */
export interface Cell {
  index: number;
  key: string | undefined;
}

/** What stands between the braces of a seed: empty when there is none, undefined when it is not plainly right. */
export type SeedWriter = (cells: readonly string[]) => string | undefined;

export function createSeedWriter(type: CalculationType, places: readonly Cell[]): SeedWriter {
  const rule = SEED_RULES[type];
  const index = places[0]?.index ?? -1;
  switch (rule.form) {
    case 'value': {
      if (rule.holds === 'anything') {
        return (cells) => (cells[index] === '' ? '' : `"value":${quoted(cells[index] as string)}`);
      }
      const isRight = rule.holds === 'number' ? isPlainNumber : isPlainWhole;
      return (cells) => {
        const cell = cells[index] as string;
        return cell === '' ? '' : isRight(cell) ? `"value":"${cell}"` : undefined;
      };
    }
    case 'list':
      return (cells) => {
        const cell = cells[index] as string;
        return cell === '' ? '' : `"list":[${cell.split('|').map(quoted).join(',')}]`;
      };
    case 'key_value_pairs':
      return rule.pairs === 'average' ? averageWriter(places) : (cells) => countsText(pairsOf(places, cells));
  }
}

function averageWriter(places: readonly Cell[]): SeedWriter {
  const at = (key: string): number => places.find((place) => place.key === key)?.index ?? -1;
  const [sumAt, countAt] = [at('sum'), at('count')];
  if (places.length === 2 && sumAt >= 0 && countAt >= 0) {
    return (cells) => averageText(cells[sumAt] as string, cells[countAt] as string);
  }
  return (cells) => {
    const pairs = pairsOf(places, cells);
    if (pairs.length === 0) return '';
    const values = new Map(pairs);
    if (pairs.length !== 2 || !values.has('sum') || !values.has('count')) return undefined;
    return averageText(values.get('sum') ?? '', values.get('count') ?? '');
  };
}

function averageText(sum: string, count: string): string | undefined {
  if (sum === '' && count === '') return '';
  if (!isPlainNumber(sum) || !isPlainWhole(count) || Number(count) === 0) return undefined;
  return `"key_value_pairs":{"sum":"${sum}","count":"${count}"}`;
}

function countsText(pairs: readonly (readonly [string, string])[]): string | undefined {
  if (pairs.length === 0) return '';
  const known = new Set<string>();
  const texts: string[] = [];
  for (const [key, count] of pairs) {
    if (!isPlainWhole(count) || key.startsWith('__') || known.has(key)) return undefined;
    known.add(key);
    texts.push(`${quoted(key)}:"${count}"`);
  }
  return `"key_value_pairs":{${texts.join(',')}}`;
}

/** `k=1|m=2` of a column without a key, and the cells of columns with one. */
export function pairsOf<T>(
  places: readonly Cell[],
  cells: readonly T[],
): [string, T extends string ? string : unknown][] {
  return places.flatMap(({ index, key }): [string, never][] => {
    const cell = cells[index];
    if (isEmpty(cell)) return [];
    if (key !== undefined) return [[key, asText(cell) as never]];
    if (typeof cell === 'object') return Object.entries(cell as object) as [string, never][];
    return String(cell)
      .split('|')
      .map((pair) => {
        const sign = pair.lastIndexOf('=');
        return (sign < 0 ? [pair, ''] : [pair.slice(0, sign), pair.slice(sign + 1)]) as [string, never];
      });
  });
}

export function isEmpty(cell: unknown): boolean {
  return cell === undefined || cell === null || cell === '';
}

/** Cells of a Parquet file as a CSV file would hold them; what is no single value stays, for the contract to refuse. */
export function asText(cell: unknown): unknown {
  if (cell instanceof Date) return cell.toISOString();
  return typeof cell === 'number' || typeof cell === 'bigint' || typeof cell === 'boolean' ? String(cell) : cell;
}

// eslint-disable-next-line no-control-regex -- these are what JSON escapes
const ESCAPED = /["\\\u0000-\u001f]/;

/** A text as JSON. */
export function quoted(text: string): string {
  return ESCAPED.test(text) ? JSON.stringify(text) : `"${text}"`;
}

/** More digits are left to the exact reading. */
const MAX_DIGITS = 18;

/** An integer of 64 bits beyond doubt: the lowest is -9223372036854775808. */
export function isPlainLong(text: string): boolean {
  const digits = text.charCodeAt(0) === 0x2d ? 1 : 0;
  const length = text.length - digits;
  if (length < 1 || length > 19 || digitsFrom(text, digits) < text.length) return false;
  if (text.charCodeAt(digits) === 0x30) return text.length === 1;
  return length < 19 || digits === 0 || text < '-92';
}

function isPlainWhole(text: string): boolean {
  return text.length > 0 && text.length <= MAX_DIGITS && digitsFrom(text, 0) === text.length;
}

function isPlainNumber(text: string): boolean {
  if (text.length > MAX_DIGITS * 2) return false;
  const start = text.charCodeAt(0) === 0x2d ? 1 : 0;
  const end = digitsFrom(text, start);
  if (end === start || end === text.length) return end > start;
  if (text.charCodeAt(end) !== 0x2e) return false;
  return end + 1 < text.length && digitsFrom(text, end + 1) === text.length;
}

/** Behind the digits that begin at `start`. */
function digitsFrom(text: string, start: number): number {
  let at = start;
  for (let code = text.charCodeAt(at); code >= 0x30 && code <= 0x39; code = text.charCodeAt(at)) at++;
  return at;
}
