// Reads the YAML that most documents are made of, ten times as fast as the full reader and without loading it.
import { type DocumentReading, findSpot, MAX_DEPTH, type Spot, UNPRINTABLE } from './reading.ts';

/**
 * Reads maps and lists in block style, texts and numbers on one line, lists in brackets on one line. Undefined for
 * everything else, and for whatever is wrong: the full reader then reads it, or says what is wrong with it.
 */
export function readPlainYaml(text: string): DocumentReading | undefined {
  // Spaces of other kinds, carriage returns by themselves, marks and directives of documents.
  if (/[^\S \r\n]|\r(?!\n)|^(?:---|\.\.\.|%)/m.test(text) || UNPRINTABLE.test(text)) return undefined;
  try {
    const { value, spot } = new PlainReader(text).read();
    return { value, problems: [], offsetOf: (path, at) => findSpot(spot, path, at).offset };
  } catch (error) {
    if (error instanceof NotPlain) return undefined;
    throw error;
  }
}

/** Leads from wherever something is not plain to the full reader. */
class NotPlain extends Error {}

interface Line {
  /** The offset of its first character that is no space. */
  offset: number;
  indent: number;
  content: string;
}

interface Read {
  value: unknown;
  spot: Spot;
}

/** Patterns take their time, and their stack, on longer ones. */
const MAX_LINE = 10_000;

const ENTRY = /^([A-Za-z_$][\w$.-]*):(?: +(\S.*)?)?$/;

class PlainReader {
  readonly #lines: Line[] = [];
  #at = 0;

  constructor(text: string) {
    for (let start = 0, end; start < text.length; start = end + 1) {
      end = text.indexOf('\n', start);
      if (end < 0) end = text.length;
      if (end - start > MAX_LINE) throw new NotPlain();
      const line = text.slice(start, end).trimEnd();
      const content = line.trimStart();
      if (content === '' || content.startsWith('#')) continue;
      const indent = line.length - content.length;
      this.#lines.push({ offset: start + indent, indent, content: withoutComment(content) });
    }
  }

  read(): Read {
    const first = this.#lines[0];
    if (first?.indent !== 0) throw new NotPlain();
    const read = this.#block(first, 1);
    if (this.#at < this.#lines.length) throw new NotPlain();
    return read;
  }

  /** The map or list whose first line is the one at hand. */
  #block(first: Line, depth: number): Read {
    if (depth > MAX_DEPTH) throw new NotPlain();
    return isItem(first) ? this.#list(first, depth) : this.#map(first, depth);
  }

  #list({ indent, offset }: Line, depth: number): Read {
    const values: unknown[] = [];
    const items: Spot[] = [];
    for (let line = this.#line(indent); line && isItem(line); line = this.#line(indent)) {
      const content = line.content.slice(1).trimStart();
      const inner = line.content.length - content.length;
      const item = { offset: line.offset + inner, indent: indent + inner, content };
      const { value, spot } = this.#item(item, line, depth);
      values.push(value);
      items.push(spot);
    }
    return { value: values, spot: { offset, items } };
  }

  #item(item: Line, dash: Line, depth: number): Read {
    if (isWord(item.content)) return this.#inline(item);
    if (item.content === '') return this.#below(dash.indent + 1, dash.offset, depth);
    if (isItem(item)) throw new NotPlain();
    if (!ENTRY.test(item.content)) return this.#inline(item);
    // The first entry of a map stands behind the dash: as if it stood on a line of its own.
    this.#lines[this.#at] = item;
    return this.#map(item, depth + 1);
  }

  #map({ indent, offset }: Line, depth: number): Read {
    const values = new Map<string, unknown>();
    const members: NonNullable<Spot['members']> = new Map();
    for (let line = this.#line(indent); line && !isItem(line); line = this.#line(indent)) {
      const [, key, content = ''] = ENTRY.exec(line.content) ?? [];
      if (key === undefined || key === '__proto__' || values.has(key)) throw new NotPlain();
      const inner = line.content.length - content.length;
      const { value, spot } =
        content === ''
          ? this.#below(indent, line.offset, depth)
          : this.#inline({ offset: line.offset + inner, content });
      values.set(key, value);
      members.set(key, { key: line.offset, value: spot });
    }
    return { value: Object.fromEntries(values), spot: { offset, members } };
  }

  /** What stands on the lines below a key or a dash, with at least this indentation; null when nothing does. */
  #below(indent: number, offset: number, depth: number): Read {
    this.#at++;
    const line = this.#lines[this.#at];
    // A list may begin right below its key.
    const isInside = line && (line.indent > indent || (line.indent === indent && isItem(line)));
    return isInside ? this.#block(line, depth + 1) : { value: null, spot: { offset } };
  }

  #inline({ offset, content }: Pick<Line, 'offset' | 'content'>): Read {
    this.#at++;
    if (!content.startsWith('[')) return { value: scalar(content), spot: { offset } };
    const items: Spot[] = [];
    const values = flowItems(content).map(({ from, text }) => {
      items.push({ offset: offset + from });
      return scalar(text);
    });
    return { value: values, spot: { offset, items } };
  }

  /**
   * The line at hand, where it belongs to the block of this indentation. A deeper one, such as a text that goes on, is
   * out of place and then left over.
   */
  #line(indent: number): Line | undefined {
    const line = this.#lines[this.#at];
    return line?.indent === indent ? line : undefined;
  }
}

function isItem({ content }: Line): boolean {
  return content === '-' || content.startsWith('- ');
}

/** A comment begins at a hash behind a space, unless in quotes; where both occur the full reader decides. */
function withoutComment(content: string): string {
  const hash = content.indexOf(' #');
  if (hash < 0) return content;
  const before = content.slice(0, hash);
  if (/["']/.test(before) && !/^[^"']*(?:"[^"\\]*"|'[^']*')$/.test(before.trimEnd())) throw new NotPlain();
  return before.trimEnd();
}

/** The scalars between brackets, each with where it begins. */
function flowItems(content: string): { from: number; text: string }[] {
  if (!/^\[[^[\]{}"'#]*\]$/.test(content)) throw new NotPlain();
  if (content.slice(1, -1).trim() === '') return [];
  let from = 1;
  return content
    .slice(1, -1)
    .split(',')
    .map((part) => {
      const item = { from: from + part.length - part.trimStart().length, text: part.trim() };
      from += part.length + 1;
      return item;
    });
}

/** One word of letters, digits and the signs of ids, such as a task's, that is a text and neither a key nor a truth. */
function isWord(content: string): boolean {
  return WORD.test(content) && !TRUTH.test(content);
}

const WORD = /^[A-Za-z][\w.*/-]*(?::[\w.*/-]+)*$/;
const TRUTH = /^(?:true|false|null)$/i;

function scalar(content: string): unknown {
  if (isWord(content)) return content;
  if (content.startsWith('"')) return quoted(content);
  if (content.startsWith("'")) {
    if (!/^'(?:[^']|'')*'$/.test(content)) throw new NotPlain();
    return content.slice(1, -1).replaceAll("''", "'");
  }
  // Begins with no sign of its own, and holds none of a key.
  if (!/^[\p{L}\d_/$(.+-]/u.test(content) || /^[-?]$|^[-?] |: |:$/.test(content)) throw new NotPlain();
  if (/^(?:[-+.]|\d)/.test(content)) return numberOrText(content);
  if (TRUTH.test(content)) return word(content);
  return content;
}

function quoted(content: string): string {
  if (!/^"(?:[^"\\]|\\["\\/bfnrt]|\\u[\da-fA-F]{4})*"$/.test(content)) throw new NotPlain();
  return JSON.parse(content) as string;
}

function numberOrText(content: string): unknown {
  if (/^-?\d{1,15}$/.test(content)) return Number(content);
  // A date or an address begins like a number, but is none.
  if (/^\d[\d.]*[^\d.eExXoO+]/.test(content)) return content;
  throw new NotPlain();
}

function word(content: string): boolean | null {
  const lower = content.toLowerCase();
  const isSpelt = [lower, lower.toUpperCase(), `${lower.charAt(0).toUpperCase()}${lower.slice(1)}`].includes(content);
  if (!isSpelt) throw new NotPlain();
  return lower === 'null' ? null : lower === 'true';
}
