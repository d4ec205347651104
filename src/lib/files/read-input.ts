// Reads an input file, or standard input for `-`, as text that is safe to parse.
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import type { Readable } from 'node:stream';
import { CliError, EXIT, invalidInput, systemErrorCode } from '../kernel/errors.ts';
import { placeAt } from '../kernel/text-place.ts';
import { IS_UTF16, isUtf16, notText } from './encoding.ts';

/** Larger documents than this are a mistake: a manifest at every limit has under 2 MB. */
const MAX_DOCUMENT_BYTES = 32 * 1024 * 1024;

/** Where relative paths and `-` lead. */
export interface InputSource {
  cwd: string;
  stdin: Readable;
}

export interface InputText {
  /** The path as the user gave it, `<stdin>` for `-`. */
  name: string;
  text: string;
}

/**
 * Reads a whole text file. Throws CliError: no such file or a folder (2), unreadable (1),
 * not UTF-8, with NUL or too large (9). A byte-order mark is left out.
 */
export async function readInput(path: string, source: InputSource): Promise<InputText> {
  const name = nameOf(path);
  return { name, text: decodeText(name, await readInputBytes(path, source)) };
}

/** The same, byte for byte: what a signature is over. */
export async function readInputBytes(path: string, source: InputSource): Promise<Uint8Array> {
  return path === '-' ? await readStream(source.stdin, nameOf(path)) : await readPath(path, source.cwd);
}

function nameOf(path: string): string {
  return path === '-' ? '<stdin>' : path;
}

/** The absolute path of a file argument. */
export function resolvePath(path: string, cwd: string): string {
  return isAbsolute(path) ? path : join(cwd, path);
}

async function readPath(path: string, cwd: string): Promise<Uint8Array> {
  const full = resolvePath(path, cwd);
  try {
    const { size } = await stat(full);
    if (size > MAX_DOCUMENT_BYTES) throw tooLarge(path);
    // A pipe or a device tells no size beforehand.
    return await readStream(createReadStream(full), path);
  } catch (error) {
    throw error instanceof CliError ? error : cannotReadInput(path, error);
  }
}

const REASONS: Record<string, string> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'permission denied',
};

/** The error for an input that the user named: usage (2) where no file stands, else 1. */
export function cannotReadInput(path: string, error: unknown): CliError {
  const code = systemErrorCode(error) ?? '';
  return new CliError({
    code: 'files.read',
    message: `Cannot read ${path}: ${REASONS[code] ?? (error as Error).message}.`,
    hint: 'Give the path of a file, or - for standard input.',
    exit: ['ENOENT', 'ENOTDIR', 'EISDIR'].includes(code) ? EXIT.usage : EXIT.failed,
    cause: error,
  });
}

async function readStream(stream: Readable, name: string): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : (chunk as Buffer);
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
    throw notText(name, place, 'a byte here is not UTF-8; save the file as UTF-8');
  }
  const nul = text.indexOf('\0');
  if (nul >= 0) throw notText(name, placeAt(text, nul), 'a NUL character stands here; is this a text file?');
  return text;
}

/** The text as far as it can be read, and its end. A U+FFFD that stands in the file itself is no wrong byte. */
function firstWrongByte(bytes: Uint8Array): [text: string, offset: number] {
  const readable = Buffer.from(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes));
  const at = readable.findIndex((byte, index) => byte !== bytes[index]);
  const text = new TextDecoder('utf-8').decode(bytes.subarray(0, at), { stream: true });
  return [text, text.length];
}

function tooLarge(name: string): CliError {
  return invalidInput(
    `${name} is larger than ${MAX_DOCUMENT_BYTES / 1024 / 1024} MB, which no document of this kind is.`,
    [],
  );
}
