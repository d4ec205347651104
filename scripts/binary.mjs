// Builds the single executable for this system from `dist/`: a copy of the running Node binary that contains the
// program's files as assets. On Linux, the result is `dist/bin/cdpadm-linux-x64`.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

const root = join(import.meta.dirname, '..');
const bin = join(root, 'dist', 'bin');
const staging = join(root, 'node_modules', '.cache', `cdpadm-binary-${process.pid}`);
const SQLITE = 'node_modules/node-sqlite3-wasm/dist/node-sqlite3-wasm';
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';
const windows = process.platform === 'win32';
const name = `cdpadm-${windows ? 'windows' : process.platform}-${process.arch}${windows ? '.exe' : ''}`;

/** Returns the paths, relative to the repository, of the files that the program needs at run time. */
async function assets() {
  const built = await readdir(join(root, 'dist'), { recursive: true });
  const needed = built.filter((path) => /^(main\.js|help-\d+\.txt|chunks[\\/].*\.\w+)$/.test(path));
  const files = needed.map((path) => join('dist', path).replaceAll('\\', '/')).sort();
  const recipes = (await readdir(join(root, 'docs', 'recipes'))).filter((name) => name.endsWith('.yml')).sort();
  files.push(...recipes.map((name) => `docs/recipes/${name}`));
  return [...files, 'bin/cdpadm.js', 'bin/load.js', 'package.json', `${SQLITE}.js`, `${SQLITE}.wasm`];
}

/**
 * Returns the license texts of the program, its libraries, the database and Node. They must accompany the executable.
 */
async function licenses() {
  const beside = join(dirname(process.execPath), ...(windows ? [] : ['..']));
  const places = [join(beside, 'LICENSE'), join(beside, 'share', 'doc', 'nodejs', 'LICENSE')];
  const node = places.find((file) => existsSync(file));
  if (node === undefined) throw new Error(`Node's license is missing: ${places.join(', ')}`);
  const files = ['LICENSE', 'dist/THIRD-PARTY-NOTICES.txt', join(dirname(SQLITE), '..', 'LICENSE'), node];
  const texts = await Promise.all(files.map((file) => readFile(resolve(root, file), 'utf8')));
  return texts.join(`\n${'='.repeat(80)}\n\n`);
}

/** @param {string} file */
async function sha256(file) {
  return [
    {
      alg: 'SHA-256',
      content: createHash('sha256')
        .update(await readFile(file))
        .digest('hex'),
    },
  ];
}

/**
 * Returns the bill of materials of the executable. It is based on that of the npm package, without the optional
 * packages, and with Node and the executable's hash.
 * @param {string} executable
 */
async function materials(executable) {
  /**
   * @typedef {{'bom-ref': string, scope: string, properties?: {name: string, value: string}[]}} Component
   * @type {{
   *   metadata: {component: {hashes?: object[]}},
   *   components: Component[],
   *   dependencies: {ref: string, dependsOn?: string[]}[]
   * }}
   */
  const bom = JSON.parse(await readFile(join(root, 'dist', 'sbom.cdx.json'), 'utf8'));
  const version = process.versions.node;
  const purl = `pkg:github/nodejs/node@v${version}`;
  const cpe = `cpe:2.3:a:nodejs:node.js:${version}:*:*:*:*:*:*:*`;
  const absent = bom.components.filter(({ scope }) => scope === 'optional').map((component) => component['bom-ref']);
  bom.components = bom.components.filter((component) => !absent.includes(component['bom-ref']));
  bom.dependencies = bom.dependencies.filter(({ ref }) => !absent.includes(ref));
  for (const entry of bom.dependencies) entry.dependsOn = entry.dependsOn?.filter((ref) => !absent.includes(ref));
  for (const property of bom.components.flatMap(({ properties = [] }) => properties))
    if (property.value.startsWith('installed')) property.value = 'in the executable, unmodified';
  const licenses = [{ license: { id: 'MIT' } }];
  // Hashes the running Node binary, because the executable contains a copy of it.
  const hashes = await sha256(process.execPath);
  const node = {
    type: 'platform',
    name: 'node',
    version,
    'bom-ref': purl,
    scope: 'required',
    hashes,
    licenses,
    cpe,
    purl,
  };
  bom.components.push(node);
  bom.metadata.component.hashes = await sha256(executable);
  bom.dependencies.find(({ dependsOn }) => dependsOn)?.dependsOn?.push(purl);
  return `${JSON.stringify(bom, undefined, 2)}\n`;
}

await mkdir(bin, { recursive: true });
await mkdir(staging, { recursive: true });
try {
  const main = 'scripts/executable/main.cjs';
  const blob = join(staging, 'blob');
  const config = {
    main,
    output: blob,
    disableExperimentalSEAWarning: true,
    assets: { 'main.cjs': main, ...Object.fromEntries((await assets()).map((path) => [path, path])) },
  };
  await writeFile(join(staging, 'config.json'), JSON.stringify(config));
  execFileSync(process.execPath, ['--experimental-sea-config', join(staging, 'config.json')], {
    cwd: root,
    stdio: 'pipe',
  });
  const executable = join(staging, name);
  await cp(process.execPath, executable);
  await chmod(executable, 0o755);
  const macos = process.platform === 'darwin';
  if (macos) execFileSync('codesign', ['--remove-signature', executable]);
  // Postject's warnings about section names are harmless, so the output is shown only if postject fails.
  const postject = [join(root, 'node_modules/postject/dist/cli.js'), executable, 'NODE_SEA_BLOB', blob];
  const flags = ['--sentinel-fuse', FUSE, ...(macos ? ['--macho-segment-name', 'NODE_SEA'] : [])];
  execFileSync(process.execPath, [...postject, ...flags], { stdio: 'pipe' });
  if (macos) execFileSync('codesign', ['--sign', '-', executable]);
  await writeFile(join(bin, 'LICENSES.txt'), await licenses());
  await writeFile(join(bin, `${name}.cdx.json`), await materials(executable));
  await rename(executable, join(bin, name));
} finally {
  await rm(staging, { recursive: true, force: true });
}
