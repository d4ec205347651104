// Splits SQL into tokens, with only as much of the grammar as is needed to find table names.

export type TokenKind = 'word' | 'quoted' | 'string' | 'number' | 'space' | 'comment' | 'symbol' | 'broken';

export interface Token {
  kind: TokenKind;
  /** The source text. A `broken` token is unterminated and contains the rest of the text. */
  text: string;
}

type Kinds = readonly [TokenKind, RegExp][];

/** Tried in order. Each kind matches at least one character. A capture group matches only in an unterminated token. */
const KINDS: Kinds = [
  ['space', /\s+/y],
  ['comment', /--[^\n]*|\/\*[^]*?(?:\*\/|($))/y],
  ['string', /'[^']*(?:''[^']*)*(?:'|($))/y],
  ['quoted', /"[^"]*(?:""[^"]*)*(?:"|($))|`[^`]*(?:``[^`]*)*(?:`|($))|\[[^\]]*(?:\]|($))/y],
  ['number', /\.?\d[\w.]*/y],
  ['word', /[\p{L}_][\p{L}\p{N}_$]*/uy],
  ['symbol', /./suy],
];

/** Syntax of other warehouses: `//` and `#` comments, backslashes in strings, strings in `'''`, `"""` or `$$`. */
const OTHER_DIALECTS: Kinds = [
  ['comment', /\/\/[^\n]*|#[^\n]*/y],
  ['string', /\$\$[^]*?(?:\$\$|($))|'''[^]*?(?:'''|($))|"""[^]*?(?:"""|($))/y],
  ['string', /'(?:[^'\\]|\\[^]?|'')*(?:'|($))/y],
  ...KINDS,
];

/** Every character belongs to exactly one token. */
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

/** Returns the opening delimiter of a `broken` token. */
export function openingOf({ text }: Token): string {
  return text.startsWith('/*') ? '/*' : text.slice(0, 1);
}

export function isKeyword({ kind, text }: Token, ...keywords: string[]): boolean {
  return kind === 'word' && keywords.includes(text.toUpperCase());
}

export function nameOf({ kind, text }: Token): string | undefined {
  if (kind === 'word') return text;
  if (kind !== 'quoted') return undefined;
  const inner = text.slice(1, -1);
  const quote = text[0] ?? '';
  return quote === '[' ? inner : inner.replaceAll(quote + quote, quote);
}

export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
