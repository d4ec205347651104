// Reads table cells for the exact check.
import { SEED_RULES } from '../../contract/seed-rules.ts';
import type { CalculationType } from '../../contract/seeding.ts';
import { isoOf, parseIso } from '../../kernel/timestamps.ts';

/** A cell of an attribute. `key` is set if the cell's column contains one pair of a map. */
export interface Cell {
  index: number;
  key: string | undefined;
}

export interface TableAttribute {
  name: string;
  type: CalculationType;
  cells: Cell[];
}

/** Reads pairs such as `k=1|m=2` from a column without a key, and one pair from each column with a key. */
function pairsOf(places: readonly Cell[], cells: readonly unknown[]): [string, unknown][] {
  return places.flatMap(({ index, key }): [string, unknown][] => {
    const cell = cells[index];
    if (isEmpty(cell)) return [];
    if (key !== undefined) return [[key, asText(cell)]];
    if (typeof cell === 'object') return Object.entries(cell as object);
    return String(asText(cell))
      .split('|')
      .map((pair) => {
        const sign = pair.lastIndexOf('=');
        return sign < 0 ? [pair, ''] : [pair.slice(0, sign), pair.slice(sign + 1)];
      });
  });
}

export function isEmpty(cell: unknown): boolean {
  return cell === undefined || cell === null || cell === '';
}

/** Returns a Parquet cell as CSV text. Returns lists and maps unchanged: the contract rejects misplaced ones. */
export function asText(cell: unknown): unknown {
  return typeof cell === 'number' || typeof cell === 'bigint' || typeof cell === 'boolean' ? String(cell) : cell;
}

/** Converts an ISO 8601 date or time to milliseconds since 1970, as the platform expects. The default zone is UTC. */
function asMilliseconds(cell: unknown): unknown {
  const text = asText(cell);
  if (typeof text !== 'string' || !/^\d{4}-\d\d-\d\d/.test(text)) return text;
  return timeOf(text.length === 10 ? `${text}T00:00:00` : text) ?? text;
}

function timeOf(text: string): number | undefined {
  const time = isoOf(text);
  return parseIso(time) ?? parseIso(`${time}Z`);
}

/** Returns the date part of a time. Returns anything else unchanged. */
export function dateText(cell: unknown): unknown {
  return typeof cell === 'string' && cell.length > 10 && timeOf(cell) !== undefined ? cell.slice(0, 10) : cell;
}

/** Returns the seed of an attribute; undefined if its cells are empty. */
export function seedValue(
  { type, cells: places }: TableAttribute,
  cells: readonly unknown[],
): Record<string, unknown> | undefined {
  const rule = SEED_RULES[type];
  const cell = places[0] === undefined ? undefined : cells[places[0].index];
  switch (rule.form) {
    case 'value':
      return isEmpty(cell) ? undefined : { value: rule.holds === 'milliseconds' ? asMilliseconds(cell) : asText(cell) };
    case 'list':
      if (isEmpty(cell)) return undefined;
      return { list: Array.isArray(cell) ? cell.map(asText) : String(cell).split('|') };
    case 'key_value_pairs': {
      const pairs = pairsOf(places, cells);
      return pairs.length === 0 ? undefined : { key_value_pairs: Object.fromEntries(pairs) };
    }
  }
}
