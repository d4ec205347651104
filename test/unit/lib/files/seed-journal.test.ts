// The checkpoint of a bulk run: which run it is of, and whether the file is still the one that was begun.
import { appendFileSync, mkdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  fingerprint,
  isSameContent,
  journalPath,
  openSeedJournal,
  type SeedCheckpoint,
} from '../../../../src/lib/files/bulk-journal.ts';
import { temporaryFolder } from '../../../helpers/temporary-folder.ts';

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
    const journal = openSeedJournal(journalPath('seed', temporaryFolder(), ['a.csv', 'https://a.example']));
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
    const path = (...key: string[]): string => journalPath('seed', folder, key);
    expect(path('a', 'b')).toBe(path('a', 'b'));
    expect(new Set([path('a', 'b'), path('b', 'a'), path('ab'), path('a', 'b', ''), path('a')]).size).toBe(5);
    expect(path('a').slice(folder.length)).toMatch(/^\/seed\/[0-9a-f]{24}\.json$/);
  });

  it.each<[string, string]>([
    ['nothing', ''],
    ['half of it', '{"version":1,"files":['],
    ['no object', 'null'],
  ])('does not go on from a journal that holds %s', (_what, text) => {
    const folder = temporaryFolder();
    const journal = openSeedJournal(journalPath('seed', folder, ['a']));
    writeFileSync(journal.path, text, { mode: 0o600 });
    expect(() => journal.read()).toThrow(
      expect.objectContaining({
        code: 'seed.journal',
        message: `The journal ${journal.path} cannot be read.`,
        hint: expect.stringContaining('--restart') as string,
      }),
    );
  });

  const file = CHECKPOINT.files[0];
  const stretch = CHECKPOINT.beyond[0];
  const NO_COUNT = [undefined, null, '1', -1];
  const NO_NUMBER = [undefined, null, '1'];
  const NO_TEXT = [undefined, null, 5];
  it.each<[string, (value: unknown) => unknown, unknown[]]>([
    ['version', (version) => ({ version }), [undefined, null, 0, 2, '1']],
    ['files', (files) => ({ files }), [undefined, null, {}, [null], [{}]]],
    ['path of a file', (path) => ({ files: [{ ...file, path }] }), NO_TEXT],
    ['size of a file', (value) => ({ files: [{ ...file, size: value }] }), NO_COUNT],
    ['time of a file', (modified) => ({ files: [{ ...file, modified }] }), NO_NUMBER],
    ['digest of a file', (hash) => ({ files: [file, { ...file, hash }] }), NO_TEXT],
    ['mark', (mark) => ({ mark }), [undefined, null, 3, {}]],
    ['file of the mark', (value) => ({ mark: { ...CHECKPOINT.mark, file: value } }), NO_COUNT],
    ['row of the mark', (position) => ({ mark: { ...CHECKPOINT.mark, position } }), NO_COUNT],
    ['place of the mark', (offset) => ({ mark: { ...CHECKPOINT.mark, offset } }), NO_NUMBER],
    ['stretches', (beyond) => ({ beyond }), [undefined, null, {}, [null], [[5, 9]]]],
    ['file of a stretch', (value) => ({ beyond: [{ ...stretch, file: value }] }), NO_COUNT],
    ['beginning of a stretch', (from) => ({ beyond: [{ ...stretch, from }] }), NO_COUNT],
    ['end of a stretch', (to) => ({ beyond: [stretch, { ...stretch, to }] }), NO_COUNT],
    ['counts', (counts) => ({ counts }), [undefined, null, {}]],
    ...(['accepted', 'rejected', 'batches', 'requests', 'retries'] as const).map(
      (field): [string, (value: unknown) => unknown, unknown[]] => {
        return [`count of ${field}`, (value) => ({ counts: { ...CHECKPOINT.counts, [field]: value } }), NO_COUNT];
      },
    ),
    ['time it took', (ms) => ({ counts: { ...CHECKPOINT.counts, ms } }), NO_NUMBER],
    ['refused rows', (rejects) => ({ rejects }), [undefined, 'r.ndjson', {}]],
    ['path of the refused rows', (path) => ({ rejects: { ...CHECKPOINT.rejects, path } }), NO_TEXT],
    ['bytes of the refused rows', (bytes) => ({ rejects: { ...CHECKPOINT.rejects, bytes } }), NO_COUNT],
    ['end', (finished) => ({ finished }), [undefined, null, 'false', 0]],
  ])('does not go on where the %s is wrong', (_what, change, wrong) => {
    const journal = openSeedJournal(journalPath('seed', temporaryFolder(), ['a']));
    for (const value of wrong) {
      const text = JSON.stringify({ version: 1, ...CHECKPOINT, ...(change(value) as object) });
      writeFileSync(journal.path, text, { mode: 0o600 });
      expect(() => journal.read(), text).toThrow(expect.objectContaining({ code: 'seed.journal' }));
    }
  });

  it.each<[string, Partial<SeedCheckpoint>]>([
    ['whose rows are no stretches of bytes', { mark: { file: 0, position: 3, offset: -1 } }],
    ['that refused no row', { rejects: null }],
    ['that has not begun', { files: [], beyond: [], mark: { file: 0, position: 0, offset: 0 } }],
    ['of a file from before 1970', { files: [{ path: 'a', size: 0, modified: -1.5, hash: '' }] }],
  ])('goes on with a run %s', (_what, change) => {
    const journal = openSeedJournal(journalPath('seed', temporaryFolder(), ['a']));
    journal.write({ ...CHECKPOINT, ...change });
    expect(journal.read()).toEqual({ version: 1, ...CHECKPOINT, ...change });
  });

  it('is held by one at a time', () => {
    const folder = temporaryFolder();
    const open = (key: string) => openSeedJournal(journalPath('seed', folder, [key]));
    const mine = open('a');
    expect(() => open('a')).toThrow(
      expect.objectContaining({
        code: 'seed.running',
        message: expect.stringMatching(/Another process/) as string,
        hint: expect.stringContaining('--resume') as string,
      }),
    );
    open('b').close();
    mine.close();
    open('a').close();
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
    expect(isSameContent([a, b], [a, a])).toBe(false);
    expect(isSameContent([a], [{ ...a, size: a.size + 1 }])).toBe(false);
    expect(isSameContent([a], [a, b])).toBe(false);
  });
});
