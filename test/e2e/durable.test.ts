// Writes files on a full or read-only disk, without permission, and in a process that is killed.
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { readPrivateFile, writePrivateFile, writeUserFile } from '../../src/lib/kernel/durable.ts';
import { openUserLog } from '../../src/lib/kernel/line-file.ts';
import { type Bundle, bundleEntry } from '../helpers/bundle.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
const onUnix = process.platform !== 'win32';

describe.runIf(onUnix)("a user's file", () => {
  it('is written in place if it is a pipe', async () => {
    const pipe = join(temporaryFolder(), 'pipe');
    spawnSync('mkfifo', [pipe]);
    const reader = promisify(execFile)('cat', [pipe]);
    writeUserFile(pipe, 'through the pipe');
    expect((await reader).stdout).toBe('through the pipe');
    expect(fs.statSync(pipe).isFIFO()).toBe(true);
  });

  it('is not opened as a log, and keeps its mode, if it is a pipe or a device', () => {
    const pipe = join(temporaryFolder(), 'pipe');
    spawnSync('mkfifo', ['-m', '666', pipe]);
    expect(() => openUserLog(pipe)).toThrow(/it is not a regular file\.$/);
    expect(fs.statSync(pipe).mode & 0o777).toBe(0o666);
  });
});

describe.runIf(onUnix)('a process that writes a file', () => {
  let bundle: Bundle;
  beforeAll(async () => {
    bundle = await bundleEntry('test/e2e/children/write-files.ts');
  });
  afterAll(() => bundle.remove());

  interface Report {
    outcomes: ({ code: string; message: string; exit: number } | 'done')[];
    content: string;
    files: string[];
  }

  /** A private mount needs a user namespace, which some machines do not allow. */
  const canMount = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0;

  function runOnDisk(prepare: string, folder: string): Report {
    const mount = 'mount -t tmpfs -o size=64k,mode=700 none "$1"; umask 077; printf old > "$1/file"';
    const script = `set -e; ${mount}; ${prepare}; exec "$2" "$3" rejected "$1"`;
    const args = ['-rm', 'sh', '-c', script, 'sh', folder, process.execPath, bundle.file];
    const child = spawnSync('unshare', args, { encoding: 'utf8' });
    expect(child.stderr).toBe('');
    return JSON.parse(child.stdout) as Report;
  }

  it.runIf(canMount)('reports a full disk and keeps the old file', () => {
    const { outcomes, content, files } = runOnDisk(
      'dd if=/dev/zero of="$1/rest" bs=1k count=99 2>/dev/null || :',
      temporaryFolder(),
    );
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({
        code: 'files.write',
        message: expect.stringMatching(/: the disk is full\.$/) as unknown,
      });
    }
    expect(content).toBe('old');
    expect(files.filter((name) => name !== 'log')).toEqual(['file', 'rest']);
  });

  it.runIf(canMount)('reports a disk that fills up during a write, and does not leave a partial file', () => {
    const { outcomes, content, files } = runOnDisk(':', temporaryFolder());
    expect(
      outcomes.slice(0, 3).map((outcome) => (outcome === 'done' ? outcome : outcome.message.split(': ')[1])),
    ).toEqual(Array.from({ length: 3 }, () => 'the disk is full.'));
    expect(content).toBe('old');
    expect(files.filter((name) => !['log', 'lock'].includes(name))).toEqual(['file']);
  });

  it.runIf(canMount)('reports a read-only disk', () => {
    const { outcomes, content, files } = runOnDisk('mount -o remount,ro "$1"', temporaryFolder());
    expect(outcomes.map((outcome) => (outcome === 'done' ? outcome : outcome.message.split(': ')[1]))).toEqual(
      Array.from({ length: 4 }, () => 'the file system is read-only.'),
    );
    expect({ content, files }).toEqual({ content: 'old', files: ['file'] });
  });

  /** Runs an operation as a user other than root, because file modes do not restrict root. */
  function runAsUser(operation: string, folder: string): Report {
    for (const path of isRoot ? [join(folder, 'file'), folder] : []) fs.chownSync(path, NOBODY, NOBODY);
    const user = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
    const child = spawnSync(process.execPath, [bundle.file, operation, folder], { encoding: 'utf8', ...user });
    fs.chmodSync(folder, 0o700);
    expect(child.stderr).toBe('');
    return JSON.parse(child.stdout) as Report;
  }

  const DENIED = { code: 'files.write', message: expect.stringMatching(/: permission denied\.$/) as unknown };

  it('reports a folder without write permission', () => {
    const folder = temporaryFolder();
    fs.writeFileSync(join(folder, 'file'), 'old');
    fs.chmodSync(folder, 0o500);
    expect(runAsUser('rejected', folder)).toEqual({
      outcomes: [DENIED, DENIED, DENIED, DENIED],
      content: 'old',
      files: ['file'],
    });
  });

  it('does not replace a read-only file', () => {
    const folder = temporaryFolder();
    fs.writeFileSync(join(folder, 'file'), 'old', { mode: 0o444 });
    expect(runAsUser('user-file', folder)).toEqual({ outcomes: [DENIED], content: 'old', files: ['file'] });
  });

  it('leaves either the old or the new text when it is killed at any moment', async () => {
    const folder = temporaryFolder();
    const file = join(folder, 'file');
    writePrivateFile(file, 'a'.repeat(300_000));
    for (let round = 0; round < 5; round++) {
      const child = spawn(process.execPath, [bundle.file, 'for-ever', folder], {
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      onTestFinished(() => void child.kill('SIGKILL'));
      await waitForWrites(file, 20 + round);
      await killed(child);
      expect(readPrivateFile(file)).toMatch(/^(a{300000}|b{300000})$/);
      expect(fs.readdirSync(folder).filter((name) => !/^(file|\.cdpadm-\d+-\w+\.tmp)$/.test(name))).toEqual([]);
    }
  });

  /** Reads until it has seen this many versions of the file; each read must be complete. */
  async function waitForWrites(file: string, wanted: number): Promise<void> {
    const seen = new Set<number>();
    while (seen.size < wanted) {
      seen.add(fs.statSync(file).mtimeMs);
      expect(readPrivateFile(file)).toMatch(/^(a{300000}|b{300000})$/);
      await new Promise(setImmediate);
    }
  }

  async function killed(child: ChildProcess): Promise<void> {
    const exit = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await exit;
  }
});
