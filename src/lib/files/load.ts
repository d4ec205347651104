// Loads a YAML or JSON document together with the place of everything in it, so that an issue can name its line.
import type { Document, LineCounter, Node, Pair, ParsedNode, YAMLError } from 'yaml';
import { type Issue, invalidInput } from '../kernel/errors.ts';
import { JsonError, parseJson } from '../kernel/json.ts';
import { type InputSource, readInput } from './read-input.ts';

/** The way to a value: keys and indexes from the root. */
export type ValuePath = readonly (string | number)[];

export interface Place {
  line: number;
  column: number;
}

export interface LoadedDocument {
  /** The path as given, `<stdin>` for `-`. */
  name: string;
  format: 'yaml' | 'json';
  text: string;
  /** Integers beyond 2^53 are bigint. */
  value: unknown;
  /**
   * Line and column, from 1, of the value at `path` (of its key with `at: 'key'`); of the nearest thing around it
   * when there is nothing at that path.
   */
  locate(path: ValuePath, at?: 'key'): Place;
}

/** Deeper nesting than any document has a use for. */
const MAX_DEPTH = 100;
/** Aliases may repeat parts of a document, but not blow it up. */
const MAX_ALIASES = 100;

/** Reads and parses the file at `path` (`-` is stdin). Throws CliError invalid input (9) with every place. */
export async function loadDocument(path: string, source: InputSource): Promise<LoadedDocument> {
  const { name, text } = await readInput(path, source);
  return parseDocumentText(name, text, /\.(json|jsonc)$/i.test(name) ? 'json' : 'yaml');
}

/** Parses text as YAML 1.2, or as strict JSON. Refuses duplicate keys, `__proto__`, alias bombs and deep nesting. */
export async function parseDocumentText(name: string, text: string, format: 'yaml' | 'json'): Promise<LoadedDocument> {
  const yaml = await import('yaml');
  const lines = new yaml.LineCounter();
  if (nestsDeeply(text)) throw syntaxIssue(name, { line: 1, column: 1 }, `nested deeper than ${MAX_DEPTH} levels`);
  const json = format === 'json' ? parseStrictJson(name, text) : undefined;
  const document = yaml.parseDocument(text, {
    lineCounter: lines,
    intAsBigInt: true,
    prettyErrors: false,
    uniqueKeys: true,
    ...(format === 'json' ? { schema: 'json' as const } : {}),
  });
  const problems = [...document.errors, ...document.warnings];
  if (problems.length > 0) throw syntaxError(name, problems, lines);
  checkKeys(name, document, lines, yaml);
  let value: unknown;
  try {
    value = json ? json.value : narrowIntegers(document.toJS({ maxAliasCount: MAX_ALIASES }));
  } catch (error) {
    throw syntaxIssue(name, { line: 1, column: 1 }, `cannot be read: ${(error as Error).message}`);
  }
  return {
    name,
    format,
    text,
    value,
    locate: (path, at) => placeOf(lines, offsetAt(document, path, at, yaml)),
  };
}

function parseStrictJson(name: string, text: string): { value: unknown } {
  try {
    return { value: parseJson(text) };
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    const before = text.slice(0, error.offset ?? 0);
    throw syntaxIssue(
      name,
      { line: before.split('\n').length, column: before.length - before.lastIndexOf('\n') },
      error.message,
    );
  }
}

function syntaxError(name: string, problems: YAMLError[], lines: LineCounter) {
  const issues = problems.slice(0, 20).map((problem): Issue => {
    const duplicate = 'code' in problem && problem.code === 'DUPLICATE_KEY';
    const message = duplicate ? 'this key stands here a second time' : problem.message.replace(/; please use .*$/, '');
    return { file: name, path: '', ...placeOf(lines, problem.pos[0]), message };
  });
  return invalidInput(`${name} cannot be read.`, issues);
}

function syntaxIssue(name: string, place: Place, message: string) {
  return invalidInput(`${name} cannot be read.`, [{ file: name, path: '', ...place, message }]);
}

function placeOf(lines: LineCounter, offset: number): Place {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(1, line), column: Math.max(1, col) };
}

type Yaml = typeof import('yaml');

function checkKeys(name: string, document: Document.Parsed, lines: LineCounter, yaml: Yaml): void {
  const issues: Issue[] = [];
  yaml.visit(document, {
    Pair: (_key, pair) => {
      const key = pair.key as Node | null;
      if (!yaml.isScalar(key) || typeof key.value !== 'string') {
        const offset = key?.range?.[0] ?? 0;
        if (yaml.isScalar(key) && (typeof key.value === 'bigint' || typeof key.value === 'boolean')) return;
        issues.push({ file: name, path: '', ...placeOf(lines, offset), message: 'a key must be plain text' });
      } else if (key.value === '__proto__') {
        issues.push({
          file: name,
          path: '__proto__',
          ...placeOf(lines, key.range?.[0] ?? 0),
          message: 'this key is not allowed',
        });
      }
    },
  });
  if (issues.length > 0) throw invalidInput(`${name} cannot be read.`, issues);
}

/** `intAsBigInt` makes every integer a bigint; only those that a double cannot hold stay one. */
function narrowIntegers(value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (Array.isArray(value)) return value.map(narrowIntegers);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, narrowIntegers(item)]));
}

/** A cheap look ahead at brackets and indentation, because the parser itself recurses. */
function nestsDeeply(text: string): boolean {
  let depth = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === 0x5b || code === 0x7b) {
      if (++depth > MAX_DEPTH) return true;
    } else if ((code === 0x5d || code === 0x7d) && depth > 0) depth--;
  }
  return /^ *(?:- ){100}/m.test(text) || indentDepth(text) > MAX_DEPTH;
}

function indentDepth(text: string): number {
  const open: number[] = [];
  let deepest = 0;
  for (const match of text.matchAll(/^( *)\S/gm)) {
    const indent = match[1]?.length ?? 0;
    while (open.length > 0 && (open.at(-1) ?? 0) >= indent) open.pop();
    open.push(indent);
    deepest = Math.max(deepest, open.length);
  }
  return deepest;
}

function offsetAt(document: Document.Parsed, path: ValuePath, at: 'key' | undefined, yaml: Yaml): number {
  let node: ParsedNode | null = document.contents;
  let offset = node?.range[0] ?? 0;
  for (const [index, segment] of path.entries()) {
    if (yaml.isAlias(node)) node = (node.resolve(document) as ParsedNode | undefined) ?? null;
    if (yaml.isSeq(node) && typeof segment === 'number') {
      node = (node.items[segment] as ParsedNode | undefined) ?? null;
    } else if (yaml.isMap(node)) {
      const pair = (node.items as Pair<ParsedNode, ParsedNode | null>[]).find(
        (item) => yaml.isScalar(item.key) && String(item.key.value) === String(segment),
      );
      if (!pair) break;
      if (at === 'key' && index === path.length - 1) return pair.key.range[0];
      offset = pair.key.range[0];
      node = pair.value;
    } else break;
    if (!node) break;
    offset = node.range[0];
  }
  return offset;
}
