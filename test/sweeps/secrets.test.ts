// Plants a canary in every secret: no command may print or save a canary. Files are private, and symlinks are not
// followed.
import { lstatSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FaultPlan, ProxyFault } from '../helpers/fault-proxy.ts';
import type { ReceivedRequest } from '../helpers/fault-server.ts';
import { CASES, type CommandCase } from './cases.ts';
import { nameOf } from './program.ts';
import { spellings } from './spellings.ts';
import { CANARIES } from './stage.ts';
import { pick, randomFrom } from '../helpers/random.ts';
import { isWhole } from '../helpers/size.ts';
import { SEED, printLine } from './sweep.ts';
import { createWorld, type Outcome, type World } from './world.ts';

/** Commands that print the credentials of an embedded platform. */
const PRINTS_CREDENTIALS = ['emulator start', 'emulator env'];
/** Files that may contain a secret: the user's own, and the program's private ones. */
const KEPT =
  /^(work-[^/]+\/(password\.txt|(service\/connections\/)?service-key\.json|sync\/|connection)|cache\/tokens\/|state\/emulators\/|config\/secrets)/;

/**
 * Number of characters of a secret, in any encoding, that count as a leak. No other text shares this many characters
 * with a canary.
 */
const SHOWN = 12;

const SAMPLE = 24;
const cases = CASES.filter(({ elsewhere }) => elsewhere === undefined);

function chosen(): CommandCase[] {
  if (isWhole) return cases;
  const random = randomFrom(SEED);
  printLine(`seed ${SEED}`);
  return Array.from({ length: SAMPLE }, () => pick(cases, random));
}

function rejecting(name: string, type: string, bodyOf: (received: ReceivedRequest) => string): ProxyFault {
  return {
    name,
    delivered: false,
    act: (socket, _answer, _trap, received) => {
      const body = bodyOf(received);
      // The secret is echoed in full, because redaction cannot recognize a secret that the platform truncated.
      const echo = [received.headers['authorization'], ...bareOf(received)].join(' ').replace(/[^ -~]/g, '');
      const head = `HTTP/1.1 400 Bad\r\ncontent-type: ${type}\r\nx-echo: ${echo}\r\n`;
      socket.write(`${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
    },
  };
}

/** Returns a request's secrets without the `Bearer` or field name by which a pattern would recognize them. */
function bareOf({ headers, body }: ReceivedRequest): string[] {
  const [scheme = '', text = ''] = (headers['authorization'] ?? '').split(' ');
  const carried = scheme === 'Basic' ? Buffer.from(text, 'base64').toString().split(/:(.*)/s) : [text];
  const inBody = Object.values(CANARIES).filter((canary) => body.includes(canary));
  return [...carried, ...inBody].filter((secret) => secret.length >= SHOWN);
}

/**
 * Returns all secrets, and repeats the last one so that it crosses the 500th character, where text that is not JSON is
 * truncated.
 */
function straddling(received: ReceivedRequest): string {
  const bare = bareOf(received);
  const last = bare.at(-1) ?? '';
  return `${bare.join(' ')} `.padEnd(500 - last.length, '.') + ` ${last} and so on`;
}

const jsonError = (echo: string): string =>
  JSON.stringify({ statusCode: 400, message: echo, errors: [{ message: echo, reason: echo }] });

/** Responses that reject a request and echo its secrets. */
const ECHOES: readonly ProxyFault[] = [
  rejecting('everything verbatim', 'application/json', ({ body, headers }) =>
    jsonError(`${headers['authorization'] ?? ''} ${body}`),
  ),
  rejecting('bare in text', 'text/plain', straddling),
  rejecting('bare in a page', 'text/html', (received) => `<html><title>${straddling(received)}</title></html>`),
  rejecting('bare in JSON', 'application/json', (received) => jsonError(straddling(received))),
];

type Variant = [name: string, flags: string[], plan?: FaultPlan];

const PLAIN: readonly Variant[] = [
  ['with all details', ['--debug', '-v', '--trace-file', 'trace.ndjson']],
  ['as JSON', ['-o', 'json', '--trace-file', 'trace.ndjson']],
  ['dry', ['--dry-run']],
  ['as curl', ['--curl']],
];

const rejectedAt = (fault: ProxyFault, at: number): Variant => [
  `rejected at request ${at}, ${fault.name}`,
  ['--debug', '--trace-file', 'trace.ndjson', '--retries', '0'],
  { fault, at, mode: 'ever' },
];

const FIRST = [0, 1, 2, 3];
/** Returns variants that reject each of the first four requests in every way; in a sample, in one way that varies. */
const variantsOf = (index: number): Variant[] => [
  ...PLAIN,
  ...FIRST.flatMap((at) =>
    ECHOES.filter((_, way) => isWhole || way === (index + at) % ECHOES.length).map((fault) => rejectedAt(fault, at)),
  ),
];

function filesBelow(folder: string): string[] {
  return (readdirSync(folder, { recursive: true }) as string[])
    .map((name) => join(folder, name))
    .filter((path) => lstatSync(path).isFile());
}

let world: World;
let umask: number;
beforeAll(async () => {
  umask = process.umask(0);
  world = await createWorld();
});
afterAll(async () => {
  await world.close();
  process.umask(umask);
});

function secretsOf(): string[] {
  const tokens = world.proxy.requests.flatMap(({ answered, target }) =>
    target === '/oauth/token' && answered?.status === 200
      ? [(JSON.parse(answered.body.toString()) as { access_token: string }).access_token]
      : [],
  );
  const { environment, ...canaries } = CANARIES;
  return [...Object.values(canaries), ...tokens, ...(isNamedByProfile() ? [environment] : [])];
}

/** True if a profile refers to the user's variable: only then is it one of the program's secrets. */
function isNamedByProfile(): boolean {
  const { folder } = world.home;
  return filesBelow(folder)
    .filter((path) => path.startsWith(join(folder, 'config')))
    .some((path) => readFileSync(path, 'utf8').includes('CDP_SECRET'));
}

/** Returns the text around the first leaked part of a secret; undefined if nothing leaked. */
function pieceIn(text: string, pieces: ReadonlySet<string>): string | undefined {
  for (let at = 0; at + SHOWN <= text.length; at++) {
    const piece = text.slice(at, at + SHOWN);
    if (pieces.has(piece)) return text.slice(at, at + 80);
  }
  return undefined;
}

function piecesOf(secrets: readonly string[]): Set<string> {
  const all = secrets.flatMap(spellings);
  return new Set(
    all.flatMap((spelling) =>
      Array.from({ length: Math.max(0, spelling.length - SHOWN + 1) }, (_, at) => spelling.slice(at, at + SHOWN)),
    ),
  );
}

function leaks(wanted: CommandCase, outcome: Outcome): string[] {
  const home = world.home.folder;
  const texts: [string, string][] = filesBelow(home)
    .map((path): [string, string] => [relative(home, path), readFileSync(path, 'latin1')])
    .filter(([name]) => !KEPT.test(name));
  if (!PRINTS_CREDENTIALS.includes(wanted.command)) texts.push(['stdout', outcome.stdout], ['stderr', outcome.stderr]);
  const pieces = piecesOf(secretsOf());
  return texts.flatMap(([name, text]) => {
    const found = pieceIn(text, pieces);
    return found === undefined ? [] : [`a secret in ${name}: ${found}`];
  });
}

/** Returns the program's files and folders that other users may access. */
function openFiles(): string[] {
  const home = world.home.folder;
  const own = ['config', 'state', 'cache', 'data'].map((kind) => join(home, kind));
  const paths = (readdirSync(home, { recursive: true }) as string[]).map((name) => join(home, name));
  return [...paths]
    .filter(
      (path) =>
        own.some((folder) => path === folder || path.startsWith(`${folder}/`)) ||
        /trace\.ndjson$|results\.csv$/.test(path),
    )
    .filter((path) => (statSync(path).mode & 0o077) !== 0)
    .map((path) => `${relative(home, path)} ${(statSync(path).mode & 0o777).toString(8)}`);
}

async function problemsOf(wanted: CommandCase, [name, flags, plan]: Variant): Promise<string[]> {
  if (plan && wanted.local) return [];
  await world.prepare(wanted);
  const outcome = await world.run(wanted, flags, plan);
  const place = `${world.lineOf(wanted).join(' ')}, ${name}`;
  return [...leaks(wanted, outcome), ...openFiles()].map((problem) => `${place}: ${problem}`);
}

test(
  "never shows a secret in any output or file, and never lets other users read the program's own files",
  async () => {
    const found: string[] = [];
    for (const [index, wanted] of chosen().entries()) {
      for (const variant of variantsOf(index)) {
        const labeled = await problemsOf(wanted, variant);
        for (const problem of isWhole ? labeled : []) printLine(problem);
        found.push(...labeled);
      }
    }
    expect(found).toEqual([]);
  },
  isWhole ? 3_600_000 : 480_000,
);

describe('a platform that echoes a request, even if the echo is truncated within a secret', () => {
  const named = (name: string): CommandCase => {
    const wanted = cases.find((one) => nameOf(one).startsWith(name));
    if (!wanted) throw new Error(`no command ${name}`);
    return wanted;
  };
  // Requests with each kind of secret: client secret, token, workspace key and secret, and passwords in a body and in a
  // JSON document.
  const WANTED: [name: string, at: number][] = [
    ['roles list', 0],
    ['roles list', 1],
    ['dsr list', 0],
    ['connections create', 1],
    ['connections create -f helped', 2],
  ];
  const every = ECHOES.flatMap((fault) => WANTED.map(([name, at]) => [name, at, fault.name, fault] as const));
  test.each(every)(
    'never makes %s print or save a secret (rejected at request %d, %s)',
    async (name, at, _how, fault) => {
      const [how, flags, plan] = rejectedAt(fault, at);
      const wanted = named(name);
      expect(await problemsOf(wanted, [how, flags, plan])).toEqual([]);
      expect(await problemsOf(wanted, [how, ['-o', 'json', '--retries', '0'], plan])).toEqual([]);
      const sent = world.proxy.requests[at];
      // Proves that a secret was sent and echoed.
      expect(sent && bareOf(sent)).not.toEqual([]);
    },
  );
});

test(
  'does not follow symlinks when it writes a file',
  async () => {
    const found: string[] = [];
    for (const wanted of chosen()) {
      await world.prepare(wanted);
      const before = new Set(filesBelow(world.home.folder));
      await world.run(wanted, ['--trace-file', 'trace.ndjson']);
      const home = world.home.folder;
      const workName = relative(home, world.folder).split('/')[0] ?? '';
      const made = filesBelow(home)
        .filter((path) => !before.has(path))
        .map((path) => relative(home, path).replace(workName, 'WORK'));
      await world.prepare(wanted);
      const victim = join(world.home.folder, 'victim');
      writeFileSync(victim, 'untouched', { mode: 0o644 });
      for (const name of made) {
        const path = join(world.home.folder, name.replace('WORK', relative(world.home.folder, world.folder)));
        mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
        try {
          symlinkSync(victim, path);
        } catch {
          // The path already exists, so it is not a new file.
        }
      }
      await world.run(wanted, ['--trace-file', 'trace.ndjson']);
      const text = readFileSync(victim, 'utf8');
      const mode = (statSync(victim).mode & 0o777).toString(8);
      if (text !== 'untouched' || mode !== '644')
        found.push(`${world.lineOf(wanted).join(' ')}: ${mode} ${text.slice(0, 80)} (${made.join(', ')})`);
    }
    for (const problem of isWhole ? found : []) printLine(problem);
    expect(found).toEqual([]);
  },
  isWhole ? 3_600_000 : 120_000,
);
