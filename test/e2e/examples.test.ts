// Runs the examples in the help of each command except `tour` and `dsr`, with `--yes`, against an embedded platform.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { environmentOf } from '../../src/lib/runtime/emulator/environment.ts';
import { helpOf } from '../../src/lib/runtime/command-line/help.ts';
import { interrupted } from '../../src/lib/runtime/interrupt.ts';
import type { EmulatorReady } from '../../src/lib/emulator/index.ts';
import { type CliHome, type CliOptions, type CliResult, createCliHome, runCli } from '../helpers/cli.ts';
import { createTestClock } from '../helpers/clock.ts';
import { commandsBelow, loadProgram } from '../helpers/command-tree.ts';
import { send } from '../helpers/emulator.ts';
import { expectShape } from '../helpers/result-shape.ts';
import { stageWarehouse } from '../helpers/warehouse-files.ts';
import { shellWords } from '../helpers/shell-words.ts';

/** Groups whose examples need the definitions from `prepare`. */
const WAREHOUSE = ['groups', 'warehouse', 'connections', 'data-models', 'pipelines'];
const SEEDING = ['seed', 'intake'];
/** A revision of `roles history`. */
const REVISION = /\b\d{8}T\d+/;
/** `tour` takes longer than all other examples together; the `dsr` examples run in a test that can create callbacks. */
const ELSEWHERE = new Set(['tour', 'dsr']);

const leaves = commandsBelow(await loadProgram()).filter(
  ([, command]) => helpOf(command) !== undefined || command.commands.length === 0,
);
const groupOf = (path: string): string => path.split(' ')[0] ?? '';
const examples = leaves
  .filter(([path]) => !ELSEWHERE.has(groupOf(path)))
  .flatMap(([path, command]) => (helpOf(command)?.examples ?? []).map((line) => [line, path] as const));

test.each(leaves)('shows at least two examples of %s in its help (one of `emulator clock`)', (path, command) => {
  const own = (helpOf(command)?.examples ?? []).filter((line) => line.includes(`cdpadm ${path}`));
  expect(own.length).toBeGreaterThanOrEqual(path === 'emulator clock' ? 1 : 2);
});

describe('each example', () => {
  let home: CliHome;
  let ready: EmulatorReady;
  let revision = '';
  let write = '';
  let run = '';
  let users = 0;
  // The clock is shared with the platform, so that no test waits for a rate budget.
  const clock = createTestClock();
  const stop = new AbortController();
  let serving: Promise<CliResult>;

  const cli = (args: string[], options: CliOptions = {}): Promise<CliResult> =>
    runCli(args, { ...options, clock, cwd: home.cwd, env: { ...home.env, ...options.env } });

  async function well(args: string[], env?: Record<string, string>): Promise<string> {
    const { code, stdout, stderr } = await cli(args, { ...(env && { env }) });
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
    return stdout;
  }

  function rename(file: string, to: string): void {
    writeFileSync(file, readFileSync(file, 'utf8').replace(/name: User.*\n/, `name: User ${to}\n`));
  }

  beforeAll(async () => {
    home = createCliHome();
    ready = await new Promise((resolve, reject) => {
      const onOutput = (stdout: string): void => {
        if (stdout.includes('\n')) resolve(JSON.parse(stdout) as EmulatorReady);
      };
      serving = cli(['emulator', 'start', '--memory', '--port', '0', '-o', 'json'], { stop, onOutput });
      serving.then(({ stderr }) => reject(new Error(stderr)), reject);
    });
  });
  afterAll(async () => {
    stop.abort(interrupted());
    await serving;
    home.remove();
  });

  /**
   * Creates a definition of each kind on the platform, and a run if the example needs one, and writes the definition
   * files. Omits the resource that the example creates.
   */
  async function prepareWarehouse(path: string, env: Record<string, string>): Promise<void> {
    const [group = '', verb] = path.split(' ');
    stageWarehouse(home.cwd);
    const make = (what: string, file: string) => well([what, 'create', '-f', file, '--yes'], env);
    if (group === 'groups') {
      if (verb !== 'create') await make('groups', 'group.yaml');
      return;
    }
    if (group === 'warehouse') return;
    const kinds = ['connections', 'data-models', 'pipelines'];
    for (const [index, kind] of kinds.entries()) {
      if (verb === 'create' && kinds.indexOf(group) <= index) break;
      await make(kind, ['connection.yaml', 'model.yaml', 'pipeline.yaml'][index] ?? '');
    }
    if (verb === 'delete') {
      await make('connections', 'unused-connection.yaml');
      await make('data-models', 'unused-model.yaml');
    }
    if (['run', 'watch', 'runs', 'doctor'].includes(verb ?? '')) {
      const trigger = ['pipelines', 'trigger', 'customers', '--wait', '--yes', '-o', 'json'];
      run = String((JSON.parse(await well(trigger, env)) as { pipeline_run_id: number }).pipeline_run_id);
    }
  }

  /** Writes users as NDJSON and CSV, a user and an event. If the example resumes a run, executes that run first. */
  async function prepareSeeding(line: string, env: Record<string, string>): Promise<void> {
    const write = (name: string, text: string): void => writeFileSync(join(home.cwd, name), text);
    const user = await well(['seed', 'template', '--format', 'ndjson'], env);
    // Writes new rows each time, so that each file counts as new.
    const rows = Array.from({ length: 12 }, () => user.replace('user@example.com', `user${users++}@example.com`));
    write('users.ndjson', rows.join(''));
    const table = (await well(['seed', 'template'], env)).split('\n');
    write('users.csv', table.map((row) => row.replace(/,[^,]*$/, '')).join('\n'));
    const person = { environment: 'development', user_identities: { email: 'user@example.com' } };
    write(
      'event.json',
      JSON.stringify({ ...person, events: [{ event_type: 'custom_event', data: { event_name: 'a' } }] }),
    );
    write('user.json', line.includes('intake') ? JSON.stringify(person) : user);
    for (const name of ['users.csv', 'users.ndjson']) rmSync(join(home.cwd, `${name}.rejects.ndjson`), { force: true });
    if (line.includes('--resume')) await well(['seed', 'bulk', 'users.ndjson', '--yes'], env);
    if (line.includes('seed results')) {
      mkdirSync(join(home.cwd, 'results'), { recursive: true });
      write(
        'results/shard.json',
        await well(['seed', 'bulk', 'users.ndjson', '--shard', '1/1', '--yes', '-o', 'json'], env),
      );
      rmSync(join(home.cwd, 'all.rejects.ndjson'), { force: true });
    }
    if (line.includes('template --out')) rmSync(join(home.cwd, 'users.csv'));
  }

  /** Resets the platform and creates what a group's examples need: profiles, a saved manifest, definitions, rows. */
  async function prepare(path: string, line: string): Promise<void> {
    const group = groupOf(path);
    await send('POST', `${ready.control_url}/reset`);
    const isLive = line.includes('--from-live');
    const addresses = isLive
      ? ['--base-url', ready.base_url, '--auth-url', ready.auth_url, '--client-id', ready.client_id]
      : ['--base-url', 'https://api.example.com', '--auth-url', 'https://auth.example.com', '--client-id', 'me'];
    if (isLive)
      addresses.push(`--org=${ready.org_id}`, `--account=${ready.account_id}`, `--workspace=${ready.workspace_id}`);
    for (const name of ['profile', 'auth', 'emulator'].includes(group) ? ['dev', 'prod'] : []) {
      await well(['profile', 'create', name, ...addresses, '--client-secret-env', 'CDP_SECRET']);
    }
    const env = environmentOf(ready);
    if (WAREHOUSE.includes(group)) await prepareWarehouse(path, env);
    if (SEEDING.includes(group)) await prepareSeeding(line, env);
    if (group !== 'roles' && path !== 'log show') return;
    await well(['roles', 'pull', '--overwrite'], env);
    const file = join(home.cwd, 'roles.yaml');
    rename(file, 'One');
    await well(['roles', 'push', '--yes'], env);
    rename(file, 'Two');
    if (line.includes('roles.plan')) await well(['roles', 'diff', '--save-plan', 'roles.plan'], env);
    writeFileSync(join(home.cwd, 'roles.test.yaml'), '- each: {max_tasks: 50}\n');
    if (REVISION.test(line)) {
      const [newest] = JSON.parse(await well(['roles', 'history', '-o', 'json'], env)) as { revision: string }[];
      revision = newest?.revision ?? '';
    }
    if (path === 'log show') write = (await well(['log', '--limit', '1', '-o', 'name'])).trim();
  }

  // Deletes the profiles that the example or its preparation created.
  afterEach(() => rmSync(join(home.folder, 'config'), { recursive: true, force: true }));

  /** Runs one example as written, with this run's values and additional arguments. */
  async function runExample(line: string, path: string, more: string[] = []): Promise<CliResult> {
    await prepare(path, line);
    if (line === 'cdpadm roles pull') rmSync(join(home.cwd, 'roles.yaml'));
    if (path === 'emulator sample-warehouse') rmSync(join(home.cwd, 'shop.sqlite'), { force: true });
    if (line.includes('create nightly')) {
      const file = join(home.cwd, 'pipeline.yaml');
      writeFileSync(file, readFileSync(file, 'utf8').replace(/^id: .*\n/m, ''));
    }
    const args = wordsOf(line, { '4010': new URL(ready.base_url).port, '1001': run, '4f1c': write, revision });
    const made = path === 'profile create' ? args[2] : path === 'profile import' ? args[3] : undefined;
    if (made === 'prod' || made === 'dev') await well(['profile', 'delete', made, '--yes', '--confirm', made]);
    const profile = '{"base_url":"https://api.example.com"}';
    writeFileSync(join(home.cwd, 'dev.profile.json'), profile);
    const stdin = line.includes('< secret.txt')
      ? 'secret\n'
      : args.includes('-')
        ? line.includes('zcat')
          ? readFileSync(join(home.cwd, 'users.ndjson'), 'utf8')
          : profile
        : undefined;
    const env = { ...environmentOf(ready), CDP_SECRET: ready.client_secret, CDPADM_EDITOR: 'sed -i.bak s/Two/Three/' };
    const end = new AbortController();
    const onOutput = (stdout: string): void => {
      if (path === 'emulator start' && stdout !== '') end.abort(interrupted());
    };
    // This test needs the JSON of the write, not of its dry run, so it confirms with a flag.
    const typed = more.length > 0 && path === 'pipelines reset' ? ['--confirm', 'customers'] : [];
    // Another process may use the default port.
    const port = path === 'emulator start' && !args.includes('--port') ? ['--port', '0'] : [];
    const result = await cli([...args, '--yes', ...typed, ...port, ...more], {
      env,
      stop: end,
      onOutput,
      ...(stdin && { stdin }),
    });
    const fine = path === 'emulator start' ? [130] : line.includes('--exit-code') ? [0, 10] : [0];
    expect(fine, result.stderr).toContain(result.code);
    return result;
  }

  test.each(examples)('runs successfully: %s', async (line, path) => {
    await runExample(line, path);
  });

  // Checks the JSON of each command's first example that is not a dry run, or else of its first example without
  // `--dry-run`. For a long-running command, checks only the first line. `mcp` is skipped because it communicates over
  // JSON-RPC.
  test.each(leaves.filter(([path]) => path !== 'mcp' && !ELSEWHERE.has(groupOf(path))))(
    'prints the JSON that its help describes: %s',
    async (path, command) => {
      const lines = helpOf(command)?.examples ?? [];
      const line = (lines.find((one) => !one.includes('--dry-run')) ?? lines[0] ?? '').replace(' --dry-run', '');
      const { stdout } = await runExample(line.replace(/ -o \w+| --query "[^"]*"| --out \S+/g, ''), path, [
        '-o',
        'json',
      ]);
      expectShape(command, path === 'emulator start' ? (stdout.split('\n')[0] ?? '') : stdout);
    },
  );
});

/** Returns the arguments of the `cdpadm` call in a line, with this run's values. */
function wordsOf(line: string, { revision, ...values }: Record<string, string>): string[] {
  const call = /cdpadm (.*?)(?:\)"| < \S+|$)/.exec(line)?.[1] ?? '';
  const words = shellWords(call);
  return words.map((word) => values[word] ?? (REVISION.test(word) ? (revision ?? '') : word));
}
