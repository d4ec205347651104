// The lock between processes: nobody twice, nobody for ever, nothing left behind.
import * as fs from 'node:fs';
import { hostname } from 'node:os';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Clock, systemClock } from '../../../../src/lib/kernel/clock.ts';
import { KnownError } from '../../../../src/lib/kernel/errors.ts';
import { acquireLock, tryLock, withLock } from '../../../../src/lib/kernel/lock.ts';
import { DEAD_PID } from '../../../helpers/dead-process.ts';
import { temporaryFolder } from '../../../helpers/temporary-folder.ts';

const onLinux = process.platform === 'linux';
const HOURS_AGO = systemClock.now() / 1000 - 3 * 3600;

function lockPath(): string {
  return join(temporaryFolder(), 'state.lock');
}

function filesBeside(path: string): string[] {
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

/** A clock whose sleep is the test's own operation. */
function clockThat(sleep: Clock['sleep']): Clock {
  return { now: systemClock.now, sleep };
}

describe('in one process', () => {
  it('is held once, and free again after its release', () => {
    const path = lockPath();
    const lock = tryLock(path);
    expect(lock).toBeDefined();
    expect(tryLock(path)).toBeUndefined();
    expect(tryLock(path)).toBeUndefined();
    expect(filesBeside(path)).toEqual([basename(path)]);
    lock?.release();
    expect(filesBeside(path)).toEqual([]);
    const next = tryLock(path);
    expect(next).toBeDefined();
    // A second release of the first is not one of the second.
    lock?.release();
    expect(tryLock(path)).toBeUndefined();
    next?.release();
  });

  it('is 0600 and makes its folder 0700', () => {
    const path = join(temporaryFolder(), 'deep', 'state.lock');
    const lock = tryLock(path);
    expect(fs.statSync(path).mode & 0o077).toBe(0);
    expect(fs.statSync(join(path, '..')).mode & 0o077).toBe(0);
    lock?.release();
  });

  it("is not removed when it has become another's, nor missed when it is gone", () => {
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

  it('is waited for, and ends with the work, also when that fails', async () => {
    const path = lockPath();
    const first = tryLock(path);
    let waits = 0;
    const clock = clockThat(async () => {
      if (++waits === 3) first?.release();
    });
    await expect(withLock(path, clock, () => filesBeside(path))).resolves.toEqual([basename(path)]);
    expect(waits).toBe(3);
    const failing = withLock(path, clock, () => Promise.reject(new Error('the work failed')));
    await expect(failing).rejects.toThrow('the work failed');
    expect(filesBeside(path)).toEqual([]);
  });

  it('stops waiting when it is told to', async () => {
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
    expect(filesBeside(path)).toEqual([]);
  });

  it('says in a sentence why it cannot be taken', () => {
    const folder = temporaryFolder();
    fs.writeFileSync(join(folder, 'file'), '');
    expect(() => tryLock(join(folder, 'file', 'state.lock'))).toThrow(KnownError);
    fs.mkdirSync(join(folder, 'state.lock'));
    expect(() => tryLock(join(folder, 'state.lock'))).toThrow(/^Cannot read .*: it is a folder\.$/);
  });
});

describe('a lock that is found', () => {
  it.each<[string, Written, boolean]>([
    ['of a dead process', {}, true],
    ['of a living one', { pid: process.pid }, false],
    ['of another machine, young', { host: 'elsewhere.example' }, false],
    ['of a process 0, which would be ourselves', { pid: 0 }, true],
    ['of a negative process, which would be a group', { pid: -1 }, true],
  ])('%s', (_what, holder, taken) => {
    const path = lockPath();
    writeLock(path, holder);
    const lock = tryLock(path);
    expect(lock !== undefined).toBe(taken);
    expect(filesBeside(path)).toEqual([basename(path)]);
    lock?.release();
    expect(fs.existsSync(path)).toBe(!taken);
  });

  it('of another machine ends with its age', () => {
    const path = lockPath();
    writeLock(path, { host: 'elsewhere.example' });
    fs.utimesSync(path, HOURS_AGO, HOURS_AGO);
    expect(tryLock(path)).toBeDefined();
  });

  it.runIf(onLinux)('of an id that a later process has been given is dead', () => {
    const path = lockPath();
    const own = tryLock(path);
    const written = JSON.parse(fs.readFileSync(path, 'utf8')) as Written;
    own?.release();
    fs.writeFileSync(path, JSON.stringify(written));
    expect(tryLock(path)).toBeUndefined();
    fs.writeFileSync(path, JSON.stringify({ ...written, began: `${Number(written.began) - 1}` }));
    expect(tryLock(path)).toBeDefined();
  });

  it.each(['', '{', 'null', '[]', '{"pid":"1","host":"x","nonce":"a"}', '{"pid":1,"nonce":"../x"}', '\0'.repeat(90)])(
    'with content that nobody wrote (%j) is nobody’s',
    (content) => {
      const path = lockPath();
      fs.writeFileSync(path, content);
      const lock = tryLock(path);
      expect(lock).toBeDefined();
      expect(tryLock(path)).toBeUndefined();
      lock?.release();
      expect(filesBeside(path)).toEqual([]);
    },
  );

  it.each([1, 2, 300])('is taken over after %i processes in a row were killed while they took it over', (killed) => {
    const path = lockPath();
    writeLock(path, { nonce: 'n0' });
    for (let n = 0; n < killed; n++) writeLock(`${path}.n${n}.dead`, { nonce: `n${n + 1}` });
    const lock = tryLock(path);
    expect(lock).toBeDefined();
    expect(filesBeside(path)).toEqual([basename(path)]);
  });

  it('is not broken while a living process is about to', () => {
    const path = lockPath();
    writeLock(path, { nonce: 'n1' });
    writeLock(`${path}.n1.dead`, { nonce: 'n2', pid: process.pid });
    const before = filesBeside(path);
    expect(tryLock(path)).toBeUndefined();
    expect(filesBeside(path)).toEqual(before);
  });

  it('is cleaned up with what killed processes left beside it, and nothing else', () => {
    const path = lockPath();
    writeLock(path);
    const innocent = ['state.lock.json', 'state.lock.bak.dead.txt', 'other.lock', 'other.lock.n9.dead'];
    const leftovers = ['state.lock.n7.dead', 'state.lock.n7.dead.n8.dead', `.cdpadm-${DEAD_PID}-abc.tmp`];
    for (const name of [...innocent, ...leftovers]) {
      fs.writeFileSync(join(path, '..', name), '');
      fs.utimesSync(join(path, '..', name), HOURS_AGO, HOURS_AGO);
    }
    tryLock(path)?.release();
    expect(filesBeside(path)).toEqual(innocent.sort());
  });
});
