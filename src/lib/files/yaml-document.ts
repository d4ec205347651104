// Reads a YAML 1.2 document as plain data, and finds the positions of its parts. Loaded only for YAML files.
import { Composer, type CST, type Document, isAlias, isMap, isScalar, isSeq, Lexer, Parser } from 'yaml';
import type { Alias, Node, Pair, ParsedNode, Scalar, YAMLError, YAMLMap, YAMLSeq } from 'yaml';
import { withoutOptimizing } from '../kernel/host.ts';
import { isHeld, NOT_HELD } from '../kernel/json.ts';
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

/** Maximum length of a text that is read faster without optimized code. */
const MAX_SHORT = 300_000;

/** Reads one document with the core schema, whatever its `%YAML` line says: `no` and dates are strings. */
export function readYaml(text: string): DocumentReading {
  return text.length > MAX_SHORT ? read(text) : withoutOptimizing(() => read(text));
}

function read(text: string): DocumentReading {
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
  const data = new PlainData();
  const value = data.of(document.contents, []);
  const root = document.contents;
  return { value, problems: data.problems, offsetOf: (path, at) => offsetOf(root, path, at, data.sources) };
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

/** Converts nodes to plain data; an alias becomes the same object as its anchor. */
class PlainData {
  readonly problems: Problem[] = [];
  readonly sources = new Map<Alias, Node>();
  /** Anchors by name. An anchor has no value while its node is being read. */
  readonly #anchors = new Map<string, { node: Node; value?: { it: unknown; size: number } }>();
  /** Number of values so far, including values that aliases repeat. */
  #size = 0;
  #repeated = 0;

  of(node: Node | null, path: ValuePath): unknown {
    this.#size++;
    if (node === null) return null;
    if (isAlias(node)) return this.#alias(node, path);
    const { anchor } = node as ParsedNode & { anchor?: string };
    if (anchor === undefined) return this.#plain(node, path);
    const size = this.#size - 1;
    const entry: { node: Node; value?: { it: unknown; size: number } } = { node };
    this.#anchors.set(anchor, entry);
    const it = this.#plain(node, path);
    entry.value = { it, size: this.#size - size };
    return it;
  }

  #plain(node: Node, path: ValuePath): unknown {
    if (isMap(node)) return this.#map(node, path);
    if (isSeq(node)) return (node as YAMLSeq<Node>).items.map((item, index) => this.of(item, [...path, index]));
    return isScalar(node) ? this.#scalar(node, path) : undefined;
  }

  #map(map: YAMLMap, path: ValuePath): Record<string, unknown> {
    const entries = new Map<string, unknown>();
    for (const { key, value } of (map as YAMLMap<Node | null, Node | null>).items) {
      const text = keyText(key);
      const problem = text === undefined ? 'a key must be plain text' : keyProblem(text, entries);
      const inner = text === undefined ? path : [...path, text];
      if (problem !== undefined) this.#reject(key ?? map, problem, inner);
      const plain = this.of(value, inner);
      if (text !== undefined) entries.set(text, plain);
    }
    return Object.fromEntries(entries);
  }

  #scalar(node: Scalar, path: ValuePath): unknown {
    const { value } = node;
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

  #alias(alias: Alias, path: ValuePath): unknown {
    const source = this.#anchors.get(alias.source);
    if (!source?.value) {
      const reason = source ? 'refers to the value that contains it' : 'has no anchor';
      this.#reject(alias, `the alias *${alias.source} ${reason}`, path);
      return undefined;
    }
    this.sources.set(alias, source.node);
    this.#size += source.value.size;
    this.#repeated += source.value.size;
    if (this.#repeated > MAX_REPEATED) {
      this.#reject(alias, `aliases repeat more than ${MAX_REPEATED} values`, path);
      this.#repeated = -Infinity; // Once is enough.
    }
    return source.value.it;
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

function offsetOf(root: Node | null, path: ValuePath, at: 'key' | undefined, sources: ReadonlyMap<Alias, Node>) {
  let node = root;
  let offset = node?.range?.[0] ?? 0;
  for (const [index, segment] of path.entries()) {
    const around: Node | null | undefined = isAlias(node) ? sources.get(node) : node;
    if (isSeq(around))
      node = typeof segment === 'number' ? ((around.items[segment] as Node | undefined) ?? null) : null;
    else {
      const pair = isMap(around) ? findPair(around, String(segment)) : undefined;
      offset = pair?.key.range?.[0] ?? offset;
      if (at === 'key' && index === path.length - 1) return offset;
      // An omitted value has no position.
      node = pair?.value?.range && pair.value.range[0] < pair.value.range[1] ? pair.value : null;
    }
    if (!node) break;
    offset = node.range?.[0] ?? offset;
  }
  return offset;
}

function findPair(map: YAMLMap, key: string): Pair<Node, Node | null> | undefined {
  return (map.items as Pair<Node, Node | null>[]).find((pair) => keyText(pair.key) === key);
}
