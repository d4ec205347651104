// The bytes of a bulk input (a file, an address or standard input; plain, gzip or zstd) and their format.
import { type FileHandle, open } from 'node:fs/promises';
import { join, posix } from 'node:path';
import type { Dialect } from '../../domain/csv/dialect.ts';
import { type Fingerprint, fingerprint } from '../../files/bulk-journal.ts';
import { counted } from '../../kernel/words.ts';
import { invalidInput, KnownError, usageError } from '../../kernel/errors.ts';
import { streamBytes } from '../../kernel/stream-bytes.ts';
import { placeAt } from '../../kernel/text-place.ts';
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
import { type GetAddress, isAddress, openRemote, readParts } from './remote.ts';

export type RowFormat = 'ndjson' | 'json' | 'csv' | 'parquet';
export type Wrapping = 'none' | 'gzip' | 'zstd';

export interface InputBytes extends RawBytes {
  format: RowFormat;
  wrapping: Wrapping;
  /** How CSV is written in it. */
  dialect: Dialect;
}

/** An input before it is decompressed. */
interface RawBytes {
  /** For messages: the path as given, the address without its query, or `<stdin>`. */
  name: string;
  /** The absolute path, or the address without its query; undefined for standard input. */
  key: string | undefined;
  /** The path of a file with these bytes, for formats that are not read from start to end. */
  file(): Promise<string>;
  /** Path from which the names of results files are made; undefined for standard input. */
  base: string | undefined;
  fingerprint(): Promise<Fingerprint>;
  /** In bytes, compressed; undefined for standard input. */
  size: number | undefined;
  /** Whether the bytes can be read only once. */
  isOnce: boolean;
  /**
   * The bytes from `start` to `end` (only of uncompressed files), in `InputBytes` decompressed. The next chunk may overwrite
   * a chunk.
   */
  chunks(start?: number, end?: number): AsyncIterable<Buffer>;
}

export type Inputs = readonly [InputBytes, ...InputBytes[]];

export interface ReadOptions {
  /** Default: by name and content. */
  format?: RowFormat | undefined;
  dialect?: Dialect;
  /** The command reads its inputs more than once: standard input is kept in memory. */
  isReread?: boolean;
  /** Reads addresses; required if there are any. */
  get?: GetAddress;
}

/** Below a million: V8 keeps longer texts outside its heap, where searching them is several times slower. */
const CHUNK_BYTES = 512 * 1024;
const SNIFFED_BYTES = 4096;

/** Opens inputs in their order. Throws as `openBytes` does. */
export async function openInputs(names: readonly string[], source: InputSource, options: ReadOptions): Promise<Inputs> {
  const opened: InputBytes[] = [];
  for (const name of names) opened.push(await openBytes(name, source, options));
  const [first, ...others] = opened;
  if (first === undefined) throw new Error('inputs are expanded before they are opened');
  return [first, ...others];
}

/** `users.csv and 2 other inputs`. */
export function nameOfInputs([first, ...others]: Inputs): string {
  return others.length === 0 ? first.name : `${first.name} and ${counted(others.length, 'other input')}`;
}

/**
 * Opens an input and detects its format. Throws KnownError: no such file, a folder or a device (2), unreadable (1),
 * another encoding (9).
 */
export async function openBytes(argument: string, source: InputSource, options: ReadOptions): Promise<InputBytes> {
  if (argument === '-') return await openStream(source, options);
  if (isAddress(argument)) return await openAddress(argument, source.io.cwd, options);
  const path = resolvePath(argument, source.io.cwd);
  const { head, size } = await readHead(argument, path);
  const chunks = (start = 0, end = Infinity) => readFileChunks(path, start, end);
  const raw = { name: argument, key: path, base: path, size, isOnce: false, chunks };
  return await recognise(
    { ...raw, file: () => Promise.resolve(path), fingerprint: () => fingerprint(path) },
    head,
    options,
  );
}

async function openAddress(address: string, cwd: string, options: ReadOptions): Promise<InputBytes> {
  if (options.get === undefined) throw new Error('an address needs a way to read it');
  const remote = await openRemote(address, options.get);
  const { copy, fingerprint: of, name, path, size } = remote;
  const base = join(cwd, decodeURIComponent(posix.basename(new URL(name).pathname)).replace(/[/\\]/g, '_') || 'input');
  const raw = { name, key: name, base, file: copy, fingerprint: () => Promise.resolve(of), size, isOnce: false };
  const chunks = (start = 0, end = size) =>
    path === undefined ? readParts(remote, start, end) : readFileChunks(path, start, end);
  return await recognise({ ...raw, chunks }, await firstBytes(chunks()), options);
}

async function openStream(source: InputSource, options: ReadOptions): Promise<InputBytes> {
  const name = '<stdin>';
  const noFile = () =>
    Promise.reject(usageError(`Parquet cannot be read from standard input.`, 'Pass the path of the file.'));
  const raw = { name, key: undefined, base: undefined, size: undefined, file: noFile, fingerprint: noFile };
  if (options.isReread) {
    const bytes = Buffer.from(await readInputBytes('-', source));
    const chunks = async function* () {
      yield await Promise.resolve(bytes);
    };
    return await recognise({ ...raw, isOnce: false, chunks }, bytes.subarray(0, SNIFFED_BYTES), options);
  }
  const { all, head } = await replayHead(streamBytes(source.io.stdin, source.signal));
  return await recognise({ ...raw, isOnce: true, chunks: () => all }, head, options);
}

/** Finds compression and format of an input that begins with `head`. */
async function recognise(
  raw: RawBytes,
  head: Buffer,
  { dialect = {}, format: wanted }: ReadOptions,
): Promise<InputBytes> {
  const { name } = raw;
  const wrapping = wrappingOf(head);
  let [inner, { chunks }] = [head, raw];
  if (wrapping !== 'none') {
    chunks = () => unwrap(raw.chunks(), wrapping, name);
    if (raw.isOnce) {
      const replayed = await replayHead(unwrap(raw.chunks(), wrapping, name));
      [inner, chunks] = [replayed.head, () => replayed.all];
    } else inner = await firstBytes(chunks());
  }
  const format = wanted ?? formatOf(name, inner);
  if (format === 'parquet' && raw.key === undefined) await raw.file();
  refuseOtherEncodings(name, inner, format);
  return { ...raw, format, wrapping, dialect, chunks };
}

async function readHead(name: string, path: string): Promise<{ head: Buffer; size: number }> {
  let file: FileHandle | undefined;
  try {
    await refusePipe(name, path);
    file = await open(path, 'r');
    const head = Buffer.alloc(SNIFFED_BYTES);
    const { bytesRead } = await file.read(head, 0, SNIFFED_BYTES, 0);
    return { head: head.subarray(0, bytesRead), size: (await file.stat()).size };
  } catch (error) {
    throw error instanceof KnownError ? error : cannotReadInput(name, error);
  } finally {
    await file?.close();
  }
}

/** Reads into two buffers in turn: the disk reads while the last chunk is used. */
async function* readFileChunks(path: string, start: number, end: number): AsyncGenerator<Buffer> {
  const file = await open(path, 'r');
  const buffers = [Buffer.allocUnsafeSlow(CHUNK_BYTES), Buffer.allocUnsafeSlow(CHUNK_BYTES)];
  const read = (turn: number, at: number) => {
    const buffer = buffers[turn % 2] as Buffer;
    return file.read(buffer, 0, Math.max(0, Math.min(CHUNK_BYTES, end - at)), at);
  };
  let pending: ReturnType<typeof read> | undefined;
  try {
    pending = read(0, start);
    for (let at = start, turn = 0; ; turn++) {
      const { bytesRead, buffer } = await pending;
      pending = undefined;
      if (bytesRead === 0) return;
      at += bytesRead;
      pending = read(turn + 1, at);
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await pending?.catch(() => undefined);
    await file.close();
  }
}

/** The first bytes of a stream, and the whole stream. */
async function replayHead(stream: AsyncIterator<Buffer> | AsyncGenerator<Buffer>) {
  const parts: Buffer[] = [];
  for (let size = 0; size < SNIFFED_BYTES;) {
    const next = await stream.next();
    if (next.done) break;
    // Chunks may be overwritten.
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

function wrappingOf(head: Buffer): Wrapping {
  if (head[0] === 0x1f && head[1] === 0x8b) return 'gzip';
  return head.length >= 4 && head.readUInt32LE(0) === 0xfd2fb528 ? 'zstd' : 'none';
}

async function* unwrap(chunks: AsyncIterable<Buffer>, wrapping: 'gzip' | 'zstd', name: string): AsyncGenerator<Buffer> {
  try {
    yield* wrapping === 'gzip' ? gunzip(chunks) : unzstd(chunks);
  } catch (error) {
    if (error instanceof KnownError) throw error;
    const message = `is not a complete ${wrapping} file: ${(error as Error).message}`;
    throw invalidInput(`${name} cannot be read.`, [{ file: name, path: '', message }]);
  }
}

async function* gunzip(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const [{ createGunzip }, { pipeline, Readable: Source }] = await Promise.all([
    import('node:zlib'),
    import('node:stream'),
  ]);
  const copied = async function* () {
    // The pipeline reads ahead; chunks may be overwritten.
    for await (const chunk of chunks) yield Buffer.from(chunk);
  };
  const output = pipeline(
    Source.from(copied(), { highWaterMark: 1 }),
    createGunzip({ chunkSize: 256 * 1024 }),
    () => undefined,
  );
  for await (const chunk of output) yield chunk as Buffer;
}

async function* unzstd(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const { Decompress } = await import('fzstd');
  let parts: Buffer[] = [];
  const stream = new Decompress((part) => parts.push(Buffer.from(part.buffer, part.byteOffset, part.byteLength)));
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; at += 64 * 1024) {
      stream.push(new Uint8Array(chunk.subarray(at, at + 64 * 1024)));
      const ready = parts;
      parts = [];
      yield* ready;
    }
  }
  stream.push(new Uint8Array(0), true);
  yield* parts;
}

function formatOf(name: string, head: Buffer): RowFormat {
  if (head.subarray(0, 4).toString('latin1') === 'PAR1') return 'parquet';
  const inner = name.toLowerCase().replace(/\.(gz|zst|zstd)$/, '');
  if (/\.(ndjson|jsonl)$/.test(inner)) return 'ndjson';
  if (/\.(csv|tsv)$/.test(inner)) return 'csv';
  const first = /^\ufeff?\s*(.)/s.exec(head.toString('utf8'))?.[1];
  if (inner.endsWith('.json') || first === '[') return 'json';
  if (first !== '{') return 'csv';
  // An object that continues on the next line is a document.
  const [line = '', next] = head.toString('utf8').trimStart().split('\n', 2);
  return next === undefined || isJson(line) ? 'ndjson' : 'json';
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function refuseOtherEncodings(name: string, head: Buffer, format: RowFormat): void {
  if (format === 'parquet') return;
  if (isUtf16(head)) throw notText(name, { line: 1, column: 1 }, IS_UTF16);
  const nul = head.indexOf(0);
  if (nul < 0) return;
  const before = head.toString('utf8', 0, nul).replace(/^\ufeff/, '');
  throw notText(name, placeAt(before, before.length), 'a NUL byte is here; is this a text file?');
}
