// The bytes of a bulk input (a file, an address or standard input; plain, gzip or zstd) and their format.
import type { BigIntStats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { Readable } from 'node:stream';
import type { Dialect } from '../../domain/csv/dialect.ts';
import type { Shard } from '../../domain/seed/shard.ts';
import type { Fingerprint } from '../../files/bulk-journal.ts';
import { counted } from '../../kernel/words.ts';
import { invalidInput, KnownError, usageError, placeAt } from '../../kernel/errors.ts';
import {
  cannotReadInput,
  type InputSource,
  IS_UTF16,
  isUtf16,
  notText,
  readInputBytes,
  refusePipe,
  resolvePath,
} from '../../files/read-input.ts';
import { cannotChange, readFileChunks, sameChunks, sameFile } from './unchanged.ts';
import { unwrap, type Wrapping, wrappingOf } from './wrapping.ts';
import { addressName, type GetAddress, isAddress, openRemote } from './remote.ts';
import { isJson } from '../../kernel/json.ts';
import { streamBytes } from '../../kernel/stream-bytes.ts';

export type RowFormat = 'ndjson' | 'json' | 'csv' | 'parquet';

export interface InputBytes extends RawBytes {
  format: RowFormat;
  wrapping: Wrapping;
  dialect: Dialect;
  /** True if every shard reads a part of the input; false if one shard reads all of it. */
  isDivisible: boolean;
}

interface RawBytes {
  /** Name in messages: the path as given, the address without its query, or `<stdin>`. */
  name: string;
  /** Absolute path, or address without its query; undefined for standard input. */
  key: string | undefined;
  /** Returns the path of a file with these bytes, for formats that are not read sequentially. */
  file(): Promise<string>;
  /** Path that the names of results files are based on; undefined for standard input. */
  base: string | undefined;
  fingerprint(): Promise<Fingerprint>;
  /** Throws conflict (6) if the bytes changed since they were first read. */
  verify(signal?: AbortSignal): Promise<void>;
  /** Size in bytes before decompression; undefined for standard input. */
  size: number | undefined;
  isOnce: boolean;
  /** A range requires uncompressed bytes and no `isReread`. The next chunk may overwrite the previous one. */
  chunks(start?: number, end?: number): AsyncIterable<Buffer>;
}

export type Inputs = readonly [InputBytes, ...InputBytes[]];

export interface ReadOptions {
  /** By default, the format is detected from the name and the content. */
  format?: RowFormat | undefined;
  dialect?: Dialect;
  /** True if the command rereads its inputs: standard input is then kept in memory. */
  isReread?: boolean;
  /** GETs an address. Required if an input is an address. */
  get?: GetAddress;
  /** Inputs of other shards are not read and appear empty. */
  shard?: Shard | undefined;
}

const SNIFFED_BYTES = 4096;

/** Opens the inputs in order. Throws the errors of `openBytes`, and usage (2) for standard input with a shard. */
export async function openInputs(names: readonly string[], source: InputSource, options: ReadOptions): Promise<Inputs> {
  const { shard } = options;
  let dealt = 0;
  /** Inputs that cannot be divided are assigned to the shards round-robin. */
  const isOthers = (): boolean => shard !== undefined && dealt++ % shard.count !== shard.index;
  const opened: InputBytes[] = [];
  for (const name of names) {
    if (shard && name === '-')
      throw usageError('--shard cannot divide standard input.', 'Write it to a file first, and pass the file.');
    if (isAddress(name) && isOthers()) {
      opened.push(emptyInput(addressName(name), addressBase(name, source.io.cwd)));
      continue;
    }
    const input = await openBytes(name, source, options);
    const isOurs = input.isDivisible || isAddress(name) || !isOthers();
    opened.push(isOurs ? input : { ...emptyInput(input.name, input.base), key: input.key });
  }
  return opened as [InputBytes, ...InputBytes[]];
}

/** Returns a placeholder for another shard's input, because every shard needs the same list of inputs. */
function emptyInput(name: string, base: string | undefined): InputBytes {
  const content = { format: 'ndjson', wrapping: 'none', dialect: {}, isDivisible: false } as const;
  return {
    ...{ ...content, name, key: name, base, size: 0, isOnce: false, verify: cannotChange },
    file: () => Promise.resolve(name),
    fingerprint: () => Promise.resolve({ path: name, size: 0, modified: 0, hash: '' }),
    chunks: () => Readable.from([]),
  };
}

/** Throws conflict (6) if an input changed since it was checked. Call it before the first request of a bulk run. */
export async function verifyInputs(inputs: Inputs, signal: AbortSignal): Promise<void> {
  try {
    for (const input of inputs) await input.verify(signal);
  } catch (error) {
    throw error instanceof KnownError ? error.with({ message: `${error.message} Nothing was sent.` }) : error;
  }
}

export function nameOfInputs([first, ...others]: Inputs): string {
  return others.length === 0 ? first.name : `${first.name} and ${counted(others.length, 'other input')}`;
}

/** Opens an input and detects its format. Throws usage (2), failed (1: unreadable) or invalid input (9: unusable). */
export async function openBytes(argument: string, source: InputSource, options: ReadOptions): Promise<InputBytes> {
  if (argument === '-') return await openStream(source, options);
  if (isAddress(argument)) return await openAddress(argument, source.io.cwd, options);
  const path = resolvePath(argument, source.io.cwd);
  const { head, stats } = await readHead(argument, path);
  const input = { name: argument, key: path, base: path, size: Number(stats.size), isOnce: false };
  return await recognize({ ...input, ...sameFile(argument, path, stats) }, head, options);
}

async function openAddress(address: string, cwd: string, options: ReadOptions): Promise<InputBytes> {
  if (options.get === undefined) throw new Error('an address requires options.get');
  const remote = await openRemote(address, options.get);
  const path = options.isReread ? await remote.file() : remote.path;
  const raw: RawBytes = {
    ...{ key: remote.name, base: addressBase(address, cwd), isOnce: false, verify: cannotChange },
    ...remote,
  };
  if (path !== undefined) raw.chunks = (start, end) => readFileChunks(path, start, end);
  return await recognize(raw, await firstBytes(raw.chunks()), options);
}

/** Returns a path in the working directory, named after the last part of the address. */
function addressBase(address: string, cwd: string): string {
  const last = posix.basename(new URL(address).pathname).replace(/(?:%[\da-f]{2})+/gi, decoded);
  return join(cwd, last.replace(/[/\\]|\p{Cc}/gu, '_') || 'input');
}

/** Decodes the percent-encoded bytes of a file name. Bytes that are not UTF-8 become replacement characters. */
const decoded = (text: string): string => Buffer.from(text.replaceAll('%', ''), 'hex').toString();

async function openStream(source: InputSource, options: ReadOptions): Promise<InputBytes> {
  const noFile = () =>
    Promise.reject(usageError(`Parquet cannot be read from standard input.`, 'Pass the path of the file.'));
  const unknown = { key: undefined, base: undefined, size: undefined };
  const raw = { ...unknown, name: '<stdin>', file: noFile, fingerprint: noFile, verify: cannotChange };
  if (options.isReread) {
    const bytes = Buffer.from(await readInputBytes('-', source));
    const chunks = () => Readable.from([bytes]);
    return await recognize({ ...raw, isOnce: false, chunks }, bytes.subarray(0, SNIFFED_BYTES), options);
  }
  const { all, head } = await replayHead(streamBytes(source.io.stdin, source.signal));
  return await recognize({ ...raw, isOnce: true, chunks: () => all }, head, options);
}

async function recognize(
  given: RawBytes,
  head: Buffer,
  { dialect = {}, format: wanted, isReread }: ReadOptions,
): Promise<InputBytes> {
  const { name } = given;
  const raw = isReread ? { ...given, ...sameChunks(name, given.chunks) } : given;
  const wrapping = wrappingOf(head);
  let [inner, { chunks }] = [head, raw];
  if (wrapping !== 'none') {
    chunks = () => unwrap(raw.chunks(), wrapping, name);
    const replayed = raw.isOnce ? await replayHead(unwrap(raw.chunks(), wrapping, name)) : undefined;
    if (replayed) chunks = () => replayed.all;
    inner = replayed?.head ?? (await firstBytes(chunks()));
  }
  const format = wanted ?? formatOf(name, inner);
  if (format === 'parquet' && raw.key === undefined) await raw.file();
  refuseOtherContent(name, inner, format);
  const isDivisible = wrapping === 'none' && format !== 'json' && !isAddress(name);
  return { ...raw, format, wrapping, dialect, isDivisible, chunks };
}

async function readHead(name: string, path: string): Promise<{ head: Buffer; stats: BigIntStats }> {
  try {
    await refusePipe(name, path);
    const stats = await stat(path, { bigint: true });
    return { head: await firstBytes(readFileChunks(path, 0, SNIFFED_BYTES)), stats };
  } catch (error) {
    throw error instanceof KnownError ? error : cannotReadInput(name, error);
  }
}

async function replayHead(stream: AsyncIterator<Buffer> | AsyncGenerator<Buffer>) {
  const parts: Buffer[] = [];
  for (let size = 0; size < SNIFFED_BYTES;) {
    const next = await stream.next();
    if (next.done) break;
    // Copy the chunk, because the stream may overwrite it.
    parts.push(Buffer.from(next.value));
    size += next.value.length;
  }
  const head = Buffer.concat(parts);
  async function* all(): AsyncGenerator<Buffer> {
    yield head;
    for (let next = await stream.next(); !next.done; next = await stream.next()) yield next.value;
  }
  return { head, all: all() };
}

async function firstBytes(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  for await (const chunk of chunks) return Buffer.from(chunk.subarray(0, SNIFFED_BYTES));
  return Buffer.alloc(0);
}

function formatOf(name: string, head: Buffer): RowFormat {
  if (head.subarray(0, 4).toString('latin1') === 'PAR1') return 'parquet';
  const inner = name.toLowerCase().replace(/\.(gz|zst|zstd)$/, '');
  if (/\.(ndjson|jsonl)$/.test(inner)) return 'ndjson';
  if (/\.(csv|tsv)$/.test(inner)) return 'csv';
  const first = /^\ufeff?\s*(.)/s.exec(head.toString('utf8'))?.[1];
  if (inner.endsWith('.json') || first === '[') return 'json';
  if (first !== '{') return 'csv';
  // An object that spans several lines is a document, not a row.
  const [line = '', next] = head.toString('utf8').trimStart().split('\n', 2);
  return next === undefined || isJson(line) ? 'ndjson' : 'json';
}

const MANIFEST = /^\s*\{\s*"entries"\s*:\s*\[\s*\{\s*"url"/;

function refuseOtherContent(name: string, head: Buffer, format: RowFormat): void {
  if (format === 'parquet') return;
  if (isUtf16(head)) throw notText(name, { line: 1, column: 1 }, IS_UTF16);
  const nul = head.indexOf(0);
  if (MANIFEST.test(head.toString('latin1')))
    throw invalidInput(`${name} is a Redshift manifest, not data.`, [], 'Pass it with --files-from.');
  if (nul < 0) return;
  const before = head.toString('utf8', 0, nul).replace(/^\ufeff/, '');
  const message = 'unexpected NUL byte; export the data as Parquet, CSV or NDJSON, plain or as gzip or zstd';
  throw notText(name, placeAt(before, before.length), message);
}
