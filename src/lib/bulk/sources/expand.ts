// Expands the inputs of a command line: files, folders, patterns, lists of files, addresses and standard input.
import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { type InputSource, readInput, resolvePath } from '../../files/read-input.ts';
import { invalidInput, usageError } from '../../kernel/errors.ts';
import { isRecord, readRecord } from '../../kernel/json.ts';
import { isAddress, withoutQuery } from './remote.ts';

/** Longest path that Linux accepts. The glob library rejects only much longer patterns. */
const LONGEST_PATH = 4_096;

/** Matches every commit of a Delta table after its first one. The table's folder keeps replaced files. */
const CHANGED_TABLE = /(?:^|\/)_delta_log\/0*[1-9]\d*\.json$/;
/** Matches the names that warehouses and Spark give to their own files in data folders, such as `_SUCCESS`. */
const MARKER = /(?:^|\/)_/;
/** Matches the files that this program writes next to an input, such as `users.csv.2-of-4.rejects.ndjson`. */
const OURS = /\.results(?:-\d+)?\.csv$|(?:\.\d+-of-\d+)?\.rejects\.ndjson$/;

/**
 * Returns the inputs from the arguments, then those from the list. Sorts the files of a folder or pattern by name.
 * Skips names that begin with `_`, and the results and rejects files of other inputs, unless the pattern names them.
 * Throws usage (2) for no inputs, no matches, a duplicate input, a long path or a Delta table, and invalid input (9) for
 * a bad list.
 */
export async function expandInputs(
  words: readonly string[],
  list: string | undefined,
  source: InputSource,
  onSkipped?: (names: readonly string[]) => void,
): Promise<string[]> {
  const listed = list === undefined ? [] : await readList(list, source);
  const skipped: string[] = [];
  const expanding = [...words, ...listed].map((word) => expand(word, source.io.cwd, skipped));
  const found = (await Promise.all(expanding)).flat();
  if (skipped.length > 0) onSkipped?.(skipped.sort());
  if (found.length === 0) throw usageError('No input specified.', 'Pass files, or a list of them: --files-from LIST.');
  const keys = new Set<string>();
  const keyOf = (name: string): string => (name === '-' || isAddress(name) ? name : resolve(source.io.cwd, name));
  const twice = found.find((name) => keys.size === keys.add(keyOf(name)).size);
  if (twice !== undefined || (list === '-' && found.includes('-')))
    throw usageError(`Duplicate input: ${withoutQuery(twice ?? '-')}`, 'Pass each input once.');
  return found;
}

async function expand(word: string, cwd: string, skipped: string[]): Promise<string[]> {
  if (word === '-' || isAddress(word)) return [word];
  if (word.length > LONGEST_PATH)
    throw usageError(`The path ${word.slice(0, 40)}… is longer than ${LONGEST_PATH} characters.`);
  const status = await stat(resolvePath(word, cwd)).catch(() => undefined);
  const at = word.search(/[*?[{]/);
  const isFolder = status?.isDirectory() === true;
  if (!isFolder && (status !== undefined || at < 0)) return [word];
  const base = isFolder ? word : word.slice(0, word.lastIndexOf('/', at) + 1);
  const pattern = isFolder ? '**' : word.slice(base.length);
  const folder = resolvePath(base, cwd);
  const { glob } = await import('tinyglobby');
  const names = await glob(pattern, { cwd: folder, expandDirectories: false });
  if (isFolder && names.some((name) => CHANGED_TABLE.test(name)))
    throw usageError(
      `${word} is a Delta table that has changed, so it may contain old and deleted rows.`,
      'Export the table to another folder as Parquet, CSV or JSON, and pass that folder.',
    );
  const asksForMarkers = /(?:^|[/{,[])_/.test(pattern);
  const isAsked = /results|rejects/.test(pattern);
  const files = names.sort().filter((name) => {
    const input = isAsked ? name : name.replace(OURS, '');
    const isOurs = input !== name && existsSync(join(folder, input));
    const isSkipped = isOurs || (!asksForMarkers && MARKER.test(name));
    if (isSkipped) skipped.push(join(base, name));
    return !isSkipped;
  });
  if (files.length > 0) return files.map((name) => (isFolder ? join(word, name) : base + name));
  const message = isFolder ? `${word} contains no data files.` : `No file matches ${word}.`;
  throw usageError(message, 'Hidden files and names that begin with `_` are ignored.');
}

/** Returns the lines of a list. For a Redshift manifest, returns the paths of its entries in the manifest's folder. */
async function readList(list: string, source: InputSource): Promise<string[]> {
  const { name, text } = await readInput(list, source);
  if (!text.trimStart().startsWith('{')) return text.split(/\r?\n/).filter((line) => line.trim() !== '');
  const entries = readRecord<{ entries: unknown }>(text)?.entries;
  const urls = Array.isArray(entries) ? entries.map((entry: unknown) => isRecord(entry) && entry['url']) : [false];
  const message = 'must list objects with a `url`, as the manifest of a Redshift UNLOAD does';
  return urls.map((url) => {
    if (typeof url === 'string') return join(dirname(list), url.slice(url.lastIndexOf('/') + 1));
    throw invalidInput(`${name} cannot be used as a list of inputs.`, [{ file: name, path: 'entries', message }]);
  });
}
