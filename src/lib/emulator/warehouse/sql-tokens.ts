// SQL cut into tokens: as much of the language as it takes to find the names of tables.

export type TokenKind = 'word' | 'quoted' | 'string' | 'number' | 'space' | 'comment' | 'symbol' | 'broken';

export interface Token {
  kind: TokenKind;
  /** As it is written. A `broken` one has an opening, no end, and all the rest of the text. */
  text: string;
}

type Kinds = readonly [TokenKind, RegExp][];

/** Tried in turn at each place; each matches at least one character. A group catches the end of a text that nothing closes. */
const KINDS: Kinds = [
  ['space', /\s+/y],
  ['comment', /--[^\n]*|\/\*[^]*?(?:\*\/|($))/y],
  ['string', /'[^']*(?:''[^']*)*(?:'|($))/y],
  ['quoted', /"[^"]*(?:""[^"]*)*(?:"|($))|`[^`]*(?:``[^`]*)*(?:`|($))|\[[^\]]*(?:\]|($))/y],
  ['number', /\.?\d[\w.]*/y],
  ['word', /[\p{L}_][\p{L}\p{N}_$]*/uy],
  ['symbol', /./suy],
];

/**
 * What other warehouses read besides: comments after `//` and `#`, backslashes within strings, strings between three
 * quotes or two dollar signs.
 */
const OTHER_DIALECTS: Kinds = [
  ['comment', /\/\/[^\n]*|#[^\n]*/y],
  ['string', /\$\$[^]*?(?:\$\$|($))|'''[^]*?(?:'''|($))|"""[^]*?(?:"""|($))/y],
  ['string', /'(?:[^'\\]|\\[^]?|'')*(?:'|($))/y],
  ...KINDS,
];

/** Every character of the text is in exactly one token. */
export function tokenize(sql: string, dialect: 'standard' | 'any' = 'standard'): Token[] {
  const kinds = dialect === 'any' ? OTHER_DIALECTS : KINDS;
  const tokens: Token[] = [];
  for (let at = 0; at < sql.length;) {
    const token = tokenAt(sql, at, kinds);
    tokens.push(token);
    at += token.text.length;
  }
  return tokens;
}

function tokenAt(sql: string, at: number, kinds: Kinds): Token {
  for (const [kind, pattern] of kinds) {
    pattern.lastIndex = at;
    const found = pattern.exec(sql);
    if (found) return { kind: found.indexOf('', 1) > 0 ? 'broken' : kind, text: found[0] };
  }
  return { kind: 'symbol', text: sql.slice(at, at + 1) };
}

/** What opens a `broken` token. */
export function openingOf({ text }: Token): string {
  return text.startsWith('/*') ? '/*' : text.slice(0, 1);
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
