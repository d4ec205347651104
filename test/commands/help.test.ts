// `help recipes`: all command lines on the page succeed if a user runs them in order on one platform.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { topics } from '../../src/commands/help/topics.ts';
import { environmentOf } from '../../src/lib/runtime/emulator/environment.ts';
import { type CliHome, type CliResult, createCliHome } from '../helpers/cli.ts';
import { startTestEmulator, type TestEmulator } from '../helpers/emulator.ts';
import { createFastClock } from '../helpers/fast-clock.ts';
import { shellWords } from '../helpers/shell-words.ts';
import { stageWarehouse } from '../helpers/warehouse-files.ts';

const lines = [...(topics.recipes ?? '').matchAll(/^ {2}\$ (cdpadm .*)$/gm)].map(([, line = '']) => line);

let home: CliHome;
let platform: TestEmulator;
let env: Record<string, string>;
// The platform and the program share a clock, so that a run finishes while the program waits for it.
const clock = createFastClock(200);

const cli = (args: readonly string[]): Promise<CliResult> => home.run(args, { env, clock });

beforeAll(async () => {
  home = createCliHome();
  platform = await startTestEmulator({ systemClock: clock });
  env = { ...environmentOf(platform.ready), GITHUB_STEP_SUMMARY: join(home.cwd, 'summary.md') };
  stageWarehouse(home.cwd);
  writeFileSync(join(home.cwd, 'subjects.csv'), 'subject_request_type,email\nerasure,ada@example.com\n');
  for (const name of ['dev', 'prod']) {
    const addresses = ['--base-url', platform.ready.base_url, '--auth-url', platform.ready.auth_url];
    const secret = ['--client-id', platform.ready.client_id, '--client-secret-env', 'CDPADM_CLIENT_SECRET'];
    await succeed(['profile', 'create', name, ...addresses, '--org', '1001', '--account', '2001', ...secret]);
  }
  for (const [group = '', file = ''] of [
    ['connections', 'connection.yaml'],
    ['data-models', 'model.yaml'],
    ['pipelines', 'pipeline.yaml'],
  ]) {
    await succeed([group, 'create', '-f', file, '--yes']);
  }
  const user = await succeed(['seed', 'template', '--format', 'ndjson']);
  writeFileSync(join(home.cwd, 'users.ndjson'), user);
});
afterAll(async () => {
  await platform.close();
  home.remove();
});

async function succeed(args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await cli(args);
  expect(code, `${args.join(' ')}\n${stderr}`).toBe(0);
  return stdout;
}

/** Returns the words of a line as a shell would pass them to the program. */
function wordsOf(line: string): string[] {
  const shown = line.replace(/"\$\(cat (.*?)\)"/, (_text, file: string) =>
    readFileSync(join(home.cwd, file), 'utf8').trim(),
  );
  return shellWords(shown).slice(1);
}

test('lists recipes for dsr, pipelines, roles, seed and warehouse', () => {
  expect(lines.length).toBeGreaterThan(15);
  const groups = new Set(lines.map((line) => line.split(' ')[1]));
  expect([...groups].sort()).toEqual(['dsr', 'pipelines', 'roles', 'seed', 'warehouse']);
});

test.each(lines)('prints a command line that succeeds: %s', async (line) => {
  // `--yes` replaces the user's answers to the prompts.
  const { code, stderr } = await cli([...wordsOf(line), ...(line.includes('--yes') ? [] : ['--yes'])]);
  expect(code, stderr).toBe(0);
});
