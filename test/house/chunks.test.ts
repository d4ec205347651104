// Checks which chunks a short command loads, and the code that loads a chunk on first use.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeLazy } from '../../scripts/lazy-requires.mjs';
import { root } from '../helpers/root.ts';

interface Loaded {
  /** Files in the bundle, relative to the project root. */
  files: string[];
  modules: string[];
}

describe('the built program', () => {
  let folder: string;
  let preload: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'cdpadm-chunks-'));
    preload = join(folder, 'preload.cjs');
    // At startup, the program reads only the chunks that it runs.
    writeFileSync(
      preload,
      `const fs = require('node:fs');
      const { readFileSync } = fs;
      const files = [];
      fs.readFileSync = (path, ...rest) => {
        if (/\\.c?js$/.test(path)) files.push(path);
        return readFileSync(path, ...rest);
      };
      process.on('exit', () => fs.writeFileSync(process.env.LOADED, [...files, ...process.moduleLoadList].join('\\n')));`,
    );
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  /** Runs the built program and returns the bundle files and Node modules that it loaded. */
  function loadedBy(args: string[], settings: Record<string, string> = {}): Loaded {
    const list = join(folder, 'loaded.txt');
    const env = { ...settings, HOME: folder, LOADED: list, CDPADM_STATE_DIR: folder, CDPADM_CONFIG_DIR: folder };
    const { status } = spawnSync(process.execPath, ['--require', preload, 'bin/cdpadm.js', ...args], {
      cwd: root,
      env,
    });
    expect(status).toBe(0);
    const lines = readFileSync(list, 'utf8').split('\n');
    const files = lines.map((line) => relative(root, line)).filter((line) => line.startsWith('dist'));
    return { files, modules: lines.filter((line) => line.startsWith('NativeModule ')) };
  }

  test.each(['--help', 'roles push --help', 'dsr submit -h', 'pipelines --help', 'api --help'])(
    'does not load chunks for %s, because the screen is rendered at build time',
    (line) => {
      const { files, modules } = loadedBy(line.split(' '));
      expect(files).toEqual([]);
      expect(modules.filter((name) => / (child_process|crypto|http|stream|tls)$/.test(name))).toEqual([]);
    },
  );

  const groups = readdirSync(join(root, 'src', 'commands'), { withFileTypes: true }).filter((one) => one.isDirectory());

  test.each([
    [['--help'], { COLUMNS: '90' }],
    [['roles', '--help'], { COLUMNS: '90' }],
    [['__complete', 'fish', 'cdpadm', 'cdpadm --profile local roles get '], {}],
    ...groups.map(({ name }): [string[], object] => [['__complete', 'bash', ' ', 'cdpadm', `cdpadm ${name} `], {}]),
  ])('does not load a chunk of a dependency for %j with the environment %j', (args, settings) => {
    const { files, modules } = loadedBy(args, { ...settings });
    expect(files.length).toBeGreaterThan(0);
    // Completion needs the flags of a group's commands, but not their dependencies.
    expect(
      files.filter((file) =>
        /contract-(?!choices)|[/\\]run\.|work-(?!schema)|zod|undici|yaml|conf\.|inquirer|(?<!commands-)emulator|hono/.test(
          file,
        ),
      ),
    ).toEqual([]);
    expect(modules.filter((name) => / (crypto|http|https|tls|readline)$/.test(name))).toEqual([]);
    // Each press of Tab waits for the program, and even opening standard output would take a tenth of its time.
    if (args[0] === '__complete')
      expect(modules.filter((name) => / (child_process|net|stream|tty)$/.test(name))).toEqual([]);
  });

  test("loads only the chunks that a call needs, including the call's contract", () => {
    const env = {
      CDPADM_BASE_URL: 'http://127.0.0.1:1',
      CDPADM_AUTH_URL: 'http://127.0.0.1:1',
      CDPADM_ORG_ID: '1',
      CDPADM_ACCOUNT_ID: '1',
      CDPADM_CLIENT_ID: 'id',
      CDPADM_CLIENT_SECRET: 'secret',
    };
    const { files } = loadedBy(['roles', 'list', '--curl'], env);
    expect(files).toContain(join('dist', 'chunks', 'contract-roles.js'));
    expect(files.filter((file) => /undici|yaml|conf\.|inquirer|emulator|hono|parquet/.test(file))).toEqual([]);
    expect(files.filter((file) => /work-(?!roles)/.test(file))).toEqual([]);
  });

  test('loads no HTTP client, server package or YAML parser for a command that runs the embedded platform', () => {
    const env = { CDPADM_DATA_DIR: join(folder, 'data'), CDPADM_CACHE_DIR: join(folder, 'cache') };
    const { files, modules } = loadedBy(['groups', 'list', '--profile', 'local'], env);
    expect(files).toContain(join('dist', 'chunks', 'emulator-index.js'));
    expect(files.filter((file) => /undici|yaml|hono-node-server/.test(file))).toEqual([]);
    expect(modules.filter((name) => /undici|http2/.test(name))).toEqual([]);
  });
});

describe('the lazy-require transform', () => {
  const lazy = (name: string, load: string): string =>
    `var $${name};\nfunction ${name}() { return $${name} ??= ${load}; }`;
  const a = 'const require_a = require("./a.js");';
  const lazyA = lazy('require_a', 'require("./a.js")');

  test.each<[string, string, string]>([
    [
      'calls a member through its module',
      `${a}\nrequire_a.f(require_a[g], ...require_a.h, x?.y.require_a.i, { require_a: 1 }, require_ab.j);`,
      `${lazyA}\n(require_a()).f((require_a())[g], ...(require_a()).h, x?.y.require_a.i, { require_a: 1 }, require_ab.j);`,
    ],
    [
      'constructs the member, not the result of the call',
      `${a}\nthrow new require_a.Failure("x");`,
      `${lazyA}\nthrow new (require_a()).Failure("x");`,
    ],
    [
      'supports a Node module',
      `${a}\nlet node_fs = require("node:fs");\nnode_fs = require_a.__toESM(node_fs, 1);\nnode_fs.default.x();`,
      `${lazyA}\n\n${lazy('node_fs', '(require_a()).__toESM(require("node:fs"), 1)')}\n(node_fs()).default.x();`,
    ],
    [
      'supports a dollar sign in a name',
      'const a$1 = require("./a.js");\na$1.f();',
      `${lazy('a$1', 'require("./a.js")')}\n(a$1()).f();`,
    ],
    ...[
      ['ignores strings', 'const s = "require_a.f and `require_a.f`";'],
      ['loads a module immediately if it is passed as a value', `${a}\nuse(require_a, require_a.x);`],
      ['loads a module immediately if its name is shadowed', `${a}\nconst f = (require_a) => require_a.b;`],
      ['ignores a nested require', 'function f() { const a = require("./a.js"); return a.b; }'],
    ].map(([what = '', code = '']): [string, string, string] => [what, code, code]),
  ])('%s', (_what, code, expected) => {
    expect(makeLazy(code)).toBe(expected);
  });
});
