// A finished file gets its name, and never in the place of another.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { nameOnce } from '../../../../src/lib/files/save-download.ts';
import { temporaryFolder } from '../../../helpers/temporary-folder.ts';

const thrownBy = (work: () => void): unknown => {
  try {
    work();
  } catch (error) {
    return error;
  }
  return undefined;
};

it('leaves the file under its name alone', () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, '.temporary'), 'new');
  nameOnce(join(folder, '.temporary'), join(folder, 'results.csv'));
  expect(readdirSync(folder)).toEqual(['results.csv']);
  expect(readFileSync(join(folder, 'results.csv'), 'utf8')).toBe('new');
});

it.each([
  [undefined, 'Move it away, or pass another name.'],
  ['Name another folder.', 'Name another folder.'],
])('refuses a name that is taken, and loses neither file: %s', (hint, told) => {
  const folder = temporaryFolder();
  const [temporary, taken] = [join(folder, '.temporary'), join(folder, 'results.csv')];
  writeFileSync(temporary, 'new');
  writeFileSync(taken, 'old');
  expect(thrownBy(() => nameOnce(temporary, taken, hint))).toMatchObject({
    code: 'usage',

    message: `${taken} already exists and is not replaced.`,
    hint: told,
  });
  expect([readFileSync(temporary, 'utf8'), readFileSync(taken, 'utf8')]).toEqual(['new', 'old']);
});

it('says of another failure what the system says', () => {
  const folder = temporaryFolder();
  const target = join(folder, 'gone', 'results.csv');
  writeFileSync(join(folder, '.temporary'), 'new');
  expect(thrownBy(() => nameOnce(join(folder, '.temporary'), target))).toMatchObject({ code: 'ENOENT' });
  expect(existsSync(join(folder, '.temporary'))).toBe(true);
});
