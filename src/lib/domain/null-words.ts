// Words that other programs write for a missing value: some empty a cell, others must at least never name a user.

/** Written for a missing value by warehouses, in every format. */
const ALWAYS_NULL = '\\N';
/** Written for a missing value by pandas, Python and SQL tools; as an attribute, each may be meant as a text. */
const SUSPECT_WORDS = ['NULL', 'null', 'NaN', 'nan', 'None'] as const;

export type NullWords = ReturnType<typeof createNullWords>;

/** `extra` are the words of `--null`. */
export function createNullWords(extra: readonly string[]) {
  const empty = new Set([ALWAYS_NULL, ...extra]);
  const suspect = new Set<string>(SUSPECT_WORDS.filter((word) => !empty.has(word)));
  return {
    /** Whether a cell of this text is empty: `\N` or a word of `--null`. */
    isNull: (text: string): boolean => empty.has(text),
    /** Whether the text may be the missing value of another program. */
    isSuspect: (text: string): boolean => suspect.has(text),
    /** All words of both kinds. */
    words: [...empty, ...suspect],
  };
}

/** Without `--null`. */
export const USUAL_NULLS = createNullWords([]);

/** What is wrong with a null word as an identity; undefined for any other text. */
export function nullWordIssue(text: string, nulls: NullWords = USUAL_NULLS): string | undefined {
  if (!nulls.isNull(text) && !nulls.isSuspect(text)) return undefined;
  return `is the null word \`${text}\`, not a value; leave the field out${nulls.isNull(text) ? '' : `, or in a table treat the word as empty with --null ${text}`}`;
}
