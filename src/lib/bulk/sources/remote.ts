// Inputs from HTTPS URLs, such as presigned object-store URLs, whose queries are secret.
import { createHash } from 'node:crypto';
import { closeSync, ftruncateSync, openSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fail } from '../../errors/fail.ts';
import { type Fingerprint, fingerprint } from '../../files/bulk-journal.ts';
import { isLoopback } from '../../kernel/address.ts';
import { KnownError, usageError } from '../../kernel/errors.ts';
import { host } from '../../kernel/host.ts';
import { makeScratchFolder } from '../../kernel/temporary-file.ts';
import { CHUNK_BYTES, inputChanged } from './unchanged.ts';

/** GETs an address with these headers. Calls `begin` for each attempt. Throws KnownError if the GET fails. */
export type GetAddress = (
  url: string,
  headers: Record<string, string>,
  sink: { begin(headers: Record<string, string>, status: number): void; write(chunk: Buffer): void },
) => Promise<void>;

/** A part of this size fits in memory and can be read within the request timeout. */
const PART_BYTES = 4 * 1024 * 1024;

export const isAddress = (word: string): boolean => /^https?:\/\//i.test(word);

/** Removes the query from an address, for output. Returns other arguments unchanged. */
export const withoutQuery = (word: string): string => (isAddress(word) ? word.replace(/[?#].*$/s, '') : word);

/** Replaces an address that has a query, because the resume command must not contain a signed link. */
export const hideLink = (word: string): string => (isAddress(word) && /[?#]/.test(word) ? '<signed link>' : word);

/** Returns the address without its query. Throws usage (2) for an invalid address, or for http to another machine. */
export function addressName(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const name = withoutQuery(address);
  if (url === undefined) throw usageError(`Invalid address: ${name}`);
  if (url.protocol !== 'https:' && !isLoopback(url.hostname))
    throw usageError(`${name} is not encrypted.`, 'Use an https:// address. http:// is allowed only for this machine.');
  return name;
}

export async function openRemote(address: string, get: GetAddress) {
  const name = addressName(address);
  let etag: string | undefined;
  let modified = 0;
  let size: number | undefined;
  let path: string | undefined;

  /** Reads one part. If the server ignores the range of the first request, writes the whole file to `path` instead. */
  async function part(start: number, end: number): Promise<Buffer> {
    let parts: Buffer[] = [];
    let file: number | undefined;
    /** Number of bytes in the range that the response announces, if any. A server may send fewer than requested. */
    let announced = 0;
    const isFirst = size === undefined;
    const isStrong = etag !== undefined && !etag.startsWith('W/');
    const headers = { range: `bytes=${start}-${end - 1}`, ...(isStrong && { 'if-match': etag as string }) };
    const begin = (received: Record<string, string>, status: number): void => {
      parts = [];
      announced = 0;
      const range = status === 200 ? null : /^bytes (\d+)-(\d+)\/(\d+)$/.exec(received['content-range'] ?? '');
      // The body of any other response is not the whole file.
      if (status !== 200 && (status !== 206 || range === null)) throw notWhole(name, status);
      const time = Date.parse(received['last-modified'] ?? '') || 0;
      const isOther = received['etag'] !== etag || (etag === undefined && time !== modified);
      if ((size !== undefined || etag !== undefined) && isOther) throw inputChanged(name);
      [etag, modified] = [received['etag'], time];
      if (range === null) {
        if (!isFirst) throw inputChanged(name);
        if (file === undefined) ({ path, file } = temporaryFile());
        ftruncateSync(file);
        return;
      }
      const [first, last, whole] = range.slice(1).map(Number) as [number, number, number];
      if (first !== start || last < first || (size !== undefined && whole !== size)) throw inputChanged(name);
      announced = last + 1 - start;
      size = whole;
    };
    const write = (chunk: Buffer): void => {
      if (file === undefined) parts.push(Buffer.from(chunk));
      else writeFileSync(file, chunk);
    };
    try {
      await get(address, headers, { begin, write });
    } catch (error) {
      const status = error instanceof KnownError ? error.status : undefined;
      if (status === 412) throw inputChanged(name);
      // For an empty file, the server has no range to return (416).
      if (status !== 416 || start > 0) throw aboutInput(name, error);
      size = 0;
    } finally {
      if (file !== undefined) closeSync(file);
    }
    const bytes = Buffer.concat(parts);
    if (bytes.length !== announced || bytes.length > end - start) throw notWhole(name, 206);
    return bytes;
  }

  const head = await part(0, PART_BYTES);
  const total = path === undefined ? (size ?? 0) : statSync(path).size;
  // If there is no ETag, a hash of the content detects changes.
  const hash =
    etag ?? (path === undefined ? createHash('sha256').update(head).digest('hex') : (await fingerprint(path)).hash);

  function read(start: number, limit: number): Promise<Buffer> {
    const end = Math.min(limit, start + PART_BYTES, total);
    if (start < head.length) return Promise.resolve(head.subarray(start, Math.min(end, head.length)));
    return start < end ? part(start, end) : Promise.resolve(Buffer.alloc(0));
  }

  async function* chunks(start = 0, end = total): AsyncGenerator<Buffer> {
    for (let at = start, bytes = await read(at, end); bytes.length > 0; bytes = await read(at, end)) {
      at += bytes.length;
      for (let from = 0; from < bytes.length; from += CHUNK_BYTES) yield bytes.subarray(from, from + CHUNK_BYTES);
    }
  }

  async function copy(): Promise<string> {
    const copied = temporaryFile();
    try {
      for await (const chunk of chunks()) writeFileSync(copied.file, chunk);
    } finally {
      closeSync(copied.file);
    }
    return copied.path;
  }

  const found: Fingerprint = { path: name, size: total, modified, hash };
  return {
    ...{ name, path, size: total, chunks },
    file: async () => (path ??= await copy()),
    fingerprint: () => Promise.resolve(found),
  };
}

function notWhole(name: string, status: number): KnownError {
  return fail('http.unreadable', {
    message: `The input ${name} cannot be read: its server responded with ${status} instead of ${status === 206 ? 'a complete range' : 'the file'}.`,
    hint: 'Download the file, and pass its path.',
  });
}

/** Replaces an HTTP error's advice about the platform, which is not involved, with advice about the input. */
function aboutInput(name: string, error: unknown): unknown {
  if (!(error instanceof KnownError) || error.status === undefined || error.status < 300) return error;
  const { hints, status } = error;
  const isRedirect = status < 400;
  const answer = isRedirect ? `sent a redirect (${status}), which cdpadm does not follow` : `responded with ${status}`;
  const hint = isRedirect ? 'Pass the final address.' : 'The link may have expired. Pass a new one.';
  return error.with({
    message: `The input ${name} cannot be read: its server ${answer}.`,
    hint: status === 429 || status >= 500 ? hints : hint,
  });
}

/** Creates a file that only its owner can read and that is removed when the process exits. */
function temporaryFile(): { path: string; file: number } {
  const folder = makeScratchFolder('input');
  host.onExit(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'input');
  // In append mode, a file that is truncated for a retry is rewritten from the start.
  return { path, file: openSync(path, 'ax', 0o600) };
}
