// Collects the licenses of the bundled packages into one text.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * @param {import('./packages.mjs').Package[]} packages
 * @returns {Promise<string>} one section for each package
 */
export async function thirdPartyNotices(packages) {
  const sections = await Promise.all(packages.map(notice));
  return ['This program contains code from the packages below.\n', ...sections].join(`\n${'-'.repeat(80)}\n\n`);
}

/** @param {import('./packages.mjs').Package} bundled */
async function notice({ changes, folder, license, name, source, version }) {
  const files = (await readdir(folder)).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file)).sort();
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  const head = [`${name} ${version} (${license})`, `Source: ${source}`, `This copy is ${changes}.`].join('\n');
  return `${[head, ...texts.map((text) => text.trim())].join('\n\n')}\n`;
}
