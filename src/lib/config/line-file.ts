// A file of lines, from either end, without holding more of it than a piece.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { isAbsent } from '../kernel/errors.ts';
import { cannotRead } from '../kernel/file-failure.ts';

/** Whole lines, each with its line feed. */
export interface LinePiece {
  bytes: Buffer;
  /** Where it begins in the file. */
  offset: number;
}

export interface LineFile {
  /** Another one when the file was replaced. */
  readonly identity: string;
  /** Bytes up to the end of the last whole line. */
  readonly size: number;
  /** Half a line at the end: it is still being written, or will be closed by the next one. */
  rest(): Buffer;
  /** Whole lines from a byte on. */
  forward(from: number): Generator<LinePiece>;
  /** The last piece first; the lines within a piece are in the order of the file. */
  backward(): Generator<LinePiece>;
  read(from: number, to: number): Buffer;
  close(): void;
}

const PIECE_BYTES = 1024 * 1024;
/** Most readers from the end need a line or two. */
const TAIL_BYTES = 64 * 1024;
const LINE_FEED = 0x0a;

/** Undefined when there is no file yet. What is appended after it was opened is not read. */
export function openLineFile(path: string): LineFile | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(path, 'r');
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw cannotRead(path, error);
  }
  const { birthtimeMs, dev, ino, size: bytesThere } = fstatSync(descriptor);

  function read(from: number, to: number): Buffer {
    const piece = Buffer.allocUnsafe(to - from);
    try {
      return piece.subarray(0, readSync(descriptor, piece, 0, piece.length, from));
    } catch (error) {
      throw cannotRead(path, error);
    }
  }

  function endOfLines(): number {
    for (let at = bytesThere; at > 0;) {
      const start = Math.max(0, at - TAIL_BYTES);
      const end = read(start, at).lastIndexOf(LINE_FEED);
      if (end >= 0) return start + end + 1;
      at = start;
    }
    return 0;
  }
  const size = endOfLines();

  return {
    // The number of a replaced file may come back.
    identity: `${dev}:${ino}:${birthtimeMs}`,
    size,
    rest: () => read(size, bytesThere),
    forward: function* (from) {
      let rest: Buffer = Buffer.alloc(0);
      for (let at = from; at < size;) {
        const piece = read(at, Math.min(size, at + PIECE_BYTES));
        if (piece.length === 0) return;
        const offset = at - rest.length;
        at += piece.length;
        const bytes = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
        const end = bytes.lastIndexOf(LINE_FEED) + 1;
        rest = bytes.subarray(end);
        yield { bytes: bytes.subarray(0, end), offset };
      }
    },
    backward: function* () {
      /** Beginning of a line whose end was read before. */
      let rest: Buffer = Buffer.alloc(0);
      let length = TAIL_BYTES;
      for (let at = size; at > 0;) {
        const start = Math.max(0, at - length);
        const piece = read(start, at);
        const bytes = rest.length === 0 ? piece : Buffer.concat([piece, rest]);
        const first = start === 0 ? 0 : bytes.indexOf(LINE_FEED) + 1;
        // No line feed at all: the line is longer than the piece.
        rest = start === 0 ? Buffer.alloc(0) : first === 0 ? bytes : bytes.subarray(0, first);
        at = start;
        length = PIECE_BYTES;
        if (start > 0 && first === 0) continue;
        yield { bytes: bytes.subarray(first), offset: start + first };
      }
    },
    read,
    close: () => closeSync(descriptor),
  };
}

/** The texts of whole lines, without their line feeds. */
export function* linesOfPiece(bytes: Buffer): Generator<string> {
  for (let from = 0; from < bytes.length;) {
    const end = bytes.indexOf(LINE_FEED, from);
    yield bytes.toString('utf8', from, end);
    from = end + 1;
  }
}
