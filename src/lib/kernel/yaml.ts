// Reads YAML. Most files are plain, and are read many times as fast as by the full reader, which is not even loaded.
import { findSpot, type JsonMembers, type JsonSpot } from './json-syntax.ts';
import type { DocumentReading } from './reading.ts';

/** Reads one document with the core schema, whatever its `%YAML` line says: `no` and dates are strings. */
export async function readYaml(text: string): Promise<DocumentReading> {
  return readPlainYaml(text) ?? (await import('./yaml-document.ts')).readFullYaml(text);
}

/**
 * Reads maps and lists in block style whose values take one line. Returns undefined for any other YAML, and for invalid
 * YAML: only the full reader decides about them.
 */
export function readPlainYaml(text: string): DocumentReading | undefined {
  if (/[^\n\x20-\x7e\u00a1-\u024f]/.test(text)) return undefined;
  try {
    const root: JsonSpot = { offset: 0, end: 0 };
    const value = new PlainReader(partsOf(text)).read(root);
    return { value, problems: [], offsetOf: (path, at) => findSpot(root, path, at).offset };
  } catch (error) {
    if (error === NOT_PLAIN) return undefined;
    throw error;
  }
}

const NOT_PLAIN = new Error('not plain YAML');

/** A dash, a key or a value. The text of a line can be several parts: `- name: value`. */
interface Part {
  kind: 'dash' | 'key' | 'value';
  text: string;
  column: number;
  offset: number;
}

/** YAML allows keys of at most 1,024 characters. */
const LINE = /^( *)((?:- +)?)((?:[A-Za-z_$][\w$-]{0,999}:(?: +|$))?)/;

function partsOf(text: string): Part[] {
  const parts: Part[] = [];
  for (let start = 0, end; start < text.length; start = end + 1) {
    end = text.indexOf('\n', start);
    if (end < 0) end = text.length;
    const line = withoutComment(text.slice(start, end));
    const [begin = '', spaces = '', dash = '', key = ''] = LINE.exec(line) ?? [];
    const value = line.slice(begin.length);
    let column = spaces.length;
    if (dash !== '') parts.push({ kind: 'dash', text: dash, column, offset: start + column });
    column += dash.length;
    if (key !== '') parts.push({ kind: 'key', text: key.slice(0, key.indexOf(':')), column, offset: start + column });
    column += key.length;
    if (value !== '') parts.push({ kind: 'value', text: value, column, offset: start + column });
  }
  return parts;
}

function withoutComment(line: string): string {
  const comment = line.startsWith('#') ? 0 : line.indexOf(' #');
  if (comment < 0) return line.trimEnd();
  const before = line.slice(0, comment).trimEnd();
  // The number sign may be part of a quoted value.
  if (/["']/.test(before)) throw NOT_PLAIN;
  return before;
}

/** Below the limit of the full reader. */
const MAX_DEPTH = 50;

class PlainReader {
  readonly #parts: readonly Part[];
  #next = 0;

  constructor(parts: readonly Part[]) {
    this.#parts = parts;
  }

  read(spot: JsonSpot): unknown {
    const value = this.#block(spot, 0);
    if (this.#next < this.#parts.length) throw NOT_PLAIN;
    return value;
  }

  #block(spot: JsonSpot, depth: number): unknown {
    const part = this.#parts[this.#next];
    if (!part || depth > MAX_DEPTH) throw NOT_PLAIN;
    spot.offset = part.offset;
    if (part.kind === 'dash') return this.#list(part.column, (spot.items = []), depth);
    if (part.kind === 'key') return this.#map(part.column, (spot.members = new Map() as JsonMembers), depth);
    this.#next++;
    return scalar(part.text);
  }

  /** Returns the next part if it continues the list or map in this column. A part in another column is not plain. */
  #nextIn(column: number, kind: Part['kind']): Part | undefined {
    const part = this.#parts[this.#next];
    if (part?.column !== column || part.kind !== kind) return undefined;
    this.#next++;
    return part;
  }

  #list(column: number, items: JsonSpot[], depth: number): unknown[] {
    const list: unknown[] = [];
    while (this.#nextIn(column, 'dash')) {
      const spot: JsonSpot = { offset: 0, end: 0 };
      items.push(spot);
      list.push(this.#block(spot, depth + 1));
    }
    return list;
  }

  #map(column: number, members: JsonMembers, depth: number): Record<string, unknown> {
    const map: Record<string, unknown> = {};
    for (let part; (part = this.#nextIn(column, 'key'));) {
      const { text: key, offset } = part;
      if (key === '__proto__' || members.has(key)) throw NOT_PLAIN;
      const spot: JsonSpot = { offset, end: 0 };
      members.set(key, { key: offset, value: spot });
      const next = this.#parts[this.#next];
      // The dashes of a list may be in the same column as its key.
      const hasValue = next !== undefined && next.column >= column + (next.kind === 'dash' ? 0 : 1);
      // The full reader rejects some comments between a key and its value on another line.
      if (hasValue && next.kind === 'value' && next.offset - offset !== next.column - column) throw NOT_PLAIN;
      map[key] = hasValue ? this.#block(spot, depth + 1) : null;
    }
    return map;
  }
}

/** Text such as `editor`, `2026-01-31` or `50/s`. */
const TEXT = /^(?:[a-z\u00c0-\u024f]|\d+[-/:@a-df-np-wyz])/i;

/** The core schema reads these words as another type. */
const TYPED = /^(?:true|false|null)$/i;

function scalar(text: string): unknown {
  if (TEXT.test(text) && !/: |:$/.test(text) && !TYPED.test(text)) return text;
  if (/^(?:"[^"\\]*"|'[^']*')$/.test(text)) return text.slice(1, -1);
  if (/^(?:0|[1-9]\d{0,14})$/.test(text)) return Number(text);
  if (text === '[]') return [];
  throw NOT_PLAIN;
}
