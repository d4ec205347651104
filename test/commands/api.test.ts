// `api` sends any call to the address for the call's path, with the credentials for that path.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FIXTURES } from '../sweeps/stage.ts';
import { allEndpoints } from '../../src/lib/contract/index.ts';
import { answer, json, reset, startFaultServer } from '../helpers/fault-server.ts';
import { opened } from '../helpers/opened.ts';
import { createRolesHome, type RolesHome } from '../helpers/roles-home.ts';

const ROLES = '/platform/v2/organizations/{orgId}/accounts/{accountId}/roles';

describe('api', () => {
  let admin: RolesHome;
  beforeEach(async () => {
    admin = await createRolesHome();
  });
  afterEach(() => admin.close());

  it('fills in the ids in the path and prints the response', async () => {
    const { data, code } = await admin.json<{ roles: unknown[] }>(['api', 'GET', ROLES]);
    expect(code).toBe(0);
    expect(data.roles).toHaveLength(5);
  });

  it('requires confirmation for a write, and prints the exact request in a dry run', async () => {
    admin.write('body.yaml', 'roles: []\n');
    expect((await admin.run(['api', 'PUT', ROLES, '-f', 'body.yaml'])).code).toBe(2);
    const { data } = await admin.json(['api', 'PUT', ROLES, '-f', 'body.yaml', '--dry-run']);
    expect(data).toMatchObject({ dry_run: true, requests: [{ method: 'PUT', body: { roles: [] } }] });
    expect(await admin.puts()).toBe(0);
  });

  it.each([
    ['/platform/workspaces/3002/groups/x', { workspace_id: '3002' }],
    ['/platform/v2/workspaces/3002/connections/x', { workspace_id: '3002' }],
    ['/platform/v2/workspaces/{workspaceId}/connections/x', { workspace_id: '3001' }],
    ['/platform/v2/organizations/1002/accounts/2002/unknown', { org_id: '1002', account_id: '2002' }],
    ['/platform/v2/organizations/{orgId}/accounts/2002/roles', { org_id: '1001', account_id: '2002' }],
  ])('reports the ids in %s as the target of a write, both in the result and in the log', async (path, ids) => {
    const { data } = await admin.json<{ target: object }>(['api', 'DELETE', path, '--dry-run']);
    expect(data.target).toEqual({ profile: null, environment: null, address: admin.platform.ready.base_url, ...ids });
    await admin.run(['api', 'DELETE', path, '--yes']);
    expect((await admin.json<object[]>(['log'])).data.at(-1)).toMatchObject({ command: 'api', target: ids });
  });

  it('sends every digit of a 64-bit id from standard input', async () => {
    const body = '{"environment":"production","xpid":9223372036854775807,"calculated_attributes":{}}';
    const result = await admin.run(['api', 'POST', '/v2/calculatedattributes', '-f', '-', '--yes'], { stdin: body });
    expect(result.code).toBe(0);
    const { text } = await admin.platform.send('GET', '/_control/profiles?xpid=9223372036854775807');
    expect(text).toContain('9223372036854775807');
  });

  it('prints one JSON document even if the response has no body', async () => {
    const body = '{"environment":"production","xpid":5,"calculated_attributes":{}}';
    const sent = 'api POST /v2/calculatedattributes -f - --yes'.split(' ');
    for (const [format, stdout] of Object.entries({ json: 'null\n', yaml: 'null\n', table: '', csv: '' }))
      expect(await admin.run([...sent, '-o', format], { stdin: body })).toMatchObject({ code: 0, stdout });
  });

  it.each([
    ['roles', '/platform/v2/organizations/{orgId}/accounts/{accountId}/tasks', '', []],
    ['groups', '/platform/workspaces/{workspace_id}/groups/', '', []],
    ['warehouse', '/platform/v2/workspaces/{workspaceId}/connections', '', []],
    ['dsr', '/discovery', '/v3', {}],
    ['dsr, with a path copied from a log,', '/v3/discovery', '/v3', {}],
  ])('calls area %s at its own address with its own credentials', async (_area, path, below, kind) => {
    const { code, data, stderr } = await admin.json(['api', 'GET', path]);
    expect([code, stderr]).toEqual([0, '']);
    expect(Array.isArray(data)).toBe(Array.isArray(kind));
    expect((await admin.platform.api.requests()).at(-1)).toMatchObject({
      path: expect.stringMatching(`^${below}/(platform|discovery)`),
      status: 200,
    });
  });

  it.each([
    ['was lost', 503, 8],
    ['confirms the deletion', 204, 0],
  ])('reads after a DELETE whose response %s: a 404 alone proves nothing', async (_case, status, exit) => {
    const server = await opened(startFaultServer());
    server.next(answer({ status }));
    server.otherwise(answer({ status: 404, headers: { 'content-type': 'text/plain' }, body: 'default backend - 404' }));
    const env = { CDPADM_BASE_URL: server.url, CDPADM_ACCESS_TOKEN: 'token' };
    const path = '/platform/v2/workspaces/{workspaceId}/connections/x';
    const { code, stderr } = await admin.run(['api', 'DELETE', path, '--yes'], { env });
    expect([code, stderr.includes('a proxy may return it for any path')]).toEqual([exit, exit === 8]);
  });

  it.each([
    ['GET', 1, 'whole exchange'],
    ['PUT', 8, 'The outcome of PUT /platform/v2/organizations/'],
  ])('reports a response to %s that is not valid JSON, and prints a hint', async (method, exit, hint) => {
    const server = await opened(startFaultServer());
    server.otherwise(answer({ headers: { 'content-type': 'application/json' }, body: '{"roles":[{]' }));
    admin.write('body.yaml', 'roles: []\n');
    const body = method === 'GET' ? [] : ['-f', 'body.yaml', '--yes'];
    const env = { CDPADM_BASE_URL: server.url, CDPADM_ACCESS_TOKEN: 'token' };
    const { code, stderr } = await admin.run(['api', method, ROLES, ...body], { env });
    expect([code, stderr.includes('not usable JSON'), stderr.includes(hint)]).toEqual([exit, true, true]);
    expect(stderr).not.toContain('bug');
  });

  it('renews a rejected token and does not retry the write', async () => {
    const platform = await opened(startFaultServer());
    const token = { access_token: 'a-new-token', expires_in: 60, token_type: 'Bearer' };
    platform.otherwise((socket, request) => {
      json(token, { status: request.target === '/oauth/token' ? 200 : 401 })(socket, request);
    });
    admin.write('body.yaml', '{}\n');
    const env = { CDPADM_BASE_URL: platform.url, CDPADM_AUTH_URL: platform.url };
    const path = '/platform/v2/workspaces/{workspaceId}/inputs/data-pipelines/trigger';
    const { code, stderr } = await admin.run(['api', 'POST', path, '-f', 'body.yaml', '--yes'], { env });
    expect([code, stderr]).toEqual([
      4,
      expect.stringContaining('The access token has been renewed. Run the command again.'),
    ]);
    const sent = platform.requests.map(({ target }) => target);
    expect(sent.filter((target) => target === '/oauth/token')).toHaveLength(2);
    expect(sent.filter((target) => target.endsWith('/trigger'))).toHaveLength(1);
  });

  it('combines the pages of a list if --paginate is set', async () => {
    const [run] = FIXTURES.runs;
    const runs = [1, 2, 3, 4, 5].map((id) => ({ ...run, id }));
    const other = await opened(createRolesHome(undefined, { ...FIXTURES, runs }));
    const path = '/platform/v2/workspaces/{workspaceId}/inputs/data-pipelines/customers/runs?pageSize=2';
    expect((await other.json<{ items: unknown[] }>(['api', 'GET', path])).data.items).toHaveLength(2);
    const { data } = await other.json<{ id: number }[]>(['api', 'GET', path, '--paginate']);
    expect(data.map(({ id }) => id).sort()).toEqual([1, 2, 3, 4, 5]);
    expect((await other.platform.api.requests()).filter(({ path: sent }) => sent.includes('/runs'))).toHaveLength(4);
    // The list is printed right after the last page, so there is no progress event for that page.
    for (const words of [
      ['api', 'GET', path, '--paginate'],
      ['pipelines', 'runs', 'customers', '--page-size=2', '--all'],
    ]) {
      const { stderr } = await other.run([...words, '--progress', 'json', '-o', 'json']);
      expect(stderr).toContain('"done":2,"total":5');
      expect(stderr).toContain('"done":4,"total":5');
      expect(stderr).not.toContain('"done":5');
    }
  });

  it.each([
    ['a path that belongs to no area', ['api', 'GET', '/nowhere'], 2, /Unknown path/],
    ['an unknown method', ['api', 'FETCH', '/platform/x'], 2, /method|FETCH/],
    ['a GET with a body', ['api', 'GET', '/platform/x', '-f', '-'], 2, /cannot have a body/],
    ['a path that the platform does not know', ['api', 'GET', '/platform/v2/unheard'], 5, /404/],
    ['an unknown placeholder', ['api', 'GET', '/platform/v2/workspaces/{other}/x'], 2, /Unknown placeholder {other}/],
    ['a repeated query parameter', ['api', 'GET', '/platform/x?a=1&a=2'], 2, /repeats a query parameter/],
    ...['3002/../3001/connections/crm', '3002/%2E%2e/3001/groups/x', 'x#y', 'a b', 'caf\u00e9', 'a\\b', '.'].map(
      (rest): [string, string[], number, RegExp] => {
        const path = `/platform/v2/workspaces/${rest}`;
        return [`the path ${path}`, ['api', 'DELETE', path, '--yes'], 2, /Invalid path/];
      },
    ),
  ])('rejects %s', async (_what, line, code, message) => {
    expect(await admin.run(line)).toMatchObject({ code, stderr: expect.stringMatching(message) });
  });
});

it('masks secrets in dry runs, curl commands and results, but sends them', async () => {
  const admin = await opened(createRolesHome());
  const config = { database: 'd', user: 'u', cloud_iam_role_arn: 'a', host: 'h', password: 'kept-to-itself' };
  admin.write('body.yaml', JSON.stringify({ id: 'c2', name: 'C', service_provider: 'PROVIDER_C', config }));
  const line = ['api', 'POST', '/platform/v2/workspaces/3001/connections', '-f', 'body.yaml'];
  const server = await opened(startFaultServer());
  server.otherwise((socket, request) => {
    answer({ headers: { 'content-type': 'application/json' }, body: request.body })(socket, request);
  });
  const env = { CDPADM_BASE_URL: server.url, CDPADM_ACCESS_TOKEN: 'token' };
  for (const mode of ['--dry-run', '--curl', '--yes']) {
    const { code, stdout } = await admin.run([...line, mode], { env });
    expect({ mode, code, stdout }).toMatchObject({ code: 0, stdout: expect.stringMatching(/"password": ?"\*{8}"/) });
  }
  expect(server.requests.map(({ body }) => body.includes(config.password))).toEqual([true]);
  const { client_id, client_secret, base_url: audience } = admin.platform.ready;
  admin.write('token.yaml', JSON.stringify({ client_id, client_secret, audience, grant_type: 'client_credentials' }));
  const { data } = await admin.json(['api', 'POST', '/oauth/token', '-f', 'token.yaml', '--yes']);
  expect(data).toMatchObject({ access_token: '********', expires_in: 28_800 });
});

it.each(['********', 'env:PASSWORD', 'file:key.json'])('never sends %s as a secret', async (password) => {
  const admin = await opened(createRolesHome());
  admin.write('body.yaml', JSON.stringify({ id: 'crm', config: { role: 'sync', password } }));
  const line = ['api', 'PUT', '/platform/v2/workspaces/3001/connections/crm', '-f', 'body.yaml'];
  for (const mode of ['--yes', '--dry-run', '--curl']) {
    expect(await admin.run([...line, mode])).toMatchObject({
      code: 9,
      stderr: expect.stringMatching(/body\.yaml:1:\d+: config\.password: must be the secret itself/),
    });
  }
});

describe.each([
  ['with ids', [{ id: 0 }, { id: 1 }]],
  ['without ids', [{ name: 'a' }, { name: 'a' }]],
])('api --paginate for items %s', (_what, items) => {
  it('stops with an error if the platform repeats a page', async () => {
    const platform = await opened(startFaultServer());
    platform.otherwise(json({ items, has_next_page: true }));
    const admin = await opened(createRolesHome());
    const env = { CDPADM_BASE_URL: platform.url, CDPADM_ACCESS_TOKEN: 'token' };
    expect(await admin.run(['api', 'GET', '/platform/x', '--paginate'], { env })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Page 2 repeats earlier pages'),
    });
  });
});

const faults = { 429: json({}, { status: 429 }), 503: json({}, { status: 503 }), 'a reset connection': reset };
const writes = allEndpoints.filter(({ method, service }) => method !== 'GET' && service !== 'auth');

describe.each(Object.entries(faults))('api after %s', (what, fault) => {
  // Each test sends its requests to its own server, so the tests can share a home.
  let admin: RolesHome;
  beforeAll(async () => {
    admin = await createRolesHome();
  });
  afterAll(() => admin.close());

  it.each(writes.map((one) => [one.method, one.path, one] as const))(
    'retries %s %s only if it is safe to repeat',
    async (method, template, { safety }) => {
      const platform = await opened(startFaultServer());
      platform.otherwise(fault);
      admin.write('body.yaml', '{}\n');
      const path = template.replaceAll(/\{(?!orgId|accountId|workspace_?[iI]d)\w+\}/g, 'x');
      const urls = ['BASE', 'DSR_BASE']
        .map((name) => `CDPADM_${name}_URL`)
        .concat('CDPADM_SEEDING_URL', 'CDPADM_IDENTITY_URL');
      const env = { ...Object.fromEntries(urls.map((url) => [url, platform.url])), CDPADM_ACCESS_TOKEN: 'token' };
      const body = method === 'DELETE' ? [] : ['-f', 'body.yaml'];
      const { code, stderr } = await admin.run(['api', method, path, ...body, '--yes', '--retries', '1'], { env });
      expect(code, stderr).toBe(what === '429' || (safety === 'repeat' && what === '503') ? 7 : 8);
      expect(platform.requests.filter((one) => one.method === method)).toHaveLength(safety === 'repeat' ? 2 : 1);
    },
  );
});
