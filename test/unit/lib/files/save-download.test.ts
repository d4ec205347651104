// A downloaded file is private, is complete or does not exist, has a safe name, and never replaces another file.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openDownload } from '../../../../src/lib/files/save-download.ts';
import { DEAD_PID } from '../../../helpers/dead-process.ts';
import { diskCalls } from '../../../helpers/disk-calls.ts';
import { temporaryFolder } from '../../../helpers/temporary-folder.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

describe('a download', () => {
  it('is saved to a private file, and its size and digest are returned', () => {
    const folder = join(temporaryFolder(), 'new', 'folder');
    const { finish, sink } = openDownload(folder, 'results');
    sink.begin({ 'content-type': ' Application/JSON; charset=utf-8' });
    sink.write(Buffer.from('{"a":'));
    sink.write(Buffer.alloc(0));
    sink.write(Buffer.from('1}'));
    const file = join(folder, 'results.json');
    expect(finish()).toEqual({ file, bytes: 7, sha256: sha256('{"a":1}'), content_type: 'application/json' });
    expect(readFileSync(file, 'utf8')).toBe('{"a":1}');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['results.json']);
  });

  it.each([
    ['application/x-ndjson', 'ndjson'],
    ['application/zip', 'zip'],
    ['application/x-zip-compressed', 'zip'],
    ['application/gzip', 'gz'],
    ['text/csv', 'csv'],
    ['text/plain', 'txt'],
    ['application/x-sh', 'bin'],
    ['../../evil', 'bin'],
  ])('gets an extension from a fixed list: %s becomes .%s', (type, extension) => {
    const folder = temporaryFolder();
    const { finish, sink } = openDownload(folder, 'results');
    sink.begin({ 'content-type': type });
    expect(finish().file).toBe(join(folder, `results.${extension}`));
  });

  it.each([
    ['is a file', '', 'there is a file where the folder should be'],
    ['is below a file', 'folder', 'a part of the path is not a folder'],
  ])('fails if its folder %s, and can still be discarded', (_what, below, why) => {
    const file = join(temporaryFolder(), 'file');
    writeFileSync(file, 'theirs');
    const folder = join(file, below);
    const { discard, sink } = openDownload(folder, 'results');
    const failure = { code: 'files.write', message: `Cannot write ${folder}: ${why}.` };
    expect(() => sink.begin({})).toThrow(expect.objectContaining(failure));
    discard();
    expect(readFileSync(file, 'utf8')).toBe('theirs');
  });

  it('is synced before it is linked to its final name', () => {
    const { finish, sink } = openDownload(temporaryFolder(), 'results');
    const calls = diskCalls(() => {
      sink.begin({});
      sink.write(Buffer.from('all of it'));
      finish();
    });
    expect(calls).toEqual(['write', 'sync', 'link', 'sync folder']);
  });

  it('gets the extension .bin if there is no media type', () => {
    const folder = temporaryFolder();
    const { finish, sink } = openDownload(folder, 'results');
    sink.begin({});
    expect(finish()).toMatchObject({ file: join(folder, 'results.bin'), content_type: '' });
  });

  it('does not contain data from the first attempt if it starts over', () => {
    const folder = temporaryFolder();
    const { finish, sink } = openDownload(folder, 'results');
    sink.begin({ 'content-type': 'text/csv' });
    sink.write(Buffer.from('a long first attempt'));
    sink.begin({ 'content-type': 'text/plain' });
    sink.write(Buffer.from('second'));
    expect(finish()).toEqual({
      file: join(folder, 'results.txt'),
      bytes: 6,
      sha256: sha256('second'),
      content_type: 'text/plain',
    });
    expect(readFileSync(join(folder, 'results.txt'), 'utf8')).toBe('second');
  });

  it('never replaces an existing file, and does not leave temporary files', () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'results.csv'), 'theirs');
    const { finish, sink } = openDownload(folder, 'results');
    sink.begin({ 'content-type': 'text/csv' });
    sink.write(Buffer.from('mine'));
    expect(() => finish()).toThrow(
      expect.objectContaining({
        code: 'usage',
        message: `${join(folder, 'results.csv')} already exists and was not overwritten.`,
        hint: expect.stringContaining('--dir') as string,
      }),
    );
    expect(readdirSync(folder)).toEqual(['results.csv']);
    expect(readFileSync(join(folder, 'results.csv'), 'utf8')).toBe('theirs');
  });

  it('removes what a killed download left in the folder', () => {
    const folder = temporaryFolder();
    const stale = join(folder, `.cdpadm-${DEAD_PID}-abc123.tmp`);
    writeFileSync(stale, 'jane@example.com');
    utimesSync(stale, 0, 0);
    openDownload(folder, 'results').sink.begin({});
    expect(existsSync(stale)).toBe(false);
  });

  it('does not leave a file if it is discarded, whether before or after it starts', () => {
    const folder = temporaryFolder();
    const { discard, sink } = openDownload(folder, 'results');
    discard();
    sink.begin({});
    sink.write(Buffer.from('half'));
    discard();
    sink.write(Buffer.from('what comes late goes nowhere'));
    expect(readdirSync(folder)).toEqual([]);
  });
});
