// Checks that the pictures on the pages show what the program now prints.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CHROMIUM } from '../helpers/browser.ts';
import { root } from '../helpers/root.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

/** Removes what differs between runs: a plan's id, a journal's name and the duration. */
const stable = (picture: string): string =>
  picture
    .replace(/plan [0-9a-f]{32}/, 'plan')
    .replace(/(?<=\/seed\/)[0-9a-f]+\.json/, '')
    .replace(/(SECONDS *<\/tspan>)<tspan[^>]*>[\d.]+/, '$1');

test('draws the same pictures as in docs/pictures (to fix: run `npm run pictures`)', () => {
  const folder = temporaryFolder();
  execFileSync(process.execPath, [join(root, 'scripts/pictures.mjs'), folder], { stdio: 'pipe' });
  const kept = join(root, 'docs/pictures');
  // The console needs Chromium.
  const drawn = readdirSync(kept).filter((name) => CHROMIUM !== undefined || name !== 'console.svg');
  expect(readdirSync(folder)).toEqual(drawn);
  for (const name of readdirSync(folder)) {
    expect(stable(readFileSync(join(folder, name), 'utf8'))).toBe(stable(readFileSync(join(kept, name), 'utf8')));
  }
});
