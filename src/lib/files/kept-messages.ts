// Reads the messages that `--keep` stored (`keep-message.ts`).
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { KnownError } from '../kernel/errors.ts';
import { cannotRead } from '../kernel/file-failure.ts';
import { parseHeaderLines } from './header-lines.ts';

export interface StoredMessage {
  /** `ID.N`. */
  name: string;
  requestId: string;
  headers: readonly (readonly [string, string])[];
  body: Buffer;
}

const NAME = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.\d+(?=\.headers\.json$)/;

/** The messages of these requests, in the order in which they were kept. Throws when the folder cannot be read. */
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
