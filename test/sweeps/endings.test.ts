// A finished command exits with complete output. Runs short and long commands whose output goes to a file, a pipe, a
// slow reader or a reader that closes early, and runs every command in the table by itself.
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CliHome, createCliHome } from '../helpers/cli.ts';
import { listenOnLoopback } from '../helpers/loopback.ts';
import { pick, randomFrom } from '../helpers/random.ts';
import { isWhole } from '../helpers/size.ts';
import { CASES } from './cases.ts';
import { nameOf, runProgram } from './program.ts';
import { GIVE_UP_MS, SEED, printLine } from './sweep.ts';
import { createWorld } from './world.ts';
import { PROGRAM } from '../helpers/root.ts';

const GROUPS = 4000;

/** The ways in which a command's standard output is read. */
const WAYS = ['file', 'pipe', 'slow', 'left'] as const;
type Way = (typeof WAYS)[number];

/** Twelve command lines and their exit codes. */
const LINES: readonly { line: string; exit: number }[] = [
  { line: 'roles templates', exit: 0 },
  { line: 'help flags', exit: 0 },
  { line: 'schema openapi', exit: 0 },
  { line: 'profile list -o json', exit: 0 },
  { line: 'emulator sample-warehouse x.sqlite --rows 5000', exit: 0 },
  { line: 'roles list --profile local -o json', exit: 0 },
  { line: 'roles tasks --profile local', exit: 0 },
  { line: 'groups list -o json', exit: 0 },
  { line: 'groups list -o csv', exit: 0 },
  { line: 'connections list --retries 0', exit: 7 },
  { line: 'roles validate missing.yaml', exit: 2 },
  { line: 'roles lst', exit: 2 },
];
const ROUNDS = isWhole ? 11 : 1;

let home: CliHome;
let server: Server;
let env: Record<string, string>;

beforeAll(async () => {
  home = createCliHome();
  // About 5 MB, more than fits in a pipe's buffer.
  const groups = Array.from({ length: GROUPS }, (_, index) => ({
    id: `group-${index}`,
    name: `Group ${index}`,
    description: 'd'.repeat(1200),
    source_user_attribute: 'household_id',
    attributes: [],
  }));
  const answers: Record<string, unknown> = { groups };
  server = createServer((request, response) => {
    request.resume();
    const name = /(groups|connections)\/?(\?.*)?$/.exec(request.url ?? '')?.[1] ?? '';
    const answer = answers[name];
    response.writeHead(answer === undefined ? 503 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer ?? { errors: [{ message: 'Down' }] }));
  });
  const address = `http://127.0.0.1:${await listenOnLoopback(server)}`;
  const settings = { BASE_URL: address, AUTH_URL: address, ORG_ID: '1', ACCOUNT_ID: '1', WORKSPACE_ID: '1' };
  env = Object.fromEntries(Object.entries(settings).map(([name, value]) => [`CDPADM_${name}`, value]));
  env.CDPADM_ACCESS_TOKEN = 'token';
});
afterAll(() => {
  server.close();
  home.remove();
});

interface Ended {
  code: number | null;
  hangs: boolean;
  /** SHA-256 of the output that was read. */
  digest: string;
  bytes: number;
}

async function run(line: string, way: Way): Promise<Ended> {
  const folder = mkdtempSync(join(home.cwd, 'run-'));
  const file = join(folder, 'stdout');
  const descriptor = way === 'file' ? openSync(file, 'w') : undefined;
  const child = spawn(process.execPath, [PROGRAM, ...line.split(' ')], {
    cwd: folder,
    env: { PATH: process.env.PATH, ...home.env, ...(line.includes('local') ? {} : env) },
    stdio: ['ignore', descriptor ?? 'pipe', 'ignore'],
  });
  if (descriptor !== undefined) closeSync(descriptor);
  let hangs = false;
  const timer = setTimeout(() => {
    hangs = true;
    child.kill('SIGKILL');
  }, GIVE_UP_MS);
  const exited = new Promise<number | null>((resolve) => child.on('exit', resolve));
  const read = await readOutput(child, way);
  const code = await exited;
  clearTimeout(timer);
  const output = way === 'file' ? readFileSync(file) : read;
  rmSync(folder, { recursive: true, force: true });
  return { code, hangs, bytes: output.length, digest: createHash('sha256').update(output).digest('hex') };
}

function readOutput({ stdout }: ChildProcess, way: Way): Promise<Buffer> {
  if (!stdout) return Promise.resolve(Buffer.alloc(0));
  const chunks: Buffer[] = [];
  stdout.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    if (way === 'left') stdout.destroy();
    if (way !== 'slow') return;
    // Lets the pipe fill up again before each read.
    stdout.pause();
    setTimeout(() => stdout.resume(), 1);
  });
  return new Promise((resolve) => stdout.on('close', () => resolve(Buffer.concat(chunks))));
}

test(
  'exits for every kind of reader, with complete output unless the reader closes the pipe',
  async () => {
    const problems: string[] = [];
    const random = randomFrom(SEED);
    let runs = 0;
    let bytes = 0;
    for (const { exit, line } of LINES) {
      const reference = await run(line, 'file');
      for (let round = 0; round < ROUNDS; round++) {
        for (const way of isWhole ? WAYS : [pick(WAYS, random)]) {
          const ended = await run(line, way);
          runs++;
          bytes += ended.bytes;
          const wrong = [
            ended.hangs && 'did not exit',
            !ended.hangs && ended.code !== exit && `exit ${ended.code}`,
            way !== 'left' && ended.digest !== reference.digest && `${ended.bytes} of ${reference.bytes} bytes`,
          ].filter(Boolean);
          if (wrong.length > 0) problems.push(`${line} | ${way}: ${wrong.join(', ')}`);
        }
      }
    }
    printLine(`${runs} runs, ${bytes} bytes read, ${problems.length} problems`);
    expect(problems).toEqual([]);
  },
  isWhole ? 3_600_000 : 600_000,
);

const ENDING = CASES.filter((one) => one.elsewhere === undefined && !one.serves);
const TIMES = isWhole ? 5 : 1;

test(
  'exits after every command in the table of cases',
  async () => {
    const world = await createWorld();
    const random = randomFrom(SEED);
    const chosen = isWhole ? ENDING : Array.from({ length: 4 }, () => pick(ENDING, random));
    const problems: string[] = [];
    printLine(`seed ${SEED}`);
    for (const wanted of chosen) {
      for (let time = 0; time < TIMES; time++) {
        await world.prepare(wanted);
        const { code, hangs, stderr } = await runProgram(world, wanted);
        const isExpected = code !== null && (wanted.exits ?? [0]).includes(code);
        if (hangs || !isExpected) problems.push(`${nameOf(wanted)}: ${hangs ? 'did not exit' : `${code} ${stderr}`}`);
      }
    }
    await world.close();
    printLine(`${chosen.length * TIMES} runs, ${problems.length} problems`);
    expect(problems).toEqual([]);
  },
  isWhole ? 3_600_000 : 600_000,
);
