// Commands for individual connections, data models and pipelines: files, secrets, masks, guards, lost responses.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CliOptions } from '../../helpers/cli.ts';
import { json, startFaultServer } from '../../helpers/fault-server.ts';
import { opened } from '../../helpers/opened.ts';
import { openPlatformHome, type PlatformHome } from '../../helpers/platform-home.ts';
import {
  CONNECTION,
  CREATIONS,
  DEFINITIONS,
  PIPELINE,
  SECRET_ENV,
  SQL,
  writeAll,
} from '../../helpers/warehouse-files.ts';

let home: PlatformHome;
beforeEach(async () => {
  home = await openPlatformHome();
  writeAll(home.cwd, DEFINITIONS);
});
afterEach(() => home.close());

const run = (line: string, options: CliOptions = {}) => home.run(`${line} --yes`, { env: SECRET_ENV, ...options });

async function createAll(): Promise<void> {
  for (const line of CREATIONS) expect(await run(line)).toMatchObject({ code: 0 });
}

const writes = async (): Promise<string[]> =>
  (await home.writes()).map((line) => line.replace(/\/platform\/v2\/workspaces\/\d+\//, ''));

it('creates a connection, a data model and a pipeline, and masks the password', async () => {
  await createAll();
  const { data } = await home.json<object[]>('connections list');
  expect(data).toMatchObject([{ id: 'crm', status: 'healthy', config: { password: expect.stringMatching(/^\*+$/) } }]);
  expect(await home.json('pipelines get customers')).toMatchObject({ data: { status: 'idle' } });
  expect(await home.json('data-models get active-customers')).toMatchObject({ data: { config: { sql_query: SQL } } });
});

describe('connections create', () => {
  it.each([
    ['a mask', '********'],
    ['a longer mask', '"*************"'],
    ['a mask in quotes', `'"***"'`],
    ['bullets', '••••••'],
    ['a literal', 'hunter2'],
  ])('rejects %s in place of a reference, and sends nothing', async (_what, text) => {
    home.write('connection.yaml', CONNECTION.replace('env:WAREHOUSE_PASSWORD', text));
    const result = await run('connections create -f connection.yaml');
    expect(result).toMatchObject({
      code: 9,
      stderr: expect.stringMatching(/connection\.yaml:12:13: config\.password/),
    });
    expect(result.stderr).not.toContain('hunter2');
    expect(await writes()).toEqual([]);
  });

  it("sends nothing if a secret's variable is not set", async () => {
    const result = await home.run('connections create -f connection.yaml --yes');
    expect(result).toMatchObject({ code: 4, stderr: expect.stringMatching(/WAREHOUSE_PASSWORD, which is not set/) });
    expect(await writes()).toEqual([]);
  });

  it('sends nothing if the keychain does not have the entry, and does not suggest --client-secret', async () => {
    home.write('connection.yaml', CONNECTION.replace('env:WAREHOUSE_PASSWORD', 'keychain:no-such-entry-of-cdpadm'));
    const result = await run('connections create -f connection.yaml');
    expect(result).toMatchObject({
      code: 4,
      stderr: expect.stringMatching(/password of connection crm is .*keychain/),
    });
    expect(result.stderr).not.toContain('--client-secret');
    expect(await writes()).toEqual([]);
  });

  it('reads secrets from files and commands, and never prints them', async () => {
    home.write('secret.txt', `${SECRET_ENV.WAREHOUSE_PASSWORD}\n`);
    for (const reference of ['file:secret.txt', `"command:cat ${home.cwd}/secret.txt"`]) {
      home.write('connection.yaml', CONNECTION.replace('env:WAREHOUSE_PASSWORD', reference));
      const verb = reference.startsWith('file') ? 'create' : 'update crm';
      const result = await run(
        `connections ${verb} -f connection.yaml --allow-commands --debug --trace-file trace.ndjson`,
      );
      expect(result).toMatchObject({ code: 0 });
      expect(result.stdout + result.stderr + home.read('trace.ndjson')).not.toContain(SECRET_ENV.WAREHOUSE_PASSWORD);
    }
    const dry = await home.run('connections update crm -f connection.yaml --allow-commands --dry-run -o json');
    expect(dry).toMatchObject({ code: 0, stdout: expect.stringContaining('"password": "********"') });
  });
});

describe('a definition', () => {
  it.each([
    ['connection.yaml', 'id: crm', 'id: c r m', 'connections', /connection\.yaml:1:5: id: may contain only letters/],
    ['connection.yaml', '  role: sync\n', '', 'connections', /config\.role: is missing/],
    ['connection.yaml', 'PROVIDER_A', 'PROVIDER_B', 'connections', /config\.project_id: is missing/],
    ['pipeline.yaml', 'user_attributes', 'events', 'pipelines', /field_transformation_id: is required/],
    ['pipeline.yaml', 'state: active', 'state: active\nfield_transformation_id: x', 'pipelines', /:7:\d+: field_trans/],
    ['pipeline.yaml', '  iterator_field: updated_at\n', '', 'pipelines', /sync_mode\.iterator_field: is required/],
    ['pipeline.yaml', 'type: on-demand', 'type: interval', 'pipelines', /schedule\.frequency: is required/],
    ['pipeline.yaml', 'type: on-demand', 'type: once\n  delay: 3 h', 'pipelines', /schedule\.delay: must be a number/],
    [
      'pipeline.yaml',
      'environment: p',
      'data_plan_id: x\nenvironment: p',
      'pipelines',
      /data_plan_version: is required/,
    ],
    [
      'model.yaml',
      'active-customers.sql',
      'nowhere.sql',
      'data-models',
      /model\.yaml:6:13: config\.sql_file: .*no such file/,
    ],
  ])('is rejected before any request: %s with %j changed to %j', async (file, from, to, group, message) => {
    home.write(file, home.read(file).replace(from, to));
    expect(await run(`${group} create -f ${file}`)).toMatchObject({ code: 9, stderr: expect.stringMatching(message) });
    expect(await writes()).toEqual([]);
  });

  it('is accepted with a warning about a full sync on a repeating schedule', async () => {
    const full = PIPELINE.replace(
      /sync_mode:[^]*?schedule:\n {2}type: on-demand/,
      'sync_mode: {type: full}\nschedule:\n  {type: interval, frequency: daily, start: 2026-01-01T00:00:00Z}',
    );
    home.write('pipeline.yaml', full);
    expect(await home.run('pipelines create -f pipeline.yaml --dry-run')).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/pipeline\.yaml:7:\d+: sync_mode\.type: a full sync on a repeating schedule/),
    });
  });
});

describe('a pipeline command', () => {
  beforeEach(createAll);

  it('pauses and resumes a pipeline without changing any other field', async () => {
    const before = (await home.json<Record<string, unknown>>('pipelines get customers')).data;
    expect(await run('pipelines pause customers')).toMatchObject({ code: 0 });
    expect(await home.json('pipelines get customers')).toMatchObject({ data: { state: 'paused' } });
    expect(await run('pipelines resume customers')).toMatchObject({ code: 0 });
    const after = (await home.json<Record<string, unknown>>('pipelines get customers')).data;
    expect({ ...after, last_modified_on: 0, last_modified_by: 0, status: 0 }).toEqual({
      ...before,
      last_modified_on: 0,
      last_modified_by: 0,
      status: 0,
    });
  });

  it('changes the start of an incremental sync only if --allow-reset is set', async () => {
    home.write('pipeline.yaml', PIPELINE.replace('2024-01-01', '2025-01-01'));
    const line = 'pipelines update customers -f pipeline.yaml';
    expect(await run(line)).toMatchObject({ code: 12, stderr: expect.stringMatching(/from 2025-01-01T00:00:00Z on/) });
    expect(await run(`${line} --dry-run`)).toMatchObject({ code: 12 });
    expect(await run(`${line} --allow-reset`)).toMatchObject({ code: 0 });
    const put = (await writes()).filter((entry) => entry.startsWith('PUT'));
    expect(put).toHaveLength(1);
    expect(await home.json('pipelines get customers')).toMatchObject({
      data: { sync_mode: { from: '2025-01-01T00:00:00Z' } },
    });
  });

  it('sends nothing if values differ only in spelling', async () => {
    home.write('pipeline.yaml', PIPELINE.replace('on-demand', 'on_demand'));
    const result = await run('pipelines update customers -f pipeline.yaml');
    expect(result).toMatchObject({ code: 0, stderr: expect.stringMatching(/Nothing to do/) });
    expect((await writes()).filter((entry) => entry.startsWith('PUT'))).toEqual([]);
    const dry = await home.json('pipelines update customers -f pipeline.yaml --dry-run');
    expect(dry).toMatchObject({ code: 0, data: { requests: [], plan: { changes: {} } } });
    const { stdout } = await home.run('pipelines update customers -f pipeline.yaml --dry-run');
    expect(stdout).toBe('Nothing to do: pipeline customers is up to date.\n');
  });

  it('rejects the deletion of a connection that a pipeline uses', async () => {
    expect(await run('connections delete crm')).toMatchObject({
      code: 6,
      stderr: expect.stringMatching(/used by customers/),
    });
    expect(await run('pipelines delete customers')).toMatchObject({ code: 0 });
    expect(await run('connections delete crm')).toMatchObject({ code: 0 });
    expect(await run('connections delete crm')).toMatchObject({ code: 5 });
  });
});

it('masks a secret that the errors of a created resource quote', async () => {
  const platform = await opened(startFaultServer());
  const quote = { message: `Login failed with ${SECRET_ENV.WAREHOUSE_PASSWORD}` };
  platform.otherwise((socket, request) => {
    const created = () => ({ ...(JSON.parse(request.body) as object), status: 'faulted', errors: [quote] });
    (request.method === 'GET' ? json({}, { status: 404 }) : json(created()))(socket, request);
  });
  const env = { ...SECRET_ENV, CDPADM_BASE_URL: platform.url, CDPADM_ACCESS_TOKEN: 'token' };
  const { code, stdout } = await run('connections create -f connection.yaml -o json', { env });
  expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('Login failed with ********') });
  expect(stdout).not.toContain(SECRET_ENV.WAREHOUSE_PASSWORD);
});

describe('a write with a lost response', () => {
  it.each(['after', 'before'] as const)(
    'succeeds if it creates a resource (response lost %s the request was processed)',
    async (drop) => {
      await home.platform.api.addFault({
        method: 'POST',
        path: '/platform/v2/workspaces/*/connections',
        drop,
        times: 1,
      });
      expect(await run('connections create -f connection.yaml')).toMatchObject({ code: 0 });
      expect(await home.json('connections list')).toMatchObject({ data: [{ id: 'crm' }] });
    },
  );

  it('is confirmed by a read if it deletes a resource', async () => {
    await run('connections create -f connection.yaml');
    await home.platform.api.addFault({ method: 'DELETE', path: '/platform/v2/workspaces/*', drop: 'after', times: 1 });
    expect(await run('connections delete crm')).toMatchObject({ code: 0 });
    expect(await writes()).toEqual(['POST connections', 'DELETE connections/crm']);
    expect(await home.json('connections list')).toMatchObject({ data: [] });
  });
});
