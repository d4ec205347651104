// Locks between processes: one holder at a time, no stale locks, no leftover files.
import * as fs from 'node:fs';
import { hostname } from 'node:os';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Clock, systemClock } from '../../../../src/lib/kernel/clock.ts';
import { KnownError } from '../../../../src/lib/kernel/errors.ts';
import { acquireLock, readHolder, tryLock, withLock } from '../../../../src/lib/kernel/lock.ts';
import { DEAD_PID } from '../../../helpers/dead-process.ts';
import { temporaryFolder } from '../../../helpers/temporary-folder.ts';

const onLinux = process.platform === 'linux';
const HOURS_AGO = systemClock.now() / 1000 - 3 * 3600;

function lockPath(): string {
  return join(temporaryFolder(), 'state.lock');
}

function filesNextTo(path: string): string[] {
  return fs.readdirSync(join(path, '..')).sort();
}

interface Written {
  pid?: number;
  host?: string;
  nonce?: string;
  began?: string;
}

function writeLock(path: string, holder: Written = {}): void {
  fs.writeFileSync(path, JSON.stringify({ pid: DEAD_PID, host: hostname(), nonce: 'n0nce', ...holder }));
}

function clockThat(sleep: Clock['sleep']): Clock {
  return { now: systemClock.now, sleep };
}

describe('a lock in one process', () => {
  it('has one holder at a time, and is free after its release', () => {
    const path = lockPath();
    const lock = tryLock(path);
    expect(lock).toBeDefined();
    expect(tryLock(path)).toBeUndefined();
    expect(tryLock(path)).toBeUndefined();
    expect(filesNextTo(path)).toEqual([basename(path)]);
    lock?.release();
    expect(filesNextTo(path)).toEqual([]);
    const next = tryLock(path);
    expect(next).toBeDefined();
    // Releasing the first lock again does not release the second one.
    lock?.release();
    expect(tryLock(path)).toBeUndefined();
    next?.release();
  });

  it('is created with mode 0600 in a folder with mode 0700', () => {
    const path = join(temporaryFolder(), 'deep', 'state.lock');
    const lock = tryLock(path);
    expect(fs.statSync(path).mode & 0o077).toBe(0);
    expect(fs.statSync(join(path, '..')).mode & 0o077).toBe(0);
    lock?.release();
  });

  it('keeps the file of another owner when it is released, and does not throw if the file is missing', () => {
    const path = lockPath();
    const lock = tryLock(path);
    fs.rmSync(path);
    writeLock(path, { host: 'elsewhere.example' });
    lock?.release();
    expect(fs.existsSync(path)).toBe(true);
    const other = join(temporaryFolder(), 'gone', 'state.lock');
    const orphan = tryLock(other);
    fs.rmSync(join(other, '..'), { recursive: true });
    expect(() => orphan?.release()).not.toThrow();
  });

  it("makes other work wait, and is released when the holder's work finishes or fails", async () => {
    const path = lockPath();
    const first = tryLock(path);
    let waits = 0;
    const clock = clockThat(async () => {
      if (++waits === 3) first?.release();
    });
    await expect(withLock(path, clock, () => filesNextTo(path))).resolves.toEqual([basename(path)]);
    expect(waits).toBe(3);
    const failing = withLock(path, clock, () => Promise.reject(new Error('the work failed')));
    await expect(failing).rejects.toThrow('the work failed');
    expect(filesNextTo(path)).toEqual([]);
  });

  it('reports its holder once to a waiting process, which checks the lock at increasing intervals', async () => {
    const path = lockPath();
    writeLock(path, { pid: process.pid });
    const said: string[] = [];
    const pauses: number[] = [];
    const clock: Clock = {
      now: systemClock.now,
      sleep: async (ms) => {
        if (pauses.push(ms) === 500) fs.rmSync(path);
      },
      onWait: (text) => {
        said.push(text());
        return () => said.push('over');
      },
    };
    (await acquireLock(path, clock)).release();
    const name = `${basename(join(path, '..'))}/state.lock`;
    expect(said).toEqual([`Waiting for process ${process.pid}, which holds ${name}`, 'over']);
    expect([pauses[0], Math.max(...pauses)]).toEqual([15, 200]);
    writeLock(path, { host: 'elsewhere.example' });
    const stop = new AbortController();
    const stopped = { ...clock, sleep: () => Promise.reject(new Error('Ctrl-C')) };
    await expect(acquireLock(path, stopped, stop.signal)).rejects.toThrow('Ctrl-C');
    expect(said.slice(2)).toEqual([
      `Waiting for process ${DEAD_PID} on elsewhere.example, which holds ${name}`,
      'over',
    ]);
  });

  it('is no longer awaited after an abort', async () => {
    const path = lockPath();
    const lock = tryLock(path);
    const stop = new AbortController();
    const clock = clockThat((ms, signal) => {
      stop.abort(new Error('Ctrl-C'));
      return systemClock.sleep(ms, signal);
    });
    await expect(acquireLock(path, clock, stop.signal)).rejects.toThrow('Ctrl-C');
    lock?.release();
    await expect(acquireLock(path, clock, stop.signal)).rejects.toThrow('Ctrl-C');
    expect(filesNextTo(path)).toEqual([]);
  });

  it('reports why it cannot be acquired', () => {
    const folder = temporaryFolder();
    fs.writeFileSync(join(folder, 'file'), '');
    expect(() => tryLock(join(folder, 'file', 'state.lock'))).toThrow(KnownError);
    fs.mkdirSync(join(folder, 'state.lock'));
    expect(() => tryLock(join(folder, 'state.lock'))).toThrow(/^Cannot read .*: it is a folder\.$/);
  });
});

describe('an existing lock', () => {
  it.each<[string, Written, boolean]>([
    ['acquired if its process is dead', {}, true],
    ['not acquired if its process is alive', { pid: process.pid }, false],
    ['not acquired if another machine created it recently', { host: 'elsewhere.example' }, false],
    ['acquired if its process id is 0, which would be the current process group', { pid: 0 }, true],
    ['acquired if its process id is negative, which would be a process group', { pid: -1 }, true],
  ])('is %s', (_what, holder, taken) => {
    const path = lockPath();
    writeLock(path, holder);
    const lock = tryLock(path);
    expect(lock !== undefined).toBe(taken);
    expect(filesNextTo(path)).toEqual([basename(path)]);
    lock?.release();
    expect(fs.existsSync(path)).toBe(!taken);
  });

  it('is acquired if another machine created it hours ago', () => {
    const path = lockPath();
    writeLock(path, { host: 'elsewhere.example' });
    fs.utimesSync(path, HOURS_AGO, HOURS_AGO);
    const lock = tryLock(path);
    expect([readHolder(path)?.host, tryLock(path)]).toEqual([hostname(), undefined]);
    lock?.release();
    expect(fs.existsSync(path)).toBe(false);
  });

  it.runIf(onLinux)("is acquired if another process now uses its holder's process id", () => {
    const path = lockPath();
    const current = tryLock(path);
    const written = JSON.parse(fs.readFileSync(path, 'utf8')) as Written;
    current?.release();
    fs.writeFileSync(path, JSON.stringify(written));
    expect(tryLock(path)).toBeUndefined();
    fs.writeFileSync(path, JSON.stringify({ ...written, began: `${Number(written.began) - 1}` }));
    expect(tryLock(path)).toBeDefined();
  });

  it.each([
    ['no text', ''],
    ['an unclosed object', '{'],
    ['null', 'null'],
    ['a list', '[]'],
    ['a process id that is a string', '{"pid":"1","host":"x","nonce":"a"}'],
    ['a nonce that is a path', '{"pid":1,"nonce":"../x"}'],
    ['only NUL bytes', '\0'.repeat(90)],
  ])('is acquired if its file contains %s', (_what, content) => {
    const path = lockPath();
    fs.writeFileSync(path, content);
    const lock = tryLock(path);
    expect(lock).toBeDefined();
    expect(tryLock(path)).toBeUndefined();
    lock?.release();
    expect(filesNextTo(path)).toEqual([]);
  });

  it.each([
    ['a process was', 1],
    ['2 processes were', 2],
    ['300 processes were', 300],
  ])('is acquired after %s killed while acquiring it', (_what, killed) => {
    const path = lockPath();
    writeLock(path, { nonce: 'n0' });
    for (let n = 0; n < killed; n++) writeLock(`${path}.n${n}.dead`, { nonce: `n${n + 1}` });
    const lock = tryLock(path);
    expect(lock).toBeDefined();
    expect(filesNextTo(path)).toEqual([basename(path)]);
  });

  it('is not acquired while a live process is acquiring it', () => {
    const path = lockPath();
    writeLock(path, { nonce: 'n1' });
    writeLock(`${path}.n1.dead`, { nonce: 'n2', pid: process.pid });
    const before = filesNextTo(path);
    expect(tryLock(path)).toBeUndefined();
    expect(filesNextTo(path)).toEqual(before);
  });

  it('is removed together with the files that killed processes left, but no other files', () => {
    const path = lockPath();
    writeLock(path);
    const unrelated = ['state.lock.json', 'state.lock.bak.dead.txt', 'other.lock', 'other.lock.n9.dead'];
    const leftovers = ['state.lock.n7.dead', 'state.lock.n7.dead.n8.dead', `.cdpadm-${DEAD_PID}-abc.tmp`];
    for (const name of [...unrelated, ...leftovers]) {
      fs.writeFileSync(join(path, '..', name), '');
      fs.utimesSync(join(path, '..', name), HOURS_AGO, HOURS_AGO);
    }
    tryLock(path)?.release();
    expect(filesNextTo(path)).toEqual(unrelated.sort());
  });
});
