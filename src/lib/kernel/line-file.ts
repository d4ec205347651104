// Reads a file of lines in chunks, so that the whole file is never in memory.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { cannotRead, isAbsent } from './errors.ts';

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
