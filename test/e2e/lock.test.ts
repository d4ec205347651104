// The lock between processes: one process holds it at a time, and it is free as soon as its holder dies.
import { type ChildProcess, spawn } from 'node:child_process';
import * as fs from 'node:fs';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { tryLock } from '../../src/lib/kernel/lock.ts';
import { type Bundle, bundleEntry } from '../helpers/bundle.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const onLinux = process.platform === 'linux';

function lockPath(): string {
  return join(temporaryFolder(), 'state.lock');
}

function filesBeside(path: string): string[] {
  return fs.readdirSync(join(path, '..')).sort();
}

describe('a lock between processes', () => {
  let bundle: Bundle;
  beforeAll(async () => {
    bundle = await bundleEntry('test/e2e/children/hold-lock.ts');
  });
  afterAll(() => bundle.remove());

  function start(...args: string[]): ChildProcess {
    const child = spawn(process.execPath, [bundle.file, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    return child;
  }

  /** Returns a function that reads the next line of the child's output. */
  function linesOf(child: ChildProcess): () => Promise<string> {
    if (!child.stdout) throw new Error('no standard output');
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    return async () => String((await lines.next()).value);
  }

  function ended(child: ChildProcess): Promise<number | null> {
    return new Promise((resolve) => child.once('exit', resolve));
  }

  it('prevents lost updates', async () => {
    const path = lockPath();
    const counter = join(temporaryFolder(), 'counter');
    fs.writeFileSync(counter, '0');
    const children = Array.from({ length: 6 }, () => start('count', path, counter, '40'));
    await expect(Promise.all(children.map(ended))).resolves.toEqual([0, 0, 0, 0, 0, 0]);
    expect(fs.readFileSync(counter, 'utf8')).toBe('240');
    expect(filesBeside(path)).toEqual([]);
  });

  it('is free immediately after its holder is killed', async () => {
    const path = lockPath();
    const holder = start('hold', path);
    await expect(linesOf(holder)()).resolves.toBe(`held ${holder.pid}`);
    expect(tryLock(path)).toBeUndefined();
    const end = ended(holder);
    holder.kill('SIGKILL');
    await end;
    const lock = tryLock(path);
    expect(lock).toBeDefined();
    expect(filesBeside(path)).toEqual([basename(path)]);
    lock?.release();
  });

  it('is taken over no matter how many processes are killed during a takeover', async () => {
    const path = lockPath();
    for (let kills = 0; kills < 25; kills++) await ended(start('die', path));
    // Ignores the temporary files of killed processes, which stay until they are old.
    const locks = (): string[] => filesBeside(path).filter((name) => name.startsWith('state.lock'));
    expect(locks()).toHaveLength(25);
    const lock = tryLock(path);
    expect(lock).toBeDefined();
    lock?.release();
    expect(locks()).toEqual([]);
  });

  it('goes to exactly one of many waiting processes after its holder is killed', async () => {
    for (let round = 0; round < 3; round++) {
      const path = lockPath();
      const holder = start('hold', path);
      await linesOf(holder)();
      const racers = Array.from({ length: 5 }, () => start('race', path));
      const read = racers.map(linesOf);
      await expect(Promise.all(read.map((line) => line()))).resolves.toEqual(racers.map(() => 'ready'));
      const next = read.map((line) => line());
      holder.kill('SIGKILL');
      await expect(Promise.race(next)).resolves.toBe('won');
      // The processes that do not get the lock retry until their input ends, then exit silently.
      for (const racer of racers) racer.stdin?.end();
      const said = await Promise.all(next);
      expect(said.filter((line) => line === 'won')).toHaveLength(1);
    }
  });

  it('does not allow overlapping updates or leave a process stuck if processes are killed at any moment', async () => {
    const path = lockPath();
    const counter = join(temporaryFolder(), 'counter');
    fs.writeFileSync(counter, '0');
    const log = `${counter}.log`;
    fs.writeFileSync(log, '');
    const entries = (): string[] => fs.readFileSync(log, 'utf8').trim().split('\n');
    for (let kills = 0; kills < 12; kills++) {
      const victims = [start('count', path, counter, '1000000'), start('count', path, counter, '1000000')];
      const wanted = entries().length + 10 + kills;
      while (entries().length < wanted) await new Promise(setImmediate);
      const ends = victims.map(ended);
      for (const victim of victims) victim.kill('SIGKILL');
      await Promise.all(ends);
      if (fs.readFileSync(counter, 'utf8') === '') fs.writeFileSync(counter, '0');
    }
    const before = entries().length;
    await expect(ended(start('count', path, counter, '5'))).resolves.toBe(0);
    expect(entries()).toHaveLength(before + 10);
    expect(fs.existsSync(path)).toBe(false);
    expect(overlaps(entries())).toEqual([]);
  });

  /** Returns the `end` entries of operations that overlap another operation. */
  function overlaps(entries: readonly string[]): string[] {
    return entries.filter(
      (entry, index) => entry.startsWith('end') && entries[index - 1] !== entry.replace('end', 'begin'),
    );
  }

  it.runIf(onLinux)('is free if its holder is a zombie, even if the parent never reaps it', async () => {
    const path = lockPath();
    // `cat` replaces the shell and never reaps the child.
    const parent = spawn('sh', ['-c', '"$0" "$1" hold "$2" & exec cat', process.execPath, bundle.file, path]);
    onTestFinished(() => void parent.kill('SIGKILL'));
    const pid = Number((await linesOf(parent)()).split(' ')[1]);
    process.kill(pid, 'SIGKILL');
    const state = (): string | undefined => /\) (\w)/.exec(fs.readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1];
    while (state() !== 'Z') await new Promise(setImmediate);
    expect(tryLock(path)).toBeDefined();
  });
});
