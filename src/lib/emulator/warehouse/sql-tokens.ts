// SQL cut into tokens: as much of the language as it takes to find the names of tables.

export type TokenKind = 'word' | 'quoted' | 'string' | 'number' | 'space' | 'comment' | 'symbol' | 'broken';

export interface Token {
  kind: TokenKind;
  /** As it is written. */
  text: string;
}

/** Tried in turn at each place; each matches one character at least. `broken` has an opening and no end. */
const KINDS: readonly [TokenKind, RegExp][] = [
  ['space', /\s+/y],
  ['comment', /--[^\n]*|\/\*[^]*?\*\//y],
  ['string', /'(?:[^']|'')*'/y],
  ['quoted', /"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]/y],
  ['broken', /\/\*|['"`[]/y],
  ['number', /\.?\d[\w.]*/y],
  ['word', /[\p{L}_][\p{L}\p{N}_$]*/uy],
  ['symbol', /./suy],
];

/** Every character of the text is in exactly one token. */
export function tokenize(sql: string): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < sql.length;) {
    const [kind, text] = tokenAt(sql, at);
    tokens.push({ kind, text });
    at += text.length;
  }
  return tokens;
}

function tokenAt(sql: string, at: number): [TokenKind, string] {
  for (const [kind, pattern] of KINDS) {
    pattern.lastIndex = at;
    const text = pattern.exec(sql)?.[0];
    if (text !== undefined) return [kind, text];
  }
  return ['symbol', sql.slice(at, at + 1)];
}

export function isKeyword({ kind, text }: Token, ...keywords: string[]): boolean {
  return kind === 'word' && keywords.includes(text.toUpperCase());
}

/** The name that a word or a quoted token stands for; undefined for other tokens. */
export function nameOf({ kind, text }: Token): string | undefined {
  if (kind === 'word') return text;
  if (kind !== 'quoted') return undefined;
  const inner = text.slice(1, -1);
  const quote = text[0] ?? '';
  return quote === '[' ? inner : inner.replaceAll(quote + quote, quote);
}

/** A name as SQLite reads it, whatever stands in it. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
