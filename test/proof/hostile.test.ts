// Hostile files for every reader of the program, and hostile answers: a message with its place, no stack, nothing sent.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FaultPlan, ProxyFault } from '../helpers/fault-proxy.ts';
import type { CommandCase } from './cases.ts';
import { isWhole, pick, randomFrom, SEED, tell } from './sweep.ts';
import { createWorld, type Outcome, type World } from './world.ts';

type Format = 'yaml' | 'json' | 'csv' | 'ndjson';

interface Reader {
  command: string;
  args: string;
  /** What is made hostile, from the working folder. */
  file: string;
  format: Format;
  /** What it holds otherwise, where that is not among the files of the stage. */
  good?: string;
  /** Rows that are refused are told one by one, and the others go in. */
  byRow?: true;
  /** Fields that it does not know are passed over. */
  lenient?: true;
}

const ROLE = { role_id: 'analyst', name: 'A', description: 'B', tasks: ['audiences:view'] };
const SUBJECT = {
  regulation: 'gdpr',
  subject_request_id: '6f1c5a52-3a4c-4f0e-9d55-3d2f6a1f8c55',
  subject_request_type: 'access',
  submitted_time: '2026-01-05T09:00:00Z',
  subject_identities: { email: { value: 'a@people.example', encoding: 'raw' } },
};

const READERS: readonly Reader[] = [
  { command: 'roles push', args: 'wanted.yaml --allow-delete --force', file: 'wanted.yaml', format: 'yaml' },
  {
    command: 'roles push',
    args: 'wanted.json --allow-delete --force',
    file: 'wanted.json',
    format: 'json',
    good: JSON.stringify({ roles: [ROLE] }),
  },
  { command: 'groups set', args: '-f group.yaml --workspace 3002', file: 'group.yaml', format: 'yaml' },
  { command: 'connections update', args: 'crm -f connection.yaml', file: 'connection.yaml', format: 'yaml' },
  { command: 'pipelines create', args: '-f pipeline-2.yaml', file: 'pipeline-2.yaml', format: 'yaml' },
  { command: 'warehouse apply', args: 'sync --allow-delete', file: 'sync/pipelines/customers.yaml', format: 'yaml' },
  { command: 'dsr submit', args: '-f dsr.json', file: 'dsr.json', format: 'json', good: JSON.stringify(SUBJECT) },
  {
    command: 'dsr submit',
    args: '--bulk people.csv --regulation gdpr --type access',
    file: 'people.csv',
    format: 'csv',
  },
  {
    command: 'dsr submit',
    args: '--bulk people.ndjson --regulation gdpr --type access',
    file: 'people.ndjson',
    format: 'ndjson',
    good: '{"email":"a@people.example"}\n{"email":"b@people.example"}\n',
  },
  { command: 'seed bulk', args: 'users.ndjson', file: 'users.ndjson', format: 'ndjson', byRow: true },
  { command: 'seed set', args: '-f user.json', file: 'user.json', format: 'json' },
  { command: 'intake event', args: '-f event.json', file: 'event.json', format: 'json' },
  { command: 'intake identify', args: '-f identify.json', file: 'identify.json', format: 'json' },
  { command: 'profile import', args: 'profile.json dev', file: 'profile.json', format: 'json' },
  {
    command: 'roles list',
    args: '',
    file: '.cdpadm.yaml',
    format: 'yaml',
    good: 'request_timeout: 5s\n',
    lenient: true,
  },
  {
    command: 'roles list',
    args: '',
    file: '../config/config.json',
    format: 'json',
    good: '{"profiles":{}}',
    lenient: true,
  },
  {
    command: 'emulator start',
    args: '--memory --port 0 --fixtures fixtures.yaml',
    file: 'fixtures.yaml',
    format: 'yaml',
    good: 'organizations:\n  - id: 1001\n',
  },
  {
    command: 'emulator start',
    args: '--memory --port 0 --names names.yaml',
    file: 'names.yaml',
    format: 'yaml',
    good: 'email: mail\n',
  },
];

interface Hostile {
  name: string;
  /** `undefined` where it is no matter for this reader. */
  make(good: string, reader: Reader): string | Buffer | undefined;
  /** It may be taken for what it is, or refused: only how is looked at. */
  either?: true;
}

const isObject = ({ format }: Reader): boolean => format === 'json' || format === 'ndjson';
const only = (format: Format, make: (good: string) => string) => (good: string, reader: Reader) =>
  reader.format === format ? make(good) : undefined;
/** `field` in front of the first object of the text. */
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

const HOSTILE: readonly Hostile[] = [
  { name: 'empty', make: () => '', either: true },
  { name: 'NUL', make: (good) => `${good.slice(0, good.length >> 1)}\0${good.slice(good.length >> 1)}` },
  { name: 'UTF-16 without a mark', make: (good) => Buffer.from(good, 'utf16le') },
  { name: 'UTF-16', make: (good) => Buffer.from(`\ufeff${good}`, 'utf16le'), either: true },
  { name: 'a mark of UTF-8', make: (good) => `\ufeff${good}`, either: true },
  { name: 'bytes that are no text', make: (good) => Buffer.concat([Buffer.from(good), Buffer.from([0xff, 0xfe])]) },
  { name: 'random bytes', make: () => Buffer.from(Array.from({ length: 4096 }, (_, at) => (at * 7919 + 128) % 256)) },
  { name: 'truncated', make: (good, reader) => (isObject(reader) ? good.trimEnd().slice(0, -2) : undefined) },
  { name: 'duplicate keys', make: (good, reader) => withField(good, reader, 'twice') },
  { name: '__proto__', make: (good, reader) => withField(good, reader, '__proto__') },
  { name: 'constructor', make: (good, reader) => withField(good, reader, 'constructor') },
  { name: 'an alias bomb', make: only('yaml', () => BOMB) },
  { name: 'an alias of itself', make: only('yaml', () => 'a: &a\n  b: *a\n') },
  { name: 'tabs', make: only('yaml', (good) => good.replace(/^ {2}/m, '\t')), either: true },
  { name: 'a tag', make: only('yaml', () => 'a: !!js/function "function () { throw 1 }"\n') },
  {
    name: 'deep',
    make: (_good, { format }) => (format === 'csv' ? undefined : `${'['.repeat(200_000)}${']'.repeat(200_000)}\n`),
  },
  { name: 'a long string', make: (_good, { format }) => (format === 'csv' ? undefined : `"${'x'.repeat(1e7)}"\n`) },
  { name: 'a number', make: (_good, { format }) => (format === 'csv' ? undefined : '42\n') },
  { name: 'a list of null', make: (_good, { format }) => (format === 'csv' ? undefined : '[null]\n') },
  { name: 'wrong columns', make: only('csv', (good) => `${good}a,b,c,d,e,f\n`) },
  { name: 'an open quote', make: only('csv', (good) => `${good}"a@people.example,x\n`) },
  { name: 'a column twice', make: only('csv', (good) => good.replace('group_id', 'email')) },
  { name: 'a column __proto__', make: only('csv', (good) => good.replace('group_id', '__proto__')) },
  { name: 'a column of bidi marks', make: only('csv', (good) => good.replace('group_id', '\u202egroup\u0007')) },
];

const STACK = /This is a bug|TypeError|RangeError|Cannot read prop|\bat \S+ \(|node:internal/;
// Control and bidi characters that a terminal or a reader would act on.
const RAW = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

const caseOf = ({ args, command }: Reader): CommandCase => ({
  command,
  args,
  ...(command === 'emulator start' && { serves: () => Promise.resolve(), exits: [130], plain: true }),
});

/** What is wrong with how it ended, refused or not. */
function illOf({ code, stderr, stdout, took }: Outcome): string[] {
  const problems: string[] = [];
  if (took === Infinity) problems.push('hangs');
  if (STACK.test(stderr)) problems.push(`crashes: ${stderr.slice(0, 400)}`);
  if (RAW.test(stderr.replace(/\n/g, ''))) problems.push('raw characters on standard error');
  if (stderr.length > 200_000 || stdout.length > 2_000_000) problems.push('says too much');
  if (![0, 1, 2, 3, 9, 130].includes(code)) problems.push(`exit ${code}: ${stderr.slice(0, 400)}`);
  if (code !== 0 && code !== 3 && code !== 130 && !stderr.includes('"message"')) problems.push('no message');
  if (({} as Record<string, unknown>)['polluted'] !== undefined) problems.push('a prototype is polluted');
  return problems;
}

/** Requests that change something. */
const sent = (): string[] =>
  world.proxy.requests
    .filter(({ method, target }) => method !== 'GET' && target !== '/oauth/token')
    .map(({ method, target }) => `${method} ${target}`);

async function problemsOf(reader: Reader, { either, make, name }: Hostile): Promise<string[] | undefined> {
  await world.prepare(caseOf(reader));
  const path = join(world.folder, reader.file);
  const good = reader.good ?? readFileSync(path, 'utf8');
  const made = make(good, reader);
  if (made === undefined) return undefined;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, made);
  const outcome = await world.run(caseOf(reader), ['-o', 'json']);
  const problems = illOf(outcome);
  const { code, stderr } = outcome;
  const refused = code !== 0 && code !== 130 && !(reader.byRow && code === 3);
  if (refused && sent().length > 0) problems.push(`refused, and yet sent: ${sent().join(', ')}`);
  const isField = /__proto__|constructor|duplicate/.test(name) && reader.lenient === true;
  if (!refused && either !== true && !isField && code !== 3) problems.push(`was accepted (exit ${code})`);
  // Fixtures are told by path alone, and an empty stage has no line.
  if (refused && code === 9 && !reader.file.includes('fixtures') && !/line|\d+:\d+|row|file/.test(stderr))
    problems.push(`no place: ${stderr.slice(0, 300)}`);
  return problems;
}

describe('a hostile file', () => {
  const random = randomFrom(SEED);
  const readers = isWhole ? READERS : Array.from({ length: 8 }, () => pick(READERS, random));
  tell(`seed ${SEED}`);
  test(
    'is refused with its place by whichever reader, and nothing is sent',
    async () => {
      const problems: string[] = [];
      let count = 0;
      for (const reader of new Set(readers)) {
        for (const hostile of HOSTILE) {
          const found = await problemsOf(reader, hostile);
          if (!found) continue;
          count++;
          const ill = found.map((problem) => `${reader.command} ${reader.args} | ${hostile.name}: ${problem}`);
          for (const problem of isWhole ? ill : []) tell(problem);
          problems.push(...ill);
        }
      }
      tell(`${count} hostile files, ${problems.length} problems`);
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

describe('a hostile answer', () => {
  const BIG = 80_000_000;
  const answers = [
    answering('deep', () => Buffer.from(`${'['.repeat(200_000)}${']'.repeat(200_000)}`)),
    answering('a bomb of gzip', () => gzipSync(Buffer.alloc(BIG, ' ')), 'content-encoding: gzip\r\n'),
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
  test.each(answers)(
    '$name ends in a message or in a result, and pollutes nothing',
    async (fault) => {
      const problems: string[] = [];
      for (const [command, args] of commands) {
        for (const at of [0, 1]) {
          await world.prepare({ command, args });
          const plan: FaultPlan = { fault, at, mode: 'ever' };
          const outcome = await world.run({ command, args }, ['-o', 'json', '--retries', '0'], plan);
          const wrong = illOf({ ...outcome, code: [7, 8].includes(outcome.code) ? 1 : outcome.code });
          problems.push(...wrong.map((problem) => `${command}, request ${at}: ${problem}`));
        }
      }
      expect(problems).toEqual([]);
    },
    120_000,
  );
});
