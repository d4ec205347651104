// Every command with a platform that works and nobody to ask: what asks ends with 2, names the flag that answers and has
// written nothing; what does not ask does its work. None waits.
import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CliOptions, runCli } from '../helpers/cli.ts';
import { CASES, type CommandCase } from './cases.ts';
import { createWorld, type World } from './world.ts';

/** A pipe that somebody holds open and never writes to. */
const endless = (): Readable => new Readable({ read: () => undefined });

const WAYS: [name: string, options: () => CliOptions][] = [
  ['input closed', () => ({})],
  ['input that never ends', () => ({ stdin: endless() })],
  ['a terminal, but CI', () => ({ stdin: endless(), tty: true, env: { CI: '1' } })],
];

/** These send without a question: a try of credentials, what --confirm confirmed, and what changes an embedded platform. */
const UNASKED = /^(auth test|doctor|pipelines reset|emulator .*)$/;

/** They go on until they are stopped, or read standard input by a flag. */
const cases = CASES.filter(({ elsewhere, serves, stdin }) => elsewhere === undefined && !serves && stdin === undefined);

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

async function run(one: CommandCase, options: CliOptions): Promise<{ code: number; stderr: string }> {
  const words = world.lineOf(one).filter((word) => word !== '--yes');
  const env = { ...world.env(one), ...options.env };
  await world.proxy.begin();
  return await runCli(words, { ...options, clock: world.clock, cwd: world.folder, env });
}

/** What was sent to change something. */
function writes(): string[] {
  const sent = world.proxy.requests.filter(({ method, target }) => method !== 'GET' && target !== '/oauth/token');
  return sent.map(({ method, target }) => `${method} ${target}`);
}

test.each(cases.map((one) => [`${one.command} ${String(one.args)}`, one] as const))('%s', async (_line, one) => {
  let isFresh = false;
  for (const [way, options] of WAYS) {
    if (!isFresh) await world.prepare(one);
    const { code, stderr } = await run(one, options());
    const said = `${way}: ${stderr}`;
    isFresh = code === 2;
    if (code === 2) {
      expect(stderr, said).toContain('not an interactive terminal');
      expect(stderr, said).toMatch(/Give --(yes|confirm)/);
      expect(writes(), said).toEqual([]);
    } else {
      expect(one.exits ?? [0], said).toContain(code);
      if (!UNASKED.test(one.command)) expect(writes(), said).toEqual([]);
    }
  }
});
