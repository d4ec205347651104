// Loads a YAML or JSON document with the positions of its values, so that issues can state the line.
import { type FieldIssue, showPath } from '../contract/explain.ts';
import { invalidInput, type Issue, type KnownError, MOST_ISSUES, type Place } from '../kernel/errors.ts';
import { isRecord } from '../kernel/json.ts';
import { counted } from '../kernel/words.ts';
import { readJson, type DocumentReading, type Problem, type ValuePath } from '../kernel/reading.ts';
import { readYaml } from '../kernel/yaml.ts';
import { type InputSource, type InputText, readInput } from './read-input.ts';

export type DocumentFormat = 'yaml' | 'json';

export interface LoadedDocument {
  /** The path as given; `<stdin>` for `-`. */
  name: string;
  format: DocumentFormat;
  text: string;
  /** Plain data. Integers beyond 2^53 are bigint. An alias becomes the same object as its anchor. */
  value: unknown;
  /** Returns the position of the value at `path` (or its key, if `at` is `key`), or of the nearest enclosing value. */
  locate(path: ValuePath, at?: 'key'): Place;
}

/** `.json` means JSON. Any other name, or `-`, means YAML, which includes JSON. */
export const formatOf = (path: string): DocumentFormat => (/\.json$/i.test(path) ? 'json' : 'yaml');

/** Reads and parses the file at `path` (`-` is stdin). Throws the errors of `readInput` and `parseDocumentText`. */
export async function loadDocument(path: string, source: InputSource): Promise<LoadedDocument> {
  const { name, text } = await readInput(path, source);
  return parseDocumentText(name, text, formatOf(path));
}

/**
 * Parses text as one YAML 1.2 document, or as strict JSON. Throws KnownError invalid input (9) with the positions of up
 * to 20 problems: syntax errors, duplicate keys, `__proto__`, values that JSON cannot express (tags, keys that are not
 * strings, `.inf`), alias bombs, nesting deeper than 100 levels, or control characters.
 */
export async function parseDocumentText(name: string, text: string, format: DocumentFormat): Promise<LoadedDocument> {
  if (format === 'json') return parseJsonText(name, text);
  return loaded(name, text, format, await readYaml(text));
}

export const parseJsonText = (name: string, text: string): LoadedDocument => loaded(name, text, 'json', readJson(text));

function loaded(name: string, text: string, format: DocumentFormat, reading: DocumentReading): LoadedDocument {
  const placeOf = placesIn(text);
  if (reading.problems.length > 0) throw unreadable(name, reading.problems, placeOf);
  return { name, format, text, value: reading.value, locate: (path, at) => placeOf(reading.offsetOf(path, at)) };
}

/** Returns a document without `$schema`, which is only for editors and is never sent. */
export function withoutSchemaHint(value: unknown): unknown {
  if (!isRecord(value) || !('$schema' in value)) return value;
  const { $schema: _hint, ...fields } = value;
  return fields;
}

/** Returns the error for an invalid document. `what` is its kind (`roles file`). Issues are in text order. */
export function invalidDocument(
  document: LoadedDocument,
  what: string,
  issues: readonly FieldIssue[],
  end = ' Nothing was sent.',
): KnownError {
  return invalidInput(
    `${document.name} is not a valid ${what}: ${counted(issues.length, 'issue')}.${end}`,
    placeIssues(document, issues),
    undefined,
    Math.max(0, issues.length - MOST_ISSUES),
  );
}

/** Returns at most `MOST_ISSUES` issues with their positions, in the order of the text. */
export function placeIssues(document: LoadedDocument, issues: readonly FieldIssue[]): Required<Omit<Issue, 'at'>>[] {
  return issues
    .slice(0, MOST_ISSUES)
    .map(({ path, message, at }) => {
      return { file: document.name, ...document.locate(path, at), path: showPath(path), message };
    })
    .sort((a, b) => a.line - b.line || a.column - b.column);
}

/** After a syntax error, every later line may seem invalid. */
const MAX_PROBLEMS = 20;

function unreadable(name: string, problems: readonly Problem[], placeOf: PlaceOf): KnownError {
  const issues = problems.slice(0, MAX_PROBLEMS).map(({ offset, message, path = [] }): Issue => {
    return { file: name, ...placeOf(offset), path: showPath(path), message };
  });
  return invalidInput(`${name} cannot be read.`, issues);
}

type PlaceOf = (offset: number) => Place;

/** Finds the line and column of an offset. Splits the text on first use. */
function placesIn(text: string): PlaceOf {
  let starts: number[] | undefined;
  return (offset) => {
    starts ??= lineStarts(text);
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    const start = starts[low] ?? 0;
    const mark = start === 0 && text.startsWith('\ufeff') ? 1 : 0;
    return { line: low + 1, column: Math.max(1, offset - start - mark + 1) };
  };
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

/** Returns each header's name and value, including duplicates. Throws invalid input (9) for an invalid header. */
export function parseHeaderLines({ name: file, text }: InputText): [name: string, value: string][] {
  return /^\s*[[{]/.test(text) ? fromJson(file, text) : fromLines(file, text);
}

function fromLines(file: string, text: string): [string, string][] {
  const headers: [string, string][] = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    // Skip the request line, or the status line that `curl -i` prints.
    if (line.trim() === '' || (index === 0 && /^(HTTP\/\d|[A-Z]+ \S+ HTTP\/\d)/.test(line))) continue;
    const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):(.*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) {
      const message = 'is not a header; each line must be `Name: value`';
      throw invalidInput(`${file} cannot be read as headers.`, [
        { file, line: index + 1, column: 1, path: '', message },
      ]);
    }
    headers.push([name, value.trim()]);
  }
  return headers;
}

/** Accepts an object or a list of pairs. A duplicate name in an object is an issue: either value could be signed. */
function fromJson(file: string, text: string): [string, string][] {
  const document = parseJsonText(file, text);
  const { value } = document;
  const pairs = Array.isArray(value) ? (value as unknown[]) : Object.entries(value as object);
  return pairs.flatMap((pair, index) => {
    const [name, item] = Array.isArray(pair) ? (pair as unknown[]) : [];
    const values = Array.isArray(item) ? (item as unknown[]) : [item];
    return values.map((one): [string, string] => {
      if (typeof name === 'string' && typeof one === 'string') return [name, one];
      const path = Array.isArray(value) ? [index] : [String(name)];
      const issues = placeIssues(document, [{ path, message: 'a header needs a name and a string value' }]);
      throw invalidInput(`${file} cannot be read as headers.`, issues);
    });
  });
}
