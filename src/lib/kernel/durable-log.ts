// An append-only private file of lines, on the disk line by line.
import { closeSync, fchmodSync, fstatSync, fsyncSync, openSync, readSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { ensurePrivateFolder } from './durable.ts';
import { cannotWrite } from './file-failure.ts';
import { PRIVATE_FILE, refuseForeign, syncFolder } from './own-file.ts';

/** An append-only private file of lines; each `append` is on the disk when it returns. */
export type DurableLog = ReturnType<typeof openDurableLog>;

/**
 * Opens (or makes, 0600) a file for fsynced appends. Refuses symlinks and files of other users. Half a line that a
 * killed process or a full disk left at the end is closed by a line feed, so that it cannot spoil the next one.
 */
export function openDurableLog(path: string) {
  ensurePrivateFolder(dirname(path));
  const isNew = refuseForeign(path, cannotWrite) === undefined;
  let descriptor: number;
  let mayBeTorn = true;
  // The number of a closed descriptor belongs to whatever is opened next, be it a socket or somebody else's file.
  let isClosed = false;
  try {
    descriptor = openSync(path, 'a+', PRIVATE_FILE);
    fchmodSync(descriptor, PRIVATE_FILE);
  } catch (error) {
    throw cannotWrite(path, error);
  }
  if (isNew) syncFolder(dirname(path));
  return {
    /** Takes one or more whole lines, each with its line feed. */
    append: (data: string): void => {
      try {
        if (isClosed) throw new Error('it is closed already');
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

function endsInsideLine(descriptor: number): boolean {
  const { size } = fstatSync(descriptor);
  const last = Buffer.alloc(1);
  return size > 0 && readSync(descriptor, last, 0, 1, size - 1) === 1 && last[0] !== 0x0a;
}
