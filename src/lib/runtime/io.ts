// The real outside: the process's streams, terminal and clock as an `Io`.
import { fstatSync, writeSync } from 'node:fs';
import { systemClock } from '../kernel/clock.ts';
import { systemErrorCode, usageError } from '../kernel/errors.ts';
import { host } from '../kernel/host.ts';
import type { Io, TextSink } from './context.ts';

const DEFAULT_COLUMNS = 80;

/** The `Io` of the process that we are. */
export function processIo(): Io {
  const env = host.env();
  // Asking whether a descriptor is a terminal costs a little, and `--help` need not know.
  const tty = {
    get stdin() {
      return host.isTerminal(0);
    },
    get stdout() {
      return host.isTerminal(1);
    },
    get stderr() {
      return host.isTerminal(2);
    },
  };
  return {
    env,
    // Asked for by what needs it: the folder may be gone, and help and versions stand in none.
    get cwd() {
      return workingFolder();
    },
    get stdin() {
      return host.streams.stdin;
    },
    stdout: descriptorSink(1),
    stderr: descriptorSink(2),
    tty,
    columns: () => {
      const known = tty.stdout ? host.streams.stdout.columns : tty.stderr ? host.streams.stderr.columns : 0;
      return known || Number(env.COLUMNS) || DEFAULT_COLUMNS;
    },
    clock: systemClock,
    random: Math.random,
  };
}

/** Throws KnownError usage (2) where the folder has been removed, or may not be looked at any more. */
function workingFolder(): string {
  try {
    return host.cwd();
  } catch (error) {
    const isGone = systemErrorCode(error) === 'ENOENT';
    throw usageError(
      isGone ? 'The folder that you are in has been removed.' : 'The folder that you are in cannot be read.',
      'Change into another one with cd, then run the command again.',
    );
  }
}

/** What any system's pipe holds while nobody reads it. */
const PIPE_BYTES = 16_384;

/**
 * Writes to the descriptor at once: opening `process.stdout`, or any stream at all, costs milliseconds that a short
 * command would feel. What a pipe cannot take at once goes through the process's own stream, and so does all that follows
 * it: a reader that is slow, or never reads, must not hold up signals and time limits.
 */
function descriptorSink(descriptor: 1 | 2): TextSink {
  let errored: Error | null = null;
  let patient: NodeJS.WriteStream | undefined;
  let room = Infinity;
  let isKnown = false;

  function becomePatient(): NodeJS.WriteStream {
    const stream = descriptor === 1 ? host.streams.stdout : host.streams.stderr;
    // Every writer learns of a failure by its own callback; without a listener the process would die of it.
    stream.on('error', (failure: Error) => {
      errored ??= failure;
    });
    return stream;
  }

  return {
    get isFile() {
      return is('isFile', descriptor);
    },
    get errored() {
      return errored;
    },
    write: (chunk, done) => {
      if (patient) return patient.write(chunk, done);
      let rest = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      if (!isKnown && (is('isFIFO', descriptor) || is('isSocket', descriptor))) room = PIPE_BYTES;
      isKnown = true;
      room -= rest.length;
      if (room < 0) {
        patient = becomePatient();
        return patient.write(rest, done);
      }
      try {
        while (rest.length > 0 && errored === null) rest = rest.subarray(writeSync(descriptor, rest));
      } catch (error) {
        if (systemErrorCode(error) === 'EAGAIN') {
          patient = becomePatient();
          return patient.write(rest, done);
        }
        errored = error as Error;
      }
      done?.(errored);
      return true;
    },
  };
}

function is(kind: 'isFile' | 'isFIFO' | 'isSocket', descriptor: number): boolean {
  try {
    return fstatSync(descriptor)[kind]();
  } catch {
    // The descriptor is closed.
    return false;
  }
}
