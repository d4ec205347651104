// Tests how command-line arguments and a list of inputs expand to files.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { expandInputs } from '../../../../../src/lib/bulk/sources/expand.ts';
import { inputSource } from '../../../../helpers/input-source.ts';
import { temporaryFolder } from '../../../../helpers/temporary-folder.ts';

function folderOf(...names: string[]): string {
  const folder = temporaryFolder();
  for (const name of names) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), '');
  }
  return folder;
}

const expand = (folder: string, args: string[], list?: string, stdin = ''): Promise<string[]> =>
  expandInputs(args, list, inputSource(folder, Readable.from([Buffer.from(stdin)])));

const usage = (message: RegExp) => ({ code: 'usage', message: expect.stringMatching(message) as string });

describe('arguments', () => {
  it('are kept even if they name a missing file', async () => {
    expect(await expand(folderOf('a.csv'), ['a.csv', '-', '/x/b.csv'])).toEqual(['a.csv', '-', '/x/b.csv']);
  });

  it('expand a folder into its part files, sorted by name', async () => {
    const parts = [
      '_SUCCESS',
      '_committed_1',
      '.hidden',
      '_delta_log/0.json',
      'part-2.csv',
      'part-1.csv',
      'dt=1/part-0.csv',
    ];
    const folder = folderOf(
      ...parts.map((name) => `out/${name}`),
      'out/part-1.csv.results.csv',
      'out/part-2.csv.1-of-4.rejects.ndjson',
    );
    symlinkSync('part-1.csv', join(folder, 'out/part-3.csv'));
    const names = ['dt=1/part-0.csv', 'part-1.csv', 'part-2.csv', 'part-3.csv'];
    expect(await expand(folder, ['out/'])).toEqual(names.map((name) => join('out', name)));
    expect(await expand(folder, [join(folder, 'out')])).toEqual(names.map((name) => join(folder, 'out', name)));
  });

  it('expand a pattern to the matching files, unless a file has exactly that name', async () => {
    const folder = folderOf('a-1.csv', 'a-2.csv', 'b-1.csv', 'a[1].csv', 'deep/er/a-9.csv', 'a-1.csv.results.csv');
    expect(await expand(folder, ['a-*.csv'])).toEqual(['a-1.csv', 'a-2.csv']);
    expect(await expand(folder, ['?-[1].csv'])).toEqual(['a-1.csv', 'b-1.csv']);
    expect(await expand(folder, ['{b,a}-1.csv'])).toEqual(['a-1.csv', 'b-1.csv']);
    expect(await expand(folder, ['**/a-*.csv'])).toEqual(['a-1.csv', 'a-2.csv', 'deep/er/a-9.csv']);
    expect(await expand(folder, ['a[1].csv'])).toEqual(['a[1].csv']);
    expect(await expand(folder, [join(folder, 'b*')])).toEqual([join(folder, 'b-1.csv')]);
    // The results of an earlier run are not inputs, even if the pattern refers to another folder.
    const elsewhere = join(folder, 'deep');
    expect(await expand(elsewhere, [join(folder, 'a-*.csv')])).toEqual(
      ['a-1.csv', 'a-2.csv'].map((name) => join(folder, name)),
    );
    expect(await expand(elsewhere, ['../a-*.csv'])).toEqual(['../a-1.csv', '../a-2.csv']);
    expect(await expand(folder, ['*.results.csv'])).toEqual(['a-1.csv.results.csv']);
    await expect(expand(folder, ['none/*.csv'])).rejects.toMatchObject(usage(/No file matches none/));
  });

  it('include data files whose names only resemble results; each skipped file is reported', async () => {
    const files = ['in/b.csv', 'in/survey.results.csv', 'in/b.csv.results.csv', 'in/_c.csv', 'in/_old/_a.csv'];
    const folder = folderOf(...files);
    const skipped: unknown[] = [];
    const source = inputSource(folder, Readable.from([]));
    for (const word of ['in', 'in/*.csv'])
      expect(await expandInputs([word], undefined, source, (names) => skipped.push(names))).toEqual([
        'in/b.csv',
        'in/survey.results.csv',
      ]);
    const both = ['in/_c.csv', 'in/b.csv.results.csv'];
    expect(skipped).toEqual([['in/_c.csv', 'in/_old/_a.csv', 'in/b.csv.results.csv'], both]);
    expect(await expand(folder, ['in/_old/_*.csv'])).toEqual(['in/_old/_a.csv']);
    expect(await expand(folder, ['in/{_c,b}.csv'])).toEqual(['in/_c.csv', 'in/b.csv']);
    await expect(expand(folder, ['in/?c.csv'])).rejects.toMatchObject({ hints: [{ text: /begin with `_`/ }] });
  });

  it('are rejected if they are the folder of a Delta table with replaced files', async () => {
    const folder = folderOf('t/_delta_log/00000000000000000000.json', 't/part-0.parquet', 't/part-1.parquet');
    expect(await expand(folder, ['t'])).toEqual(['t/part-0.parquet', 't/part-1.parquet']);
    writeFileSync(join(folder, 't/_delta_log/00000000000000000010.json'), '');
    for (const word of ['t', '.'])
      await expect(expand(folder, [word])).rejects.toMatchObject(usage(/is a Delta table that has changed/));
  });

  it('are rejected as usage errors if they do not match a file or if they specify an input twice', async () => {
    const folder = folderOf('a.csv', 'empty/_SUCCESS');
    await expect(expand(folder, [])).rejects.toMatchObject(usage(/No input specified/));
    await expect(expand(folder, ['empty'])).rejects.toMatchObject(usage(/no data files/));
    await expect(expand(folder, ['x*'])).rejects.toMatchObject(usage(/No file matches x\*/));
    await expect(expand(folder, ['a.csv', '*.csv'])).rejects.toMatchObject(usage(/Duplicate input: a\.csv/));
    await expect(expand(folder, ['./a.csv', join(folder, 'a.csv')])).rejects.toMatchObject(usage(/Duplicate input/));
    await expect(expand(folder, ['-', '-'])).rejects.toMatchObject(usage(/Duplicate input: -/));
    await expect(expand(folder, ['-'], '-')).rejects.toMatchObject(usage(/Duplicate input: -/));
  });
});

describe('a list', () => {
  it('adds one input per line after the inputs on the command line', async () => {
    const folder = folderOf('a.csv', 'parts/1.csv');
    writeFileSync(join(folder, 'list'), 'parts\r\n\n*.csv\n');
    expect(await expand(folder, ['/x.csv'], 'list')).toEqual(['/x.csv', 'parts/1.csv', 'a.csv']);
    expect(await expand(folder, [], '-', 'b c.csv\n')).toEqual(['b c.csv']);
  });

  it('is rejected if a line is longer than a path can be', async () => {
    const long = '*'.repeat(200_000);
    await expect(expand(folderOf(), [], '-', `a.csv\n${long}\n`)).rejects.toMatchObject(usage(/longer than 4096/));
    await expect(expand(folderOf(), [long])).rejects.toMatchObject(usage(/longer than 4096 characters/));
  });

  it('is accepted as a Redshift manifest if its files are in the same folder', async () => {
    const folder = folderOf('unload/rs_part_00');
    const write = (text: string): void => writeFileSync(join(folder, 'unload/manifest'), text);
    write('{"entries":[{"url":"s3://b/x/rs_part_00","mandatory":true}]}');
    expect(await expand(folder, [], 'unload/manifest')).toEqual(['unload/rs_part_00']);
    // A missing file is not reported here, but when it is opened.
    write('{"entries":[{"url":"s3://b/x/rs_part_01","meta":{"content_length":1}}]}');
    expect(await expand(folder, [], 'unload/manifest')).toEqual(['unload/rs_part_01']);
    for (const invalid of ['{', '{}', '{"entries":[{"uri":"x"}]}']) {
      write(invalid);
      await expect(expand(folder, [], 'unload/manifest')).rejects.toMatchObject({ code: 'input.invalid' });
    }
  });
});
