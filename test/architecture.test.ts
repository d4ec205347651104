// Checks the architecture: imports follow the layers, and each external API has a single owner.
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { readSources, type SourceFile, usesOfGlobal, walk } from './house/sources.ts';

/**
 * Modules that each module may import (ARCHITECTURE.md). `start` contains main.ts and program.ts. Every module may
 * import its own files.
 */
const MAY_IMPORT: Record<string, readonly string[]> = {
  start: ['commands', 'runtime', 'errors', 'contract', 'kernel'],
  // The library's entry point: other programs import the embedded platform for their tests.
  library: ['emulator', 'contract', 'kernel'],
  commands: ['runtime', 'workflows', 'bulk', 'api', 'render', 'domain', 'files', 'errors', 'contract', 'kernel'],
  errors: ['kernel'],
  runtime: ['api', 'http', 'config', 'emulator', 'render', 'errors', 'contract', 'kernel'],
  workflows: ['bulk', 'api', 'domain', 'files', 'errors', 'contract', 'kernel'],
  bulk: ['domain', 'files', 'errors', 'kernel'],
  api: ['http', 'errors', 'contract', 'kernel'],
  render: ['domain', 'contract', 'kernel'],
  domain: ['errors', 'contract', 'kernel'],
  http: ['errors', 'contract', 'kernel'],
  files: ['errors', 'contract', 'kernel'],
  config: ['errors', 'contract', 'kernel'],
  emulator: ['contract', 'kernel'],
  contract: ['kernel'],
  kernel: [],
};

/** Folders that each folder of a module may import. Files next to these folders may import from all of them. */
const FOLDERS: Record<string, Record<string, readonly string[]>> = {
  http: {
    call: ['engines', 'answer', 'limits'],
    engines: [],
    answer: [],
    limits: [],
  },
  emulator: {
    routes: [
      'callbacks',
      'pipelines',
      'dsr',
      'profiles',
      'warehouse',
      'platform',
      'fixtures',
      'stores',
      'wire',
      'base',
    ],
    callbacks: ['dsr', 'platform', 'stores', 'wire', 'base'],
    pipelines: ['warehouse', 'platform', 'fixtures', 'stores', 'wire', 'base'],
    dsr: ['platform', 'fixtures', 'stores', 'wire', 'base'],
    profiles: ['platform', 'fixtures', 'wire', 'base'],
    warehouse: ['platform', 'fixtures', 'stores', 'wire', 'base'],
    platform: ['fixtures', 'stores', 'wire', 'base'],
    fixtures: ['stores', 'base'],
    stores: ['base'],
    wire: ['base'],
    base: [],
  },
};
/** Files that the folders of `http` may import from their parent folder. */
const SHARED_FILES = /^src\/lib\/http\/(?:types|transport-error)\.ts$/;

/** Modules (or files) that may import each package. */
const PACKAGE_OWNERS: Record<string, readonly string[]> = {
  '@jmespath-community/jmespath': ['runtime'],
  '@modelcontextprotocol/sdk': ['runtime'],
  '@napi-rs/keyring': ['config'],
  chalk: ['render'],
  'cli-table3': ['render'],
  commander: ['start', 'commands', 'runtime'],
  conf: ['config'],
  'csv-parse': ['files'],
  'fast-string-width': ['render'],
  fzstd: ['bulk', 'files'],
  hono: ['emulator'],
  hyparquet: ['files'],
  'hyparquet-compressors': ['files'],
  inquirer: ['runtime'],
  // The second file runs in a worker thread. It is JavaScript, so that Node can run it unchanged.
  'node-sqlite3-wasm': ['src/lib/emulator/base/db.ts', 'src/lib/emulator/warehouse/query-worker.js'],
  ioredis: ['src/lib/bulk/rate-store.ts'],
  tinyglobby: ['bulk'],
  undici: ['http'],
  yaml: ['files', 'runtime', 'src/lib/kernel/yaml-document.ts'],
  yazl: ['files'],
  'zod/mini': ['contract', 'domain', 'config', 'emulator', 'http', 'files', 'runtime', 'commands'],
};

/** All source files except the script of the console page, which runs in a browser. */
const sources = readSources('src').filter(({ path }) => !path.startsWith('src/lib/emulator/console/'));
const byPath = new Map(sources.map((file) => [file.path, file]));

/** Returns the module of a file: `http` for `src/lib/http/client.ts`. */
function moduleOf(path: string): string {
  const [, first = '', second = ''] = path.split('/');
  if (first === 'lib') return second;
  if (first === 'library.ts') return 'library';
  return first === 'commands' ? 'commands' : 'start';
}

/**
 * Returns the command group of a file: `roles` for `src/commands/roles/push.ts`, and `pick.ts` for
 * `src/commands/pick.ts`.
 */
function commandOf(path: string): string {
  return path.split('/')[2] ?? '';
}

/** Runs a check on all source files and returns each finding with its file. */
function findings(check: (file: SourceFile) => Iterable<string>): string[] {
  return sources.flatMap((file) => [...check(file)].map((text) => `${file.path}: ${text}`));
}

describe('the import check', () => {
  test('allows files only in known modules', () => {
    expect(sources.length).toBeGreaterThan(0);
    expect(findings((file) => (moduleOf(file.path) in MAY_IMPORT ? [] : [`module ${moduleOf(file.path)}`]))).toEqual(
      [],
    );
  });

  test('allows a module to import only the modules below it', () => {
    const found = findings(function* ({ path, imports }) {
      const module = moduleOf(path);
      for (const { target } of imports) {
        if (!target?.startsWith('src/')) continue;
        const other = moduleOf(target);
        if (other !== module && !MAY_IMPORT[module]?.includes(other)) yield `imports ${target}`;
      }
    });
    expect(found).toEqual([]);
  });

  test.each(Object.entries(FOLDERS))(
    'allows the folders of %s to import only the folders below them',
    (module, below) => {
      const folderOf = (path: string): string | undefined => new RegExp(`^src/lib/${module}/(\\w+)/`).exec(path)?.[1];
      expect([...new Set(sources.flatMap(({ path }) => folderOf(path) ?? []))].sort()).toEqual(
        Object.keys(below).sort(),
      );
      const found = findings(function* ({ path, imports }) {
        const folder = folderOf(path);
        if (folder === undefined) return;
        for (const { target = '' } of imports) {
          if (!target.startsWith(`src/lib/${module}/`) || SHARED_FILES.test(target)) continue;
          const other = folderOf(target);
          if (other !== folder && !below[folder]?.includes(other ?? '')) yield `imports ${target}`;
        }
      });
      expect(found).toEqual([]);
    },
  );

  test('allows src to import only package.json from outside src', () => {
    const outside = findings(({ imports }) =>
      imports.flatMap(({ target }) => (target && !target.startsWith('src/') ? [target] : [])),
    );
    expect(outside).toEqual(['src/lib/kernel/version.ts: package.json']);
  });

  test('rejects an import between command groups', () => {
    const found = findings(function* ({ path, imports }) {
      if (moduleOf(path) !== 'commands') return;
      for (const { target } of imports) {
        // Files next to the command folders are shared.
        if (!target?.startsWith('src/commands/') || /^src\/commands\/[^/]+\.ts$/.test(target)) continue;
        if (commandOf(target) !== commandOf(path)) yield `imports ${target}`;
      }
    });
    expect(found).toEqual([]);
  });

  test('rejects imports of missing files and imports without a file extension', () => {
    const found = findings(({ imports }) =>
      imports.flatMap(({ target }) => (target?.startsWith('src/') && !byPath.has(target) ? [target] : [])),
    );
    expect(found).toEqual([]);
  });

  test('rejects import cycles, including those through types and dynamic imports', () => {
    const done = new Set<string>();
    const cycles: string[] = [];
    const visit = (path: string, trail: string[]): void => {
      if (trail.includes(path)) cycles.push([...trail.slice(trail.indexOf(path)), path].join(' -> '));
      if (trail.includes(path) || done.has(path)) return;
      for (const { target } of byPath.get(path)?.imports ?? []) if (target) visit(target, [...trail, path]);
      done.add(path);
    };
    for (const { path } of sources) visit(path, []);
    expect(cycles).toEqual([]);
  });
});

describe('the ownership check', () => {
  const usersOf = (name: string): string[] =>
    sources.filter((file) => usesOfGlobal(file, name) > 0).map((file) => file.path);

  test.each([
    ['console', []],
    ['process', ['src/lib/kernel/host.ts']],
    ['fetch', []],
    ['require', []],
  ])('allows only the owner of %s to use it', (name, owners) => {
    expect(usersOf(name)).toEqual(owners);
  });

  test('allows only the kernel to read the current time', () => {
    const found = findings(function* ({ path, ast }) {
      if (moduleOf(path) === 'kernel') return;
      for (const node of walk(ast)) {
        if (ts.isPropertyAccessExpression(node) && node.getText() === 'Date.now') yield node.getText();
        if (!ts.isNewExpression(node) || node.expression.getText() !== 'Date') continue;
        if (!node.arguments?.length) yield node.getText();
      }
    });
    expect(found).toEqual([]);
  });

  test('allows only the clock to sleep', () => {
    const found = findings(function* ({ path, ast, imports }) {
      if (imports.some(({ specifier }) => specifier === 'node:timers/promises')) yield 'node:timers/promises';
      if (path === 'src/lib/kernel/clock.ts') return;
      for (const node of walk(ast)) {
        if (isSleep(node)) yield node.getText();
      }
    });
    expect(found).toEqual([]);
  });

  test('allows a package to be imported only by the modules that own it', () => {
    const found = findings(function* ({ path, imports }) {
      for (const { specifier, target, typeOnly } of imports) {
        if (target || specifier.startsWith('node:') || typeOnly) continue;
        const owners = PACKAGE_OWNERS[packageOf(specifier)];
        if (!owners?.includes(moduleOf(path)) && !owners?.includes(path)) yield `imports ${specifier}`;
      }
    });
    expect(found).toEqual([]);
  });

  test("allows only `parseWith` to parse with a schema, because another library may have set zod's language", () => {
    const found = findings(function* ({ path, ast }) {
      if (path === 'src/lib/contract/explain.ts') return;
      for (const node of walk(ast)) {
        if (!ts.isPropertyAccessExpression(node) || !/^(?:safeParse|parse)(?:Async)?$/.test(node.name.text)) continue;
        // `root` is the command-line parser.
        if (!['Date', 'JSON', 'root'].includes(node.expression.getText())) yield node.getText();
      }
    });
    expect(found).toEqual([]);
  });

  test('allows zod only as `z` from zod/mini, because it adds 14 kB to the program instead of 450 kB', () => {
    const found = findings(function* ({ ast, imports }) {
      for (const { specifier, late } of imports) {
        if (/^zod(?!\/mini$)/.test(specifier)) yield specifier;
        if (specifier === 'zod/mini' && late) yield 'import() takes all of it';
      }
      for (const node of walk(ast)) {
        if (ts.isImportDeclaration(node) && node.moduleSpecifier.getText() === "'zod/mini'") {
          if (!node.getText().endsWith("* as z from 'zod/mini';")) yield node.getText();
        }
      }
    });
    expect(found).toEqual([]);
  });
});

/**
 * True for `new Promise((resolve) => setTimeout(resolve, …))` in any form. A timer that aborts something (a request, a
 * lock) is not a sleep.
 */
function isSleep(node: ts.Node): boolean {
  if (!ts.isNewExpression(node) || node.expression.getText() !== 'Promise') return false;
  const executor = node.arguments?.[0];
  if (!executor || !ts.isFunctionLike(executor)) return false;
  const resolve = executor.parameters[0]?.name.getText();
  for (const call of walk(executor)) {
    if (!ts.isCallExpression(call) || call.expression.getText() !== 'setTimeout') continue;
    const callback = call.arguments[0];
    if (callback?.getText() === resolve) return true;
    if (callback && ts.isArrowFunction(callback) && callback.body.getText().startsWith(`${resolve}(`)) return true;
  }
  return false;
}

/** Returns the key in PACKAGE_OWNERS: the package name, or `zod/mini`. */
function packageOf(specifier: string): string {
  if (specifier === 'zod/mini') return specifier;
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

test('rejects a unit or command test that starts a process, even through an imported test file', () => {
  const files = new Map(readSources('test').map((file) => [file.path, file]));
  const starts = (path: string, seen = new Set<string>()): boolean => {
    const file = files.get(path);
    if (!file || seen.has(path)) return false;
    seen.add(path);
    return file.imports.some(
      ({ specifier, target, typeOnly }) =>
        /^(node:child_process|@lydell\/node-pty)$/.test(specifier) ||
        (target !== undefined && !typeOnly && starts(target, seen)),
    );
  };
  expect([...files.keys()].filter((path) => /^test\/(unit|commands)\//.test(path) && starts(path))).toEqual([]);
});

describe('the style check', () => {
  const everything = [...sources, ...['bench', 'bin', 'scripts', 'test'].flatMap(readSources)];
  const linesOf = (file: SourceFile): string[] => file.text.trimEnd().split('\n');

  test('allows at most 300 lines per source file', () => {
    const long = [...sources, ...['bench', 'bin', 'scripts'].flatMap(readSources)]
      .map((file) => `${file.path}: ${linesOf(file).length}`)
      .filter((line) => Number(line.split(': ')[1]) > 300);
    expect(long).toEqual([]);
  });

  test('requires every file to start with a sentence that describes it', () => {
    const silent = everything.filter((file) => {
      const lines = linesOf(file).filter((line) => !line.startsWith('#!'));
      const end = lines.findIndex((line) => !line.startsWith('//'));
      const opening = lines.slice(0, end).map((line) => line.slice(2).trim());
      return !/^\S.*[.!?:]$/.test(opening.join(' '));
    });
    expect(silent.map((file) => file.path)).toEqual([]);
  });

  test('requires ASCII apostrophes in messages, so that users can search for them', () => {
    expect(sources.filter(({ text }) => /[’‘]/.test(text)).map(({ path }) => path)).toEqual([]);
  });

  test('allows a glossary term to name only one type', () => {
    const owners: Record<string, string> = {
      Sender: 'src/lib/http/types.ts',
      Place: 'src/lib/kernel/errors.ts',
      Verdict: 'src/lib/domain/callbacks/verify.ts',
      Look: 'src/lib/render/pipeline-timeline.ts',
      Target: 'src/lib/runtime/target.ts',
      Feedback: 'src/lib/domain/pacing/gate.ts',
    };
    const found = findings(function* ({ path, text }) {
      for (const [, name = ''] of text.matchAll(/^(?:export )?(?:interface|type|class) (\w+)/gm))
        if (name === 'Signal' || (owners[name] ?? path) !== path) yield name;
      if (/\bsettle[sd]?\b/i.test(text)) yield 'settle';
    });
    expect(found).toEqual([]);
  });

  test('requires file names in kebab-case, and rejects vague names such as utils', () => {
    const found = sources.filter(({ path }) => {
      const parts = path.replace(/\.[jt]s$/, '').split('/');
      return parts.some(
        (part) => !/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(part) || /^(utils?|helpers?|common)$/.test(part),
      );
    });
    expect(found.map((file) => file.path)).toEqual([]);
  });
});
