// Checks the package as npm would publish it: its files, what they require, its entry points and their types.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';

const run = promisify(execFile);
const root = join(dirname(fileURLToPath(import.meta.url)), '..');
/**
 * @type {{
 *   bin: {cdpadm: string},
 *   exports: Record<string, unknown>,
 *   dependencies: Record<string, string>,
 *   optionalDependencies: Record<string, string>
 * }}
 */
const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));

const ALLOWED = /^(package\.json|README\.md|LICENSE|bin\/(cdpadm\.js|package\.json)|dist\/.+)$/;
const NEEDED = ['README.md', 'LICENSE', 'bin/cdpadm.js', 'bin/package.json', 'dist/main.js', 'dist/package.json'];
/** Stands in strings of code that ajv would write for others, and never runs here. */
const NEVER_RUN = /^ajv(-formats)?\//;
const CODE_IMPORT = /\b(?:require|import)\(\s*["'`]([^"'`$]+)["'`]\s*\)/g;
const TYPE_IMPORT = /\b(?:from |import\()["']([^"']+)["']/g;
const NOTICES = 'dist/THIRD-PARTY-NOTICES.txt';

/** @type {string[]} */
const problems = [];
const folder = await mkdtemp(join(tmpdir(), 'cdpadm-package-'));
try {
  await run('npm', ['run', 'build'], { cwd: root });
  const packing = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], { cwd: root });
  /** @type {{filename: string, size: number, unpackedSize: number, files: {path: string, mode: number}[]}[]} */
  const [packed] = JSON.parse(packing.stdout);
  if (!packed) throw new Error('npm pack made nothing');
  checkFiles(packed.files);
  await checkRequires(packed.files.map((file) => file.path));
  const tarball = join(folder, packed.filename);
  await checkEntryPoints(tarball);
  if ('.' in manifest.exports) await checkTypes(tarball);
  const kilobytes = (/** @type {number} */ bytes) => `${Math.round(bytes / 1000)} kB`;
  const size = `${kilobytes(packed.size)} packed, ${kilobytes(packed.unpackedSize)} unpacked`;
  process.stdout.write(`${packed.files.length} files, ${size}, ${problems.length} problems\n`);
} finally {
  await rm(folder, { recursive: true });
}
for (const problem of problems) process.stderr.write(`${problem}\n`);
process.exitCode = problems.length === 0 ? 0 : 1;

/** @param {{path: string, mode: number}[]} files */
function checkFiles(files) {
  const paths = files.map((file) => file.path);
  problems.push(...paths.filter((path) => !ALLOWED.test(path)).map((path) => `${path} does not belong in the package`));
  problems.push(...[...NEEDED, NOTICES].filter((path) => !paths.includes(path)).map((path) => `${path} is missing`));
  const start = files.find((file) => file.path === manifest.bin.cdpadm);
  if (start && !(start.mode & 0o100)) problems.push(`${start.path} is not executable`);
}

/**
 * Whatever a file of the package requires is a file of the package, a module of Node or a run-time dependency.
 * @param {string[]} paths
 */
async function checkRequires(paths) {
  const known = [manifest.dependencies, manifest.optionalDependencies].flatMap((names) => Object.keys(names));
  for (const path of paths.filter((name) => /\.(c?js|d\.ts)$/.test(name))) {
    const text = await readFile(join(root, path), 'utf8');
    const mention = path.endsWith('.ts') ? TYPE_IMPORT : CODE_IMPORT;
    for (const [, name = ''] of text.matchAll(mention)) {
      const found = name.startsWith('.')
        ? paths.includes(posix.join(posix.dirname(path), name).replace(/(?<!\.d)\.ts$/, '.d.ts'))
        : name.startsWith('node:') || builtinModules.includes(name) || known.includes(name);
      if (!found && !NEVER_RUN.test(name)) problems.push(`${path} requires ${name}, which would not be there`);
    }
  }
}

/** @param {string} tarball */
async function checkEntryPoints(tarball) {
  const { buffer } = new Uint8Array(await readFile(tarball));
  const { messages, pkg } = await publint({ pack: { tarball: buffer }, strict: true });
  problems.push(...messages.map((message) => `publint: ${formatMessage(message, pkg, { color: false })}`));
}

/** @param {string} tarball */
async function checkTypes(tarball) {
  try {
    await run('npx', ['--no-install', 'attw', tarball, '--profile', 'node16', '--no-color'], { cwd: root });
  } catch (error) {
    problems.push(/** @type {{stdout: string}} */ (error).stdout);
  }
}
