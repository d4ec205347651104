// Checks the cache of V8's compiled code between runs: a damaged cache never changes the program's behavior.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { root } from '../helpers/root.ts';

const MAIN = `exports.main = async () => {
  const { say } = require('./chunks/say.js');
  const word = process.argv[2];
  if (process.argv.includes('--stopped')) process.exitCode = 143;
  say(process.argv.includes('--more') ? require('./chunks/more.js').more(word) : word);
};
exports.greeting = 'said';
`;
const SAY = `exports.say = function say(word) { if (word === 'fail') throw new Error('on purpose'); console.log(require('../main.js').greeting + ' ' + word); };
`;
const MORE = `exports.more = (word) => word + require('./say.js').say.length;
`;

let folder: string;
let cache: string;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'cdpadm-code-')));
  cache = join(folder, 'cache');
  mkdirSync(cache, { mode: 0o700 });
  cpSync(join(root, 'bin'), join(folder, 'bin'), { recursive: true });
  mkdirSync(join(folder, 'dist', 'chunks'), { recursive: true });
  writeFileSync(join(folder, 'dist', 'package.json'), '{"type":"commonjs"}');
  writeFileSync(join(folder, 'dist', 'main.js'), MAIN);
  writeFileSync(join(folder, 'dist', 'chunks', 'say.js'), SAY);
  writeFileSync(join(folder, 'dist', 'chunks', 'more.js'), MORE);
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const environment = (over: Record<string, string> = {}): NodeJS.ProcessEnv => ({ CDPADM_CACHE_DIR: cache, ...over });

function run(line: string, over?: Record<string, string>) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(folder, 'bin', 'cdpadm.js'), ...line.split(' ')],
    { encoding: 'utf8', env: environment(over) },
  );
  return { status, stdout, stderr };
}

const RIGHT = { status: 0, stdout: 'said hello\n', stderr: '' };
const code = (): string => join(cache, 'code');
const kept = (): string[] => (existsSync(code()) ? readdirSync(code()) : []);
const nameFor = (words: string): string => `${words}.${process.version}.${process.arch}`;
const keptFile = (words = 'hello'): string => join(code(), nameFor(words));

/** True if a run replaced the cache file. */
function isReplaced(before: number): boolean {
  return lstatSync(keptFile()).ino !== before;
}

describe.skipIf(process.platform === 'win32')('the compiled code cache', () => {
  test('is written once, and is readable only by this user', () => {
    expect(run('hello')).toEqual(RIGHT);
    expect(kept()).toEqual([nameFor('hello')]);
    expect(lstatSync(code()).mode & 0o777).toBe(0o700);
    expect(lstatSync(keptFile()).mode & 0o777).toBe(0o600);
    const { ino } = lstatSync(keptFile());
    expect(run('hello')).toEqual(RIGHT);
    expect(isReplaced(ino)).toBe(false);
  });

  test('is used by the second run', () => {
    run('hello');
    const seen = join(folder, 'seen.cjs');
    writeFileSync(
      seen,
      `const vm = require('node:vm');
      const { Script } = vm;
      const all = [];
      vm.Script = class extends Script {
        constructor(text, options) { super(text, options); all.push(this.cachedDataRejected); }
      };
      process.on('exit', () => console.log(JSON.stringify(all)));`,
    );
    expect(run('hello', { NODE_OPTIONS: `--require ${seen}` }).stdout).toBe('said hello\n[false,false]\n');
  });

  test('is used by the second run of a command that runs the embedded platform', () => {
    const list = (): number => {
      const args = [join(root, 'bin', 'cdpadm.js'), 'groups', 'list', '--profile', 'local'];
      const env = environment({ CDPADM_DATA_DIR: folder, CDPADM_STATE_DIR: folder, CDPADM_CONFIG_DIR: folder });
      expect(spawnSync(process.execPath, args, { env }).status).toBe(0);
      return lstatSync(keptFile('groups.list')).ino;
    };
    const first = list();
    expect(list()).toBe(first);
  });

  test.each<[string, (file: string) => void]>([
    ['empty', (file) => truncateSync(file)],
    ['truncated', (file) => truncateSync(file, lstatSync(file).size - 100)],
    ['all zeros', (file) => writeFileSync(file, Buffer.alloc(lstatSync(file).size))],
    ['not a cache', (file) => writeFileSync(file, 'something else')],
    ['readable by others', (file) => chmodSync(file, 0o644)],
    ['writable by others', (file) => chmodSync(file, 0o622)],
  ])('is ignored and rewritten if it is %s', (_what, damage) => {
    run('hello');
    damage(keptFile());
    const { ino } = lstatSync(keptFile());
    expect(run('hello')).toEqual(RIGHT);
    expect(isReplaced(ino)).toBe(true);
    expect(lstatSync(keptFile()).mode & 0o777).toBe(0o600);
    expect(kept()).toEqual([nameFor('hello')]);
  });

  test('is ignored and rewritten if a single byte is damaged', () => {
    run('hello');
    const whole = readFileSync(keptFile());
    const step = Math.ceil(whole.length / 24);
    for (let at = 0; at < whole.length; at += step) {
      const bytes = Buffer.from(whole);
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      writeFileSync(keptFile(), bytes);
      const { ino } = lstatSync(keptFile());
      expect(run('hello'), `byte ${at}`).toEqual(RIGHT);
      expect(isReplaced(ino), `byte ${at}`).toBe(true);
    }
  });

  test('is never used for a changed chunk, even if its length is the same', () => {
    run('hello');
    writeFileSync(join(folder, 'dist', 'chunks', 'say.js'), SAY.replace("' ' + word", "'-' + word"));
    expect(run('hello').stdout).toBe('said-hello\n');
    expect(run('hello').stdout).toBe('said-hello\n');
  });

  test('keeps code that the command needs only with other flags', () => {
    run('hello');
    expect(run('hello --more').stdout).toBe('said hello1\n');
    const { ino } = lstatSync(keptFile());
    expect(run('hello')).toEqual(RIGHT);
    expect(run('hello --more').stdout).toBe('said hello1\n');
    expect(isReplaced(ino)).toBe(false);
  });

  test('keeps one file per command, regardless of its flags', () => {
    run('hello there you');
    run('hello --profile secret-name --more');
    run('hello Jane@example.com 12');
    expect(kept().sort()).toEqual([nameFor('hello'), nameFor('hello.there')].sort());
  });

  test('is not read through a symlink, which is replaced', () => {
    run('hello');
    const elsewhere = join(folder, 'elsewhere');
    renameSync(keptFile(), elsewhere);
    symlinkSync(elsewhere, keptFile());
    expect(run('hello')).toEqual(RIGHT);
    expect(lstatSync(keptFile()).isFile()).toBe(true);
  });

  test("does not change a folder that has the cache file's name", () => {
    mkdirSync(keptFile(), { recursive: true, mode: 0o700 });
    expect(run('hello')).toEqual(RIGHT);
    expect(lstatSync(keptFile()).isDirectory()).toBe(true);
    expect(kept()).toEqual([nameFor('hello')]);
  });

  test.each([['755'], ['770'], ['500']])('does not change a folder with mode %s', (digits) => {
    const mode = Number.parseInt(digits, 8);
    mkdirSync(code(), { mode });
    chmodSync(code(), mode);
    expect(run('hello')).toEqual(RIGHT);
    // Root can write to a read-only folder.
    if (mode !== 0o500 || process.getuid?.() !== 0) expect(kept()).toEqual([]);
  });

  test.skipIf(process.getuid?.() !== 0)(
    'is replaced if another user owns it, and is not used if another user owns its folder',
    () => {
      run('hello');
      chownSync(keptFile(), 65_534, 65_534);
      const { ino } = lstatSync(keptFile());
      expect(run('hello')).toEqual(RIGHT);
      expect(isReplaced(ino)).toBe(true);
      chownSync(code(), 65_534, 65_534);
      const before = lstatSync(keptFile()).ino;
      expect(run('hello')).toEqual(RIGHT);
      expect(run('other').status).toBe(0);
      expect(isReplaced(before)).toBe(false);
      expect(kept()).toEqual([nameFor('hello')]);
      rmSync(code(), { recursive: true });
      chownSync(cache, 65_534, 65_534);
      expect(run('hello')).toEqual(RIGHT);
      expect(existsSync(code())).toBe(false);
    },
  );

  test('is not written if its folder is a symlink or a file, or if there is no cache folder', () => {
    mkdirSync(join(folder, 'elsewhere'), { mode: 0o700 });
    symlinkSync(join(folder, 'elsewhere'), code());
    expect(run('hello')).toEqual(RIGHT);
    expect(kept()).toEqual([]);
    rmSync(code());
    writeFileSync(code(), '');
    expect(run('hello')).toEqual(RIGHT);
    rmSync(cache, { recursive: true });
    expect(run('hello')).toEqual(RIGHT);
    expect(existsSync(cache)).toBe(false);
  });

  test.each(['CI', 'NODE_DISABLE_COMPILE_CACHE'])('is neither read nor written if %s is set', (name) => {
    expect(run('hello', { [name]: '1' })).toEqual(RIGHT);
    expect(kept()).toEqual([]);
  });

  test.each(['', '.'])('is not searched in the working directory if HOME is %j', (HOME) => {
    const here = join(folder, '.cache', 'cdpadm');
    mkdirSync(here, { recursive: true, mode: 0o700 });
    const script = join(folder, 'bin', 'cdpadm.js');
    const env = { HOME, CDPADM_CACHE_DIR: '', XDG_CACHE_HOME: '' };
    const { stdout } = spawnSync(process.execPath, [script, 'hello'], { encoding: 'utf8', cwd: folder, env });
    expect(stdout).toBe(RIGHT.stdout);
    expect(readdirSync(here)).toEqual([]);
  });

  test('is not written by a command that fails', () => {
    expect(run('fail').status).not.toBe(0);
    expect(kept()).toEqual([]);
  });

  test('is written by a command that is stopped by a signal, and again by a command that finishes', () => {
    const written = (line: string): number => {
      expect(run(line).stdout).toBe('said hello\n');
      return lstatSync(keptFile()).ino;
    };
    const first = written('hello --stopped');
    expect(written('hello --stopped')).toBe(first);
    const second = written('hello');
    expect(second).not.toBe(first);
    expect(written('hello --stopped')).toBe(second);
    expect(written('hello')).toBe(second);
  });

  test('deletes its oldest files, including those left by killed processes', () => {
    mkdirSync(code(), { mode: 0o700 });
    for (let index = 0; index < 20; index++) {
      const file = join(code(), index === 0 ? `${nameFor('hello')}.1.x.tmp` : `word-${index}`);
      writeFileSync(file, '');
      utimesSync(file, index, index);
    }
    run('hello');
    expect(kept()).toHaveLength(16);
    expect(kept()).toEqual(expect.arrayContaining([nameFor('hello'), 'word-19', 'word-5']));
  });

  test('remains valid when ten processes write it simultaneously', async () => {
    const children = Array.from({ length: 10 }, () =>
      spawn(process.execPath, [join(folder, 'bin', 'cdpadm.js'), 'hello'], { env: environment() }),
    );
    const ends = await Promise.all(
      children.map(async (child) => {
        const ended = once(child, 'exit') as Promise<[number]>;
        return [await text(child.stdout), ...(await ended).slice(0, 1)];
      }),
    );
    expect(ends).toEqual(children.map(() => ['said hello\n', 0]));
    expect(kept()).toEqual([nameFor('hello')]);
    const { ino } = lstatSync(keptFile());
    expect(run('hello')).toEqual(RIGHT);
    expect(isReplaced(ino)).toBe(false);
  });

  test('does not change the lines and columns of a stack trace', () => {
    run('hello');
    renameSync(keptFile(), keptFile('fail'));
    const place = `${join(folder, 'dist', 'chunks', 'say.js')}:1:${SAY.indexOf('new Error') + 1}`;
    expect(run('fail').stderr).toContain(place);
    expect(run('fail', { NODE_DISABLE_COMPILE_CACHE: '1' }).stderr).toContain(place);
  });
});
