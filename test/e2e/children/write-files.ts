// A child process that writes files as its arguments specify and prints the outcome as JSON.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { writePrivateFile, writeUserFile } from '../../../src/lib/kernel/durable.ts';
import { openDurableLog } from '../../../src/lib/kernel/line-file.ts';
import { KnownError } from '../../../src/lib/kernel/errors.ts';
import { tryLock } from '../../../src/lib/kernel/lock.ts';

const [operation = '', folder = ''] = process.argv.slice(2);
const file = join(folder, 'file');
const BIG = 'x'.repeat(1_000_000);

function attempt(work: () => unknown): { code: string; message: string } | 'done' {
  try {
    work();
    return 'done';
  } catch (error) {
    if (error instanceof KnownError) return { code: error.code, message: error.message };
    throw error;
  }
}

function report(outcomes: unknown[]): void {
  const files = fs.readdirSync(folder).sort();
  process.stdout.write(JSON.stringify({ outcomes, content: fs.readFileSync(file, 'utf8').slice(0, 100), files }));
}

if (operation === 'rejected') {
  // The disk is full, or the disk or the folder is read-only, so the file writes fail.
  const log = join(folder, 'log');
  report([
    attempt(() => writePrivateFile(file, BIG)),
    attempt(() => writeUserFile(file, BIG)),
    attempt(() => openDurableLog(log).append(BIG)),
    attempt(() => tryLock(join(folder, 'lock'))),
  ]);
} else if (operation === 'user-file') {
  report([attempt(() => writeUserFile(file, 'new'))]);
} else {
  // Writes complete files of a single letter until it is killed.
  for (let round = 0; ; round++) writePrivateFile(file, (round % 2 ? 'a' : 'b').repeat(300_000));
}
