// Runs the program in process with its own streams, folders and clock, and returns its output.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { type Clock, systemClock } from '../../src/lib/kernel/clock.ts';
import type { Io } from '../../src/lib/runtime/context.ts';
import { run } from '../../src/main.ts';
import { randomFrom } from './random.ts';
import { SEED } from './seed.ts';
import { reportingEnv } from './wire-judge.ts';

export interface CliOptions {
  /** Variables to add to the environment, which otherwise contains only the home's folders. */
  env?: Record<string, string>;
  cwd?: string;
  /** Text or a stream, for example one that never ends. */
  stdin?: string | Readable;
  /** The streams that are terminals; none by default. */
  tty?: { stdin?: boolean; stdout?: boolean; stderr?: boolean } | boolean;
  columns?: number;
  rows?: number;
  /** Simulates that the reader of standard output is gone: each write fails with EPIPE. */
  brokenPipe?: boolean;
  clock?: Clock;
  /** Aborting with a KnownError simulates Ctrl-C, SIGTERM or a time limit. */
  stop?: AbortController;
  /** Aborting it simulates a second Ctrl-C. */
  hurry?: AbortSignal;
  /** Called after each write with the complete output so far. */
  onOutput?: (stdout: string, stderr: string) => void;
}

export interface CliResult {
  code: number;
  stdout: string;
  stderr: string;
}

/**
 * An isolated home: the program's four folders, temporary files and a working directory. A process that runs with this
 * home's environment reports its platforms' exchanges, so that they are checked.
 */
export interface CliHome {
  folder: string;
  cwd: string;
  env: Record<string, string>;
  /** Runs a command line in the home. If a word contains spaces, pass a list of words. */
  run(line: string | readonly string[], options?: CliOptions): Promise<CliResult>;
  remove(): void;
}

export function createCliHome(): CliHome {
  const folder = mkdtempSync(join(tmpdir(), 'cdpadm-test-'));
  const cwd = mkdtempSync(join(folder, 'work-'));
  const folders = Object.fromEntries(
    ['config', 'state', 'cache', 'data'].map((kind) => [`CDPADM_${kind.toUpperCase()}_DIR`, join(folder, kind)]),
  );
  const env = { HOME: folder, TMPDIR: folder, ...folders, ...reportingEnv() };
  return {
    folder,
    cwd,
    env,
    run: (line, options = {}) => runCli(wordsOf(line), { cwd, ...options, env: { ...env, ...options.env } }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Splits a line whose words contain no spaces. */
export function wordsOf(line: string | readonly string[]): readonly string[] {
  return typeof line === 'string' ? line.split(' ') : line;
}

/** Jitter that varies between calls, but is the same in each run of one commit. */
const random = randomFrom(SEED);

/** Streams that record their output, and everything else that a command receives from outside. */
export interface TestIo {
  io: Io;
  stdout(): string;
  stderr(): string;
}

function textOf(stdin: string | undefined): Buffer[] {
  return stdin === undefined ? [] : [Buffer.from(stdin)];
}

export function createTestIo(options: Omit<CliOptions, 'stop' | 'hurry'> = {}): TestIo {
  const tell = (): void => options.onOutput?.(stdout.text(), stderr.text());
  const stdout = sink(tell, options.brokenPipe);
  const stderr = sink(tell);
  const all = options.tty === true;
  const tty = typeof options.tty === 'object' ? options.tty : {};
  const io: Io = {
    env: options.env ?? {},
    cwd: options.cwd ?? tmpdir(),
    stdin: options.stdin instanceof Readable ? options.stdin : Readable.from(textOf(options.stdin)),
    stdout: stdout.stream,
    stderr: stderr.stream,
    tty: { stdin: tty.stdin ?? all, stdout: tty.stdout ?? all, stderr: tty.stderr ?? all },
    columns: () => options.columns ?? 80,
    rows: () => options.rows ?? 24,
    clock: options.clock ?? systemClock,
    random,
  };
  return { io, stdout: stdout.text, stderr: stderr.text };
}

/**
 * Runs one command line, which does not include the program's name. If `env` has no folders, the run gets temporary
 * folders, which are deleted afterward. Related runs share a `createCliHome()`.
 */
export async function runCli(args: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  const own = options.env?.CDPADM_STATE_DIR === undefined ? createCliHome() : undefined;
  const test = createTestIo({
    ...options,
    env: { ...own?.env, ...options.env },
    cwd: options.cwd ?? own?.cwd ?? tmpdir(),
  });
  try {
    const code = await run(args, test.io, options.stop, undefined, { ...(options.hurry && { hurry: options.hurry }) });
    return { code, stdout: test.stdout(), stderr: test.stderr() };
  } finally {
    own?.remove();
  }
}

function sink(written: () => void, broken = false): { stream: Writable; text: () => string } {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      if (broken) {
        done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
        return;
      }
      chunks.push(chunk);
      done();
      written();
    },
  });
  // Works like the process's own streams: each writer receives a failure through its own callback.
  stream.on('error', () => undefined);
  return { stream, text: () => Buffer.concat(chunks).toString('utf8') };
}
