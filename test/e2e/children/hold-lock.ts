// A child process that takes a lock repeatedly, or once and forever.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { systemClock } from '../../../src/lib/kernel/clock.ts';
import { acquireLock, tryLock, withLock } from '../../../src/lib/kernel/lock.ts';

const [operation = '', lockPath = '', file = '', times = '1'] = process.argv.slice(2);

/** Performs a read-modify-write that loses updates unless it runs alone, and logs its start and end. */
function increment(): void {
  fs.appendFileSync(`${file}.log`, `begin ${process.pid}\n`);
  const value = Number(fs.readFileSync(file, 'utf8'));
  fs.writeFileSync(file, String(value + 1));
  fs.appendFileSync(`${file}.log`, `end ${process.pid}\n`);
}

if (operation === 'count') {
  for (let round = 0; round < Number(times); round++) await withLock(lockPath, systemClock, increment);
} else if (operation === 'hold') {
  await acquireLock(lockPath, systemClock);
  process.stdout.write(`held ${process.pid}\n`);
  setInterval(() => undefined, 60_000);
} else if (operation === 'die') {
  // Kills the process as soon as it has a lock, or the right to break a dead process's lock.
  const { linkSync } = fs;
  fs.linkSync = (existing, created) => {
    linkSync(existing, created);
    process.kill(process.pid, 'SIGKILL');
  };
  syncBuiltinESMExports();
  tryLock(lockPath);
} else {
  // Continuously tries to take the lock until it succeeds or standard input ends. The winner prints a line and keeps
  // the lock.
  let over = false;
  process.stdin.on('end', () => (over = true)).resume();
  process.stdout.write('ready\n');
  const race = (): void => {
    if (over) return;
    if (tryLock(lockPath)) {
      process.stdout.write('won\n');
      setInterval(() => undefined, 60_000);
      return;
    }
    setImmediate(race);
  };
  race();
}
