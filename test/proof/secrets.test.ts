// Canaries in every secret: none may come out of any command, however it ends; files are private, and links are not followed.
import { lstatSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { FaultPlan, ProxyFault } from '../helpers/fault-proxy.ts';
import { CASES, type CommandCase } from './cases.ts';
import { spellings } from './spellings.ts';
import { CANARIES } from './stage.ts';
import { pick, randomFrom } from '../helpers/random.ts';
import { isWhole } from '../helpers/size.ts';
import { SEED, tell } from './sweep.ts';
import { createWorld, type Outcome, type World } from './world.ts';

/** What these are for is to give the credentials of a platform that protects nothing. */
const TELLS_CREDENTIALS = ['emulator start', 'emulator env'];
/** Where a secret belongs: what the user wrote, and what the program keeps for itself. */
const KEPT =
  /^(work-[^/]+\/(password\.txt|service-key\.json|sync\/|connection)|cache\/tokens\/|state\/emulators\/|config\/secrets)/;

const SAMPLE = 24;
const cases = CASES.filter(({ elsewhere }) => elsewhere === undefined);

function chosen(): CommandCase[] {
  if (isWhole) return cases;
  const random = randomFrom(SEED);
  tell(`seed ${SEED}`);
  return Array.from({ length: SAMPLE }, () => pick(cases, random));
}

/** Refuses with all that it was sent: credentials in its headers, secrets in its body. */
const ECHO: ProxyFault = {
  name: 'echo',
  delivered: false,
  act: (socket, _answer, _trap, received) => {
    const said = `${received.headers['authorization'] ?? ''} ${received.body}`;
    const body = JSON.stringify({ statusCode: 400, message: said, errors: [{ message: said, reason: said }] });
    const head = 'HTTP/1.1 400 Bad\r\ncontent-type: application/json\r\n';
    socket.write(
      `${head}x-echo: ${said.slice(0, 500).replace(/[^ -~]/g, '')}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
  },
};

const VARIANTS: [name: string, flags: string[], plan?: FaultPlan][] = [
  ['everything told', ['--debug', '-v', '--trace-file', 'trace.ndjson']],
  ['as JSON', ['-o', 'json', '--trace-file', 'trace.ndjson']],
  ['dry', ['--dry-run']],
  ['as curl', ['--curl']],
  ...[0, 1, 2, 3].map((at): [string, string[], FaultPlan] => [
    `refused with an echo, request ${at}`,
    ['--debug', '--trace-file', 'trace.ndjson', '--retries', '0'],
    { fault: ECHO, at, mode: 'ever' },
  ]),
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
  return [...Object.values(CANARIES), ...tokens];
}

function leaks(wanted: CommandCase, outcome: Outcome): string[] {
  const home = world.home.folder;
  const texts: [string, string][] = filesBelow(home)
    .map((path): [string, string] => [relative(home, path), readFileSync(path, 'latin1')])
    .filter(([name]) => !KEPT.test(name));
  if (!TELLS_CREDENTIALS.includes(wanted.command)) texts.push(['stdout', outcome.stdout], ['stderr', outcome.stderr]);
  return secretsOf().flatMap((secret) =>
    spellings(secret).flatMap((spelling) =>
      texts.filter(([, text]) => text.includes(spelling)).map(([name]) => `${secret} as ${spelling} in ${name}`),
    ),
  );
}

/** Files and folders of the program that others may look into. */
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

test(
  'no secret in any output or file, and no file that others may read',
  async () => {
    const found: string[] = [];
    for (const wanted of chosen()) {
      for (const [name, flags, plan] of VARIANTS) {
        if (plan && wanted.local) continue;
        await world.prepare(wanted);
        const outcome = await world.run(wanted, flags, plan);
        const place = `${world.lineOf(wanted).join(' ')}, ${name}`;
        const ill = [...leaks(wanted, outcome), ...openFiles()].map((problem) => `${place}: ${problem}`);
        for (const problem of isWhole ? ill : []) tell(problem);
        found.push(...ill);
      }
    }
    expect(found).toEqual([]);
  },
  isWhole ? 3_600_000 : 240_000,
);

test(
  'a link where a file is about to be written is not followed',
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
          // What is there already is no new file.
        }
      }
      await world.run(wanted, ['--trace-file', 'trace.ndjson']);
      const text = readFileSync(victim, 'utf8');
      const mode = (statSync(victim).mode & 0o777).toString(8);
      if (text !== 'untouched' || mode !== '644')
        found.push(`${world.lineOf(wanted).join(' ')}: ${mode} ${text.slice(0, 80)} (${made.join(', ')})`);
    }
    for (const problem of isWhole ? found : []) tell(problem);
    expect(found).toEqual([]);
  },
  isWhole ? 3_600_000 : 120_000,
);
