// Damages the program's own files, as a failing disk, another version or an editor might. The next command continues
// without the damaged files or reports the damage, and never sends a write twice.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CommandCase } from './cases.ts';
import { operations } from './judge.ts';
import { pick, randomFrom } from '../helpers/random.ts';
import { isWhole } from '../helpers/size.ts';
import { SEED, printLine } from './sweep.ts';
import { createWorld, type Outcome, type World } from './world.ts';

/** Command lines that write files, and the commands that read them. */
const PAIRS: readonly { writes: readonly string[]; reads: CommandCase & { args: string } }[] = [
  { writes: ['roles list'], reads: { command: 'roles list', args: '' } },
  { writes: ['roles pull'], reads: { command: 'roles push', args: '' } },
  { writes: ['roles pull'], reads: { command: 'roles pull', args: '' } },
  {
    writes: ['roles push wanted.yaml --allow-delete --force --yes'],
    reads: { command: 'roles history', args: '' },
  },
  {
    writes: ['roles push wanted.yaml --allow-delete --force --yes'],
    reads: { command: 'roles push', args: 'wanted.yaml --allow-delete --force' },
  },
  {
    writes: ['dsr submit --regulation gdpr --type access --identity email=a@b.example --yes'],
    reads: { command: 'dsr list', args: '' },
  },
  {
    writes: ['dsr submit --regulation gdpr --type access --identity email=a@b.example --yes'],
    reads: { command: 'dsr ledger export', args: '' },
  },
  {
    writes: ['dsr submit --regulation gdpr --type access --identity email=a@b.example --yes'],
    reads: { command: 'dsr submit', args: '--regulation gdpr --type access --identity email=c@b.example' },
  },
  {
    writes: ['dsr submit --bulk people.csv --regulation gdpr --type access --yes'],
    reads: { command: 'dsr submit', args: '--bulk people.csv --regulation gdpr --type access --resume' },
  },
  { writes: ['seed bulk users.ndjson --yes'], reads: { command: 'seed bulk', args: 'users.ndjson --resume' } },
  { writes: ['connections update crm -f connection.yaml --yes'], reads: { command: 'warehouse apply', args: 'sync' } },
  {
    writes: ['dsr callbacks verify --headers callback.json --body callback.body'],
    reads: {
      command: 'dsr callbacks verify',
      args: '--headers callback.json --body callback.body',
      exits: [0, 1],
      reports: true,
    },
  },
  { writes: ['roles list'], reads: { command: 'emulator env', args: '' } },
  { writes: ['roles list --profile local'], reads: { command: 'roles list', args: '--profile local' } },
  {
    writes: [
      'profile create dev --base-url https://127.0.0.1:1 --auth-url https://127.0.0.1:1 --client-id me --client-secret-stdin --insecure-storage',
    ],
    reads: { command: 'profile show', args: 'dev' },
  },
  {
    writes: [
      'profile create dev --base-url https://127.0.0.1:1 --auth-url https://127.0.0.1:1 --client-id me --client-secret-stdin --insecure-storage',
    ],
    reads: { command: 'roles list', args: '--profile dev --org 1 --account 1 --retries 0' },
  },
];

const DEEP = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;

/** Returns damaged contents of a file; a file with several lines is also damaged line by line. */
function damages(good: Buffer): [name: string, content: Buffer | string][] {
  const text = good.toString('latin1');
  const lines = text.split('\n').filter((line) => line !== '');
  const whole: [string, Buffer | string][] = [
    ['empty', ''],
    ['NUL bytes', Buffer.alloc(good.length)],
    ['random bytes', Buffer.from(Array.from({ length: 4096 }, (_, at) => (at * 7919 + 128) % 256))],
    ['null', 'null\n'],
    ['an array', '[]\n'],
    ['an empty object', '{}\n'],
    ['a number', '42\n'],
    ['a string', '"x"\n'],
    ['deep nesting', DEEP],
    ['the first half', good.subarray(0, good.length >> 1)],
    ['without the last byte', good.subarray(0, -1)],
    ['repeated', Buffer.concat([good, good])],
    ['a torn line at the end', Buffer.concat([good, Buffer.from('{"event":"subm')])],
  ];
  const fields = lines.flatMap((line, index): [string, string][] =>
    mutations(line).map(([name, mutated]) => [
      `line ${index + 1}: ${name}`,
      [...lines.slice(0, index), mutated, ...lines.slice(index + 1), ''].join('\n'),
    ]),
  );
  const document = lines.length > 1 ? mutations(text) : [];
  return [...whole, ...fields.slice(0, 60), ...document.slice(0, 60)];
}

/** Returns a variant of the JSON for each field, including nested fields, and each replacement of its value. */
function mutations(text: string): [name: string, mutated: string][] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return [];
  }
  return placesIn(value).flatMap(([path, set]) =>
    [null, 7, 'x', [], {}, [null], '__proto__'].map((other): [string, string] => {
      const undo = set(other);
      const mutated = JSON.stringify(value);
      undo();
      return [`${path} is ${JSON.stringify(other)}`, mutated];
    }),
  );
}

type Setter = (other: unknown) => () => void;

function placesIn(value: unknown, path = '', depth = 0): [path: string, set: Setter][] {
  if (typeof value !== 'object' || value === null || depth > 2) return [];
  const record = value as Record<string, unknown>;
  return Object.keys(record).flatMap((key): [string, Setter][] => {
    const set: Setter = (other) => {
      const before = record[key];
      record[key] = other;
      return () => (record[key] = before);
    };
    return [[`${path}/${key}`, set], ...placesIn(record[key], `${path}/${key}`, depth + 1)];
  });
}

const STACK = /This is a bug|TypeError|RangeError|SyntaxError|Cannot read prop|\bat \S+ \(|node:internal/;

function problemsOf({ code, stderr, stdout, hangs }: Outcome): string[] {
  const problems: string[] = [];
  if (hangs) return ['hangs'];
  if (STACK.test(stderr + stdout)) problems.push(`crashes: ${stderr.slice(0, 400)}`);
  // Damaged credentials (exit code 4) and the profile that they belong to (exit code 5) count as missing. A damaged
  // journal stops the run (exit code 1 or 2).
  if (![0, 1, 2, 3, 4, 5, 6, 8, 9, 12].includes(code)) problems.push(`exit ${code}: ${stderr.slice(0, 300)}`);
  if (code !== 0 && code !== 3 && !stderr.includes('"message"') && stdout === '')
    problems.push(`exit ${code}, no message`);
  return problems;
}

/** Returns all files in the program's four folders. */
function filesOf(world: World): string[] {
  return ['config', 'state', 'cache', 'data'].flatMap((kind) => {
    const below = join(world.home.folder, kind);
    if (!existsSync(below)) return [];
    return readdirSync(below, { recursive: true, encoding: 'utf8' })
      .map((name) => join(below, name))
      .filter((path) => statSync(path).isFile());
  });
}

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

test(
  "prints a result or a message if one of the program's own files is damaged, and never sends a write twice",
  async () => {
    const random = randomFrom(SEED);
    const only = new RegExp(process.env.ONLY ?? '');
    const all = PAIRS.filter(({ reads }) => only.test(`${reads.command} ${reads.args}`));
    const chosen = isWhole ? all : [pick(all, random), pick(all, random)];
    const problems: string[] = [];
    let count = 0;
    printLine(`seed ${SEED}`);
    for (const { reads, writes } of new Set(chosen)) {
      await world.prepare(reads);
      for (const line of writes) {
        const result = await world.run({ command: line, args: '', stdin: 'typed-secret-of-a-client\n' });
        expect(result, line).toMatchObject({ code: 0 });
      }
      const copy = `${world.home.folder}.kept`;
      cpSync(world.home.folder, copy, { recursive: true });
      const before = operations(world.proxy.requests);
      for (const path of filesOf(world)) {
        const name = relative(world.home.folder, path);
        const made = damages(readFileSync(path));
        const some = isWhole ? made : made.filter(() => random() < 0.1);
        for (const [damage, content] of some) {
          writeFileSync(path, content);
          const outcome = await world.run(reads, ['-o', 'json']);
          const found = problemsOf(outcome);
          if (
            reads.args.includes('--resume') &&
            [...operations(world.proxy.requests)].some(([operation]) => before.has(operation))
          )
            found.push(`written again: ${[...operations(world.proxy.requests).keys()].join(', ').slice(0, 300)}`);
          const labeled = found.map((problem) => `${reads.command} ${reads.args} | ${name}, ${damage}: ${problem}`);
          for (const problem of isWhole ? labeled : []) printLine(problem);
          problems.push(...labeled);
          count++;
          rmSync(world.home.folder, { recursive: true, force: true });
          mkdirSync(world.home.folder);
          cpSync(copy, world.home.folder, { recursive: true });
        }
      }
      rmSync(copy, { recursive: true, force: true });
    }
    printLine(`${count} damaged files, ${problems.length} problems`);
    expect(problems).toEqual([]);
  },
  isWhole ? 3_600_000 : 300_000,
);
