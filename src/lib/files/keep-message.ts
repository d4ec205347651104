// Keeps a message that came in, headers and body apart, so that it can be checked again: private files, none written over.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemErrorCode } from '../kernel/errors.ts';
import { cannotWrite } from '../kernel/file-failure.ts';
import { makeFolder } from '../kernel/temporary-file.ts';

export interface KeptMessage {
  headers: string;
  body: string;
}

/** Makes the folder, 0700 where it is new. Throws when it cannot be had. */
export function openMessageFolder(folder: string) {
  try {
    makeFolder(folder, 0o700);
  } catch (error) {
    throw cannotWrite(folder, error);
  }
  /** The number of the last one of each name, so that a long series is not counted through each time. */
  const last = new Map<string, number>();

  return {
    /** The names of both files: `name`, which must be ours, and the next number that is free. */
    keep: (name: string, headers: readonly (readonly [string, string])[], body: Buffer): KeptMessage => {
      for (let number = (last.get(name) ?? 0) + 1; ; number++) {
        const kept = { headers: `${name}.${number}.headers.json`, body: `${name}.${number}.body` };
        // The headers' name is taken first: who has it has the body's, too.
        if (!create(kept.headers, `[\n${headers.map((line) => `  ${JSON.stringify(line)}`).join(',\n')}\n]\n`))
          continue;
        if (create(kept.body, body)) {
          last.set(name, number);
          return kept;
        }
        rmSync(join(folder, kept.headers), { force: true });
      }
    },
  };

  /** False when there is such a file. */
  function create(name: string, data: string | Buffer): boolean {
    const path = join(folder, name);
    try {
      writeFileSync(path, data, { flag: 'wx', mode: 0o600 });
      return true;
    } catch (error) {
      if (systemErrorCode(error) === 'EEXIST') return false;
      throw cannotWrite(path, error);
    }
  }
}
