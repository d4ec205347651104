// Writes a private file line by line, however long it gets, and gives it its name only when it is whole.
import { closeSync, fchmodSync, fsyncSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { cannotWrite } from '../kernel/file-failure.ts';
import { temporaryPath } from '../kernel/temporary-file.ts';
import { nameOnce } from './save-download.ts';

export type PrivateLines = ReturnType<typeof openPrivateLines>;

const BUFFER_CHARACTERS = 64 * 1024;

/** 0600 from the first byte, in the folder where it will stand. */
export function openPrivateLines(path: string) {
  const temporary = temporaryPath(dirname(path));
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
    const text = pending;
    pending = '';
    if (descriptor !== undefined) writeFileSync(descriptor, text);
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
    /** Takes text with its line feeds. */
    write: (text: string): void => {
      pending += text;
      if (pending.length >= BUFFER_CHARACTERS) attempt(flush);
    },
    /** Names the file. Throws usage (2) when the name is taken. */
    finish: (): void =>
      attempt(() => {
        flush();
        if (descriptor !== undefined) fsyncSync(descriptor);
        close();
        nameOnce(temporary, path);
      }),
    discard,
  };
}
