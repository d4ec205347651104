// The house holds: imports run downward only, and what touches the outside world has one home each.
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { readSources, type SourceFile, usesOfGlobal, walk } from './house/sources.ts';

/** Room -> rooms it may import (ARCHITECTURE.md). `start` is main and program; a room may always import itself. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  start: ['commands', 'runtime', 'errors', 'contract', 'kernel'],
  // What other programs import: the embedded platform, for their own tests.
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

/** The folders inside a room, each with those that it may import. What lies beside them is above them. */
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
/** What stands beside the folders of `http` and may be imported by them. */
const SHARED = /^src\/lib\/http\/(?:types|exchange|transport-error)\.ts$/;

/** Package -> rooms (or files) that may import it. */
const PACKAGE_HOMES: Record<string, readonly string[]> = {
  '@jmespath-community/jmespath': ['runtime'],
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
  // The second is a thread, which has to be a file that Node runs as it is.
  'node-sqlite3-wasm': ['src/lib/emulator/base/db.ts', 'src/lib/emulator/warehouse/query-worker.js'],
  tinyglobby: ['bulk'],
  undici: ['http'],
  yaml: ['files', 'config', 'runtime', 'emulator'],
  yazl: ['files'],
  'zod/mini': ['contract', 'config', 'emulator', 'http', 'files', 'runtime', 'commands'],
};

const sources = readSources('src');
const byPath = new Map(sources.map((file) => [file.path, file]));

/** `src/lib/http/client.ts` -> `http`. */
function roomOf(path: string): string {
  const [, first = '', second = ''] = path.split('/');
  if (first === 'lib') return second;
  if (first === 'library.ts') return 'library';
  return first === 'commands' ? 'commands' : 'start';
}

/** `src/commands/roles/push.ts` -> `roles`; `src/commands/api.ts` -> `api.ts`. */
function commandOf(path: string): string {
  return path.split('/')[2] ?? '';
}

/** Runs a check over all sources and returns its complaints, each with the file it is about. */
function complaints(check: (file: SourceFile) => Iterable<string>): string[] {
  return sources.flatMap((file) => [...check(file)].map((text) => `${file.path}: ${text}`));
}

describe('floors', () => {
  test('every file stands in a known room', () => {
    expect(sources.length).toBeGreaterThan(0);
    expect(complaints((file) => (roomOf(file.path) in MAY_IMPORT ? [] : [`room ${roomOf(file.path)}`]))).toEqual([]);
  });

  test('imports run downward only', () => {
    const wrong = complaints(function* ({ path, imports }) {
      const room = roomOf(path);
      for (const { target } of imports) {
        if (!target?.startsWith('src/')) continue;
        const other = roomOf(target);
        if (other !== room && !MAY_IMPORT[room]?.includes(other)) yield `imports ${target}`;
      }
    });
    expect(wrong).toEqual([]);
  });

  test.each(Object.entries(FOLDERS))('the folders of %s import only what lies below them', (room, below) => {
    const folderOf = (path: string): string | undefined => new RegExp(`^src/lib/${room}/(\\w+)/`).exec(path)?.[1];
    expect([...new Set(sources.flatMap(({ path }) => folderOf(path) ?? []))].sort()).toEqual(Object.keys(below).sort());
    const wrong = complaints(function* ({ path, imports }) {
      const folder = folderOf(path);
      if (folder === undefined) return;
      for (const { target = '' } of imports) {
        if (!target.startsWith(`src/lib/${room}/`) || SHARED.test(target)) continue;
        const other = folderOf(target);
        if (other !== folder && !below[folder]?.includes(other ?? '')) yield `imports ${target}`;
      }
    });
    expect(wrong).toEqual([]);
  });

  test('only the version comes from outside src', () => {
    const outside = complaints(({ imports }) =>
      imports.flatMap(({ target }) => (target && !target.startsWith('src/') ? [target] : [])),
    );
    expect(outside).toEqual(['src/lib/kernel/version.ts: package.json']);
  });

  test('no command imports another', () => {
    const wrong = complaints(function* ({ path, imports }) {
      if (roomOf(path) !== 'commands') return;
      for (const { target } of imports) {
        // What several groups share stands beside their folders, in none of them.
        if (!target?.startsWith('src/commands/') || /^src\/commands\/[^/]+\.ts$/.test(target)) continue;
        if (commandOf(target) !== commandOf(path)) yield `imports ${target}`;
      }
    });
    expect(wrong).toEqual([]);
  });

  test('an imported file exists and is named with its extension', () => {
    const wrong = complaints(({ imports }) =>
      imports.flatMap(({ target }) => (target?.startsWith('src/') && !byPath.has(target) ? [target] : [])),
    );
    expect(wrong).toEqual([]);
  });

  test('no file reaches itself by its imports, of types and late ones too', () => {
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

describe('homes', () => {
  const usersOf = (name: string): string[] =>
    sources.filter((file) => usesOfGlobal(file, name) > 0).map((file) => file.path);

  test.each([
    ['console', []],
    ['process', ['src/lib/kernel/host.ts']],
    ['fetch', []],
    ['require', []],
  ])('%s', (name, homes) => {
    expect(usersOf(name)).toEqual(homes);
  });

  test('the present moment is known to the kernel alone', () => {
    const wrong = complaints(function* ({ path, ast }) {
      if (roomOf(path) === 'kernel') return;
      for (const node of walk(ast)) {
        if (ts.isPropertyAccessExpression(node) && node.getText() === 'Date.now') yield node.getText();
        if (!ts.isNewExpression(node) || node.expression.getText() !== 'Date') continue;
        if (!node.arguments?.length) yield node.getText();
      }
    });
    expect(wrong).toEqual([]);
  });

  test('only the clock waits', () => {
    const wrong = complaints(function* ({ path, ast, imports }) {
      if (imports.some(({ specifier }) => specifier === 'node:timers/promises')) yield 'node:timers/promises';
      if (path === 'src/lib/kernel/clock.ts') return;
      for (const node of walk(ast)) {
        if (isWaiting(node)) yield node.getText();
      }
    });
    expect(wrong).toEqual([]);
  });

  test('each package is imported where it belongs', () => {
    const wrong = complaints(function* ({ path, imports }) {
      for (const { specifier, target, typeOnly } of imports) {
        if (target || specifier.startsWith('node:') || typeOnly) continue;
        const homes = PACKAGE_HOMES[packageOf(specifier)];
        if (!homes?.includes(roomOf(path)) && !homes?.includes(path)) yield `imports ${specifier}`;
      }
    });
    expect(wrong).toEqual([]);
  });

  test('zod comes by names from zod/mini: the whole of it is 450 kB, this is 14', () => {
    const wrong = complaints(function* ({ ast, imports }) {
      for (const { specifier, late } of imports) {
        if (/^zod(?!\/mini$)/.test(specifier)) yield specifier;
        if (specifier === 'zod/mini' && late) yield 'import() takes all of it';
      }
      for (const node of walk(ast)) {
        if (ts.isNamespaceImport(node) && node.parent.parent.getText().includes('zod')) yield node.getText();
      }
    });
    expect(wrong).toEqual([]);
  });
});

/**
 * `new Promise((resolve) => setTimeout(resolve, …))` in any of its forms. A timer that ends something else (a request,
 * a lock) does not wait.
 */
function isWaiting(node: ts.Node): boolean {
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

/** The key of PACKAGE_HOMES: the package, or `zod/mini`, which is not zod. */
function packageOf(specifier: string): string {
  if (specifier === 'zod/mini') return specifier;
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

test('a unit test starts no process, and nothing that it imports from the tests does', () => {
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
  expect([...files.keys()].filter((path) => path.startsWith('test/unit/') && starts(path))).toEqual([]);
});

describe('style', () => {
  const everything = [...sources, ...['bench', 'bin', 'scripts', 'test'].flatMap(readSources)];
  const linesOf = (file: SourceFile): string[] => file.text.trimEnd().split('\n');

  test('no file of the program has more than 300 lines', () => {
    const long = [...sources, ...['bench', 'bin', 'scripts'].flatMap(readSources)]
      .map((file) => `${file.path}: ${linesOf(file).length}`)
      .filter((line) => Number(line.split(': ')[1]) > 300);
    expect(long).toEqual([]);
  });

  test('a file opens with a sentence that says what it is', () => {
    const silent = everything.filter((file) => {
      const lines = linesOf(file).filter((line) => !line.startsWith('#!'));
      const end = lines.findIndex((line) => !line.startsWith('//'));
      const opening = lines.slice(0, end).map((line) => line.slice(2).trim());
      return !/^\S.*[.!?:]$/.test(opening.join(' '));
    });
    expect(silent.map((file) => file.path)).toEqual([]);
  });

  test('an apostrophe is one that every keyboard has, so that a text can be searched for as it is shown', () => {
    expect(sources.filter(({ text }) => /[’‘]/.test(text)).map(({ path }) => path)).toEqual([]);
  });

  test('a word of the glossary names one type', () => {
    const homes: Record<string, string> = {
      Sender: 'src/lib/http/types.ts',
      Place: 'src/lib/kernel/text-place.ts',
      Verdict: 'src/lib/domain/callbacks/verify.ts',
      Look: 'src/lib/render/pipeline-timeline.ts',
      Target: 'src/lib/runtime/target.ts',
      Feedback: 'src/lib/domain/pacing/gate.ts',
    };
    const wrong = complaints(function* ({ path, text }) {
      for (const [, name = ''] of text.matchAll(/^(?:export )?(?:interface|type|class) (\w+)/gm))
        if (name === 'Signal' || (homes[name] ?? path) !== path) yield name;
      if (/\bsettle[sd]?\b/i.test(text)) yield 'settle';
    });
    expect(wrong).toEqual([]);
  });

  test('names are kebab-case and say something', () => {
    const wrong = sources.filter(({ path }) => {
      const parts = path.replace(/\.[jt]s$/, '').split('/');
      return parts.some(
        (part) => !/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(part) || /^(utils?|helpers?|common)$/.test(part),
      );
    });
    expect(wrong.map((file) => file.path)).toEqual([]);
  });
});
