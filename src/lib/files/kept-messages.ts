// Stores and reads received messages, so that they can be verified later. Headers and body are in separate files.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { KnownError, systemErrorCode } from '../kernel/errors.ts';
import { cannotRead, cannotWrite } from '../kernel/file-failure.ts';
import { parseHeaderLines } from './header-lines.ts';
import { makeFolder } from '../kernel/temporary-file.ts';

export interface KeptMessage {
  headers: string;
  body: string;
}

/** Creates the folder (0700) if it does not exist. Throws if that fails. */
export function openMessageFolder(folder: string) {
  try {
    makeFolder(folder, 0o700);
  } catch (error) {
    throw cannotWrite(folder, error);
  }
  /** The last number used for each name, which saves counting a long series for every message. */
  const last = new Map<string, number>();

  return {
    /** Stores a message and returns the names of both files. We choose `name` and add the next free number. */
    keep: (name: string, headers: readonly (readonly [string, string])[], body: Buffer): KeptMessage => {
      for (let number = (last.get(name) ?? 0) + 1; ; number++) {
        const kept = { headers: `${name}.${number}.headers.json`, body: `${name}.${number}.body` };
        // The process that created the file for the headers also creates the one for the body.
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

interface StoredMessage {
  /** `ID.N`. */
  name: string;
  requestId: string;
  headers: readonly (readonly [string, string])[];
  body: Buffer;
}

const NAME = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.\d+(?=\.headers\.json$)/;

/** The messages of these requests, in the order that they were stored. Throws if the folder cannot be read. */
export function readMessages(folder: string, ids: ReadonlySet<string>): StoredMessage[] {
  try {
    const names = readdirSync(folder).flatMap((file) => {
      const [name, requestId] = NAME.exec(file) ?? [];
      return name !== undefined && requestId !== undefined && ids.has(requestId) ? [{ name, requestId }] : [];
    });
    names.sort((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }));
    return names.map(({ name, requestId }) => {
      const file = join(folder, `${name}.headers.json`);
      const headers = parseHeaderLines({ text: readFileSync(file, 'utf8'), name: file });
      return { name, requestId, headers, body: readFileSync(join(folder, `${name}.body`)) };
    });
  } catch (error) {
    throw error instanceof KnownError ? error : cannotRead(folder, error);
  }
}
