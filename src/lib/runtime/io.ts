// The real `Io`: this process's streams, terminal and clock.
import { fstatSync, writeSync } from 'node:fs';
import { systemClock } from '../kernel/clock.ts';
import { systemErrorCode, usageError } from '../kernel/errors.ts';
import { host } from '../kernel/host.ts';
import type { Io, TextSink } from './context.ts';

/** Fallback if neither the terminal nor the environment reports a size. */
const DEFAULT_SIZE = { columns: 80, rows: 24 };

/** With `isShort`, output must be at most a few kilobytes: it blocks until the reader accepts it. */
export function processIo({ isShort = false } = {}): Io {
  const env = host.env();
  const known: (boolean | undefined)[] = [];
  // Completion does not need to know, and checking takes up to three milliseconds.
  const isTerminal = (descriptor: 0 | 1 | 2): boolean => (known[descriptor] ??= host.isTerminal(descriptor));
  const tty = {
    get stdin() {
      return isTerminal(0);
    },
    get stdout() {
      return isTerminal(1);
    },
    get stderr() {
      return isTerminal(2);
    },
  };
  const size = (side: 'columns' | 'rows'): number => {
    const known = tty.stdout ? host.streams.stdout[side] : tty.stderr ? host.streams.stderr[side] : 0;
    return known || Number(env[side === 'rows' ? 'LINES' : 'COLUMNS']) || DEFAULT_SIZE[side];
  };
  return {
    env,
    // Read on demand: help does not need the folder, which may no longer exist.
    get cwd() {
      try {
        return host.cwd();
      } catch (error) {
        const why = systemErrorCode(error) === 'ENOENT' ? 'was removed' : 'cannot be read';
        const hint = 'Change to another folder with cd, then run the command again.';
        throw usageError(`The working directory ${why}.`, hint);
      }
    },
    get stdin() {
      return host.streams.stdin;
    },
    stdout: sinkOf(1, isShort),
    stderr: sinkOf(2, isShort),
    tty,
    columns: () => size('columns'),
    rows: () => size('rows'),
    clock: systemClock,
    random: Math.random,
  };
}

/** Returns standard output or standard error. The stream is opened on the first write. */
function sinkOf(descriptor: 1 | 2, isShort: boolean): TextSink {
  let stream: NodeJS.WriteStream | undefined;
  return {
    get isFile() {
      try {
        return fstatSync(descriptor).isFile();
      } catch {
        // The descriptor is closed.
        return false;
      }
    },
    get errored() {
      return stream?.errored ?? null;
    },
    write: (chunk, done) => {
      const rest = !stream && (isShort || chunk === '') ? writtenNow(descriptor, chunk) : chunk;
      if (rest.length === 0) {
        done?.();
        return true;
      }
      // Writers get errors through `done`, but an error without a listener would end the process.
      stream ??= host.streams[descriptor === 1 ? 'stdout' : 'stderr'].on('error', () => undefined);
      return stream.write(rest, done);
    },
  };
}

/** Writes without a stream, because opening one takes two milliseconds. Returns what the stream must write. */
function writtenNow(descriptor: number, chunk: string | Uint8Array): Uint8Array {
  let rest = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
  try {
    while (rest.length > 0) rest = rest.subarray(writeSync(descriptor, rest));
  } catch {
    // The reader is busy or gone. The stream waits for it, or reports the error.
  }
  return rest;
}
