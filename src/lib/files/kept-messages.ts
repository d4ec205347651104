// Stores and reads received messages, so that they can be verified later. Headers and body are in separate files.
import { hash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cannotRead, cannotWrite, systemErrorCode } from '../kernel/errors.ts';
import { parseHeaderLines } from './load.ts';
import { makeUserFolder, namesIn } from '../kernel/temporary-file.ts';

/** Creates the folder (0700) if it does not exist. Throws if that fails. */
export function openMessageFolder(folder: string) {
  makeUserFolder(folder, 0o700);
  /** The last number used for each name, cached so that storing a message does not try all of them again. */
  const last = new Map<string, number>();

  return {
    /** Stores a message under `name` and the next free number. Returns the names and digests of its two files. */
    keep: (name: string, headers: readonly (readonly [string, string])[], body: Buffer) => {
      const text = `[\n${headers.map((line) => `  ${JSON.stringify(line)}`).join(',\n')}\n]\n`;
      for (let number = (last.get(name) ?? 0) + 1; ; number++) {
        const kept = { headers: `${name}.${number}.headers.json`, body: `${name}.${number}.body` };
        // The process that creates the header file also creates the body file.
        if (!create(kept.headers, text)) continue;
        if (create(kept.body, body)) {
          last.set(name, number);
          return { ...kept, headers_sha256: hash('sha256', text), body_sha256: hash('sha256', body) };
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

const NAME = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.\d+(?=\.headers\.json$)/;

/** Sorted by request and number. `name` is `ID.N`; `file` has no extension. Throws if anything is unreadable. */
export function readMessages(folder: string, ids: ReadonlySet<string>) {
  const names = namesIn(folder).flatMap((entry) => {
    const [name, requestId] = NAME.exec(entry) ?? [];
    return name !== undefined && requestId !== undefined && ids.has(requestId) ? [{ name, requestId }] : [];
  });
  names.sort((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }));
  return names.flatMap(({ name, requestId }) => {
    const file = join(folder, name);
    // A killed process may have stored only the headers.
    if (!existsSync(`${file}.body`)) return [];
    const [head, body] = [readBytes(`${file}.headers.json`), readBytes(`${file}.body`)];
    const message = { name, file, requestId, head, headers: headersIn(head), body };
    return [{ ...message, headers_sha256: hash('sha256', head), body_sha256: hash('sha256', body) }];
  });
}

function readBytes(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw cannotRead(path, error);
  }
}

/** Returns no headers for a damaged file; the file's digest reveals the damage. */
function headersIn(head: Buffer) {
  try {
    return parseHeaderLines({ text: head.toString('utf8'), name: '' });
  } catch {
    return [];
  }
}
