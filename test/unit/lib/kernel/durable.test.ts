// Private files and user files: modes, links, owners, full disks, and processes killed during a write.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  ensurePrivateFolder,
  isExposed,
  readPrivateFile,
  removeFile,
  writePrivateFile,
  writeUserFile,
} from '../../../../src/lib/kernel/durable.ts';
import { openDurableLog, openUserLog } from '../../../../src/lib/kernel/line-file.ts';
import type { KnownError } from '../../../../src/lib/kernel/errors.ts';
import { diskCalls } from '../../../helpers/disk-calls.ts';
import { DEAD_PID } from '../../../helpers/dead-process.ts';
import { thrownBy } from '../../../helpers/failure.ts';
import { temporaryFolder } from '../../../helpers/temporary-folder.ts';
import { setUmask } from '../../../helpers/umask.ts';

const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
const onUnix = process.platform !== 'win32';

function modeOf(path: string): number {
  return fs.statSync(path).mode & 0o777;
}

const failureOf = (work: () => unknown): KnownError => thrownBy(work) as KnownError;

describe.runIf(onUnix)('modes', () => {
  it.each([
    ['000', 0],
    ['022', 0o022],
    ['077', 0o077],
  ])('are 0700 for folders and 0600 for files under umask %s', (_octal, mask) => {
    const folder = join(temporaryFolder(), 'deep', 'er');
    setUmask(mask);
    writePrivateFile(join(folder, 'file'), 'secret');
    openDurableLog(join(folder, 'logs', 'log')).close();
    expect([join(folder, '..'), folder, join(folder, 'logs')].map(modeOf)).toEqual([0o700, 0o700, 0o700]);
    expect([join(folder, 'file'), join(folder, 'logs', 'log')].map(modeOf)).toEqual([0o600, 0o600]);
  });

  it('are made private again if a file was exposed', () => {
    const folder = temporaryFolder();
    for (const name of ['file', 'log']) fs.writeFileSync(join(folder, name), 'old\n', { mode: 0o666 });
    fs.chmodSync(join(folder, 'file'), 0o666);
    expect(isExposed(join(folder, 'file'))).toBe(true);
    writePrivateFile(join(folder, 'file'), 'new');
    openDurableLog(join(folder, 'log')).close();
    expect(isExposed(join(folder, 'file'))).toBe(false);
    expect(isExposed(join(folder, 'log'))).toBe(false);
    expect(isExposed(join(folder, 'none'))).toBe(false);
  });

  it('of a user file are the existing ones, the requested ones, or those that the umask allows', () => {
    const folder = temporaryFolder();
    const file = join(folder, 'file');
    setUmask(0o027);
    writeUserFile(file, 'one');
    expect(modeOf(file)).toBe(0o640);
    fs.chmodSync(file, 0o606);
    writeUserFile(file, 'two');
    expect(modeOf(file)).toBe(0o606);
    writeUserFile(file, 'three', 0o600);
    expect(modeOf(file)).toBe(0o600);
    writeUserFile(join(folder, 'other'), 'four', 0o666);
    expect(modeOf(join(folder, 'other'))).toBe(0o666);
    expect(fs.readFileSync(file, 'utf8')).toBe('three');
    expect(fs.readdirSync(folder).sort()).toEqual(['file', 'other']);
  });
});

it('syncs a file before it renames it, and syncs the folder before it returns', () => {
  const file = join(temporaryFolder(), 'file');
  const steps = ['write', 'sync', 'rename', 'sync folder'];
  expect(diskCalls(() => writePrivateFile(file, 'a'))).toEqual(steps);
  expect(diskCalls(() => writePrivateFile(file, 'b'))).toEqual(steps);
  expect(diskCalls(() => writeUserFile(file, 'c'))).toEqual(steps);
  expect(diskCalls(() => openDurableLog(`${file}.log`).append('a line\n'))).toEqual(['sync folder', 'write', 'sync']);
  expect(diskCalls(() => openDurableLog(`${file}.log`).append('a line\n'))).toEqual(['write', 'sync']);
});

describe('private files', () => {
  it('are read back as written, both as text and as bytes', () => {
    const file = join(temporaryFolder(), 'file');
    expect(readPrivateFile(file)).toBeUndefined();
    writePrivateFile(file, 'žluť 🙂\n');
    expect(readPrivateFile(file)).toBe('žluť 🙂\n');
    writePrivateFile(file, new Uint8Array([0x61, 0x0a]));
    expect(readPrivateFile(file)).toBe('a\n');
    writePrivateFile(file, '');
    expect(readPrivateFile(file)).toBe('');
    removeFile(file);
    removeFile(file);
    expect(readPrivateFile(file)).toBeUndefined();
  });

  it.runIf(onUnix)('are never read or written through a symbolic link', () => {
    const folder = temporaryFolder();
    const target = join(folder, 'target');
    const link = join(folder, 'link');
    for (const content of ['theirs', undefined]) {
      if (content === undefined) fs.rmSync(target);
      else fs.writeFileSync(target, content);
      fs.rmSync(link, { force: true });
      fs.symlinkSync(target, link);
      for (const operation of [
        () => writePrivateFile(link, 'x'),
        () => openDurableLog(link),
        () => readPrivateFile(link),
      ]) {
        expect(failureOf(operation)).toMatchObject({
          code: 'files.symlink',
          message: expect.stringContaining(link) as unknown,
        });
      }
      expect(fs.lstatSync(link).isSymbolicLink()).toBe(true);
    }
    expect(fs.existsSync(target)).toBe(false);
  });

  it.runIf(isRoot)('are rejected if they or their folder belong to another user', () => {
    const folder = temporaryFolder();
    const file = join(folder, 'file');
    fs.writeFileSync(file, 'theirs');
    fs.chownSync(file, NOBODY, NOBODY);
    for (const operation of [
      () => writePrivateFile(file, 'x'),
      () => openDurableLog(file),
      () => readPrivateFile(file),
    ]) {
      expect(failureOf(operation)).toMatchObject({ code: 'files.foreign' });
    }
    expect(fs.readFileSync(file, 'utf8')).toBe('theirs');
    fs.rmSync(file);
    fs.chownSync(folder, NOBODY, NOBODY);
    for (const operation of [
      () => writePrivateFile(file, 'x'),
      () => openDurableLog(file),
      () => ensurePrivateFolder(folder),
    ]) {
      expect(failureOf(operation)).toMatchObject({ code: 'files.foreign' });
    }
    expect(fs.readdirSync(folder)).toEqual([]);
    openUserLog(file).append('a line\n');
    expect(modeOf(file)).toBe(0o600);
  });

  it('cause an error that reports why they cannot be read or written', () => {
    const folder = temporaryFolder();
    const file = join(folder, 'file');
    fs.writeFileSync(file, '');
    fs.mkdirSync(join(folder, 'sub'));
    const below = join(file, 'below');
    expect(failureOf(() => writePrivateFile(below, 'x')).message).toMatch(
      /^Cannot create the folder .*: (?:a|there is a) .*folder.*\.$/,
    );
    expect(failureOf(() => openDurableLog(below)).message).toMatch(/^Cannot create the .*folder/);
    expect(failureOf(() => writePrivateFile(join(folder, 'sub'), 'x')).message).toMatch(/it is a folder\.$/);
    expect(failureOf(() => openDurableLog(join(folder, 'sub'))).message).toMatch(/it is a folder\.$/);
    expect(failureOf(() => readPrivateFile(join(folder, 'sub'))).message).toMatch(/^Cannot read .*: it is a folder\.$/);
    expect(failureOf(() => removeFile(join(folder, 'sub'))).message).toMatch(/it is a folder\.$/);
    expect(failureOf(() => writePrivateFile(join(folder, 'n'.repeat(300)), 'x')).message).toMatch(
      /the name is too long\.$/,
    );
    expect(fs.readdirSync(folder).sort()).toEqual(['file', 'sub']);
    expect(readPrivateFile(below)).toBeUndefined(); // A path under a file counts as a missing file.
  });

  it('are written without removing temporary files, except old ones of killed processes', () => {
    const folder = temporaryFolder();
    const stale = join(folder, `.cdpadm-${DEAD_PID}-abc123.tmp`);
    const recent = join(folder, `.cdpadm-${DEAD_PID}-def456.tmp`);
    const inUse = join(folder, `.cdpadm-${process.pid}-abc123.tmp`);
    const unrelated = join(folder, '.cdpadm-notes.tmp');
    const hourAgo = Date.now() / 1000 - 3600;
    for (const path of [stale, recent, inUse, unrelated]) fs.writeFileSync(path, 'secret');
    for (const path of [stale, inUse, unrelated]) fs.utimesSync(path, hourAgo, hourAgo);
    writePrivateFile(join(folder, 'file'), 'x');
    expect(fs.existsSync(stale)).toBe(false);
    expect([recent, inUse, unrelated].every((path) => fs.existsSync(path))).toBe(true);
  });
});

describe.runIf(onUnix)('a user file', () => {
  it('is written after removing what a killed process left in the folder more than an hour ago', () => {
    const folder = temporaryFolder();
    const [stale, recent] = [7200, 600].map((seconds) => {
      const path = join(folder, `.cdpadm-${DEAD_PID}-${seconds}.tmp`);
      fs.writeFileSync(path, 'jane@example.com');
      fs.utimesSync(path, Date.now() / 1000 - seconds, Date.now() / 1000 - seconds);
      return path;
    });
    writeUserFile(join(folder, 'file'), 'x');
    expect([stale, recent].map((path) => fs.existsSync(path ?? ''))).toEqual([false, true]);
  });

  it('is written through symbolic links, even to a target that does not exist yet', () => {
    const folder = temporaryFolder();
    const [file, link, outer] = ['real/file', 'link', 'outer'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    fs.mkdirSync(join(folder, 'real'));
    fs.symlinkSync('real/file', link);
    fs.symlinkSync('link', outer);
    writeUserFile(outer, 'first');
    expect(fs.readFileSync(file, 'utf8')).toBe('first');
    fs.chmodSync(file, 0o640);
    writeUserFile(outer, 'second');
    expect(fs.readFileSync(file, 'utf8')).toBe('second');
    expect(modeOf(file)).toBe(0o640);
    expect([link, outer].map((path) => fs.readlinkSync(path))).toEqual(['real/file', 'link']);
    expect(fs.readdirSync(join(folder, 'real'))).toEqual(['file']);
  });

  it('is rejected, with the reason, if it is a link loop, a dangling link or a folder', () => {
    const folder = temporaryFolder();
    fs.symlinkSync('two', join(folder, 'one'));
    fs.symlinkSync('one', join(folder, 'two'));
    fs.symlinkSync('none/file', join(folder, 'dangling'));
    const failures = ['one', 'dangling', '.', 'none/file'].map((name) =>
      failureOf(() => writeUserFile(join(folder, name), 'x')),
    );
    expect(failures.map(({ code }) => code)).toEqual(Array.from({ length: 4 }, () => 'files.write'));
    expect(failures.map(({ message }) => message.split(': ')[1])).toEqual([
      'its symbolic links form a loop.',
      'the folder does not exist.',
      'it is a folder.',
      'the folder does not exist.',
    ]);
    expect(fs.readdirSync(folder).sort()).toEqual(['dangling', 'one', 'two']);
  });

  it.runIf(isRoot)('keeps its owner', () => {
    const file = join(temporaryFolder(), 'file');
    fs.writeFileSync(file, 'old', { mode: 0o640 });
    fs.chownSync(file, NOBODY, NOBODY);
    writeUserFile(file, 'new');
    expect(fs.statSync(file)).toMatchObject({ uid: NOBODY, gid: NOBODY });
    expect(modeOf(file)).toBe(0o640);
  });

  it('is written to rather than replaced if it is a device', () => {
    writeUserFile('/dev/null', 'x');
    expect(fs.statSync('/dev/null').isCharacterDevice()).toBe(true);
  });

  it.runIf(fs.existsSync('/dev/full'))('is reported as not written if the disk is full', () => {
    expect(failureOf(() => writeUserFile('/dev/full', 'x')).message).toBe('Cannot write /dev/full: the disk is full.');
  });
});

describe('a durable log', () => {
  it('keeps every line in order when it is reopened', () => {
    const file = join(temporaryFolder(), 'logs', 'log');
    for (const round of [1, 2]) {
      const log = openDurableLog(file);
      log.append(`${round} one\n`);
      log.append(`${round} two\n${round} three\n`);
      log.close();
    }
    expect(readPrivateFile(file)).toBe('1 one\n1 two\n1 three\n2 one\n2 two\n2 three\n');
  });

  it('does not write after it is closed, because its descriptor might already belong to another file', () => {
    const folder = temporaryFolder();
    const log = openDurableLog(join(folder, 'log'));
    log.close();
    const other = fs.openSync(join(folder, 'other'), 'w+');
    expect(() => log.append('late\n')).toThrow(/closed/);
    log.close();
    fs.writeSync(other, 'mine');
    fs.closeSync(other);
    expect(fs.readFileSync(join(folder, 'other'), 'utf8')).toBe('mine');
  });

  it('adds one line break after a partial line from a crash', () => {
    const file = join(temporaryFolder(), 'log');
    fs.writeFileSync(file, '{"row":1}\n{"ro');
    const log = openDurableLog(file);
    log.append('{"row":2}\n');
    log.append('{"row":3}\n');
    log.close();
    expect(readPrivateFile(file)).toBe('{"row":1}\n{"ro\n{"row":2}\n{"row":3}\n');
  });

  it('reports a write error if it is written to after it is closed', () => {
    const log = openDurableLog(join(temporaryFolder(), 'log'));
    log.close();
    expect(failureOf(() => log.append('x\n'))).toMatchObject({ code: 'files.write' });
  });
});
