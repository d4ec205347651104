// Private files and user's files: modes, links, owners, full and read-only disks, processes killed while they write.
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
import { openDurableLog } from '../../../../src/lib/kernel/durable-log.ts';
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

const refusal = (work: () => unknown): KnownError => thrownBy(work) as KnownError;

describe.runIf(onUnix)('modes', () => {
  it.each([0o000, 0o022, 0o077])('are private under umask %o', (mask) => {
    const folder = join(temporaryFolder(), 'deep', 'er');
    setUmask(mask);
    writePrivateFile(join(folder, 'file'), 'secret');
    openDurableLog(join(folder, 'logs', 'log')).close();
    expect([join(folder, '..'), folder, join(folder, 'logs')].map(modeOf)).toEqual([0o700, 0o700, 0o700]);
    expect([join(folder, 'file'), join(folder, 'logs', 'log')].map(modeOf)).toEqual([0o600, 0o600]);
  });

  it('become private again when a file was opened up', () => {
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

  it("of a user's file are kept, given, or left to the umask", () => {
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

it('what is written is on the disk before it gets its name, and the name before anything goes on', () => {
  const file = join(temporaryFolder(), 'file');
  const whole = ['write', 'sync', 'rename', 'sync folder'];
  expect(diskCalls(() => writePrivateFile(file, 'a'))).toEqual(whole);
  expect(diskCalls(() => writePrivateFile(file, 'b'))).toEqual(whole);
  expect(diskCalls(() => writeUserFile(file, 'c'))).toEqual(whole);
  expect(diskCalls(() => openDurableLog(`${file}.log`).append('a line\n'))).toEqual(['sync folder', 'write', 'sync']);
  expect(diskCalls(() => openDurableLog(`${file}.log`).append('a line\n'))).toEqual(['write', 'sync']);
});

describe('private files', () => {
  it('come back as they were written, text and bytes', () => {
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

  it.runIf(onUnix)('are never reached through a link', () => {
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
        expect(refusal(operation)).toMatchObject({
          code: 'files.symlink',
          message: expect.stringContaining(link) as unknown,
        });
      }
      expect(fs.lstatSync(link).isSymbolicLink()).toBe(true);
    }
    expect(fs.existsSync(target)).toBe(false);
  });

  it.runIf(isRoot)('are refused when they or their folder belong to somebody else', () => {
    const folder = temporaryFolder();
    const file = join(folder, 'file');
    fs.writeFileSync(file, 'theirs');
    fs.chownSync(file, NOBODY, NOBODY);
    for (const operation of [
      () => writePrivateFile(file, 'x'),
      () => openDurableLog(file),
      () => readPrivateFile(file),
    ]) {
      expect(refusal(operation)).toMatchObject({ code: 'files.foreign' });
    }
    expect(fs.readFileSync(file, 'utf8')).toBe('theirs');
    fs.rmSync(file);
    fs.chownSync(folder, NOBODY, NOBODY);
    for (const operation of [
      () => writePrivateFile(file, 'x'),
      () => openDurableLog(file),
      () => ensurePrivateFolder(folder),
    ]) {
      expect(refusal(operation)).toMatchObject({ code: 'files.foreign' });
    }
    expect(fs.readdirSync(folder)).toEqual([]);
  });

  it('say in a sentence why they cannot be', () => {
    const folder = temporaryFolder();
    const file = join(folder, 'file');
    fs.writeFileSync(file, '');
    fs.mkdirSync(join(folder, 'sub'));
    const below = join(file, 'below');
    expect(refusal(() => writePrivateFile(below, 'x')).message).toMatch(/^Cannot write .*: a .*folder.*\.$/);
    expect(refusal(() => openDurableLog(below)).message).toMatch(/^Cannot write .*folder/);
    expect(refusal(() => writePrivateFile(join(folder, 'sub'), 'x')).message).toMatch(/it is a folder\.$/);
    expect(refusal(() => openDurableLog(join(folder, 'sub'))).message).toMatch(/it is a folder\.$/);
    expect(refusal(() => readPrivateFile(join(folder, 'sub'))).message).toMatch(/^Cannot read .*: it is a folder\.$/);
    expect(refusal(() => removeFile(join(folder, 'sub'))).message).toMatch(/it is a folder\.$/);
    expect(refusal(() => writePrivateFile(join(folder, 'n'.repeat(300)), 'x')).message).toMatch(
      /the name is too long\.$/,
    );
    expect(fs.readdirSync(folder).sort()).toEqual(['file', 'sub']);
    expect(readPrivateFile(below)).toBeUndefined(); // there is nothing to read where there can be no file
  });

  it('leave nothing that a killed process had begun, and touch nothing else', () => {
    const folder = temporaryFolder();
    const leftBehind = join(folder, `.cdpadm-${DEAD_PID}-abc123.tmp`);
    const justBegun = join(folder, `.cdpadm-${DEAD_PID}-def456.tmp`);
    const atWork = join(folder, `.cdpadm-${process.pid}-abc123.tmp`);
    const innocent = join(folder, '.cdpadm-notes.tmp');
    const long = Date.now() / 1000 - 3600;
    for (const path of [leftBehind, justBegun, atWork, innocent]) fs.writeFileSync(path, 'secret');
    for (const path of [leftBehind, atWork, innocent]) fs.utimesSync(path, long, long);
    writePrivateFile(join(folder, 'file'), 'x');
    expect(fs.existsSync(leftBehind)).toBe(false);
    expect([justBegun, atWork, innocent].every((path) => fs.existsSync(path))).toBe(true);
  });
});

describe.runIf(onUnix)("a user's file", () => {
  it('is written through links, also to a target that is yet to be', () => {
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

  it('is refused with a sentence where links lead in a circle or nowhere, or a folder stands', () => {
    const folder = temporaryFolder();
    fs.symlinkSync('two', join(folder, 'one'));
    fs.symlinkSync('one', join(folder, 'two'));
    fs.symlinkSync('none/file', join(folder, 'dangling'));
    const told = ['one', 'dangling', '.', 'none/file'].map((name) =>
      refusal(() => writeUserFile(join(folder, name), 'x')),
    );
    expect(told.map(({ code }) => code)).toEqual(Array.from({ length: 4 }, () => 'files.write'));
    expect(told.map(({ message }) => message.split(': ')[1])).toEqual([
      'its symbolic links form a loop.',
      'the folder does not exist.',
      'it is a folder.',
      'the folder does not exist.',
    ]);
    expect(fs.readdirSync(folder).sort()).toEqual(['dangling', 'one', 'two']);
  });

  it.runIf(isRoot)("stays its owner's", () => {
    const file = join(temporaryFolder(), 'file');
    fs.writeFileSync(file, 'old', { mode: 0o640 });
    fs.chownSync(file, NOBODY, NOBODY);
    writeUserFile(file, 'new');
    expect(fs.statSync(file)).toMatchObject({ uid: NOBODY, gid: NOBODY });
    expect(modeOf(file)).toBe(0o640);
  });

  it('may be a device: written to, not replaced', () => {
    writeUserFile('/dev/null', 'x');
    expect(fs.statSync('/dev/null').isCharacterDevice()).toBe(true);
  });

  it.runIf(fs.existsSync('/dev/full'))('is told to be on a full disk', () => {
    expect(refusal(() => writeUserFile('/dev/full', 'x')).message).toBe('Cannot write /dev/full: the disk is full.');
  });
});

describe('a durable log', () => {
  it('keeps every line in turn, over openings', () => {
    const file = join(temporaryFolder(), 'logs', 'log');
    for (const round of [1, 2]) {
      const log = openDurableLog(file);
      log.append(`${round} one\n`);
      log.append(`${round} two\n${round} three\n`);
      log.close();
    }
    expect(readPrivateFile(file)).toBe('1 one\n1 two\n1 three\n2 one\n2 two\n2 three\n');
  });

  it('once closed writes nothing: its number may be another file by then', () => {
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

  it('closes half a line that a crash left, once', () => {
    const file = join(temporaryFolder(), 'log');
    fs.writeFileSync(file, '{"row":1}\n{"ro');
    const log = openDurableLog(file);
    log.append('{"row":2}\n');
    log.append('{"row":3}\n');
    log.close();
    expect(readPrivateFile(file)).toBe('{"row":1}\n{"ro\n{"row":2}\n{"row":3}\n');
  });

  it('tells when it cannot be written', () => {
    const log = openDurableLog(join(temporaryFolder(), 'log'));
    log.close();
    expect(refusal(() => log.append('x\n'))).toMatchObject({ code: 'files.write' });
  });
});
