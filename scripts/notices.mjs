// Collects the licenses of the bundled packages in one text.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * @param {string[]} modules paths of all bundled modules
 * @returns {Promise<string>} one section for each package, in alphabetical order
 */
export async function thirdPartyNotices(modules) {
  const folders = new Set(modules.flatMap((path) => packageFolder(path) ?? []));
  const sections = await Promise.all([...folders].map(notice));
  return ['This program contains code of the packages below.\n', ...sections.sort()].join(`\n${'-'.repeat(80)}\n\n`);
}

/**
 * @param {string} path
 * @returns {string | undefined} the package folder of a module
 */
function packageFolder(path) {
  return /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(path.replace(/^\0/, ''))?.[0];
}

/** @param {string} folder */
async function notice(folder) {
  /** @type {{name: string, version: string, license?: string}} */
  const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  if (license === undefined) throw new Error(`${name} names no licence in its package.json.`);
  const files = (await readdir(folder)).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file)).sort();
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  return `${[`${name} ${version} (${license})`, ...texts.map((text) => text.trim())].join('\n\n')}\n`;
}
