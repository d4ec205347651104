// Checks that a data model's query is a single SELECT, and rewrites its table names for SQLite (decision: D68).
import { isKeyword, nameOf, openingOf, quoteName, type Token, tokenize } from './sql-tokens.ts';
import { largest } from '../../kernel/words.ts';

const ENDS_FROM = ['WHERE', 'GROUP', 'HAVING', 'ORDER', 'LIMIT', 'WINDOW', 'UNION', 'EXCEPT', 'INTERSECT'];

const ENDS_COLUMNS = ['INTO', 'FROM', 'WHERE', 'UNION', 'EXCEPT', 'INTERSECT'];

const VERBS = ['SELECT', 'VALUES', 'INSERT', 'UPDATE', 'DELETE', 'REPLACE'];

/** Returns the problem with a query's outer form; undefined for a single SELECT or WITH … SELECT in any dialect. */
export function describeForm(sql: string): string | undefined {
  const complaint = complaintAbout(tokenize(sql));
  return complaint === undefined || complaintAbout(tokenize(sql, 'any')) === undefined ? undefined : complaint;
}

function complaintAbout(all: readonly Token[]): string | undefined {
  const tokens = all.filter(({ kind }) => kind !== 'space' && kind !== 'comment');
  const broken = all.find(({ kind }) => kind === 'broken');
  if (broken) return `${openingOf(broken)} is not closed`;
  const end = tokens.findIndex(({ text }) => text === ';');
  const statement = end === -1 ? tokens : tokens.slice(0, end);
  const [first] = statement;
  if (!first) return 'the query is empty';
  if (end !== -1 && tokens.slice(end).some(({ text }) => text !== ';')) return 'only a single statement is allowed';
  if (!isKeyword(first, 'SELECT', 'WITH')) return `a query begins with SELECT or WITH, not with ${first.text}`;
  const depths = depthsOf(statement);
  if (depths.some((depth) => depth < 0)) return 'unmatched )';
  if (depths.at(-1) !== 0) return '( is not closed';
  const verb = statement.find((token, index) => depths[index] === 0 && isKeyword(token, ...VERBS));
  if (!verb || !isKeyword(verb, 'SELECT')) return `only SELECT is allowed${verb ? `, not ${verb.text}` : ''}`;
  const write = statement.find((_, index) => writesInside(statement, index));
  if (write) return `only SELECT is allowed, not ${write.text}`;
  return statement.some((_, index) => selectsNothing(statement, index)) ? 'SELECT has no columns' : undefined;
}

/** Returns the number of open parentheses after each token. */
function depthsOf(tokens: readonly Token[]): number[] {
  let depth = 0;
  return tokens.map(({ text }) => {
    if (text === '(') depth++;
    if (text === ')') depth--;
    return depth;
  });
}

/** True if the token is the INTO of a SELECT, or the first word of a write in a WITH clause. */
function writesInside(tokens: readonly Token[], index: number): boolean {
  const [owner, before, token, next] = tokens.slice(Math.max(0, index - 2), index + 2);
  if (index < 2 || !owner || !before || !token || !next || before.text === '.') return false;
  const begins = before.text === '(' && isKeyword(owner, 'AS', 'MATERIALIZED') && next.kind !== 'symbol';
  return isKeyword(token, 'INTO') || (begins && isKeyword(token, 'INSERT', 'UPDATE', 'DELETE', 'MERGE'));
}

/** True if the token is a SELECT, or its DISTINCT or ALL, and is not followed by a column. */
function selectsNothing(tokens: readonly Token[], index: number): boolean {
  const [before, token, next] = [tokens[index - 1], tokens[index], tokens[index + 1]];
  if (!token || before?.text === '.') return false;
  const selects =
    isKeyword(token, 'SELECT') || (isKeyword(token, 'DISTINCT', 'ALL') && before && isKeyword(before, 'SELECT'));
  return selects === true && (next === undefined || [')', ','].includes(next.text) || isKeyword(next, ...ENDS_COLUMNS));
}

/** Returns a function that finds the table for the parts of a qualified name, or else returns the whole name. */
export function resolveAmong(tables: readonly string[]): (parts: readonly string[]) => string {
  const byName = new Map(tables.map((table) => [table.toLowerCase(), table]));
  const mostParts = largest(tables.map((table) => table.split('.').length));
  return (parts) => {
    for (let from = Math.max(0, parts.length - mostParts); from < parts.length; from++) {
      const found = byName.get(parts.slice(from).join('.').toLowerCase());
      if (found !== undefined) return found;
    }
    return parts.join('.');
  };
}

/** A name, qualified or not: the indexes of its first and last tokens, and its parts. */
interface Chain {
  first: number;
  last: number;
  parts: string[];
}

/** Quotes each qualified table name. Its last part becomes the alias, unless the table has one. Removes semicolons. */
export function rewriteTables(sql: string, resolve: (parts: readonly string[]) => string): string {
  const tokens = tokenize(sql);
  const positions = tablePositions(tokens);
  const chains = findChains(tokens);
  const tables = chains.filter(({ first, parts }) => positions.has(first) && parts.length > 1);
  const qualified = new Set(tables.map(({ parts }) => keyOf(parts)));
  const output = tokens.map(({ text }) => (text === ';' ? '' : text));
  const put = ({ first, last }: Chain, text: string): void => {
    output.fill('', first, last + 1);
    output[first] = text;
  };
  for (const chain of tables) {
    const name = quoteName(lastOf(chain.parts));
    const table = quoteName(resolve(chain.parts));
    put(chain, table === name || hasAlias(tokens, chain.last) ? table : `${table} AS ${name}`);
  }
  for (const chain of chains) {
    // Outside table positions, a qualified name is a column, whose qualifier may be the full name of its table.
    const owner = chain.parts.slice(0, -1);
    if (positions.has(chain.first) || !qualified.has(keyOf(owner))) continue;
    const column = lastOf(chain.parts);
    put(chain, `${quoteName(lastOf(owner))}.${column === '*' ? column : quoteName(column)}`);
  }
  return output.join('');
}

function lastOf(parts: readonly string[]): string {
  return parts.at(-1) ?? '';
}

const NO_ALIAS = [
  ...['JOIN', 'LEFT', 'RIGHT', 'FULL', 'INNER', 'OUTER', 'CROSS', 'NATURAL', 'ON', 'USING', 'INDEXED', 'NOT'],
  ...ENDS_FROM,
];

/** True if the table whose name ends at `last` has an alias. */
function hasAlias(tokens: readonly Token[], last: number): boolean {
  let at = last + 1;
  while (tokens[at]?.kind === 'space' || tokens[at]?.kind === 'comment') at += 1;
  const next = tokens[at];
  return next !== undefined && nameOf(next) !== undefined && !isKeyword(next, ...NO_ALIAS);
}

function keyOf(parts: readonly string[]): string {
  return JSON.stringify(parts.map((part) => part.toLowerCase()));
}

/** Finds names, with parts joined by dots. As in some warehouses, quoted text may contain several parts. */
function findChains(tokens: readonly Token[]): Chain[] {
  const chains: Chain[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const name = tokens[at] && nameOf(tokens[at] as Token);
    if (name === undefined) continue;
    const first = at;
    const parts = tokens[at]?.kind === 'quoted' && name.includes('.') ? name.split('.') : [name];
    while (tokens[at + 1]?.text === '.') {
      const next = tokens[at + 2];
      const part = next?.text === '*' ? '*' : next && nameOf(next);
      if (part === undefined) break;
      parts.push(part);
      at += 2;
    }
    chains.push({ first, last: at, parts });
  }
  return chains;
}

/** The parser's state at one level of parentheses. */
interface Frame {
  /** True inside a SELECT, where FROM names tables. False in `EXTRACT(year FROM x)`. */
  select: boolean;
  /** True between FROM and the next clause, where a comma precedes another table. */
  from: boolean;
  /** True if a table name can start here. */
  expect: boolean;
}

/** Returns the indexes of the tokens where a table name starts. */
function tablePositions(tokens: readonly Token[]): ReadonlySet<number> {
  const positions = new Set<number>();
  const frames: Frame[] = [];
  let frame: Frame = { select: false, from: false, expect: false };
  let before: Token | undefined;
  tokens.forEach((token, index) => {
    if (token.kind === 'space' || token.kind === 'comment') return;
    if (token.text === '(') {
      frames.push({ ...frame, expect: false });
      frame = { select: frame.expect, from: frame.expect, expect: frame.expect };
    } else if (token.text === ')') {
      frame = frames.pop() ?? frame;
    } else if (isKeyword(token, 'SELECT')) {
      frame = { select: true, from: false, expect: false };
    } else if (frame.select && isKeyword(token, 'FROM') && !(before && isKeyword(before, 'DISTINCT'))) {
      frame = { select: true, from: true, expect: true };
    } else if (frame.from && (token.text === ',' || isKeyword(token, 'JOIN'))) {
      frame.expect = true;
    } else if (frame.from && isKeyword(token, ...ENDS_FROM)) {
      frame = { select: true, from: false, expect: false };
    } else {
      if (frame.expect && nameOf(token) !== undefined) positions.add(index);
      frame.expect = false;
    }
    before = token;
  });
  return positions;
}
