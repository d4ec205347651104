// Cache files are stored on disk if possible, and otherwise in memory.
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { createCacheFiles } from '../../../../src/lib/kernel/cache-files.ts';
import type { KnownError } from '../../../../src/lib/kernel/errors.ts';
import { createTestClock } from '../../../helpers/clock.ts';
import { temporaryFolder } from '../../../helpers/temporary-folder.ts';

const never = new AbortController().signal;
let folder: string;
let unusable: KnownError[];
beforeEach(() => {
  folder = temporaryFolder();
  unusable = [];
});
const open = () => createCacheFiles((error) => unusable.push(error));

test('keeps text on disk, where every process can read it', () => {
  const path = join(folder, 'kept', 'text');
  open().write(path, 'one');
  expect(open().read(path)).toBe('one');
  open().overwrite(path, 'two');
  expect(readFileSync(path, 'utf8')).toBe('two');
  expect(unusable).toEqual([]);
});

describe('a cache in an unusable folder', () => {
  const folders = [
    ['a file at its path', () => (writeFileSync(join(folder, 'file'), ''), join(folder, 'file', 'below'))],
    ['a file system that cannot create files', () => '/proc/cdpadm'],
    [
      'a folder at its path',
      () => (mkdirSync(join(folder, 'below', 'text'), { recursive: true }), join(folder, 'below')),
    ],
  ] as const;

  test.each(folders)('keeps the text in memory and reports failures: %s', (_name, make) => {
    const path = join(make(), 'text');
    const files = open();
    expect(files.read(path)).toBeUndefined();
    files.write(path, 'one');
    expect(files.read(path)).toBe('one');
    files.overwrite(path, 'two');
    expect(files.read(path)).toBe('two');
    expect(unusable.length).toBeGreaterThan(0);
    for (const { code } of unusable) expect(code).toMatch(/^files\.(read|write)$/);
    expect(open().read(path)).toBeUndefined();
  });

  test.each(folders.slice(0, 2))('runs locked work once, without the lock: %s', async (_name, make) => {
    const path = join(make(), 'lock');
    let runs = 0;
    await expect(open().locked(path, createTestClock(), () => ++runs, never)).resolves.toBe(1);
    expect(unusable).toHaveLength(1);
  });
});

test('rethrows an error from locked work and does not run the work again', async () => {
  let runs = 0;
  const work = (): never => {
    runs++;
    throw new Error('no');
  };
  await expect(open().locked(join(folder, 'lock'), createTestClock(), work, never)).rejects.toThrow('no');
  expect({ runs, unusable, left: readdirSync(folder) }).toEqual({ runs: 1, unusable: [], left: [] });
});

test('rejects a symbolic link', () => {
  const path = join(folder, 'link');
  symlinkSync(join(folder, 'elsewhere'), path);
  expect(() => open().read(path)).toThrow('symbolic link');
  expect(() => {
    open().write(path, 'one');
  }).toThrow('symbolic link');
  expect(readdirSync(folder)).toEqual(['link']);
});

test("throws the abort's reason if it is aborted before it gets the lock", async () => {
  const stop = new AbortController();
  stop.abort(new Error('enough'));
  await expect(open().locked(join(folder, 'lock'), createTestClock(), () => 1, stop.signal)).rejects.toThrow('enough');
});
