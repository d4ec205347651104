// The real outside: the process's streams, terminal and clock as an `Io`.
import { writeSync } from 'node:fs';
import { Writable } from 'node:stream';
import { systemClock } from '../kernel/clock.ts';
import { systemErrorCode } from '../kernel/errors.ts';
import { host } from '../kernel/host.ts';
import type { Io } from './context.ts';

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
    cwd: host.cwd(),
    get stdin() {
      return host.streams.stdin;
    },
    stdout: descriptorStream(1),
    stderr: descriptorStream(2),
    tty,
    columns: () => {
      const known = tty.stdout ? host.streams.stdout.columns : tty.stderr ? host.streams.stderr.columns : 0;
      return known || Number(env.COLUMNS) || DEFAULT_COLUMNS;
    },
    clock: systemClock,
    random: Math.random,
  };
}

/**
 * A stream that writes to the descriptor at once: opening `process.stdout` costs milliseconds that a short command
 * would feel. Where the descriptor cannot take everything now, the process's own stream waits for it.
 */
function descriptorStream(descriptor: 1 | 2): Writable {
  const stream = new Writable({
    decodeStrings: true,
    write(chunk: Buffer, _encoding, done) {
      let rest = chunk;
      try {
        while (rest.length > 0) rest = rest.subarray(writeSync(descriptor, rest));
        done();
      } catch (error) {
        if (systemErrorCode(error) !== 'EAGAIN') {
          done(error as Error);
          return;
        }
        const patient = descriptor === 1 ? host.streams.stdout : host.streams.stderr;
        patient.write(rest, done);
      }
    },
  });
  // Every writer learns of a failure by its own callback; without a listener the process would die of it.
  stream.on('error', () => undefined);
  return stream;
}
