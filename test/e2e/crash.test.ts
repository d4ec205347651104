// An unexpected error outside of any command is reported as a bug, without secrets.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openPlatformHome, type PlatformHome } from '../helpers/platform-home.ts';
import { PROGRAM } from '../helpers/root.ts';
import { spellings } from '../sweeps/spellings.ts';
import { CANARIES, FIXTURES } from '../sweeps/stage.ts';

/**
 * A module that is loaded before the program and throws, outside of any command, an error that contains the token and
 * the client secret.
 */
const FAULT = `
import { subscribe } from 'node:diagnostics_channel';
import { writeFileSync } from 'node:fs';
subscribe('http.client.request.start', ({ request }) => {
  const [, token] = /^Bearer (.+)$/.exec(request.getHeader('authorization') ?? '') ?? [];
  if (token === undefined) return;
  writeFileSync('token', token);
  const secret = process.env.CDPADM_CLIENT_SECRET;
  const error = new Error('crashed: ' + [token, Buffer.from(token).toString('hex'), secret, encodeURIComponent(secret)]);
  if (process.env.FAULT === 'rejection') void Promise.reject(error);
  else setImmediate(() => { throw error; });
});
`;

let home: PlatformHome;
beforeEach(async () => {
  home = await openPlatformHome({ fixtures: FIXTURES });
  home.write('fault.mjs', FAULT);
});
afterEach(() => home.close());

function crash(args: string[], fault: string): Promise<{ code: unknown; output: string }> {
  const preload = pathToFileURL(join(home.cwd, 'fault.mjs')).href;
  const options = { cwd: home.cwd, env: { PATH: process.env.PATH, ...home.env, FAULT: fault } };
  return new Promise((resolve) => {
    execFile(process.execPath, ['--import', preload, PROGRAM, ...args], options, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, output: stdout + stderr }),
    );
  });
}

test.each([
  ['an exception', 'exception', []],
  ['an exception with --debug', 'exception', ['--debug']],
  ['a rejection', 'rejection', []],
  ['a rejection with --debug', 'rejection', ['--debug', '-o', 'json']],
  ['an exception with several profiles', 'exception', ['--debug', '--profile', 'a', '--profile', 'b']],
])('reports %s as a bug, without secrets', async (_what, fault, flags) => {
  const { CDPADM_AUTH_URL: auth, CDPADM_BASE_URL: base } = home.env;
  const own = `--base-url ${base} --auth-url ${auth} --client-id ${home.env.CDPADM_CLIENT_ID} --org 1001 --account 2001 --yes`;
  for (const name of ['a', 'b']) expect(await home.run(`profile create ${name} ${own}`)).toMatchObject({ code: 0 });
  const { code, output } = await crash(['roles', 'list', ...flags], fault);
  expect(code).toBe(1);
  expect(output).toContain('This is a bug in cdpadm: crashed: ********');
  const found = [CANARIES.client, home.read('token')]
    .flatMap((secret) => spellings(secret))
    .filter((it) => output.includes(it));
  expect(found).toEqual([]);
});
