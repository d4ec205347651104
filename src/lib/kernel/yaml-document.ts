// Reads a YAML 1.2 document as plain data, and finds the positions of its parts. Loaded only for YAML files.
import { Composer, type CST, type Document, isAlias, isMap, isScalar, isSeq, Lexer, Parser } from 'yaml';
import type { Alias, Node, ParsedNode, Scalar, YAMLError, YAMLMap, YAMLSeq } from 'yaml';
import { isHeld, NOT_HELD } from './json.ts';
import { findSpot, type JsonMembers, type JsonSpot } from './json-syntax.ts';
import {
  type DocumentReading,
  keyProblem,
  MAX_DEPTH,
  type Problem,
  TOO_DEEP,
  UNPRINTABLE,
  type ValuePath,
} from './reading.ts';

/** Maximum number of values that aliases may add, to stop alias bombs. */
const MAX_REPEATED = 100_000;

/** Maximum number of digits in an integer. No id has more. */
const MAX_DIGITS = 1000;

/** Reads one document with the core schema, and describes every problem. */
export function readFullYaml(text: string): DocumentReading {
  let document: Document.Parsed | undefined;
  const { stackTraceLimit } = Error;
  // A megabyte of quotes causes half a million errors, whose stack traces are never shown.
  Error.stackTraceLimit = 0;
  try {
    const composer = new Composer({ schema: 'core', resolveKnownTags: false, uniqueKeys: false });
    for (const found of composer.compose(tokensOf(text), true, text.length)) {
      if (document) return rejected(found.range[0], 'a second document begins here; a file may have only one');
      document = found;
    }
  } catch (error) {
    if (error instanceof TooDeep) return rejected(error.offset, TOO_DEEP);
    throw error;
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
  const control = UNPRINTABLE.exec(text);
  if (control) {
    const code = control[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
    return rejected(control.index, `unescaped control character U+${code}`);
  }
  const problems = document ? [...document.errors, ...document.warnings].map(syntaxProblem) : [];
  if (problems.length > 0 || !document) {
    return { value: undefined, problems, offsetOf: () => 0 };
  }
  const data = new PlainData(text);
  const root: JsonSpot = { offset: 0, end: 0 };
  const value = data.of(document.contents, [], root);
  return { value, problems: data.problems, offsetOf: (path, at) => findSpot(root, path, at).offset };
}

function rejected(offset: number, message: string): DocumentReading {
  return { value: undefined, problems: [{ offset, message }], offsetOf: () => offset };
}

class TooDeep extends Error {
  readonly offset: number;
  constructor(offset: number) {
    super(TOO_DEEP);
    this.offset = offset;
  }
}

/** Limits the depth: the parser has its own stack, but the composer is recursive. */
function* tokensOf(text: string): Generator<CST.Token, void> {
  const parser = new Parser();
  for (const lexeme of new Lexer().lex(text)) {
    yield* parser.next(lexeme);
    // The first entry on the stack is the document; the last may be a scalar.
    const innermost = parser.stack.length > MAX_DEPTH + 1 ? parser.stack.at(-1) : undefined;
    if (innermost && 'items' in innermost) throw new TooDeep(innermost.offset);
  }
  yield* parser.end();
}

function syntaxProblem({ code, message, pos }: YAMLError): Problem {
  const [offset] = pos;
  if (code === 'TAG_RESOLVE_FAILED') return { offset, message: 'a tag of this kind is not allowed' };
  const closing = /^Missing closing (.)quote$/.exec(message)?.[1] ?? /^Flow .* end with a (.)$/.exec(message)?.[1];
  return { offset, message: closing === undefined ? message : `the closing ${closing} is missing` };
}

interface Anchor {
  spot: JsonSpot;
  /** Missing while the anchored value is being read. */
  value?: { it: unknown; size: number };
}

/** Converts nodes to plain data; an alias becomes the same object as its anchor. */
class PlainData {
  readonly problems: Problem[] = [];
  readonly #text: string;
  readonly #anchors = new Map<string, Anchor>();
  /** Number of values so far, including values that aliases repeat. */
  #size = 0;
  #repeated = 0;

  constructor(text: string) {
    this.#text = text;
  }

  of(node: Node | null, path: ValuePath, spot: JsonSpot): unknown {
    this.#size++;
    if (node === null) return null;
    spot.offset = node.range?.[0] ?? spot.offset;
    if (isAlias(node)) return this.#alias(node, path, spot);
    const { anchor: name } = node as ParsedNode & { anchor?: string };
    if (name === undefined) return this.#plain(node, path, spot);
    const size = this.#size - 1;
    const anchor: Anchor = { spot };
    this.#anchors.set(name, anchor);
    const it = this.#plain(node, path, spot);
    anchor.value = { it, size: this.#size - size };
    return it;
  }

  #plain(node: Node, path: ValuePath, spot: JsonSpot): unknown {
    if (isMap(node)) return this.#map(node, path, (spot.members = new Map() as JsonMembers));
    if (isScalar(node)) return this.#scalar(node, path);
    if (!isSeq(node)) return undefined;
    const items = (node as YAMLSeq<Node>).items.map((item) => ({ item, spot: { offset: spot.offset, end: 0 } }));
    spot.items = items.map((each) => each.spot);
    return items.map((each, index) => this.of(each.item, [...path, index], each.spot));
  }

  #map(map: YAMLMap, path: ValuePath, members: JsonMembers): Record<string, unknown> {
    const entries = new Map<string, unknown>();
    for (const { key, value } of (map as YAMLMap<Node | null, Node | null>).items) {
      const text = keyText(key);
      const problem = text === undefined ? 'a key must be plain text' : keyProblem(text, entries);
      const inner = text === undefined ? path : [...path, text];
      if (problem !== undefined) this.#reject(key ?? map, problem, inner);
      const offset = key?.range?.[0] ?? 0;
      const spot: JsonSpot = { offset, end: 0 };
      const plain = this.of(value, inner, spot);
      // An omitted value has no position.
      if (value?.range?.[0] === value?.range?.[1]) spot.offset = offset;
      if (text === undefined) continue;
      entries.set(text, plain);
      members.set(text, { key: offset, value: spot });
    }
    return Object.fromEntries(entries);
  }

  #scalar(node: Scalar, path: ValuePath): unknown {
    const { range, type, value } = node;
    if (type?.startsWith('QUOTE') && range && isUnclosed(this.#text.slice(range[0] + 1, range[1])))
      this.problems.push({ offset: range[1], message: `the closing ${this.#text.charAt(range[0])} is missing` });
    if (typeof value !== 'number') return value;
    const source = node.source ?? '';
    if (/^[-+]?(\d+|0o[0-7]+|0x[\da-f]+)$/i.test(source)) {
      if (Number.isSafeInteger(value)) return value;
      if (source.length > MAX_DIGITS) this.#reject(node, `a number has more than ${MAX_DIGITS} digits`, path);
      else return BigInt(source); // Only decimal numbers have a sign.
    } else if (!Number.isFinite(value)) this.#reject(node, 'not a number that JSON can represent', path);
    else if (!isHeld(source)) this.#reject(node, NOT_HELD, path);
    return value;
  }

  #alias(alias: Alias, path: ValuePath, spot: JsonSpot): unknown {
    const anchor = this.#anchors.get(alias.source);
    if (!anchor?.value) {
      const reason = anchor ? 'refers to the value that contains it' : 'has no anchor';
      this.#reject(alias, `the alias *${alias.source} ${reason}`, path);
      return undefined;
    }
    Object.assign(spot, { items: anchor.spot.items, members: anchor.spot.members });
    this.#size += anchor.value.size;
    this.#repeated += anchor.value.size;
    if (this.#repeated > MAX_REPEATED) {
      this.#reject(alias, `aliases repeat more than ${MAX_REPEATED} values`, path);
      this.#repeated = -Infinity; // Once is enough.
    }
    return anchor.value.it;
  }

  #reject(node: Node, message: string, path: ValuePath): void {
    this.problems.push({ offset: node.range?.[0] ?? 0, message, path });
  }
}

/** Returns a key as it is written, whatever its type would be as a value: `no`, `1`, `012`. */
function keyText(key: Node | null): string | undefined {
  if (!isScalar(key)) return undefined;
  if (typeof key.value === 'string') return key.value;
  return key.source === '' ? undefined : key.source;
}

/**
 * The package accepts `"x\"` and `'x''` at the end of a text and before a line that is indented less, so a file that was cut
 * off could seem complete.
 */
function isUnclosed(afterQuote: string): boolean {
  return /(?<!\\)\\(?:\\\\)*"$|(?<!')(?:'')+$/.test(afterQuote);
}
