// Before every write, copies the database files as a process killed at that time would leave them. Checks each copy.
import fs, { cpSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { openDatabase } from '../../../../../src/lib/emulator/base/db.ts';
import { temporaryFolder } from '../../../../helpers/temporary-folder.ts';

const TRANSACTIONS = 6;
const ROWS = 40;

test('does not lose a commit or keep a partial commit if the process is killed before any write to disk', async () => {
  const folder = temporaryFolder();
  const live = join(folder, 'live');
  fs.mkdirSync(live);
  const db = await openDatabase(join(live, 'platform.db'));
  db.exec('CREATE TABLE rows_ (n INTEGER PRIMARY KEY, text TEXT); CREATE INDEX by_text ON rows_ (text)');
  db.exec('PRAGMA wal_autocheckpoint = 12');

  /** Number of commits acknowledged before each write. */
  const acknowledged: number[] = [];
  let commits = 0;
  const write = fs.writeSync.bind(fs) as (...args: unknown[]) => number;
  vi.spyOn(fs, 'writeSync').mockImplementation((...args: unknown[]) => {
    cpSync(live, join(folder, String(acknowledged.length)), { recursive: true });
    acknowledged.push(commits);
    return write(...args);
  });
  for (; commits < TRANSACTIONS; commits++) {
    db.transaction(() => {
      for (let row = 0; row < ROWS; row++) {
        const n = commits * ROWS + row;
        db.insert('rows_', { n, text: `${(n * 7919) % 1000} ${'x'.repeat(200)}` });
      }
    });
  }
  vi.restoreAllMocks();
  db.close();

  expect(acknowledged.length).toBeGreaterThan(50);
  for (const [step, minimum] of acknowledged.entries()) {
    const killed = join(folder, String(step));
    fs.rmSync(join(killed, 'platform.db.lock'), { recursive: true });
    const again = await openDatabase(join(killed, 'platform.db'));
    expect(again.all('PRAGMA integrity_check'), `write ${step}`).toEqual([{ integrity_check: 'ok' }]);
    const { count } = again.get<{ count: number }>('SELECT count(*) AS count FROM rows_') ?? { count: 0 };
    again.close();
    expect([minimum * ROWS, (minimum + 1) * ROWS], `write ${step}`).toContain(count);
  }
});
