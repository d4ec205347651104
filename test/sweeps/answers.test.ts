// Answers that are odd and must do, and answers that are hostile, in place of every answer that any command gets: made
// from the genuine ones, so that each goes as deep as it can.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { answerBytes, changed, type FaultPlan, type ProxiedRequest, type ProxyFault } from '../helpers/fault-proxy.ts';
import { CASES, type CommandCase } from './cases.ts';
import { mayRepeat } from './operations.ts';
import { pick, randomFrom } from '../helpers/random.ts';
import { isWhole } from '../helpers/size.ts';
import { SEED, tell } from './sweep.ts';
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

/** The answer's JSON made another one; what is none stays as it is. */
const remade = (name: string, make: (value: Json) => Json | string): ProxyFault =>
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
// A token is no text for people.
const texts =
  (change: (text: string) => string) =>
  (value: Json, key: string): Json =>
    typeof value === 'string' && !/token|expires/.test(key) ? change(value) : value;

/** Every one of them must do. */
const ODD: readonly ProxyFault[] = [
  remade('a mark of UTF-8', (value) => `\ufeff${JSON.stringify(value)}`),
  changed('a charset', true, () => ({ headers: { 'content-type': 'application/json; charset=UTF-8' } })),
  // A request for something that is not JSON, such as a certificate, names its type.
  changed('gzip', true, ({ body, headers }) =>
    String(headers['content-type']).includes('json') && body.length > 0
      ? { body: gzipSync(body), headers: { 'content-encoding': 'gzip' } }
      : {},
  ),
  remade('blanks around everything', (value) => `\r\n\t ${JSON.stringify(value, undefined, 4)}\n\n`),
  remade('unknown fields', (value) =>
    mapped(value, same, (object) => ({ zz_unknown: { deep: [1, null, 'x'] }, ...object })),
  ),
  {
    name: 'interim answers',
    delivered: true,
    act: (socket, answer) => {
      socket.write('HTTP/1.1 103 Early Hints\r\nlink: </x>; rel=preload\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n');
      socket.write(answerBytes(answer));
    },
  },
  {
    name: 'chunks of one byte',
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

/** Each must end in a message or in a result. */
const HOSTILE: readonly ProxyFault[] = [
  remade('control and bidi characters', (value) => mapped(value, texts((text) => text + EVIL), same as never)),
  remade('paths', (value) => mapped(value, texts(() => '../../../evil'), same as never)),
  remade('long texts', (value) => mapped(value, texts((text) => text + 'x'.repeat(100_000)), same as never)),
  remade('empty texts', (value) => mapped(value, texts(() => ''), same as never)),
  remade('null texts', (value) => mapped(value, (leaf, key) => (typeof leaf === 'string' && !key.includes('token') ? null : leaf), same as never)),
  remade('numbers for everything', (value) => mapped(value, (leaf, key) => (/token|expires/.test(key) ? leaf : 7), same as never)),
  remade('lists for everything', (value) => mapped(value, (leaf, key) => (/token|expires/.test(key) ? leaf : [leaf]), same as never)),
  remade('empty objects', (value) => mapped(value, same, (object) => ('access_token' in object ? object : {}))),
  remade('a null', (value) => (JSON.stringify(value).includes('access_token') ? value : null)),
  remade('a list of null', (value) => (JSON.stringify(value).includes('access_token') ? value : [null])),
  remade('big integers', (value) => JSON.stringify(mapped(value, (leaf, key) => (typeof leaf === 'number' && key !== 'expires_in' ? 'BIG' : leaf), same as never)).replaceAll('"BIG"', '9'.repeat(30))),
  remade('__proto__', (value) => JSON.stringify(value).replaceAll('{', '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},').replaceAll(',}', '}')),
  remade('every key twice', (value) => JSON.stringify(value).replaceAll(/("[a-z_]+"):/g, '$1:null,$1:')),
  remade('deep', (value) => (JSON.stringify(value).includes('access_token') ? value : `${'['.repeat(200_000)}${']'.repeat(200_000)}`)),
]; // prettier-ignore

const STACK = /This is a bug|TypeError|RangeError|Cannot read prop|node:internal/;
const RAW = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

/** Writes that were accepted more than once, word for word. */
function twice(requests: readonly ProxiedRequest[]): string[] {
  const done = requests
    .filter(
      ({ answered, method, target }) => answered !== undefined && answered.status < 300 && !mayRepeat(method, target),
    )
    .map(({ body, method, target }) => `${method} ${target} ${body}`);
  return done
    .filter((operation, index) => done.indexOf(operation) < index)
    .map((operation) => `done twice: ${operation.slice(0, 200)}`);
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

/** How many requests a sample strikes for itself. */
const STRUCK = 12;

/** How many requests a run makes when nothing befalls it. */
async function requestsOf(wanted: CommandCase): Promise<number> {
  await world.prepare(wanted);
  await world.run(wanted, ['-o', 'json']);
  return world.proxy.requests.length;
}

/** Each request of the commands struck alone, so that what comes after an answer that cannot be used is reached, too. */
async function* struckAlone(answers: readonly ProxyFault[]): AsyncGenerator<Run> {
  if (!isWhole) {
    for (let count = 0; count < STRUCK; count++) {
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

/** Every answer from the first on. */
function* struckAll(answers: readonly ProxyFault[]): Generator<Run> {
  for (const wanted of chosen) for (const fault of answers) yield { wanted, plan: { fault, at: 0, mode: 'ever' } };
}

async function sweep(runs: Iterable<Run> | AsyncIterable<Run>, judge: (run: Run) => Promise<string[]>): Promise<void> {
  tell(`seed ${SEED}`);
  const problems: string[] = [];
  let count = 0;
  for await (const run of runs) {
    const { plan, wanted } = run;
    await world.prepare(wanted);
    const place = `${nameOf(wanted)} | ${plan.fault.name}, request ${plan.at}, ${plan.mode}`;
    const found = (await judge(run)).map((problem) => `${place}: ${problem}`);
    for (const problem of isWhole ? found : []) tell(problem);
    problems.push(...found);
    count++;
  }
  tell(`${count} runs, ${problems.length} problems`);
  expect(problems).toEqual([]);
}

const LIMIT = isWhole ? 3_600_000 : 300_000;

describe('with an odd response the command', () => {
  const does = async ({ plan, wanted }: Run) => {
    const { fault } = plan;
    const { code, stderr } = await world.run(wanted, ['-o', 'json'], plan);
    // The signature does not fit a body that was changed on the way.
    const isSigned = code === 1 && stderr.includes('has no valid signature');
    // Who writes a pipeline takes out of it what is not in the file: that might reset it, and is asked for.
    const isGuarded = code === 12 && stderr.includes('--allow-reset') && fault.name === 'unknown fields';
    // A file is saved byte by byte as it was meant: it is asked for as it is, and nothing else is taken for it.
    const isFile = code === 1 && stderr.includes('but the request did not ask for that');
    // Of two looks at one resource only one has the fields: somebody else may have written them in between.
    const isChanged = plan.mode === 'once' && fault.name === 'unknown fields' && code === 6 && stderr.includes('"resource.changed_meanwhile"');
    return isSigned || isGuarded || isChanged || isFile || (wanted.exits ?? [0]).includes(code) ? [] : [`exit ${code}: ${stderr.slice(0, 300)}`];
  };
  test('succeeds when every response is odd', () => sweep(struckAll(ODD), does), LIMIT);
  test('succeeds when one response is odd', () => sweep(struckAlone(ODD), does), LIMIT);
}); // prettier-ignore

describe('with a hostile response the command ends in a message or a result, prints nothing raw and writes nowhere else', () => {
  const ends = async ({ plan, wanted }: Run) => {
    const problems: string[] = [];
    const outcome = await world.run(wanted, ['--retries', '0', '--timeout', '60s'], plan);
    const { code, stderr, stdout, hangs } = outcome;
    if (hangs) problems.push('hangs');
    if (STACK.test(stderr)) problems.push(`crashes: ${stderr.slice(0, 300)}`);
    for (const text of [stderr, stdout]) {
      const raw = RAW.exec(text.replaceAll('\n', ''));
      if (raw) problems.push(`raw: ${JSON.stringify(text.slice(Math.max(0, raw.index - 60), raw.index + 60))}`);
      if (text.split('\n').some((line) => line.startsWith('+ forged'))) problems.push('a forged line');
    }
    if (code !== 0 && stderr === '' && stdout === '') problems.push(`exit ${code}, no message`);
    if (({} as Record<string, unknown>)['polluted'] !== undefined) problems.push('a prototype is polluted');
    const above = [world.folder, dirname(world.folder), dirname(dirname(world.folder)), '/'].map((folder) => join(folder, 'evil'));
    for (const path of above) for (const end of ['', '.yaml', '.sql', '.json', '.csv', '.zip']) if (existsSync(path + end)) problems.push(`${path}${end} was written`);
    problems.push(...twice(world.proxy.requests));
    return problems;
  };
  test('when every response is hostile', () => sweep(struckAll(HOSTILE), ends), LIMIT);
  test('when one response is hostile', () => sweep(struckAlone(HOSTILE), ends), LIMIT);
}); // prettier-ignore
