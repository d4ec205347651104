// CSV dialects of common export tools: separator, header, escapes, null words and decimal sign.

export const DELIMITERS = { comma: ',', semicolon: ';', tab: '\t', pipe: '|' } as const;

/** The cells in which a backslash escapes the next character. In `quoted`, it escapes only a quote or a backslash. */
export type Escapes = 'unquoted' | 'quoted' | 'everywhere';

export interface Dialect {
  /** Default: the most frequent separator in the header. */
  readonly separator?: string | undefined;
  readonly columns?: readonly string[] | undefined;
  readonly escapes?: Escapes | undefined;
  /** Words for a missing value, in addition to `\N`. */
  readonly nulls?: readonly string[] | undefined;
  /** True if the tool may write an integer as a floating-point number, so `123.0` is not accepted as an id. */
  readonly floats?: boolean | undefined;
  /** True if unnamed columns, such as a pandas index or an empty last column from Excel, are ignored. */
  readonly ignoresUnnamed?: boolean | undefined;
  /** True if numbers have decimal commas. Requires a separator other than a comma. */
  readonly isLocal?: boolean | undefined;
}

/** The `--source` dialects (decision: D267). */
export const SOURCES = {
  snowflake: { separator: ',', escapes: 'unquoted' },
  bigquery: { separator: ',' },
  redshift: { separator: '|', escapes: 'everywhere' },
  spark: { separator: ',', escapes: 'quoted', nulls: ['null'] },
  pandas: { separator: ',', nulls: ['NaN', 'nan', 'None', 'NaT', '<NA>'], floats: true, ignoresUnnamed: true },
  excel: { isLocal: true, ignoresUnnamed: true },
} as const satisfies Record<string, Dialect>;

export type SourceName = keyof typeof SOURCES;

const GROUPED = /^-?\d{1,3}(?:\.\d{3})+$/;
const GROUPED_BY_COMMAS = /^-?\d{1,3}(?:,\d{3})+$/;
const LOCAL = /^(-?\d{1,3}(?:\.\d{3})*|-?\d+),(\d+)$/;

/**
 * Converts a decimal comma (`1.234,50`) to a decimal point. Returns undefined if a point is ambiguous or, in a file with
 * tabs, a comma: Excel writes tabs in every locale, but semicolons only where commas are decimal signs.
 */
export function withDecimalPoint(text: string, hasTabs = false): string | undefined {
  if (GROUPED.test(text) || (hasTabs && GROUPED_BY_COMMAS.test(text))) return undefined;
  const [, whole, fraction] = LOCAL.exec(text) ?? [];
  return whole === undefined ? text : `${whole.replaceAll('.', '')}.${fraction}`;
}

export const NOT_A_HEADER =
  'the first line seems to be a data row, not column names; for a file without a header, pass --headerless --columns A,B';

const PERSON = /[^\s@]@[^\s@.]+\.[^\s@]|^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$|^[0-9a-f]{32,}$/i;
const NUMBER = /^[+-]?\d+(?:[.,]\d+)?$/;

/**
 * True if an unknown column name looks like data, which may be personal and must not be shown as a name. A number may be
 * a year, so it counts only if no column is known.
 */
export function isRow(unknown: readonly string[], hasKnown: boolean): boolean {
  return unknown.some((text) => PERSON.test(text.trim()) || (!hasKnown && NUMBER.test(text.trim())));
}
