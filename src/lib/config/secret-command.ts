// Reads a secret from the output of a command, such as a password manager.
import { spawn } from 'node:child_process';
import type { Clock } from '../kernel/clock.ts';
import type { KnownError } from '../kernel/errors.ts';
import { fail } from '../errors/fail.ts';

const TIME_LIMIT_MS = 30_000;
/** Far more than any secret. */
const MAX_OUTPUT_BYTES = 64 * 1024;

export interface CommandOptions {
  /** The command's environment. */
  env: Readonly<Record<string, string | undefined>>;
  /** The name of the secret in messages. */
  what: string;
  /** The secret is the whole output, a document of many lines, and not only the first line. */
  whole?: boolean;
  clock: Clock;
  signal?: AbortSignal | undefined;
}

/**
 * Runs the line in the user's shell, like git's credential helpers, and returns the trimmed first line of its output, which
 * is never shown. Throws KnownError auth (4) if the command fails, writes nothing, or takes longer than 30 seconds.
 */
export async function secretFromCommand(line: string, options: CommandOptions): Promise<string> {
  const { status, output } = await run(line, options);
  if (status !== 'exit 0') throw commandFailed(line, options.what, describeEnd(status));
  const secret = (options.whole ? output : (output.split(/\r?\n/, 1)[0] ?? '')).trim();
  const nothing = options.whole ? 'it printed nothing' : 'the first line of its output is empty';
  if (secret === '') throw commandFailed(line, options.what, nothing);
  return secret;
}

function run(line: string, { env, clock, signal }: CommandOptions): Promise<{ status: string; output: string }> {
  return new Promise((resolve, reject) => {
    // The child can still ask for a PIN on the terminal.
    const child = spawn(line, { shell: true, env, stdio: ['ignore', 'pipe', 'ignore'], windowsHide: true });
    const chunks: Buffer[] = [];
    const waiting = new AbortController();
    let size = 0;

    function stop(): void {
      waiting.abort();
      signal?.removeEventListener('abort', interrupted);
      child.kill('SIGKILL');
      // A grandchild may keep the pipe open, which must not block us.
      child.stdout.destroy();
    }
    function end(status: string): void {
      stop();
      resolve({ status, output: Buffer.concat(chunks).toString('utf8') });
    }
    function interrupted(): void {
      stop();
      reject(signal?.reason as Error);
    }

    if (signal?.aborted) {
      interrupted();
      return;
    }
    signal?.addEventListener('abort', interrupted, { once: true });
    clock.sleep(TIME_LIMIT_MS, waiting.signal).then(
      () => {
        end('time limit');
      },
      () => undefined,
    );
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length;
      chunks.push(chunk);
      if (size > MAX_OUTPUT_BYTES) end('too much output');
    });
    child.on('error', () => {
      end('cannot start');
    });
    child.on('close', (code, killed) => {
      end(killed ?? `exit ${code}`);
    });
  });
}

function describeEnd(status: string): string {
  switch (status) {
    case 'time limit':
      return `it took longer than ${TIME_LIMIT_MS / 1000} seconds`;
    case 'too much output':
      return `it printed more than ${MAX_OUTPUT_BYTES / 1024} kB`;
    case 'cannot start':
      return 'it could not be started';
    default:
      return `it failed with ${status}`;
  }
}

function commandFailed(line: string, what: string, why: string): KnownError {
  return fail('secrets.command', {
    message: `The command for the ${what} did not return one: ${why}.`,
    hint: { text: 'Run it yourself to see what it prints:', command: line },
  });
}
