// A bulk run's checkpoint: one journal per run, and detection of changed input files.
import { appendFileSync, mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
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
  files: [{ path: 'a.csv', size: 700, modified: 1.5, hash: 'h' }],
  mark: { file: 0, position: 3, offset: 120 },
  beyond: [{ file: 0, from: 5, to: 9 }],
  counts: { accepted: 7, rejected: 1, batches: 2, requests: 3, retries: 1, ms: 20 },
  rejects: { path: 'r.ndjson', bytes: 12 },
  finished: false,
};

describe('a seed journal', () => {
  it('returns the last checkpoint from a private file, or undefined before the first write and after it is removed', () => {
    const journal = openSeedJournal(journalPath('seed', temporaryFolder(), ['a.csv', 'https://a.example']));
    expect(journal.read()).toBeUndefined();
    journal.write({ ...CHECKPOINT, finished: true });
    journal.write(CHECKPOINT);
    expect(journal.read()).toEqual({ version: 1, ...CHECKPOINT });
    expect(statSync(journal.path).mode & 0o777).toBe(0o600);
    journal.remove();
    expect(journal.read()).toBeUndefined();
  });

  it('has its own path for each run', () => {
    const folder = temporaryFolder();
    const path = (...key: string[]): string => journalPath('seed', folder, key);
    expect(path('a', 'b')).toBe(path('a', 'b'));
    expect(new Set([path('a', 'b'), path('b', 'a'), path('ab'), path('a', 'b', ''), path('a')]).size).toBe(5);
    expect(path('a').slice(folder.length)).toMatch(/^\/seed\/[0-9a-f]{24}\.json$/);
  });

  it.each<[string, string]>([
    ['nothing', ''],
    ['half a checkpoint', '{"version":1,"files":['],
    ['null', 'null'],
  ])('is rejected if it contains %s', (_what, text) => {
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
  const range = CHECKPOINT.beyond[0];
  const NOT_COUNTS = [undefined, null, '1', -1];
  const NOT_NUMBERS = [undefined, null, '1'];
  const NOT_TEXTS = [undefined, null, 5];
  it.each<[string, (value: unknown) => unknown, unknown[]]>([
    ['the version', (version) => ({ version }), [undefined, null, 0, 2, '1']],
    ['the files', (files) => ({ files }), [undefined, null, {}, [null], [{}]]],
    ["a file's path", (path) => ({ files: [{ ...file, path }] }), NOT_TEXTS],
    ["a file's size", (value) => ({ files: [{ ...file, size: value }] }), NOT_COUNTS],
    ["a file's time", (modified) => ({ files: [{ ...file, modified }] }), NOT_NUMBERS],
    ["a file's digest", (hash) => ({ files: [file, { ...file, hash }] }), NOT_TEXTS],
    ['the mark', (mark) => ({ mark }), [undefined, null, 3, {}]],
    ["the mark's file", (value) => ({ mark: { ...CHECKPOINT.mark, file: value } }), NOT_COUNTS],
    ["the mark's row", (position) => ({ mark: { ...CHECKPOINT.mark, position } }), NOT_COUNTS],
    ["the mark's offset", (offset) => ({ mark: { ...CHECKPOINT.mark, offset } }), [...NOT_NUMBERS, -2, 3.5, 701]],
    ['a mark after its offset', (position) => ({ mark: { ...CHECKPOINT.mark, position } }), [121]],
    ['a range that ends before it starts', (to) => ({ beyond: [{ ...range, to }] }), [4]],
    [
      'a mark in a file that the run does not have',
      (value) => ({ mark: { ...CHECKPOINT.mark, file: value } }),
      [1, 99],
    ],
    ['a range in a file that the run does not have', (value) => ({ beyond: [range, { ...range, file: value }] }), [1]],
    ['the ranges', (beyond) => ({ beyond }), [undefined, null, {}, [null], [[5, 9]]]],
    ["a range's file", (value) => ({ beyond: [{ ...range, file: value }] }), NOT_COUNTS],
    ["a range's start", (from) => ({ beyond: [{ ...range, from }] }), NOT_COUNTS],
    ["a range's end", (to) => ({ beyond: [range, { ...range, to }] }), NOT_COUNTS],
    ['the counts', (counts) => ({ counts }), [undefined, null, {}]],
    ...(['accepted', 'rejected', 'batches', 'requests', 'retries'] as const).map(
      (field): [string, (value: unknown) => unknown, unknown[]] => {
        return [
          `the count \`${field}\``,
          (value) => ({ counts: { ...CHECKPOINT.counts, [field]: value } }),
          NOT_COUNTS,
        ];
      },
    ),
    ['the duration', (ms) => ({ counts: { ...CHECKPOINT.counts, ms } }), NOT_NUMBERS],
    ['the rejects file', (rejects) => ({ rejects }), [undefined, 'r.ndjson', {}]],
    ["the rejects file's path", (path) => ({ rejects: { ...CHECKPOINT.rejects, path } }), NOT_TEXTS],
    ["the rejects file's size", (bytes) => ({ rejects: { ...CHECKPOINT.rejects, bytes } }), NOT_COUNTS],
    ['the finished flag', (finished) => ({ finished }), [undefined, null, 'false', 0]],
  ])('is rejected if one value is invalid: %s', (_what, change, invalid) => {
    const journal = openSeedJournal(journalPath('seed', temporaryFolder(), ['a']));
    for (const value of invalid) {
      const text = JSON.stringify({ version: 1, ...CHECKPOINT, ...(change(value) as object) });
      writeFileSync(journal.path, text, { mode: 0o600 });
      expect(() => journal.read(), text).toThrow(expect.objectContaining({ code: 'seed.journal' }));
    }
  });

  it.each<[string, Partial<SeedCheckpoint>]>([
    ['whose rows have no byte offsets', { mark: { file: 0, position: 3, offset: -1 } }],
    ['without rejected rows', { rejects: null }],
    ['that has not started', { files: [], beyond: [], mark: { file: 0, position: 0, offset: 0 } }],
    ['of a file from before 1970', { files: [{ path: 'a', size: 700, modified: -1.5, hash: '' }] }],
  ])('returns the checkpoint of a run %s', (_what, change) => {
    const journal = openSeedJournal(journalPath('seed', temporaryFolder(), ['a']));
    journal.write({ ...CHECKPOINT, ...change });
    expect(journal.read()).toEqual({ version: 1, ...CHECKPOINT, ...change });
  });

  it('is rejected if one value was edited, unless the run starts over', () => {
    const journal = openSeedJournal(journalPath('seed', temporaryFolder(), ['a']));
    journal.write(CHECKPOINT);
    const text = readFileSync(journal.path, 'utf8');
    writeFileSync(journal.path, text.replace('"position":3', '"position":4'), { mode: 0o600 });
    expect(() => journal.read()).toThrow(expect.objectContaining({ code: 'seed.journal' }));
    expect(journal.read(true)).toBeUndefined();
    writeFileSync(journal.path, JSON.stringify(JSON.parse(text), null, 2), { mode: 0o600 });
    expect(journal.read()).toEqual({ version: 1, ...CHECKPOINT });
  });

  it('can be locked by only one process at a time', () => {
    const folder = temporaryFolder();
    const open = (key: string) => openSeedJournal(journalPath('seed', folder, [key]));
    const first = open('a');
    expect(() => open('a')).toThrow(
      expect.objectContaining({
        code: 'seed.running',
        message: expect.stringMatching(/in another process/) as string,
        hint: expect.stringContaining('--resume') as string,
      }),
    );
    open('b').close();
    first.close();
    open('a').close();
  });
});

describe("a file's fingerprint", () => {
  const LARGE = 1_000_000;

  it('is the same for the same file, and includes the size', async () => {
    const path = join(temporaryFolder(), 'a');
    writeFileSync(path, 'hello');
    const first = await fingerprint(path);
    expect(first).toEqual(await fingerprint(path));
    expect(first).toMatchObject({ path, size: 5 });
    expect(isSameContent([first], [await fingerprint(path)])).toBe(true);
  });

  it.each([
    ['the first byte', 0],
    ['the last byte of the first block', 64 * 1024 - 1],
    ['a sample in the middle', Math.floor((LARGE / 32) * 16)],
    ['the last sample', Math.floor((LARGE / 32) * 31) + 10],
    ['the first byte of the last block', LARGE - 64 * 1024],
    ['the last byte', LARGE - 1],
  ])('differs if %s differs, even with the same size and time', async (_what, at) => {
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

  it("differs if the file's time or length changed", async () => {
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

  it('matches only at the same position in a list of the same length', async () => {
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
