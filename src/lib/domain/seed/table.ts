// Converts table rows to users: to the bytes of a body or, with the same result, to a value for the exact check.
import { type FieldIssue, showPath } from '../../contract/explain.ts';
import { createBodyWriter, type TableDefaults } from './body-writer.ts';
import type { Column, TableAttribute } from './columns.ts';
import type { RowIssue, RowRules } from './read-row.ts';
import { SEED_RULES } from '../../contract/seed-rules.ts';
import { groupBy } from '../../kernel/group-by.ts';
import { isoOf, parseIso } from '../../kernel/timestamps.ts';
import { FLOAT, type NullWords } from '../null-words.ts';
import type { Cells } from '../csv/record.ts';
import { createWordFinder, isUsualIdentity } from './scan.ts';

export type Table = ReturnType<typeof createTable>;

/** `header` contains the column names. For `onNullWord`, see its type. */
export function createTable(
  header: readonly string[],
  columns: readonly (Column | undefined)[],
  defaults: TableDefaults,
  { names, nulls }: Pick<RowRules, 'names' | 'nulls'>,
  onNullWord?: OnNullWord,
) {
  const { toWire } = names;
  const at = (kind: Column['kind']): number => columns.findIndex((column) => column?.kind === kind);
  const xpidAt = at('xpid');
  const environmentAt = at('environment');
  const dateAt = at('cutoff_date');
  const identities = columns.flatMap((column, index) =>
    column?.kind === 'identity' ? [{ index, type: column.type }] : [],
  );
  const users = columns.flatMap((column, index) => (column?.kind === 'user' ? [{ index, name: column.name }] : []));
  const attributes = groupAttributes(columns);

  const filled = <Place extends { index: number }>(places: readonly Place[], cells: readonly unknown[]): Place[] =>
    places.filter(({ index }) => !isEmpty(cells[index]));
  const seedsOf = (cells: readonly unknown[]) =>
    attributes.map((attribute) => ({ ...attribute, seed: seedValue(attribute, cells) })).filter(({ seed }) => seed);

  /** Returns the body as a value, which may be invalid. Cells may be values from a Parquet file. */
  function value(cells: readonly unknown[]): Record<string, unknown> {
    const cell = (index: number): unknown => (index < 0 || isEmpty(cells[index]) ? undefined : cells[index]);
    const date = dateText(cell(dateAt)) ?? defaults.cutoffDate;
    const xpid = cell(xpidAt);
    const found = filled(identities, cells).map(({ index, type }) => [type, identityText(cells[index])] as const);
    const seeds = seedsOf(cells).map(({ name, seed, type }) => {
      return { attribute_name: name, calculation_type: type, ...(date !== undefined && { cutoff_date: date }), seed };
    });
    const owned = filled(users, cells).map(({ index, name }) => {
      return { attribute_name: name, attribute_value: asText(cells[index]) };
    });
    return {
      environment: cell(environmentAt) ?? defaults.environment,
      ...(xpid !== undefined && { xpid }),
      ...(found.length > 0 && { identities: Object.fromEntries(found) as Record<string, unknown> }),
      calculated_attributes: { [defaults.workspace]: seeds },
      ...(owned.length > 0 && { user_attributes: { [defaults.workspace]: owned } }),
    };
  }

  const title = (index: number | undefined): string => (header[index ?? -1] ?? '').trim();

  /** Returns the column that a body path comes from, and how many segments of the path lead to its cell. */
  function find(path: FieldIssue['path'], cells: readonly unknown[]): [column: string, depth: number] {
    const [field, key, place, part] = path;
    switch (field) {
      case undefined: {
        // An issue about the whole row can only mean that no field identifies a user.
        const whom = header.filter((_title, index) => ['xpid', 'identity'].includes(columns[index]?.kind ?? ''));
        return [whom.map((it) => it.trim()).join(', '), 0];
      }
      case 'xpid':
      case 'environment':
        return [title(at(field)) || field, 1];
      case 'identities':
        return [title(identities.find(({ type }) => toWire(type) === toWire(String(key)))?.index), 2];
      case 'user_attributes':
        return [title(filled(users, cells)[Number(place)]?.index), Infinity];
      case 'calculated_attributes': {
        if (part === 'cutoff_date') return [title(dateAt) || part, Infinity];
        const own = seedsOf(cells)[Number(place)]?.cells ?? [];
        const pair = own.find((one) => one.key !== undefined && one.key === path[SEED_DEPTH]);
        return pair ? [title(pair.index), SEED_DEPTH + 1] : [title(own[0]?.index), SEED_DEPTH];
      }
      default:
        return ['', 0];
    }
  }

  return {
    /** One entry per header column; undefined for an ignored column. */
    columns,
    nulls: createNullCells(columns, nulls, onNullWord),
    /** Writes bodies with wire names; undefined if every row needs the exact check. */
    writer: createBodyWriter(columns, attributes, defaults, toWire),
    value,
    /** Converts an issue in the body to an issue in its column, because authors of tables do not know body fields. */
    issue: ({ path, message }: FieldIssue, cells: readonly unknown[]): RowIssue => {
      const [column, depth] = find(path, cells);
      if (path.length === 0 && message.startsWith('needs ')) return { path: column, message: NO_PERSON };
      const inside = path.length > depth ? `\`${showPath(path.slice(depth))}\`` : '';
      return { path: column, message: inside === '' || message.includes(inside) ? message : `${inside} ${message}` };
    },
  };
}

const NO_PERSON = 'empty; every row needs an `xpid` or an identity';
/** Depth of a seed: `calculated_attributes`, workspace, number, `seed`, form. */
const SEED_DEPTH = 5;

/** Rejects a floating-point number above 2^53 instead of converting it, because several ids may round to it. */
function identityText(cell: unknown): unknown {
  return typeof cell === 'number' && Math.abs(cell) > Number.MAX_SAFE_INTEGER ? cell : asText(cell);
}

function groupAttributes(columns: readonly (Column | undefined)[]): TableAttribute[] {
  const found = columns.flatMap((column, index) => (column?.kind === 'attribute' ? [{ ...column, index }] : []));
  const groups = groupBy(found, ({ name, type }) => JSON.stringify([name, type]));
  return Array.from(groups.values(), (cells) => ({ name: cells[0].name, type: cells[0].type, cells }));
}

/** Reads pairs such as `k=1|m=2` from a column without a key, and one pair from each column with a key. */
function pairsOf(places: TableAttribute['cells'], cells: readonly unknown[]): [string, unknown][] {
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

export const isEmpty = (cell: unknown): boolean => cell === undefined || cell === null || cell === '';

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

export function dateText(cell: unknown): unknown {
  return typeof cell === 'string' && cell.length > 10 && timeOf(cell) !== undefined ? cell.slice(0, 10) : cell;
}

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

/** Called once for each attribute column with a null word, and for each identity column with a number like `123.0`. */
export type OnNullWord = (column: number, word: string) => void;

export function createNullCells(
  columns: readonly (Column | undefined)[],
  nulls: NullWords,
  onNullWord: OnNullWord | undefined,
) {
  const find = createWordFinder(nulls.words);
  const isIdentity = columns.map((column) => column?.kind === 'identity');
  const reported = new Set<number>();

  /** True if the word is allowed as text in this column. */
  function isAllowed(column: number, word: string): boolean {
    const kind = columns[column]?.kind;
    if (kind !== 'attribute' && kind !== 'user') return kind === undefined;
    report(column, word);
    return true;
  }

  function report(column: number, word: string): void {
    if (reported.has(column)) return;
    reported.add(column);
    onNullWord?.(column, word);
  }

  return {
    /** Clears cells in place. Returns false if a cell may be invalid, so that the row goes to the exact check. */
    clear: ({ bytes, starts, ends }: Cells): boolean => {
      let isClean = true;
      for (let column = 0; column < columns.length; column++) {
        const start = starts[column] as number;
        const end = ends[column] as number;
        if (isIdentity[column] && !isUsualIdentity(bytes, start, end)) isClean = false;
        const word = find(bytes, start, end);
        if (word === undefined) continue;
        if (nulls.isNull(word)) ends[column] = start;
        else if (!isAllowed(column, word)) isClean = false;
      }
      return isClean;
    },
    cleared: (cells: readonly unknown[]): unknown[] =>
      cells.map((cell, column) => {
        const text = Number.isNaN(cell) ? 'NaN' : cell;
        if (typeof text !== 'string') return text;
        if (nulls.isNull(text)) return '';
        if (nulls.isSuspect(text)) isAllowed(column, text);
        else if (!nulls.floats && columns[column]?.kind === 'identity' && FLOAT.test(text)) report(column, '123.0');
        return text;
      }),
  };
}
