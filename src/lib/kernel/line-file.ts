// Reads a file of lines in chunks, so that the whole file is never in memory. Appends to private files of lines: every
// append is flushed to disk.
import { cannotRead, cannotWrite, isAbsent, writing } from './errors.ts';
import { closeSync, constants, fchmodSync, fstatSync, fsyncSync, openSync, readSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { ensurePrivateFolder, PRIVATE_FILE, assertPrivate, syncFolder } from './durable.ts';

export type LineFile = NonNullable<ReturnType<typeof openLineFile>>;

const PIECE_BYTES = 1024 * 1024;
const TAIL_BYTES = 64 * 1024;
const LINE_FEED = 0x0a;

/** Opens a file; returns undefined if it does not exist. Lines that are appended later are ignored. */
export function openLineFile(path: string) {
  let descriptor: number;
  try {
    descriptor = openSync(path, 'r');
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw cannotRead(path, error);
  }
  const { birthtimeMs, dev, ino, size } = fstatSync(descriptor);

  function read(from: number, to: number): Buffer {
    const piece = Buffer.allocUnsafe(to - from);
    try {
      return piece.subarray(0, readSync(descriptor, piece, 0, piece.length, from));
    } catch (error) {
      throw cannotRead(path, error);
    }
  }

  return {
    /** Changes when the file is replaced, even if the new file has the same inode number. */
    identity: `${dev}:${ino}:${birthtimeMs}`,
    size,
    /**
     * Yields batches of complete lines, without newlines, from an offset to the end. Returns the incomplete last line,
     * which the next append ends with a newline, and its offset. With `latin1`, each character is one byte of the file.
     */
    lines: function* (
      from = 0,
      encoding: 'utf8' | 'latin1' = 'utf8',
    ): Generator<string[], { rest: string; restAt: number }> {
      let rest: Buffer = Buffer.alloc(0);
      let at = from;
      while (at < size) {
        const piece = read(at, Math.min(size, at + PIECE_BYTES));
        if (piece.length === 0) break;
        at += piece.length;
        const bytes = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
        const end = bytes.lastIndexOf(LINE_FEED);
        rest = bytes.subarray(end + 1);
        if (end >= 0) yield bytes.toString(encoding, 0, end).split('\n');
      }
      return { rest: rest.toString(encoding), restAt: at - rest.length };
    },
    read,
    /** Returns the last bytes of the file, which may start inside a line. */
    tail: (): string => read(Math.max(0, size - TAIL_BYTES), size).toString('utf8'),
    close: (): void => closeSync(descriptor),
  };
}

/** Opens a reader of the lines that were appended since its last read, or of all lines if the file was replaced. */
export function followLines(path: string, encoding: 'utf8' | 'latin1' = 'utf8') {
  let identity = '';
  let readTo = 0;
  return {
    /** Calls `take` with batches of complete lines. Before all lines of a new file, calls `restart`. */
    read: (take: (lines: string[]) => void, restart: () => void): void => {
      const file = openLineFile(path);
      try {
        if (file?.identity !== identity || file.size < readTo) {
          readTo = 0;
          restart();
        }
        identity = file?.identity ?? '';
        const pieces = file?.lines(readTo, encoding);
        for (let piece = pieces?.next(); piece; piece = piece.done ? undefined : pieces?.next()) {
          if (piece.done) readTo = piece.value.restAt;
          else take(piece.value);
        }
      } finally {
        file?.close();
      }
    },
    /** Makes the next read start over, after a write that may have failed halfway. */
    forget: (): void => void (identity = ''),
    readTo: (): number => readTo,
  };
}

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
  let mayBeTorn = true;
  // After the file is closed, another file or socket may reuse the descriptor's number.
  let isClosed = false;
  const descriptor = writing(path, () => {
    // With its mode changed, a device such as /dev/null would be unusable for other users.
    if (existing && !existing.isFile() && !existing.isDirectory()) throw new Error('it is not a regular file');
    const opened = openSync(path, APPEND, PRIVATE_FILE);
    fchmodSync(opened, PRIVATE_FILE);
    return opened;
  });
  if (!existing) syncFolder(dirname(path));
  return {
    /** `data` is one or more complete lines, each with its newline. */
    append: (data: string): void =>
      writing(path, () => {
        if (isClosed) throw new Error('it is closed');
        const lines = mayBeTorn && endsInsideLine(descriptor) ? `\n${data}` : data;
        mayBeTorn = true;
        writeFileSync(descriptor, lines);
        mayBeTorn = false;
        fsyncSync(descriptor);
      }),
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
