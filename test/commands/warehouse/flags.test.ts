// Definitions from flags for every resource and provider. Flags override files and live fields.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CliOptions, CliResult } from '../../helpers/cli.ts';
import { opened } from '../../helpers/opened.ts';
import { openPlatformHome, type PlatformHome } from '../../helpers/platform-home.ts';
import { makeWarehouse } from '../../helpers/warehouse.ts';
import { CONNECTION, DEFINITIONS, SECRET_ENV, SQL, writeAll } from '../../helpers/warehouse-files.ts';

let home: PlatformHome;
beforeEach(async () => {
  home = await openPlatformHome();
  writeAll(home.cwd, DEFINITIONS);
});
afterEach(() => home.close());

const run = (line: string, options: CliOptions = {}) =>
  home.run(`${line} --yes`.split(/ +/), { env: SECRET_ENV, ...options });
const get = async (line: string): Promise<unknown> => (await home.json(line)).data;

const A =
  'create a --name A --service-provider PROVIDER_A --account-identifier xy12345 --region region-1 --warehouse w ' +
  '--database d --user u --role r --storage-integration s --password-from env:WAREHOUSE_PASSWORD';
const B =
  'create b --name B --service-provider PROVIDER_B --region r --project-id p --dataset-id d --service-account-id s ' +
  '--service-account-key-from file:key.json';
const C =
  'create c --name C --service-provider PROVIDER_C --database d --user u --cloud-iam-role-arn arn --host h ' +
  '--password-from env:WAREHOUSE_PASSWORD';
const D = 'create d --name D --service-provider PROVIDER_D --provider acme --schema shop';

/** Returns the flags in a command line, each with its value. */
function flagsOf(line: string): string[] {
  return [...line.matchAll(/--\S+ \S+/g)].map(([flag]) => flag);
}

describe('a connection', () => {
  const KEY = '{\n  "private_key": "abc-def-ghi"\n}';
  beforeEach(() => home.write('key.json', `${KEY}\n`));

  it.each([
    ['PROVIDER_A', A],
    ['PROVIDER_B', B],
    ['PROVIDER_C', C],
    ['PROVIDER_D', D],
  ])('is created for %s from its flags, unless one is missing', async (provider, line) => {
    for (const flag of flagsOf(line).filter((it) => !it.startsWith('--service-provider'))) {
      const name = flag.split(' ')[0] ?? '';
      const result = await run(`connections ${line.replace(` ${flag}`, '')}`);
      expect(result).toMatchObject({ code: 2, stderr: expect.stringContaining(`${name}: is missing`) });
    }
    expect(await home.writes()).toEqual([]);
    expect(await run(`connections ${line}`)).toMatchObject({ code: 0 });
    expect(await get(`connections list --service-provider ${provider}`)).toMatchObject([
      { service_provider: provider },
    ]);
  });

  it.each([
    ['a field of a different provider', `${D} --warehouse w`, /--warehouse: unknown field/],
    ['a missing provider', 'create d --name D --schema shop', /--service-provider: is missing/],
    ['an unknown provider', D.replace('PROVIDER_D', 'PROVIDER_E'), /--service-provider: must be `PROVIDER_A`, /],
    ['an invalid id', D.replace(' d ', ' d.d '), /id: may contain only letters, digits/],
    ['an unknown state', `${D} --state on`, /--state: must be `new`, `active` or `inactive`/],
    ['missing flags', 'create d', /No definition was specified/],
  ])('is rejected because of %s', async (_what, line, message) => {
    expect(await run(`connections ${line}`)).toMatchObject({ code: 2, stderr: expect.stringMatching(message) });
    expect(await home.writes()).toEqual([]);
  });

  it('is rejected if its secret is passed as a literal value, which is not printed', async () => {
    const result = await run(`connections ${A.replace('env:WAREHOUSE_PASSWORD', 'hunter2hunter2')}`);
    expect(result).toMatchObject({ code: 2, stderr: expect.stringMatching(/--password-from must be a reference/) });
    expect(result.stderr).not.toContain('hunter2');
  });

  it.each([
    ['a file', () => 'file:key.json'],
    ['a command', () => `command:cat ${home.cwd}/key.json`],
  ])('is created with a multi-line key from %s', async (_where, reference) => {
    const file = await makeWarehouse(home.folder, 'CREATE TABLE people (customer_id TEXT)');
    const warehouse = { service_provider: 'PROVIDER_B', match: { project_id: 'p' }, file };
    const fixtures = { warehouses: [{ ...warehouse, credentials: { service_account_key: KEY } }] };
    const strict = await opened(openPlatformHome({ fixtures }));
    const words = B.split(' ').map((word) => (word === 'file:key.json' ? reference() : word));
    const result = await strict.run(['connections', ...words, '--yes', '--trace-file', 'trace.ndjson'], {
      env: { PATH: process.env.PATH ?? '' },
      cwd: home.cwd,
    });
    expect(result).toMatchObject({ code: 0, stdout: expect.stringMatching(/healthy/) });
    expect(result.stdout + result.stderr + home.read('trace.ndjson')).not.toContain('abc-def-ghi');
  });

  it('is updated only in the fields passed as flags, and only if its secret is also passed', async () => {
    await run('connections create -f connection.yaml');
    expect(await run('connections update crm --role loader')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/--password-from: must be passed again.*--password-from env:NAME/s),
    });
    expect(await run('connections update crm --role loader --password-from env:WAREHOUSE_PASSWORD')).toMatchObject({
      code: 0,
    });
    expect(await get('connections get crm')).toMatchObject({
      name: 'CRM warehouse',
      config: { role: 'loader', user: 'cdp', database: 'crm' },
    });
  });

  it('loses the fields of the previous provider if the provider changes', async () => {
    await run('connections create -f connection.yaml');
    const line = 'connections update crm --service-provider PROVIDER_D --provider acme --schema shop';
    expect(await run(line)).toMatchObject({ code: 0 });
    expect(await get('connections get crm')).toMatchObject({ config: { provider: 'acme', schema: 'shop' } });
  });

  it('can be created from a file and flags that override its fields, even if the file contains a mask', async () => {
    home.write('connection.yaml', CONNECTION.replace('env:WAREHOUSE_PASSWORD', '"********"'));
    const masked = await run('connections create -f connection.yaml');
    expect(masked).toMatchObject({ code: 9, stderr: expect.stringMatching(/:12:13: .*mask.*--password-from env/s) });
    const line = 'connections create other -f connection.yaml --role loader --password-from env:WAREHOUSE_PASSWORD';
    expect(await run(line)).toMatchObject({ code: 9, stderr: expect.stringMatching(/1:5: id: must be `other`/) });
    expect(await run(line.replace(' other', ''))).toMatchObject({ code: 0 });
    expect(await get('connections get crm')).toMatchObject({ config: { role: 'loader' } });
  });

  it("loses a field if the flag's value is empty", async () => {
    await run(`connections ${A} --external-stage public.stage`);
    const words = ['connections', 'update', 'a', '--external-stage', '', '--password-from', 'env:WAREHOUSE_PASSWORD'];
    expect(await home.run([...words, '--yes'], { env: SECRET_ENV })).toMatchObject({ code: 0 });
    expect(await get('connections get a')).not.toHaveProperty('config.external_stage');
  });
});

describe('a data model', () => {
  it('gets its SQL from a file, standard input or a flag', async () => {
    expect(await run('data-models create one --name One --sql-file active-customers.sql')).toMatchObject({ code: 0 });
    expect(await get('data-models get one')).toMatchObject({ type: 'sql', config: { sql_query: SQL } });
    const piped = await run('data-models create two --name Two --sql-file -', { stdin: 'SELECT 2' });
    expect(piped).toMatchObject({ code: 0 });
    const words = ['data-models', 'update', 'one', '--sql-query', 'SELECT 1', '--yes'];
    expect(await home.run(words)).toMatchObject({ code: 0 });
    expect(await get('data-models get one')).toMatchObject({ name: 'One', config: { sql_query: 'SELECT 1' } });
  });

  it('is created with the SQL file from the flag, not from the definition', async () => {
    home.write('other.sql', 'SELECT 7');
    expect(await run('data-models create -f model.yaml --sql-file other.sql')).toMatchObject({ code: 0 });
    expect(await get('data-models get active-customers')).toMatchObject({ config: { sql_query: 'SELECT 7' } });
  });

  it.each([
    ['a missing query', '--name X', /--sql-(?:file|query): is missing/],
    [
      'two queries',
      '--name X --sql-file active-customers.sql --sql-query x',
      /--sql-file and --sql-query set the same field/,
    ],
    ['a missing file', '--name X --sql-file nowhere.sql', /no such file/],
  ])('is rejected because of %s', async (_what, flags, message) => {
    const result = await run(`data-models create x ${flags}`);
    expect(result).toMatchObject({ code: 2, stderr: expect.stringMatching(message) });
  });
});

describe('a pipeline', () => {
  const LINE =
    'pipelines create p --name P --pipeline-type user_attributes --connection-id crm --data-model-id active-customers ' +
    '--state active --environment production --sync-mode incremental --iterator-field updated_at ' +
    '--iterator-data-type timestamp --from 2024-01-01T00:00:00Z --schedule interval --frequency daily ' +
    '--start 2030-01-01T00:00:00Z --delay 1h';
  beforeEach(async () => {
    await run('connections create -f connection.yaml');
    await run('data-models create -f model.yaml');
  });
  const plain = (result: CliResult) => ({ code: result.code, stderr: result.stderr });

  it('is created from its flags', async () => {
    expect(plain(await run(LINE))).toMatchObject({ code: 0 });
    expect(await get('pipelines get p')).toMatchObject({
      sync_mode: { type: 'incremental', iterator_field: 'updated_at', from: '2024-01-01T00:00:00Z' },
      schedule: { type: 'interval', frequency: 'daily', start: '2030-01-01T00:00:00Z', delay: '1h' },
    });
  });

  it.each([
    ['--frequency daily', '', /--frequency: is required for an interval schedule/],
    ['--start 2030-01-01T00:00:00Z', '', /--start: is required for an interval schedule/],
    ['--iterator-field updated_at', '', /--iterator-field: is required for an incremental sync/],
    ['--iterator-data-type timestamp', '', /--iterator-data-type: is required/],
    ['--delay 1h', '--delay 1x', /--delay: must be a number and a unit without a space/],
    ['user_attributes', 'events', /--field-transformation-id: is required for an events pipeline/],
    [
      '--state active',
      '--state active --field-transformation-id x',
      /--field-transformation-id: is not allowed in a user attributes pipeline/,
    ],
    ['--state active', '--state active --data-plan-id x', /--data-plan-version: is required/],
    ['--state active', '--state active --partner-feed-id x', /--partner-feed-id must be a whole number/],
    ['--from 2024-01-01T00:00:00Z', '--from 2024-13-01', /--from: must be a valid time/],
    ['--connection-id crm', '--connection-id c.r', /--connection-id: may contain only letters/],
  ])('is rejected, with the name of the flag, if %j is changed to %j', async (from, to, message) => {
    const result = await run(LINE.replace(from, to));
    expect(result).toMatchObject({ code: 2, stderr: expect.stringMatching(message) });
    expect((await home.writes()).filter((line) => line.includes('data-pipelines'))).toEqual([]);
  });

  it('is accepted, with a warning that names the flag, if a full sync has a repeating schedule', async () => {
    const line = LINE.replace(/--sync-mode .* --schedule/, '--sync-mode full --schedule');
    expect(await run(`${line} --dry-run`)).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/--sync-mode: a full sync on a repeating schedule/),
    });
  });

  it('can be updated without --allow-reset if its schedule changes but its sync mode does not', async () => {
    await run('pipelines create -f pipeline.yaml');
    expect(await run('pipelines update customers --schedule on-demand')).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/Nothing to do/),
    });
    expect(
      await run('pipelines update customers --schedule interval --frequency daily --start 2030-01-01T00:00:00Z'),
    ).toMatchObject({ code: 0 });
    expect(await run('pipelines update customers --from 2025-01-01T00:00:00Z')).toMatchObject({ code: 12 });
    expect(await run('pipelines update customers --from 2025-01-01T00:00:00Z --allow-reset')).toMatchObject({
      code: 0,
    });
    expect(await get('pipelines get customers')).toMatchObject({
      sync_mode: { type: 'incremental', from: '2025-01-01T00:00:00Z' },
      schedule: { type: 'interval', frequency: 'daily' },
    });
  });

  it('keeps every digit of its partner feed id', async () => {
    const dry = await home.run(`${LINE} --partner-feed-id 9007199254740993 --dry-run -o json`, { env: SECRET_ENV });
    expect(dry).toMatchObject({ code: 0, stdout: expect.stringContaining('"partner_feed_id": 9007199254740993') });
  });
});

it('detects in warehouse diff that `connections update` sent a different secret', async () => {
  writeAll(home.cwd, { 'sync/connections/crm.yaml': CONNECTION });
  await run('warehouse apply sync');
  await run('connections update crm --password-from env:OTHER', { env: { OTHER: 'a different password' } });
  const { data } = await home.json('warehouse diff sync', { env: SECRET_ENV });
  expect(data).toMatchObject({ steps: [{ action: 'update', id: 'crm', secrets: ['config.password'] }] });
});
