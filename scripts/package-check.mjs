// Checks the package as npm would publish it: its files, the modules that they require, its entry points and its types.
// Then installs the package into an empty folder and globally, runs the program as a user would, and compiles a
// separate program against the library.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
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

const ALLOWED =
  /^(package\.json|[A-Z]+\.md|LICENSE|docs\/.+\.(md|svg|ya?ml)|bench\/results\.md|bin\/(cdpadm\.js|load\.js|package\.json)|dist\/.+)$/;
const NEEDED = [
  'README.md',
  'docs/roles.md',
  'docs/recipes/roles-drift.yml',
  'docs/recipes/warehouse-drift.yml',
  'LICENSE',
  'bin/cdpadm.js',
  'bin/load.js',
  'bin/package.json',
  'dist/main.js',
  'dist/package.json',
];
/** Pages for developers, which are only in the repository. */
const REPOSITORY_ONLY = ['docs/decisions.md', 'docs/performance.md', 'docs/proof.md'];
/** Imports that appear only in strings and therefore never run: code that ajv generates, and an example in the help. */
const NEVER_RUN = /^(ajv(-formats)?\/|\.\/plan\.json$)/;
const CODE_IMPORT = /\b(?:require|import)\(\s*["'`]([^"'`$]+)["'`]\s*\)/g;
const TYPE_IMPORT = /\b(?:from |import\()["']([^"']+)["']/g;
const NOTICES = 'dist/THIRD-PARTY-NOTICES.txt';

/** A program that uses the library. TypeScript must report an error where the last comment expects one. */
const CONSUMER = `import { startEmulator, type Emulator } from 'cdpadm';

// Declares the few globals that the program uses, so that the program compiles without other types.
declare const console: { log(...words: unknown[]): void };
declare function fetch(address: string): Promise<{ status: number }>;

const platform: Emulator = await startEmulator();
const answer = await fetch(\`\${platform.control}/clock\`);
console.log(answer.status, typeof platform.ready.client_id);
await platform.reset();
await platform.close();
// @ts-expect-error there is no such option
export const wrong = () => startEmulator({ color: 'blue' });
`;

/** Module settings with which the program above is compiled. The output of the last compilation is run. */
const MODULES = [['esnext', '--moduleResolution', 'bundler'], ['node16'], ['nodenext']];

/** @typedef {[what: string, file: string, args: string[], expected: RegExp]} Step */

/** @type {string[]} */
const problems = [];
const folder = await mkdtemp(join(tmpdir(), 'cdpadm-package-'));
try {
  await run('npm', ['run', 'build'], { cwd: root });
  const packing = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], { cwd: root });
  /** @type {{filename: string, size: number, unpackedSize: number, files: {path: string, mode: number}[]}[]} */
  const [packed] = JSON.parse(packing.stdout);
  if (!packed) throw new Error('npm pack created no package');
  checkFiles(packed.files);
  await checkRequires(packed.files.map((file) => file.path));
  await checkLinks(packed.files.map((file) => file.path));
  const tarball = join(folder, packed.filename);
  await checkEntryPoints(tarball);
  if ('.' in manifest.exports) await checkTypes(tarball);
  await useIt(tarball, join(folder, 'consumer'));
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
  problems.push(
    ...paths
      .filter((path) => !ALLOWED.test(path) || REPOSITORY_ONLY.includes(path))
      .map((path) => `${path} does not belong in the package`),
  );
  problems.push(...[...NEEDED, NOTICES].filter((path) => !paths.includes(path)).map((path) => `${path} is missing`));
  const start = files.find((file) => file.path === manifest.bin.cdpadm);
  if (start && !(start.mode & 0o100)) problems.push(`${start.path} is not executable`);
}

/**
 * Every module that the package requires must be in the package, built into Node or a runtime dependency.
 * @param {string[]} paths
 */
async function checkRequires(paths) {
  const known = [manifest.dependencies, manifest.optionalDependencies].flatMap((names) => Object.keys(names));
  for (const path of paths.filter((name) => /\.(c?js|d\.ts)$/.test(name))) {
    const text = await readFile(join(root, path), 'utf8');
    const typed = path.endsWith('.ts');
    const mention = typed ? TYPE_IMPORT : CODE_IMPORT;
    for (const [, name = ''] of text.matchAll(mention)) {
      const file = posix.join(posix.dirname(path), typed ? name.replace(/\.js$/, '.d.ts') : name);
      const found = name.startsWith('.')
        ? paths.includes(file)
        : name.startsWith('node:') || builtinModules.includes(name) || known.includes(name);
      if (!found && !NEVER_RUN.test(name)) problems.push(`${path} requires ${name}, which would be missing`);
    }
  }
}

/**
 * Every relative link on a packed page must refer to a packed file.
 * @param {string[]} paths
 */
async function checkLinks(paths) {
  for (const page of paths.filter((path) => path.endsWith('.md'))) {
    const prose = (await readFile(join(root, page), 'utf8')).replace(/^```[\s\S]*?^```$/gm, '');
    for (const [, target = ''] of prose.matchAll(/\]\(([^)\s#]+)(?:#[^)\s]*)?\)/g)) {
      const file = posix.join(posix.dirname(page), target);
      if (!/^[a-z]+:/.test(target) && !paths.includes(file))
        problems.push(`${page} links to ${target}, which is not in the package`);
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

/**
 * Installs the package as a user would, runs a command, and compiles and runs a program that uses the library.
 * @param {string} tarball
 * @param {string} consumer a folder that does not exist yet
 */
async function useIt(tarball, consumer) {
  await mkdir(consumer);
  await writeFile(join(consumer, 'package.json'), JSON.stringify({ name: 'consumer', private: true, type: 'module' }));
  await writeFile(join(consumer, 'use.ts'), CONSUMER);
  const folders = Object.fromEntries(
    ['CONFIG', 'STATE', 'CACHE', 'DATA'].map((kind) => [`CDPADM_${kind}_DIR`, join(consumer, kind.toLowerCase())]),
  );
  const options = { cwd: consumer, env: { ...process.env, ...folders } };
  const compile = [
    join(root, 'node_modules/typescript/bin/tsc'),
    '--strict',
    '--skipLibCheck',
    'false',
    '--target',
    'es2023',
    '--lib',
    'es2023',
  ];
  /** @type {(modules: string[]) => Step} */
  const compiled = (modules) => [
    `its types under --module ${modules.join(' ')}`,
    process.execPath,
    [...compile, '--module', ...modules, 'use.ts'],
    /^$/,
  ];
  /** @type {Step[]} */
  const steps = [
    ['npm install', 'npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', tarball], /added/],
    ['the program', join(consumer, 'node_modules/.bin/cdpadm'), ['roles', 'list', '--profile', 'local'], /admin-role/],
    ...MODULES.map(compiled),
    [
      'npm install --global',
      'npm',
      ['install', '--global', '--prefix', 'global', '--prefer-offline', tarball],
      /added/,
    ],
    ['its manual', 'cat', ['global/share/man/man1/cdpadm-roles-push.1'], /roles push/],
    ['the library', process.execPath, ['use.js'], /200 string/],
  ];
  for (const [what, file, args, expected] of steps) {
    const { stdout, stderr, failed } = await outcome(file, args, options);
    if (failed || !expected.test(stdout.trim())) problems.push(`${what}, installed: ${stdout}${stderr}`);
    if (failed && what === 'npm install') return;
  }
}

/**
 * @param {string} file
 * @param {string[]} args
 * @param {{cwd: string, env: NodeJS.ProcessEnv}} options
 */
async function outcome(file, args, options) {
  try {
    return { ...(await run(file, args, { ...options, timeout: 120_000 })), failed: false };
  } catch (error) {
    const { stdout = '', stderr = String(error) } = /** @type {{stdout?: string, stderr?: string}} */ (error);
    return { stdout, stderr, failed: true };
  }
}
