// Writes an edited text back to the file that it was read from, unless the file changed meanwhile.
import { readFileSync, statSync } from 'node:fs';
import { writeUserFile } from '../kernel/durable.ts';

const BYTE_ORDER_MARK = '\ufeff';

/** Replaces `read` by `updated`; a byte-order mark stays. `stream` is a pipe or a device, which is not written to. */
export function writeBack(path: string, read: string, updated: string): 'written' | 'changed' | 'stream' {
  const status = statSync(path, { throwIfNoEntry: false });
  if (status && !status.isFile()) return 'stream';
  const text = status && readFileSync(path, 'utf8');
  const mark = text?.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : '';
  if (text !== mark + read) return 'changed';
  writeUserFile(path, mark + updated);
  return 'written';
}
