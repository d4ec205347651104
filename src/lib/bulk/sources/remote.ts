// Inputs at an https address, such as a signed link to an object store. The query of such an address is a secret.
import { createHash } from 'node:crypto';
import { closeSync, ftruncateSync, openSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Fingerprint, fingerprint } from '../../files/bulk-journal.ts';
import { fail } from '../../errors/fail.ts';
import { isLoopback } from '../../kernel/address.ts';
import { KnownError, usageError } from '../../kernel/errors.ts';
import { host } from '../../kernel/host.ts';
import { makeScratchFolder } from '../../kernel/temporary-file.ts';

/** GETs an address with these headers. Calls `begin` again for each retry. Throws KnownError if the GET fails. */
export type GetAddress = (
  url: string,
  headers: Record<string, string>,
  sink: { begin(headers: Record<string, string>): void; write(chunk: Buffer): void },
) => Promise<void>;

export interface RemoteInput {
  /** The address without its query. */
  name: string;
  size: number;
  fingerprint: Fingerprint;
  /** A private temporary file with all bytes. Exists if the server cannot send ranges, or after `copy` was called. */
  path: string | undefined;
  /** The bytes from `start` to `end`. */
  read(start: number, end: number): Promise<Buffer>;
  /** Copies all bytes to a private temporary file and returns its path. */
  copy(): Promise<string>;
}

/** A part of this size fits in memory and can be read within the time limit of one request. */
const PART_BYTES = 4 * 1024 * 1024;
/** V8 stores strings of a million characters outside its heap, where searching them is slower. */
const CHUNK_BYTES = 512 * 1024;

export function isAddress(word: string): boolean {
  return /^https?:\/\//i.test(word);
}

/** An argument for output: removes the query of an address and keeps any other argument unchanged. */
export function withoutQuery(word: string): string {
  return isAddress(word) ? word.replace(/[?#].*$/s, '') : word;
}

/** The resume command must not contain the query. */
export function hideLink(word: string): string {
  return isAddress(word) && /[?#]/.test(word) ? '<signed link>' : word;
}

/** The address without its query. Throws usage (2) for an invalid address, or for http to another machine. */
export function addressName(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const name = withoutQuery(address);
  if (url === undefined) throw usageError(`Invalid address: ${name}`);
  if (url.protocol !== 'https:' && !isLoopback(url.hostname))
    throw usageError(`${name} is not encrypted.`, 'Use an https:// address. http:// is allowed only for this machine.');
  return name;
}

/** Throws as `addressName` and `get` do. */
export async function openRemote(address: string, get: GetAddress): Promise<RemoteInput> {
  const name = addressName(address);
  let etag: string | undefined;
  let modified = 0;
  let size: number | undefined;

  const changed = () =>
    fail('files.read', {
      message: `${name} changed while it was read.`,
      hint: 'Run the command again, with an address whose content does not change.',
    });

  /** Reads one part, or the whole file into `spool` if the server ignores the range. */
  async function part(start: number, end: number, spool?: () => number): Promise<Buffer> {
    let parts: Buffer[] = [];
    let file: number | undefined;
    const isStrong = etag !== undefined && !etag.startsWith('W/');
    const headers = { range: `bytes=${start}-${end - 1}`, ...(isStrong && { 'if-match': etag as string }) };
    const begin = (received: Record<string, string>): void => {
      parts = [];
      const range = /^bytes (\d+)-\d+\/(\d+)$/.exec(received['content-range'] ?? '');
      const isFirst = size === undefined && etag === undefined;
      if (!isFirst && received['etag'] !== etag) throw changed();
      etag = received['etag'];
      modified = Date.parse(received['last-modified'] ?? '') || 0;
      if (range === null && spool === undefined) throw changed();
      if (range === null) {
        file = spool?.();
        return;
      }
      if (Number(range[1]) !== start || (size !== undefined && Number(range[2]) !== size)) throw changed();
      size = Number(range[2]);
    };
    const write = (chunk: Buffer): void => {
      if (file === undefined) parts.push(Buffer.from(chunk));
      else writeFileSync(file, chunk);
    };
    try {
      await get(address, headers, { begin, write });
    } catch (error) {
      if (error instanceof KnownError && error.status === 412) throw changed();
      // An empty file has no range.
      if (!(error instanceof KnownError && error.status === 416 && start === 0)) throw error;
      size = 0;
    }
    return Buffer.concat(parts);
  }

  let path: string | undefined;
  let spooled: number | undefined;
  const head = await part(0, PART_BYTES, () => {
    if (spooled === undefined) ({ path, file: spooled } = temporaryFile());
    ftruncateSync(spooled, 0);
    return spooled;
  }).finally(() => spooled !== undefined && closeSync(spooled));
  const total = path === undefined ? (size ?? 0) : statSync(path).size;
  // Without an ETag, a hash of the content detects a change.
  const content = path === undefined ? createHash('sha256').update(head).digest('hex') : (await fingerprint(path)).hash;

  const remote: RemoteInput = {
    name,
    size: total,
    fingerprint: { path: name, size: total, modified, hash: etag ?? content },
    path,
    read: async (start, end) => {
      const last = Math.min(end, start + PART_BYTES, remote.size);
      if (start >= last) return Buffer.alloc(0);
      const bytes = last <= head.length ? head.subarray(start, last) : await part(start, last);
      if (bytes.length !== last - start) throw changed();
      return bytes;
    },
    copy: async () => {
      if (remote.path !== undefined) return remote.path;
      const { file, path: copied } = temporaryFile();
      try {
        for (let at = 0; at < remote.size;) {
          const bytes = await remote.read(at, remote.size);
          writeFileSync(file, bytes);
          at += bytes.length;
        }
      } finally {
        closeSync(file);
      }
      return (remote.path = copied);
    },
  };
  return remote;
}

/** The bytes from `start` to `end`. Requests the next part while the last one is used. */
export async function* readParts({ read }: RemoteInput, start: number, end: number): AsyncGenerator<Buffer> {
  let at = start;
  const request = (): Promise<Buffer> => {
    const part = read(at, end);
    // The part is awaited later, so a failure before then must not count as unhandled.
    part.catch(() => undefined);
    return part;
  };
  for (let next = request(); ;) {
    const part = await next;
    if (part.length === 0) return;
    at += part.length;
    next = request();
    for (let from = 0; from < part.length; from += CHUNK_BYTES) yield part.subarray(from, from + CHUNK_BYTES);
  }
}

/** A file that only its owner can read, and that is removed when the process exits. */
function temporaryFile(): { path: string; file: number } {
  const folder = makeScratchFolder('input');
  host.onExit(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'input');
  // In append mode, a file that is truncated for a retry is written from its start again.
  return { path, file: openSync(path, 'ax', 0o600) };
}
