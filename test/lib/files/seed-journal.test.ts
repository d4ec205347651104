// The checkpoint of a bulk run: which run it is of, and whether the file is still the one that was begun.
import { appendFileSync, mkdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  fingerprint,
  isSameContent,
  openSeedJournal,
  type SeedCheckpoint,
} from '../../../src/lib/files/seed-journal.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';

const CHECKPOINT: SeedCheckpoint = {
  files: [{ path: 'a.csv', size: 7, modified: 1.5, hash: 'h' }],
  mark: { file: 0, position: 3, offset: 120 },
  beyond: [{ file: 0, from: 5, to: 9 }],
  counts: { accepted: 7, rejected: 1, batches: 2, requests: 3, retries: 1, ms: 20 },
  rejects: { path: 'r.ndjson', bytes: 12 },
  finished: false,
};

describe('openSeedJournal', () => {
  it('reads back what was written last, private, and nothing before or after', () => {
    const journal = openSeedJournal(join(temporaryFolder(), 'seed'), ['a.csv', 'https://a.example']);
    expect(journal.read()).toBeUndefined();
    journal.write({ ...CHECKPOINT, finished: true });
    journal.write(CHECKPOINT);
    expect(journal.read()).toEqual({ version: 1, ...CHECKPOINT });
    expect(statSync(journal.path).mode & 0o777).toBe(0o600);
    journal.remove();
    expect(journal.read()).toBeUndefined();
  });

  it('has one place for a run, and another one for each other run', () => {
    const folder = temporaryFolder();
    const path = (...key: string[]): string => openSeedJournal(folder, key).path;
    expect(path('a', 'b')).toBe(path('a', 'b'));
    expect(new Set([path('a', 'b'), path('b', 'a'), path('ab'), path('a', 'b', ''), path('a')]).size).toBe(5);
  });

  it.each<[string, string]>([
    ['nothing', ''],
    ['half of it', '{"version":1,"files":['],
    ['no object', 'null'],
    ['a later version', JSON.stringify({ ...CHECKPOINT, version: 2 })],
    ['no files', JSON.stringify({ ...CHECKPOINT, version: 1, files: {} })],
    ['no stretches', JSON.stringify({ ...CHECKPOINT, version: 1, beyond: null })],
  ])('does not go on from a journal that holds %s', (_what, text) => {
    const folder = temporaryFolder();
    const journal = openSeedJournal(folder, ['a']);
    writeFileSync(journal.path, text, { mode: 0o600 });
    expect(() => journal.read()).toThrow(
      expect.objectContaining({
        code: 'seed.journal',
        exit: 1,
        message: `The journal ${journal.path} cannot be read.`,
        hint: expect.stringContaining('--restart') as string,
      }),
    );
  });

  it('is held by one at a time', () => {
    const folder = temporaryFolder();
    const [mine, theirs, other] = [['a'], ['a'], ['b']].map((key) => openSeedJournal(folder, key));
    const lock = mine?.hold();
    expect(() => theirs?.hold()).toThrow(
      expect.objectContaining({
        code: 'seed.running',
        exit: 12,
        message: expect.stringMatching(/Another process/) as string,
      }),
    );
    other?.hold().release();
    lock?.release();
    theirs?.hold().release();
  });
});

describe('fingerprint', () => {
  const LARGE = 1_000_000;

  it('is the same for the same file, and knows its size', async () => {
    const path = join(temporaryFolder(), 'a');
    writeFileSync(path, 'hello');
    const first = await fingerprint(path);
    expect(first).toEqual(await fingerprint(path));
    expect(first).toMatchObject({ path, size: 5 });
    expect(isSameContent([first], [await fingerprint(path)])).toBe(true);
  });

  it.each([
    ['the first byte', 0],
    ['the end of the beginning', 64 * 1024 - 1],
    ['a sample in the middle', Math.floor((LARGE / 32) * 16)],
    ['the last sample', Math.floor((LARGE / 32) * 31) + 10],
    ['the beginning of the end', LARGE - 64 * 1024],
    ['the last byte', LARGE - 1],
  ])('is another one where %s differs, though size and time are the same', async (_what, at) => {
    const folder = temporaryFolder();
    const bytes = Buffer.alloc(LARGE, 'x');
    const [one, other] = [join(folder, 'one'), join(folder, 'other')];
    writeFileSync(one, bytes);
    bytes[at] = 0x79;
    writeFileSync(other, bytes);
    for (const path of [one, other]) utimesSync(path, 1, 1);
    const [a, b] = [await fingerprint(one), await fingerprint(other)];
    expect([a.size, a.modified]).toEqual([b.size, b.modified]);
    expect(a.hash).not.toBe(b.hash);
    expect(isSameContent([a], [b])).toBe(false);
  });

  it('is another one for a file that was written to, with the same bytes or more', async () => {
    const path = join(temporaryFolder(), 'a');
    writeFileSync(path, 'x'.repeat(10));
    utimesSync(path, 1, 1);
    const before = await fingerprint(path);
    utimesSync(path, 2, 2);
    const touched = await fingerprint(path);
    appendFileSync(path, 'x');
    utimesSync(path, 1, 1);
    const longer = await fingerprint(path);
    expect(isSameContent([before], [touched])).toBe(false);
    expect(isSameContent([before], [longer])).toBe(false);
  });

  it('of several files counts each and their order', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'x'));
    writeFileSync(join(folder, 'a'), 'a');
    writeFileSync(join(folder, 'b'), 'b');
    const [a, b] = [await fingerprint(join(folder, 'a')), await fingerprint(join(folder, 'b'))];
    expect(isSameContent([a, b], [a, b])).toBe(true);
    expect(isSameContent([a, b], [b, a])).toBe(false);
    expect(isSameContent([a, b], [a])).toBe(false);
    expect(isSameContent([a], [a, b])).toBe(false);
  });
});
