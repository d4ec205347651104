// Words that other programs write for a missing value. Some make a cell empty; others must never identify a user.

import { PANDAS_INTEGERS } from '../contract/shared.ts';
import type { Dialect } from './csv/dialect.ts';

/** Word that warehouses write for a missing value, in every format. */
const ALWAYS_NULL = '\\N';
/** Words that pandas, Python and SQL tools write for a missing value. In an attribute, they may also be text. */
const SUSPECT_WORDS = ['NULL', 'null', 'NaN', 'nan', 'None'] as const;

export type NullWords = ReturnType<typeof createNullWords>;

/** `extra` contains the `--null` words, which are added to the dialect's words. */
export function createNullWords(extra: readonly string[], { floats = false, nulls = [] }: Dialect = {}) {
  const empty = new Set([ALWAYS_NULL, ...nulls, ...extra]);
  const suspect = new Set<string>(SUSPECT_WORDS.filter((word) => !empty.has(word)));
  return {
    /** True if a cell with this text is empty: `\N`, or a word of the dialect or of `--null`. */
    isNull: (text: string): boolean => empty.has(text),
    /** True if the text may be another program's word for a missing value. */
    isSuspect: (text: string): boolean => suspect.has(text),
    words: [...empty, ...suspect],
    floats,
  };
}

/** An integer as pandas writes it if its column has gaps. */
export const FLOAT = /^-?\d+\.0$/;
const EXPONENT = /^-?\d+(?:[.,]\d+)?[eE]\+\d+$/;

export const USUAL_NULLS = createNullWords([]);

/** Returns the problem with an identity. With outer spaces, no lookup finds it: the platform compares exactly. */
export function identityIssue(text: string, nulls?: NullWords): string | undefined {
  return text === text.trim()
    ? nullWordIssue(text, nulls)
    : 'starts or ends with a space or a byte order mark; remove it';
}

/** Returns the problem with an identity in a table: a null word, or a floating-point number from pandas or Excel. */
export function nullWordIssue(text: string, nulls: NullWords = USUAL_NULLS): string | undefined {
  if (EXPONENT.test(text))
    return 'is a rounded number such as `1.2E+17`; export the column as text to keep every digit';
  if (nulls.floats && FLOAT.test(text)) return `is a floating-point number; ${PANDAS_INTEGERS}`;
  if (!nulls.isNull(text) && !nulls.isSuspect(text)) return undefined;
  return `is the null word \`${text}\`, not a value; leave the field out${nulls.isNull(text) ? '' : ` or, in a table, treat the word as empty with --null ${text}`}`;
}
