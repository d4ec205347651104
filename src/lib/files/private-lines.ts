// Writes a private file line by line, however long it gets, and gives it its name only when it is whole.
import { closeSync, fchmodSync, fsyncSync, linkSync, openSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { CliError, EXIT, systemErrorCode } from '../kernel/errors.ts';
import { cannotWrite } from '../kernel/file-failure.ts';
import { momentaryPath } from '../kernel/momentary.ts';

export interface PrivateLines {
  /** Takes text with its line feeds. */
  write(text: string): void;
  /** Names the file. Throws usage (2) when the name is taken. */
  finish(): void;
  discard(): void;
}

const BUFFER_CHARACTERS = 64 * 1024;

/** 0600 from the first byte, in the folder where it will stand. */
export function openPrivateLines(path: string): PrivateLines {
  const temporary = momentaryPath(dirname(path));
  let pending = '';
  let descriptor: number | undefined;
  // Not in one statement: what fails here is cleaned up after, which asks for the descriptor.
  attempt(() => {
    descriptor = openSync(temporary, 'wx', 0o600);
    fchmodSync(descriptor, 0o600);
  });

  function attempt<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      discard();
      throw cannotWrite(path, error);
    }
  }

  function flush(): void {
    const bytes = Buffer.from(pending, 'utf8');
    pending = '';
    const target = descriptor;
    if (target === undefined) return;
    for (let rest: Buffer = bytes; rest.length > 0;) rest = rest.subarray(writeSync(target, rest));
  }

  function close(): void {
    if (descriptor !== undefined) closeSync(descriptor);
    descriptor = undefined;
  }

  function discard(): void {
    close();
    rmSync(temporary, { force: true });
  }

  return {
    write: (text) => {
      pending += text;
      if (pending.length >= BUFFER_CHARACTERS) attempt(flush);
    },
    finish: () =>
      attempt(() => {
        flush();
        if (descriptor !== undefined) fsyncSync(descriptor);
        close();
        nameOnce(temporary, path);
      }),
    discard,
  };
}

/** Unlike a rename this never replaces what has the name already. */
function nameOnce(temporary: string, path: string): void {
  try {
    linkSync(temporary, path);
    rmSync(temporary, { force: true });
  } catch (error) {
    if (systemErrorCode(error) !== 'EEXIST') throw error;
    throw nameTaken(path);
  }
}

/** The refusal to write over a file. */
export function nameTaken(path: string): CliError {
  return new CliError({
    code: 'usage',
    message: `${path} is there already and is not replaced.`,
    hint: 'Move it away, or give another name.',
    exit: EXIT.usage,
  });
}
