// Runs every command without a terminal. A command that needs confirmation exits with 2, names the flag and writes
// nothing. Every other command does its work. No command waits for input.
import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CliOptions, runCli } from '../helpers/cli.ts';
import { CASES, type CommandCase, recordOf } from './cases.ts';
import { sample } from '../helpers/size.ts';
import { nameOf } from './program.ts';
import { createWorld, type World } from './world.ts';

/** Returns a pipe that stays open and never has any data. */
const openInput = (): Readable => new Readable({ read: () => undefined });

const WAYS: [name: string, options: () => CliOptions][] = [
  ['input closed', () => ({})],
  ['open input without data', () => ({ stdin: openInput() })],
  ['a terminal, but CI', () => ({ stdin: openInput(), tty: true, columns: 200, env: { CI: '1' } })],
];

/** True if the command may write without confirmation: a probe, or a write confirmed by --confirm. */
const isUnasked = (one: CommandCase): boolean => recordOf(one).effect !== 'write' || one.args.includes('--confirm');

/** Every command except those that run until they are stopped or read standard input. */
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

function writes(): string[] {
  const sent = world.proxy.requests.filter(({ method, target }) => method !== 'GET' && target !== '/oauth/token');
  return sent.map(({ method, target }) => `${method} ${target}`);
}

test.each(sample(cases, 70).map((one) => [nameOf(one), one] as const))(
  'never waits for an answer: %s',
  async (_line, one) => {
    let isFresh = false;
    for (const [way, options] of WAYS) {
      if (!isFresh) await world.prepare(one);
      const { code, stderr } = await run(one, options());
      const printed = `${way}: ${stderr}`;
      isFresh = code === 2;
      if (code === 2) {
        // The line breaks depend on the width of the terminal.
        expect(stderr.replace(/\s+/g, ' '), printed).toContain('not an interactive terminal');
        expect(stderr, printed).toMatch(/Pass --(yes|confirm)/);
        expect(writes(), printed).toEqual([]);
      } else {
        expect(one.exits ?? [0], printed).toContain(code);
        if (!isUnasked(one)) expect(writes(), printed).toEqual([]);
      }
    }
  },
);
