// Determines, from the bundler's list of modules, which packages are in the bundle.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { replacedPackages } from './spare-parts.mjs';

/** @typedef {{version: string, license: string, integrity: string, dependencies?: Record<string, string>, optionalDependencies?: Record<string, string>}} Locked */
/** @type {{packages: Record<string, Locked>}} */
const lock = JSON.parse(await readFile(join(import.meta.dirname, '..', 'package-lock.json'), 'utf8'));

/**
 * @typedef {object} Package
 * @property {string} folder
 * @property {string} name
 * @property {string} version
 * @property {string} license an SPDX identifier
 * @property {string} source the URL of its repository
 * @property {string} integrity the hash of its archive: `sha512-` and Base64
 * @property {string} changes how the bundled code differs from the package
 * @property {string[]} dependencies the names of the packages that it depends on
 * @property {Package[]} parts the packages of its native code, one for each system
 */

/**
 * @param {string[]} modules paths of all bundled modules
 * @returns {Promise<Package[]>} in alphabetical order
 */
export async function bundledPackages(modules) {
  const folders = new Set(modules.flatMap((path) => packageFolder(path) ?? []));
  const packages = await Promise.all([...folders].map(readPackage));
  return packages.sort((one, other) => (one.name < other.name ? -1 : 1));
}

/**
 * @param {string} path
 * @returns {string | undefined} the package folder of a module
 */
function packageFolder(path) {
  return /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(path.replace(/^\0/, ''))?.[0];
}

/**
 * @param {string} folder
 * @returns {Promise<Package>}
 */
export async function readPackage(folder) {
  /** @type {{name: string, version: string, license?: string, repository?: string | {url: string}}} */
  const { name, version, license, repository } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  if (license === undefined) throw new Error(`${name} has no license in its package.json.`);
  if (repository === undefined) throw new Error(`${name} has no repository in its package.json.`);
  const source = webAddress(typeof repository === 'string' ? repository : repository.url);
  const changes = replacedPackages.has(name)
    ? 'modified: one part is replaced by other code, unused parts are left out, and the rest is minified'
    : 'modified: unused parts are left out, and the rest is minified';
  const { dependencies = {}, integrity, optionalDependencies = {} } = locked(folder);
  const parts = Object.keys(optionalDependencies).map((part) => {
    const own = locked(`node_modules/${part}`);
    return { ...own, folder, name: part, source, changes, dependencies: [], parts: [] };
  });
  return { folder, name, version, license, source, integrity, changes, dependencies: Object.keys(dependencies), parts };
}

/**
 * Returns the lock file's entry for a package folder.
 * @param {string} folder
 */
function locked(folder) {
  const path = /(?:node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+[\\/]?)+$/.exec(folder)?.[0].replaceAll('\\', '/') ?? '';
  const entry = lock.packages[path];
  if (entry === undefined) throw new Error(`package-lock.json has no entry for ${path}.`);
  return entry;
}

/**
 * Returns the web address of a GitHub repository. Throws for any other repository.
 * @param {string} repository `owner/name`, `github:owner/name`, or a git address
 */
function webAddress(repository) {
  const path = repository
    .replace(/^(git\+)?(https?|git|ssh):\/\/(git@)?github\.com\//, '')
    .replace(/^(github:|git@github\.com:)/, '')
    .replace(/\.git$/, '');
  if (!/^[\w.-]+\/[\w.-]+$/.test(path)) throw new Error(`Unknown repository format: ${repository}`);
  return `https://github.com/${path}`;
}
