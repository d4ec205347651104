// An append-only private file of lines. Every append is flushed to disk.
import { closeSync, constants, fchmodSync, fstatSync, fsyncSync, openSync, readSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { ensurePrivateFolder, PRIVATE_FILE, assertPrivate, syncFolder } from './durable.ts';
import { cannotWrite } from './errors.ts';

export type DurableLog = ReturnType<typeof openDurableLog>;

/** `O_NOFOLLOW`: another user of a shared folder could replace the file with a link. It is undefined on Windows. */
const APPEND = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW;

/** Opens a file (0600) for fsynced appends. Creates its folder. */
export function openDurableLog(path: string) {
  ensurePrivateFolder(dirname(path));
  return openUserLog(path);
}

/**
 * Like `openDurableLog`, for a file named by the user. The folder must exist; it may be shared, such as /tmp. An append
 * first ends an incomplete last line with a newline.
 */
export function openUserLog(path: string) {
  const existing = assertPrivate(path, cannotWrite);
  const isNew = existing === undefined;
  let descriptor: number;
  let mayBeTorn = true;
  // After the file is closed, another file or socket may reuse the descriptor's number.
  let isClosed = false;
  try {
    // With its mode changed, a device such as /dev/null would be unusable for other users.
    if (existing && !existing.isFile() && !existing.isDirectory()) throw new Error('it is not a regular file');
    descriptor = openSync(path, APPEND, PRIVATE_FILE);
    fchmodSync(descriptor, PRIVATE_FILE);
  } catch (error) {
    throw cannotWrite(path, error);
  }
  if (isNew) syncFolder(dirname(path));
  return {
    /** `data` is one or more complete lines, each with its newline. */
    append: (data: string): void => {
      try {
        if (isClosed) throw new Error('it is closed');
        const lines = mayBeTorn && endsInsideLine(descriptor) ? `\n${data}` : data;
        mayBeTorn = true;
        writeFileSync(descriptor, lines);
        mayBeTorn = false;
        fsyncSync(descriptor);
      } catch (error) {
        throw cannotWrite(path, error);
      }
    },
    close: (): void => {
      if (isClosed) return;
      isClosed = true;
      closeSync(descriptor);
    },
  };
}

export function appendDurably(path: string, data: string): void {
  const log = openDurableLog(path);
  try {
    log.append(data);
  } finally {
    log.close();
  }
}

function endsInsideLine(descriptor: number): boolean {
  const { size } = fstatSync(descriptor);
  const last = Buffer.alloc(1);
  return size > 0 && readSync(descriptor, last, 0, 1, size - 1) === 1 && last[0] !== 0x0a;
}
