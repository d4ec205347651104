// The real `Io`: this process's streams, terminal and clock.
import { fstatSync } from 'node:fs';
import { systemClock } from '../kernel/clock.ts';
import { systemErrorCode, usageError } from '../kernel/errors.ts';
import { host } from '../kernel/host.ts';
import type { Io, TextSink } from './context.ts';

/** Fallback if neither the terminal nor the environment reports a size. */
const DEFAULT_SIZE = { columns: 80, rows: 24 };

export function processIo(): Io {
  const env = host.env();
  const tty = { stdin: host.isTerminal(0), stdout: host.isTerminal(1), stderr: host.isTerminal(2) };
  const size = (side: 'columns' | 'rows'): number => {
    const known = tty.stdout ? host.streams.stdout[side] : tty.stderr ? host.streams.stderr[side] : 0;
    return known || Number(env[side === 'rows' ? 'LINES' : 'COLUMNS']) || DEFAULT_SIZE[side];
  };
  return {
    env,
    // Read on demand: help does not need the folder, which may no longer exist.
    get cwd() {
      return workingFolder();
    },
    get stdin() {
      return host.streams.stdin;
    },
    stdout: sinkOf(1),
    stderr: sinkOf(2),
    tty,
    columns: () => size('columns'),
    rows: () => size('rows'),
    clock: systemClock,
    random: Math.random,
  };
}

/** Throws KnownError usage (2) if the folder was removed or cannot be read. */
function workingFolder(): string {
  try {
    return host.cwd();
  } catch (error) {
    throw usageError(
      systemErrorCode(error) === 'ENOENT'
        ? 'The working directory was removed.'
        : 'The working directory cannot be read.',
      'Change to another folder with cd, then run the command again.',
    );
  }
}

/** Returns standard output or standard error. The stream is opened on the first write. */
function sinkOf(descriptor: 1 | 2): TextSink {
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
      // Writers get errors through `done`, but an error without a listener would end the process.
      stream ??= host.streams[descriptor === 1 ? 'stdout' : 'stderr'].on('error', () => undefined);
      return stream.write(chunk, done);
    },
  };
}
