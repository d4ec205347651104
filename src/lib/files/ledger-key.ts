// The key of the ledger's hashes: made once per machine, private.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { readPrivateFile, writePrivateFile } from '../kernel/durable.ts';
import { fail } from '../errors/fail.ts';

/** `locked` runs its work alone among all processes. Throws failed (1) for a damaged key. */
export async function loadLedgerKey(folder: string, locked: (work: () => Buffer) => Promise<Buffer>): Promise<Buffer> {
  const file = join(folder, 'ledger.key');
  return await locked(() => {
    const text = readPrivateFile(file);
    if (text === undefined) {
      const fresh = randomBytes(32);
      writePrivateFile(file, `${fresh.toString('hex')}\n`);
      return fresh;
    }
    if (/^[0-9a-f]{64}\n$/.test(text)) return Buffer.from(text.trim(), 'hex');
    throw fail('ledger.key', {
      message: `The key of the ledger, ${file}, is damaged.`,
      hint: 'Restore it from a backup. Without it, the ledger does not recognize the identities of earlier requests.',
    });
  });
}
