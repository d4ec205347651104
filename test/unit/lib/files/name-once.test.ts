// A finished file gets its final name without ever replacing another file.
import fs, { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { nameOnce } from '../../../../src/lib/kernel/temporary-file.ts';
import { temporaryFolder } from '../../../helpers/temporary-folder.ts';

const thrownBy = (work: () => void): unknown => {
  try {
    work();
  } catch (error) {
    return error;
  }
  return undefined;
};

/** A network share may not support hard links. */
function removeLinks(): void {
  const { linkSync } = fs;
  const replace = (link: typeof linkSync): void => {
    fs.linkSync = link;
    syncBuiltinESMExports();
  };
  replace(() => {
    throw Object.assign(new Error('operation not permitted'), { code: 'EPERM' });
  });
  onTestFinished(() => replace(linkSync));
}

describe.each([
  ['with', () => undefined],
  ['without', removeLinks],
])('on a file system %s hard links', (_which, prepare) => {
  it('leaves only the file with the final name', () => {
    prepare();
    const folder = temporaryFolder();
    writeFileSync(join(folder, '.temporary'), 'new');
    nameOnce(join(folder, '.temporary'), join(folder, 'results.csv'));
    expect(readdirSync(folder)).toEqual(['results.csv']);
    expect(readFileSync(join(folder, 'results.csv'), 'utf8')).toBe('new');
  });

  it.each([
    ['the default hint', undefined, 'Move it elsewhere, or pass another name.'],
    ["the caller's hint", 'Name another folder.', 'Name another folder.'],
  ])('rejects an existing name with %s, and keeps both files', (_what, hint, shown) => {
    prepare();
    const folder = temporaryFolder();
    const [temporary, taken] = [join(folder, '.temporary'), join(folder, 'results.csv')];
    writeFileSync(temporary, 'new');
    writeFileSync(taken, 'old');
    expect(thrownBy(() => nameOnce(temporary, taken, hint))).toMatchObject({
      code: 'usage',

      message: `${taken} already exists and was not overwritten.`,
      hint: shown,
    });
    expect([readFileSync(temporary, 'utf8'), readFileSync(taken, 'utf8')]).toEqual(['new', 'old']);
  });
});

it('rethrows any other file system error', () => {
  const folder = temporaryFolder();
  const target = join(folder, 'gone', 'results.csv');
  writeFileSync(join(folder, '.temporary'), 'new');
  expect(thrownBy(() => nameOnce(join(folder, '.temporary'), target))).toMatchObject({ code: 'ENOENT' });
  expect(existsSync(join(folder, '.temporary'))).toBe(true);
});
