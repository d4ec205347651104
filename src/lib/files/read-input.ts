// Reads an input file, or standard input for `-`, as text: at once, or in chunks.
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { isAbsolute, join, resolve, sep } from 'node:path';
import {
  invalidInput,
  isAbsent,
  KnownError,
  type Place,
  placeAt,
  reasonOf,
  systemErrorCode,
  usageError,
} from '../kernel/errors.ts';
import { sizeText } from '../kernel/words.ts';
import { fail } from '../errors/fail.ts';
import type { Readable } from 'node:stream';
import { streamBytes } from '../kernel/stream-bytes.ts';

/** A larger document is probably a mistake: even a manifest that reaches every limit is smaller than 2 MB. */
const MAX_DOCUMENT_BYTES = 32 * 1024 * 1024;

/** Working directory and standard input. A command's Context is an InputSource. */
export interface InputSource {
  readonly io: { readonly cwd: string; readonly stdin: Readable; readonly inputsBelow?: string };
  /** When the signal is aborted, the open stream is destroyed, and the read throws the signal's reason. */
  readonly signal: AbortSignal;
}

export interface InputText {
  /** Path as given by the user; `<stdin>` for `-`. */
  name: string;
  text: string;
}

/** Throws usage (2) if the file is missing, failed (1) if unreadable, 9 if too large, not UTF-8 or containing a NUL. */
export async function readInput(path: string, source: InputSource): Promise<InputText> {
  const name = nameOf(path);
  return { name, text: decodeText(name, await readInputBytes(path, source)) };
}

export async function readInputBytes(path: string, source: InputSource): Promise<Uint8Array> {
  const { io, signal } = source;
  return path === '-' ? await readStream(io.stdin, nameOf(path), signal) : await readPath(path, source);
}

const nameOf = (path: string): string => (path === '-' ? '<stdin>' : path);

export const resolvePath = (path: string, cwd: string): string => (isAbsolute(path) ? path : join(cwd, path));

async function readPath(path: string, { io, signal }: InputSource): Promise<Uint8Array> {
  const full = resolvePath(path, io.cwd);
  const { inputsBelow } = io;
  if (inputsBelow !== undefined && !resolve(full).startsWith(`${inputsBelow}${sep}`)) {
    throw fail('files.read', {
      message: `Cannot read ${path}: an assistant must pass the content, not a path.`,
      hint: 'Pass the content in the argument itself.',
      exit: 'usage',
    });
  }
  try {
    const status = await stat(full);
    if (status.size > MAX_DOCUMENT_BYTES) throw tooLarge(path);
    // A pipe or device has no size.
    if (!status.isFIFO() && !status.isCharacterDevice()) return await readStream(createReadStream(full), path, signal);
    const { openWaiting } = await import('./open-waiting.ts');
    return await readStream(await openWaiting(full, signal), path, signal);
  } catch (error) {
    throw error instanceof KnownError ? error : cannotReadInput(path, error);
  }
}

/** Checks an input that must be read several times: throws usage (2) for a pipe or device. `path` is absolute. */
export async function refusePipe(name: string, path: string): Promise<void> {
  const status = await stat(path).catch((error: unknown) => {
    throw cannotReadInput(name, error);
  });
  // A folder causes an error later, when it is read.
  if (status.isFile() || status.isDirectory()) return;
  throw usageError(`${name} is a pipe or a device.`, `Pass \`-\` instead, and redirect standard input: < ${name}`);
}

/** Returns the error for an input file: usage (2) if it does not exist or is a folder, otherwise failed (1). */
export function cannotReadInput(path: string, error: unknown): KnownError {
  return fail('files.read', {
    message: `Cannot read ${path}: ${isAbsent(error) ? 'no such file' : reasonOf(error)}.`,
    hint: 'Pass the path of a file, or - for standard input.',
    exit: isAbsent(error) || systemErrorCode(error) === 'EISDIR' ? 'usage' : 'failed',
    cause: error,
  });
}

async function readStream(stream: Readable, name: string, signal: AbortSignal): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const bytes of streamBytes(stream, signal)) {
    size += bytes.length;
    if (size > MAX_DOCUMENT_BYTES) throw tooLarge(name);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

function decodeText(name: string, bytes: Uint8Array): string {
  if (isUtf16(bytes)) throw notText(name, { line: 1, column: 1 }, IS_UTF16);
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    const place = placeAt(...firstWrongByte(bytes));
    throw notText(name, place, 'contains invalid UTF-8; save the file as UTF-8');
  }
  const nul = text.indexOf('\0');
  if (nul >= 0) throw notText(name, placeAt(text, nul), 'unexpected NUL character; is this a text file?');
  return text;
}

/** Returns the text before the first invalid byte, and its length. A U+FFFD in the file itself is valid. */
function firstWrongByte(bytes: Uint8Array): [text: string, offset: number] {
  const readable = Buffer.from(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes));
  const at = readable.findIndex((byte, index) => byte !== bytes[index]);
  const text = new TextDecoder('utf-8').decode(bytes.subarray(0, at), { stream: true });
  return [text, text.length];
}

function tooLarge(name: string): KnownError {
  return invalidInput(
    `${name} is larger than ${sizeText(MAX_DOCUMENT_BYTES)}, the limit for this kind of document.`,
    [],
  );
}

export const IS_UTF16 = 'the file is UTF-16; save it as UTF-8';

export function isUtf16(bytes: Uint8Array): boolean {
  return (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
}

export function notText(file: string, place: Place, message: string): KnownError {
  return invalidInput(`${file} cannot be read as text.`, [{ file, ...place, path: '', message }]);
}

/**
 * Removes a byte order mark. Throws for a file that is missing (usage, 2) or unreadable (failed, 1). Throws for a file
 * that is not UTF-8 (9), or replaces the invalid bytes if the caller detects damage by itself.
 */
export async function* decoded(chunks: AsyncIterable<Uint8Array>, name: string, fatal = true): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal });
  let lines = 1;
  try {
    for await (const bytes of chunks) {
      if (fatal && lines === 1 && isUtf16(bytes)) throw notText(name, { line: 1, column: 1 }, IS_UTF16);
      const text = decoder.decode(bytes, { stream: true });
      lines += text.split('\n').length - 1;
      yield text;
    }
    yield decoder.decode();
  } catch (error) {
    if (error instanceof KnownError) throw error;
    if (error instanceof TypeError)
      throw notText(name, { line: lines, column: 1 }, 'contains invalid UTF-8; save the file as UTF-8');
    throw cannotReadInput(name, error);
  }
}

/** Yields the lines without their line breaks. The last line does not need a line break. */
export async function* linesOf(chunks: AsyncIterable<string>): AsyncGenerator<string[]> {
  let rest = '';
  for await (const chunk of chunks) {
    // Joining before the split would copy a long line once per chunk.
    const lines = chunk.split('\n');
    lines[0] = rest + (lines[0] ?? '');
    rest = lines.pop() ?? '';
    yield lines;
  }
  yield [rest];
}
