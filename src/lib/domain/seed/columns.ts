// The grammar of column names in CSV and Parquet user files.
import { CALCULATION_TYPES, type CalculationType } from '../../contract/seeding.ts';
import { nearest } from '../../kernel/nearest.ts';
import { isRow, NOT_A_HEADER } from '../csv/dialect.ts';
import type { RowIssue, RowRules } from './read-row.ts';

export type Column =
  | { kind: 'xpid' | 'environment' | 'cutoff_date' }
  | { kind: 'identity'; type: string }
  | { kind: 'attribute'; name: string; type: CalculationType; key: string | undefined }
  | { kind: 'user'; name: string };

/** An attribute of a table. `key` is set for a cell whose column contains one pair of a map. */
export interface TableAttribute {
  name: string;
  type: CalculationType;
  cells: { index: number; key: string | undefined }[];
}

/** Maps the columns of a file to fields, which are written as in a header (`--map`, `--map-file`). */
export type ColumnMap = ReadonlyMap<string, string>;

export interface SkippedColumn {
  column: string;
  /** The field that the column's name suggests, unless another column maps to it. */
  field: string | undefined;
}

const GRAMMAR =
  'valid columns are xpid, identity:<type>, attr:<name>:<calculation_type>[:<key>], user:<name>, environment, cutoff_date';
const PLAIN = ['xpid', 'environment', 'cutoff_date'] as const;
const KINDS = ['identity', 'attr', 'user'] as const;

/**
 * Reads a header. A map replaces the names of its columns; other columns are read if they name an unmapped field.
 * `columns` contains undefined for an ignored or invalid column.
 */
export function readHeader(
  header: readonly string[],
  fields: ColumnMap | undefined,
  { names, identityTypes, ignoresUnnamed }: Pick<RowRules, 'names' | 'identityTypes' | 'ignoresUnnamed'>,
) {
  const issues: RowIssue[] = [];
  const seen = new Map<string, string>();
  const mapped = new Set([...(fields?.values() ?? [])].map((field) => JSON.stringify(readField(field))));
  const ownField = (title: string): string | undefined =>
    fields === undefined || (isField(title) && !mapped.has(JSON.stringify(readField(title)))) ? title : undefined;
  const columns = header.map((title) => {
    const field = fields?.get(title) ?? fields?.get(title.trim()) ?? ownField(title.trim());
    if (field === undefined || (fields && field === '-') || (ignoresUnnamed && field === '')) return undefined;
    const column = readField(field);
    const isType = typeof column !== 'string' && column.kind === 'identity';
    const wrong = isType ? identityTypes.issue(names.fromWire(column.type)) : column;
    if (typeof column === 'string' || typeof wrong === 'string') {
      issues.push({ path: title || '(no name)', message: wrong as string });
      return undefined;
    }
    const identity = JSON.stringify(column);
    const other = seen.get(identity);
    if (other !== undefined) issues.push({ path: title, message: `maps to the same field as the \`${other}\` column` });
    seen.set(identity, title);
    return column;
  });
  for (const title of fields?.keys() ?? []) {
    if (!header.some((column) => column === title || column.trim() === title))
      issues.push({ path: title, message: 'is mapped, but the file does not have this column' });
  }
  if (issues.length === 0 && !columns.some((column) => column?.kind === 'xpid' || column?.kind === 'identity'))
    issues.push({ path: '', message: 'there is no `xpid` or `identity:<type>` column' });
  const unknown = header.filter((_title, index) => columns[index] === undefined);
  if (issues.length > 0 && isRow(unknown, unknown.length < header.length))
    return { columns, issues: [{ path: '', message: NOT_A_HEADER }], skippedColumns: [] };
  const skippedColumns = header.flatMap((title, index): SkippedColumn[] => {
    if (fields === undefined || columns[index] !== undefined || fields.has(title) || fields.has(title.trim()))
      return [];
    if (ignoresUnnamed && title.trim() === '') return [];
    const field = fieldLike(title.trim());
    const isTaken = field !== undefined && seen.has(JSON.stringify(readField(field)));
    return [{ column: title.trim(), field: isTaken ? undefined : field }];
  });
  return { columns, issues, skippedColumns };
}

/** Identity types that are common as column names. */
const USUAL_IDENTITIES = ['email', 'customer_id', 'mobile_number'] as const;

export const isField = (title: string): boolean => typeof readField(title) !== 'string';

export function fieldLike(title: string): string | undefined {
  if (isField(title)) return title;
  const guess = nearest(title.replaceAll(/[\s-]+/g, '_'), [...PLAIN, ...USUAL_IDENTITIES]);
  return guess === undefined || PLAIN.some((word) => word === guess) ? guess : `identity:${guess}`;
}

/** Returns the column that a field describes, or an error message. */
function readField(field: string): Column | string {
  const parts = splitField(field);
  if (parts === undefined) return 'has an unclosed double quote';
  const [kind = '', name = '', type = '', key] = parts;
  const plain = PLAIN.find((word) => word === field);
  if (plain !== undefined) return { kind: plain };
  if (kind === 'identity' || kind === 'user') {
    if (name === '' || parts.length > 2) return `must be written \`${kind}:<${kind === 'user' ? 'name' : 'type'}>\``;
    return kind === 'user' ? { kind, name } : { kind, type: name };
  }
  if (kind !== 'attr') {
    const guess = parts.length > 1 ? nearest(kind, KINDS) : nearest(field, PLAIN);
    const hint = guess === undefined ? GRAMMAR : `did you mean \`${guess}${field.slice(kind.length)}\`?`;
    return `is not a known column; ${hint}`;
  }
  if (name === '' || parts.length < 3 || parts.length > 4)
    return 'must have the form `attr:<name>:<calculation_type>[:<key>]`; put a name with a colon in double quotes';
  const known = CALCULATION_TYPES.find((word) => word === type);
  if (known === undefined) {
    const guess = nearest(type, CALCULATION_TYPES);
    const hint = guess === undefined ? `valid types are ${CALCULATION_TYPES.join(', ')}` : `did you mean \`${guess}\`?`;
    return `has an unknown calculation type \`${type}\`; ${hint}`;
  }
  if (key !== undefined && known !== 'average' && known !== 'most_frequent') return `\`${known}\` has no key`;
  if (key !== undefined && known === 'average' && key !== 'sum' && key !== 'count')
    return '`average` needs a key: `sum` or `count`';
  return { kind: 'attribute', name, type: known, key };
}

/** Splits a field at colons. A part in double quotes may contain colons and doubled double quotes. */
function splitField(field: string): string[] | undefined {
  const parts = [...`:${field}`.matchAll(/:(?:"((?:[^"]|"")*)"(?=:|$)|(?!")([^:]*))/gy)];
  if (parts.map(([part]) => part).join('') !== `:${field}`) return undefined;
  return parts.map(([, quoted, plain = '']) => quoted?.replaceAll('""', '"') ?? plain);
}
