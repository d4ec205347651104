// Tests every reader in the program with hostile files, and the program with hostile responses. If the program rejects
// a file, it prints an error with a position and without a stack trace, and sends nothing.
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FaultPlan, ProxyFault } from '../helpers/fault-proxy.ts';
import type { CommandCase } from './cases.ts';
import { type Format, type Reader, READERS } from './readers.ts';
import { pick, randomFrom } from '../helpers/random.ts';
import { isWhole, sample } from '../helpers/size.ts';
import { SEED, printLine } from './sweep.ts';
import { createWorld, type Outcome, type World } from './world.ts';

interface Hostile {
  name: string;
  /**
   * Returns the file's contents, or a function that creates the file; `undefined` if the case does not apply to this
   * reader.
   */
  make(good: string, reader: Reader): string | Buffer | ((path: string) => void) | undefined;
  /** The file may be accepted or rejected; only the run's outcome is checked. */
  either?: true;
  /** True if only the platform can reject the file, so the program may send it. */
  judgedThere?: true;
}

/** Skips CSV and plain text, in which JSON syntax has no meaning. */
const formed = (make: (good: string, reader: Reader) => string) => (good: string, reader: Reader) =>
  ['csv', 'text'].includes(reader.format) ? undefined : make(good, reader);
const isObject = ({ format }: Reader): boolean => format === 'json' || format === 'ndjson';
const only = (format: Format, make: (good: string) => string) => (good: string, reader: Reader) =>
  reader.format === format ? make(good) : undefined;
/** Adds `field` twice to the first object in the text. */
const withField = (good: string, reader: Reader, field: string): string | undefined => {
  if (isObject(reader)) return good.replace('{', `{"${field}":{"polluted":true},"${field}":{"polluted":true},`);
  return reader.format === 'yaml' ? `${field}:\n  polluted: true\n${field}:\n  polluted: true\n${good}` : undefined;
};

const BOMB = `a: &a [x,x,x,x,x,x,x,x,x,x]\n${'bcdefghij'
  .split('')
  .map((name, index) => {
    const before = 'abcdefghij'[index];
    return `${name}: &${name} [${Array(10).fill(`*${before}`).join(',')}]\n`;
  })
  .join('')}`;

const MB_33 = Buffer.alloc(33 * 1024 * 1024, ' ');

const HOSTILE: readonly Hostile[] = [
  { name: 'empty', make: () => '', either: true },
  { name: 'NUL', make: (good) => `${good.slice(0, good.length >> 1)}\0${good.slice(good.length >> 1)}` },
  { name: 'UTF-16 without a byte order mark', make: (good) => Buffer.from(good, 'utf16le') },
  { name: 'UTF-16', make: (good) => Buffer.from(`\ufeff${good}`, 'utf16le'), either: true },
  { name: 'a UTF-8 byte order mark', make: (good) => `\ufeff${good}`, either: true },
  { name: 'bytes that are not UTF-8', make: (good) => Buffer.concat([Buffer.from(good), Buffer.from([0xff, 0xfe])]) },
  { name: 'random bytes', make: () => Buffer.from(Array.from({ length: 4096 }, (_, at) => (at * 7919 + 128) % 256)) },
  { name: 'truncated', make: (good, reader) => (isObject(reader) ? good.trimEnd().slice(0, -2) : undefined) },
  { name: 'duplicate keys', make: (good, reader) => withField(good, reader, 'twice') },
  { name: '__proto__', make: (good, reader) => withField(good, reader, '__proto__') },
  { name: 'constructor', make: (good, reader) => withField(good, reader, 'constructor') },
  { name: 'an alias bomb', make: only('yaml', () => BOMB) },
  { name: 'a recursive alias', make: only('yaml', () => 'a: &a\n  b: *a\n') },
  { name: 'tabs', make: only('yaml', (good) => good.replace(/^ {2}/m, '\t')), either: true },
  { name: 'a tag', make: only('yaml', () => 'a: !!js/function "function () { throw 1 }"\n') },
  {
    name: 'deep nesting',
    make: formed(() => `${'['.repeat(200_000)}${']'.repeat(200_000)}\n`),
  },
  { name: 'a long string', make: formed(() => `"${'x'.repeat(1e7)}"\n`) },
  { name: 'a long key', make: formed(() => `{"${'x'.repeat(1e7)}":1}\n`), either: true },
  { name: 'a long name', make: (good) => good.replace(/[a-z]{3}/, 'x'.repeat(50_000)), either: true },
  { name: 'a number', make: formed(() => '42\n') },
  { name: 'an array of null', make: formed(() => '[null]\n') },
  {
    name: 'bidi characters in a name',
    make: formed((good) => good.replace(/[a-z]{3}/, '$&\u202e\u0007\u009b31m')),
    either: true,
  },
  { name: 'half a million errors', make: formed(() => `[${'1,'.repeat(500_000)}1]\n`) },
  ...['*', '(', '[', '/*', '"', "'", '=', '-', '`', '\\n'].map((pump): Hostile => ({
    name: `${JSON.stringify(pump)} repeated`,
    make: (good) => good.replace(/[a-z]{3}/, `${pump.repeat(200_000)}a`),
    either: true,
    judgedThere: true,
  })),
  { name: '33 MB', make: () => MB_33, either: true },
  { name: 'a folder', make: () => (path) => mkdirSync(path), either: true },
  { name: 'a broken symlink', make: () => (path) => symlinkSync(`${path}.not-there`, path), either: true },
  { name: 'a symlink to itself', make: () => (path) => symlinkSync(path, path), either: true },
  {
    name: 'a symlink to the file',
    make: (good) => (path) => {
      writeFileSync(`${path}.real`, good);
      symlinkSync(`${path}.real`, path);
    },
    either: true,
  },
  { name: 'wrong columns', make: only('csv', (good) => `${good}a,b,c,d,e,f\n`) },
  { name: 'an unclosed quote', make: only('csv', (good) => `${good}"a@people.example,x\n`) },
  { name: 'a duplicate column', make: only('csv', (good) => good.replace('group_id', 'email')) },
  { name: 'a column named __proto__', make: only('csv', (good) => good.replace('group_id', '__proto__')) },
  { name: 'bidi characters in a column', make: only('csv', (good) => good.replace('group_id', '\u202egroup\u0007')) },
];

const STACK = /This is a bug|TypeError|RangeError|Cannot read prop|\bat \S+ \(|node:internal/;
// Control and bidi characters that a terminal or a reader would interpret.
const RAW = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

const caseOf = ({ args, before, beside = {}, command }: Reader): CommandCase => ({
  command,
  args,
  before: [
    ...(before ?? []),
    ({ folder }) => {
      for (const [name, text] of Object.entries(beside)) writeFileSync(join(folder, name), text);
    },
  ],
  ...(command === 'emulator start' && { serves: () => Promise.resolve(), exits: [130], plain: true }),
});

/** Returns the problems with the outcome of a run, whether it succeeded or failed. */
function endingProblems({ code, stderr, stdout, hangs }: Outcome, exits: readonly number[] = []): string[] {
  const problems: string[] = [];
  if (hangs) problems.push('hangs');
  if (STACK.test(stderr)) problems.push(`crashes: ${stderr.slice(0, 400)}`);
  if (RAW.test(stderr.replace(/\n/g, ''))) problems.push('raw characters on standard error');
  if (stderr.length > 200_000 || stdout.length > 2_000_000) problems.push('prints too much');
  if (![0, 1, 2, 3, 9, 130, ...exits].includes(code)) problems.push(`exit ${code}: ${stderr.slice(0, 400)}`);
  const tells = code === 0 || code === 3 || code === 130 || stdout !== '';
  if (!tells && !stderr.includes('"message"')) problems.push('no message');
  if (({} as Record<string, unknown>)['polluted'] !== undefined) problems.push('a prototype is polluted');
  return problems;
}

/** Returns the issues if all have a line. An error about the whole file, such as its size, does not need a line. */
function positionsOf(stderr: string): unknown[] {
  const line = stderr.split('\n').findLast((text) => text.startsWith('{"error"')) ?? '{"error":{}}';
  const { error } = JSON.parse(line) as { error: { message?: string; issues?: { line?: number; column?: number }[] } };
  // A database has no lines.
  if (/is larger than|is empty|is not a SQLite database/.test(JSON.stringify(error))) return [error];
  const issues = error.issues ?? [];
  return issues.every((issue) => (issue.line ?? 0) >= 1) ? issues : [];
}

/** Requests that write. */
const sent = (): string[] =>
  world.proxy.requests
    .filter(({ method, target }) => method !== 'GET' && target !== '/oauth/token')
    .map(({ method, target }) => `${method} ${target}`);

async function problemsOf(reader: Reader, { either, judgedThere, make, name }: Hostile): Promise<string[] | undefined> {
  await world.prepare(caseOf(reader));
  const path = join(world.folder, reader.file);
  const good = typeof reader.good === 'function' ? reader.good(world) : (reader.good ?? readFileSync(path, 'utf8'));
  const made = make(good, reader);
  if (made === undefined) return undefined;
  mkdirSync(dirname(path), { recursive: true });
  rmSync(path, { force: true });
  if (typeof made === 'function') made(path);
  else writeFileSync(path, made);
  const outcome = await world.run(caseOf(reader), ['-o', 'json']);
  const problems = endingProblems(outcome, reader.exits);
  const { code, stderr } = outcome;
  const rejected = code !== 0 && code !== 130 && !(reader.byRow && code === 3);
  if (rejected && judgedThere !== true && reader.judgedThere !== true && sent().length > 0)
    problems.push(`rejected, but sent: ${sent().join(', ')}`);
  const isKept = name === 'constructor' && reader.keepsUnknown === true;
  if (!rejected && either !== true && reader.any !== true && !isKept && code !== 3)
    problems.push(`was accepted (exit ${code})`);
  if (rejected && code === 9 && positionsOf(stderr).length === 0) problems.push(`no position: ${stderr.slice(0, 300)}`);
  return problems;
}

describe('a hostile file', () => {
  const random = randomFrom(SEED);
  const only = new RegExp(process.env.ONLY ?? '');
  const all = READERS.filter(({ args, command, file }) => only.test(`${command} ${args} ${file}`));
  const readers = isWhole ? all : Array.from({ length: 3 }, () => pick(all, random));
  printLine(`seed ${SEED}`);
  test(
    'is rejected with a position unless it is harmless, and nothing from a rejected file is sent',
    async () => {
      const problems: string[] = [];
      let count = 0;
      for (const reader of new Set(readers)) {
        for (const hostile of HOSTILE.filter(({ name }) => name.includes(process.env.FILE ?? ''))) {
          const found = await problemsOf(reader, hostile);
          if (!found) continue;
          count++;
          const labeled = found.map((problem) => `${reader.command} ${reader.args} | ${hostile.name}: ${problem}`);
          for (const problem of isWhole ? labeled : []) printLine(problem);
          problems.push(...labeled);
        }
      }
      printLine(`${count} hostile files, ${problems.length} problems`);
      expect(problems).toEqual([]);
    },
    isWhole ? 3_600_000 : 300_000,
  );
});

function answering(name: string, body: () => Buffer, headers = ''): ProxyFault {
  return {
    name,
    delivered: false,
    act: (socket) => {
      const bytes = body();
      socket.write(
        `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n${headers}content-length: ${bytes.length}\r\n\r\n`,
      );
      socket.write(bytes);
    },
  };
}

describe('a command with a hostile response', () => {
  const BIG = 80_000_000;
  const answers = [
    answering('deep nesting', () => Buffer.from(`${'['.repeat(200_000)}${']'.repeat(200_000)}`)),
    answering('a gzip bomb', () => gzipSync(Buffer.alloc(BIG, ' ')), 'content-encoding: gzip\r\n'),
    answering('__proto__', () => Buffer.from('{"__proto__":{"polluted":true},"roles":[],"items":[]}')),
    answering('duplicate keys', () => Buffer.from('{"roles":7,"roles":[],"items":1,"items":[]}')),
  ];
  const commands: readonly [command: string, args: string][] = [
    ['roles list', ''],
    ['pipelines runs', 'customers --all'],
    ['groups list', ''],
    ['dsr discovery', ''],
    ['roles push', 'wanted.yaml --allow-delete --force'],
  ];
  test.each(answers)('prints a message or a result, and does not pollute prototypes: $name', async (fault) => {
    const problems: string[] = [];
    for (const [command, args] of sample(commands, 2)) {
      for (const at of [0, 1]) {
        await world.prepare({ command, args });
        const plan: FaultPlan = { fault, at, mode: 'ever' };
        const outcome = await world.run({ command, args }, ['-o', 'json', '--retries', '0'], plan);
        const wrong = endingProblems({ ...outcome, code: [7, 8].includes(outcome.code) ? 1 : outcome.code });
        problems.push(...wrong.map((problem) => `${command}, request ${at}: ${problem}`));
      }
    }
    expect(problems).toEqual([]);
  });
});
