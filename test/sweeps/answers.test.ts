// Replaces each response to each command with an unusual response, which the command must accept, or with a hostile
// one. Both kinds are derived from the genuine response, so that they reach as far into the program as possible.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { answerBytes, changed, type FaultPlan, type ProxiedRequest, type ProxyFault } from '../helpers/fault-proxy.ts';
import { CASES, type CommandCase } from './cases.ts';
import { mayRepeat } from './operations.ts';
import { pick, randomFrom } from '../helpers/random.ts';
import { isWhole } from '../helpers/size.ts';
import { SEED, printLine } from './sweep.ts';
import { createWorld, type World } from './world.ts';

const only = new RegExp(process.env.ONLY ?? '');
const nameOf = ({ args, command }: CommandCase): string =>
  `${command} ${typeof args === 'string' ? args : args.join(' ')}`.trim();
const SENDING = CASES.filter(
  (one) =>
    one.local !== true &&
    one.elsewhere === undefined &&
    !one.serves &&
    !one.command.startsWith('emulator') &&
    only.test(nameOf(one)),
);

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Returns a fault that transforms the JSON of a response and leaves any other body unchanged. */
const transformed = (name: string, make: (value: Json) => Json | string): ProxyFault =>
  changed(name, true, ({ body }) => {
    let value: Json;
    try {
      value = JSON.parse(body.toString()) as Json;
    } catch {
      return {};
    }
    const made = make(value);
    return { body: typeof made === 'string' ? made : JSON.stringify(made) };
  });

function mapped(
  value: Json,
  leaf: (value: Json, key: string) => Json,
  object: (value: Record<string, Json>) => Json,
  key = '',
): Json {
  if (Array.isArray(value)) return value.map((item) => mapped(item, leaf, object, key));
  if (typeof value !== 'object' || value === null) return leaf(value, key);
  return object(
    Object.fromEntries(Object.entries(value).map(([name, item]) => [name, mapped(item, leaf, object, name)])),
  );
}

const same = (value: Json): Json => value;
// Leaves tokens and their lifetimes unchanged, because a command without a valid token sends nothing else.
const texts =
  (change: (text: string) => string) =>
  (value: Json, key: string): Json =>
    typeof value === 'string' && !/token|expires/.test(key) ? change(value) : value;

/** Responses that every command must accept. */
const UNUSUAL: readonly ProxyFault[] = [
  transformed('a byte order mark', (value) => `\ufeff${JSON.stringify(value)}`),
  changed('a charset', true, () => ({ headers: { 'content-type': 'application/json; charset=UTF-8' } })),
  // A request for anything other than JSON, such as a certificate, does not accept gzip.
  changed('gzip', true, ({ body, headers }) =>
    String(headers['content-type']).includes('json') && body.length > 0
      ? { body: gzipSync(body), headers: { 'content-encoding': 'gzip' } }
      : {},
  ),
  transformed('extra whitespace', (value) => `\r\n\t ${JSON.stringify(value, undefined, 4)}\n\n`),
  transformed('unknown fields', (value) =>
    mapped(value, same, (object) => ({ zz_unknown: { deep: [1, null, 'x'] }, ...object })),
  ),
  {
    name: 'interim responses',
    delivered: true,
    act: (socket, answer) => {
      socket.write('HTTP/1.1 103 Early Hints\r\nlink: </x>; rel=preload\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n');
      socket.write(answerBytes(answer));
    },
  },
  {
    name: 'one-byte chunks',
    delivered: true,
    act: (socket, answer) => {
      const { 'content-length': _, ...headers } = answer.headers;
      const head = answerBytes({ ...answer, headers, body: Buffer.alloc(0) }).toString('latin1');
      if (answer.status === 204) {
        socket.write(head);
        return;
      }
      socket.write(head.replace(/content-length: 0/i, 'transfer-encoding: chunked'));
      for (const byte of answer.body) socket.write(Buffer.from([0x31, 0x0d, 0x0a, byte, 0x0d, 0x0a]));
      socket.write('0\r\n\r\n');
    },
  },
];

const EVIL = '\u202e\u0007\u001b[2J\u009b31m\r\n+ forged';

/** Responses to which every command must react with an error message or a result. */
const HOSTILE: readonly ProxyFault[] = [
  transformed('control and bidi characters', (value) => mapped(value, texts((text) => text + EVIL), same as never)),
  transformed('paths as strings', (value) => mapped(value, texts(() => '../../../evil'), same as never)),
  transformed('long strings', (value) => mapped(value, texts((text) => text + 'x'.repeat(100_000)), same as never)),
  transformed('empty strings', (value) => mapped(value, texts(() => ''), same as never)),
  transformed('null strings', (value) => mapped(value, (leaf, key) => (typeof leaf === 'string' && !key.includes('token') ? null : leaf), same as never)),
  transformed('numbers for everything', (value) => mapped(value, (leaf, key) => (/token|expires/.test(key) ? leaf : 7), same as never)),
  transformed('lists for everything', (value) => mapped(value, (leaf, key) => (/token|expires/.test(key) ? leaf : [leaf]), same as never)),
  transformed('empty objects', (value) => mapped(value, same, (object) => ('access_token' in object ? object : {}))),
  transformed('null', (value) => (JSON.stringify(value).includes('access_token') ? value : null)),
  transformed('an array of null', (value) => (JSON.stringify(value).includes('access_token') ? value : [null])),
  transformed('big integers', (value) => JSON.stringify(mapped(value, (leaf, key) => (typeof leaf === 'number' && key !== 'expires_in' ? 'BIG' : leaf), same as never)).replaceAll('"BIG"', '9'.repeat(30))),
  transformed('__proto__', (value) => JSON.stringify(value).replaceAll('{', '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},').replaceAll(',}', '}')),
  transformed('duplicate keys', (value) => JSON.stringify(value).replaceAll(/("[a-z_]+"):/g, '$1:null,$1:')),
  transformed('deep nesting', (value) => (JSON.stringify(value).includes('access_token') ? value : `${'['.repeat(200_000)}${']'.repeat(200_000)}`)),
]; // prettier-ignore

const STACK = /This is a bug|TypeError|RangeError|Cannot read prop|node:internal/;
const RAW = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

/** Returns writes with identical bodies that were accepted more than once. */
function duplicateWrites(requests: readonly ProxiedRequest[]): string[] {
  const done = requests
    .filter(
      ({ answered, method, target }) => answered !== undefined && answered.status < 300 && !mayRepeat(method, target),
    )
    .map(({ body, method, target }) => `${method} ${target} ${body}`);
  return done
    .filter((operation, index) => done.indexOf(operation) < index)
    .map((operation) => `accepted more than once: ${operation.slice(0, 200)}`);
}

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

const random = randomFrom(SEED);
const chosen = isWhole ? SENDING : [...new Set(Array.from({ length: 5 }, () => pick(SENDING, random)))];

interface Run {
  wanted: CommandCase;
  plan: FaultPlan;
}

/** Number of runs in a sample that replace one response. */
const SAMPLE_RUNS = 12;

/** Returns the number of requests that the command makes without a fault. */
async function requestsOf(wanted: CommandCase): Promise<number> {
  await world.prepare(wanted);
  await world.run(wanted, ['-o', 'json']);
  return world.proxy.requests.length;
}

/** Yields runs that each replace one response, to reach the code that handles later responses. */
async function* oneFaultRuns(answers: readonly ProxyFault[]): AsyncGenerator<Run> {
  if (!isWhole) {
    for (let count = 0; count < SAMPLE_RUNS; count++) {
      const wanted = pick(SENDING, random);
      const at = Math.floor(random() * (await requestsOf(wanted)));
      yield { wanted, plan: { fault: pick(answers, random), at, mode: 'once' } };
    }
    return;
  }
  for (const wanted of SENDING) {
    const requests = await requestsOf(wanted);
    for (const fault of answers)
      for (let at = 0; at < requests; at++) yield { wanted, plan: { fault, at, mode: 'once' } };
  }
}

/** Yields runs that replace every response from the first request on. */
function* everyFaultRuns(answers: readonly ProxyFault[]): Generator<Run> {
  for (const wanted of chosen) for (const fault of answers) yield { wanted, plan: { fault, at: 0, mode: 'ever' } };
}

async function sweep(runs: Iterable<Run> | AsyncIterable<Run>, judge: (run: Run) => Promise<string[]>): Promise<void> {
  printLine(`seed ${SEED}`);
  const problems: string[] = [];
  let count = 0;
  for await (const run of runs) {
    const { plan, wanted } = run;
    await world.prepare(wanted);
    const place = `${nameOf(wanted)} | ${plan.fault.name}, request ${plan.at}, ${plan.mode}`;
    const found = (await judge(run)).map((problem) => `${place}: ${problem}`);
    for (const problem of isWhole ? found : []) printLine(problem);
    problems.push(...found);
    count++;
  }
  printLine(`${count} runs, ${problems.length} problems`);
  expect(problems).toEqual([]);
}

const LIMIT = isWhole ? 3_600_000 : 300_000;

describe('a command with unusual but valid responses', () => {
  const succeeds = async ({ plan, wanted }: Run) => {
    const { fault } = plan;
    const { code, stderr } = await world.run(wanted, ['-o', 'json'], plan);
    // The signature does not match a body that was changed in transit.
    const isSigned = code === 1 && stderr.includes('has no valid signature');
    // A pipeline update removes fields that the file omits. This could reset the pipeline, so a flag is required.
    const isGuarded = code === 12 && stderr.includes('--allow-reset') && fault.name === 'unknown fields';
    // A file is saved byte for byte, so an encoding that was not requested is an error.
    const isFile = code === 1 && stderr.includes('but the request did not ask for that');
    // Only one of two reads of the resource has the fields, which looks like a concurrent change.
    const isRejected = (code === 6 && stderr.includes('"resource.changed_meanwhile"')) || (code === 1 && stderr.includes('Conflict: another admin changed'));
    const isChanged = plan.mode === 'once' && fault.name === 'unknown fields' && isRejected;
    return isSigned || isGuarded || isChanged || isFile || (wanted.exits ?? [0]).includes(code) ? [] : [`exit ${code}: ${stderr.slice(0, 300)}`];
  };
  test('succeeds when every response is unusual', () => sweep(everyFaultRuns(UNUSUAL), succeeds), LIMIT);
  test('succeeds when one response is unusual', () => sweep(oneFaultRuns(UNUSUAL), succeeds), LIMIT);
}); // prettier-ignore

describe('a command with hostile responses', () => {
  const ends = async ({ plan, wanted }: Run) => {
    const problems: string[] = [];
    const outcome = await world.run(wanted, ['--retries', '0', '--timeout', '60s'], plan);
    const { code, stderr, stdout, hangs } = outcome;
    if (hangs) problems.push('hangs');
    if (STACK.test(stderr)) problems.push(`crashes: ${stderr.slice(0, 300)}`);
    for (const text of [stderr, stdout]) {
      const raw = RAW.exec(text.replaceAll('\n', ''));
      if (raw) problems.push(`raw: ${JSON.stringify(text.slice(Math.max(0, raw.index - 60), raw.index + 60))}`);
      if (text.split('\n').some((line) => line.startsWith('+ forged'))) problems.push('forged line');
    }
    if (code !== 0 && stderr === '' && stdout === '') problems.push(`exit ${code}, no message`);
    if (({} as Record<string, unknown>)['polluted'] !== undefined) problems.push('a prototype is polluted');
    const above = [world.folder, dirname(world.folder), dirname(dirname(world.folder)), '/'].map((folder) => join(folder, 'evil'));
    for (const path of above) for (const end of ['', '.yaml', '.sql', '.json', '.csv', '.zip']) if (existsSync(path + end)) problems.push(`${path}${end} was written`);
    problems.push(...duplicateWrites(world.proxy.requests));
    return problems;
  };
  test('prints a message or a result without raw characters, and does not write other files, when every response is hostile', () => sweep(everyFaultRuns(HOSTILE), ends), LIMIT);
  test('prints a message or a result without raw characters, and does not write other files, when one response is hostile', () => sweep(oneFaultRuns(HOSTILE), ends), LIMIT);
}); // prettier-ignore
