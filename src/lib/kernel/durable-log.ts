// An append-only private file of lines. Every append is flushed to disk.
import { closeSync, fchmodSync, fstatSync, fsyncSync, openSync, readSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { ensurePrivateFolder, PRIVATE_FILE, assertPrivate, syncFolder } from './durable.ts';
import { cannotWrite } from './file-failure.ts';

export type DurableLog = ReturnType<typeof openDurableLog>;

/** Opens a file (0600) for fsynced appends. An append first ends an incomplete last line with a newline. */
export function openDurableLog(path: string) {
  ensurePrivateFolder(dirname(path));
  const isNew = assertPrivate(path, cannotWrite) === undefined;
  let descriptor: number;
  let mayBeTorn = true;
  // After the file is closed, another file or socket may reuse the descriptor's number.
  let isClosed = false;
  try {
    descriptor = openSync(path, 'a+', PRIVATE_FILE);
    fchmodSync(descriptor, PRIVATE_FILE);
  } catch (error) {
    throw cannotWrite(path, error);
  }
  if (isNew) syncFolder(dirname(path));
  return {
    /** `data` is one or more complete lines, each with its newline. */
    append: (data: string): void => {
      try {
        if (isClosed) throw new Error('it is closed');
        const lines = mayBeTorn && endsInsideLine(descriptor) ? `\n${data}` : data;
        mayBeTorn = true;
        writeFileSync(descriptor, lines);
        mayBeTorn = false;
        fsyncSync(descriptor);
      } catch (error) {
        throw cannotWrite(path, error);
      }
    },
    close: (): void => {
      if (isClosed) return;
      isClosed = true;
      closeSync(descriptor);
    },
  };
}

export function appendDurably(path: string, data: string): void {
  const log = openDurableLog(path);
  try {
    log.append(data);
  } finally {
    log.close();
  }
}

function endsInsideLine(descriptor: number): boolean {
  const { size } = fstatSync(descriptor);
  const last = Buffer.alloc(1);
  return size > 0 && readSync(descriptor, last, 0, 1, size - 1) === 1 && last[0] !== 0x0a;
}
