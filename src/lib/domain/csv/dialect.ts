// How the programs write CSV that people export from: separator, header, escapes, null words and decimal sign.

export const DELIMITERS = { comma: ',', semicolon: ';', tab: '\t', pipe: '|' } as const;

/** Where a backslash takes the meaning from the character behind it. */
export type Escapes = 'unquoted' | 'quoted' | 'everywhere';

export interface Dialect {
  /** Undefined: the one that the header has most of. */
  readonly separator?: string | undefined;
  /** The columns of files without a header. */
  readonly columns?: readonly string[] | undefined;
  readonly escapes?: Escapes | undefined;
  /** Words for a missing value, in addition to `\N`. */
  readonly nulls?: readonly string[] | undefined;
  /** Whole numbers may have become floating-point numbers: `123.0` names nobody. */
  readonly floats?: boolean | undefined;
  /** A column without a name is left out: an index of pandas, or what Excel leaves behind the last column. */
  readonly ignoresUnnamed?: boolean | undefined;
  /** Where the separator is no comma, numbers have decimal commas. */
  readonly isLocal?: boolean | undefined;
}

/** What `--source` stands for (decision: D267). */
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
const LOCAL = /^(-?\d{1,3}(?:\.\d{3})*|-?\d+),(\d+)$/;

/** A number with a decimal comma, `1.234,50`, with a point; undefined where nobody can tell what a point means. */
export function withDecimalPoint(text: string): string | undefined {
  if (GROUPED.test(text)) return undefined;
  const [, whole, fraction] = LOCAL.exec(text) ?? [];
  return whole === undefined ? text : `${whole.replaceAll('.', '')}.${fraction}`;
}
