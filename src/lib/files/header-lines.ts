// Reads the stored headers of a message: lines as they were sent, or JSON.
import { invalidInput } from '../kernel/errors.ts';
import { parseJsonText, placeIssues } from './load.ts';
import type { InputText } from './read-input.ts';

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
