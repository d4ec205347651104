// Group definitions from the command line: minimal writes, one definition per workspace, lost responses.
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { safeParse } from 'zod/mini';
import { diffGroup } from '../../../src/commands/groups/index.ts';
import { planGroup } from '../../../src/lib/domain/groups/plan.ts';
import { json, startFaultServer } from '../../helpers/fault-server.ts';
import { openPlatformHome, type PlatformHome } from '../../helpers/platform-home.ts';

const GROUP = `id: household # shared with the loyalty team
description: People who live together
source_user_attribute: household_id
attributes:
  - {id: is_member, type: boolean_or}
  - {id: loyalty_points, type: sum}
`;

let home: PlatformHome;
beforeEach(async () => {
  home = await openPlatformHome();
  home.write('group.yaml', GROUP);
});
afterEach(() => home.close());

const verbs = async (): Promise<string[]> => (await home.writes()).map((line) => line.split(' ')[0] ?? '');

describe('groups set', () => {
  it('creates, patches, replaces, or sends nothing, as needed', async () => {
    const set = 'groups set -f group.yaml --yes';
    expect(await home.json(set)).toMatchObject({ code: 0, data: { id: 'household' } });
    expect(await home.run(set)).toMatchObject({ code: 0 });
    home.write('group.yaml', GROUP.replace('type: sum', 'type: average'));
    expect(await home.run(set)).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/Changed the attributes of group household\./),
    });
    home.write('group.yaml', GROUP.replace('together', 'in one house'));
    expect(await home.run(set)).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/Replaced group household\./),
    });
    expect(await verbs()).toEqual(['POST', 'PATCH', 'PUT']);
  });

  it('ignores the order of attributes', async () => {
    await home.run('groups set -f group.yaml --yes');
    const [first = '', second = ''] = GROUP.split('\n').slice(4);
    home.write('group.yaml', GROUP.replace(`${first}\n${second}`, `${second}\n${first}`));
    expect(await home.json('groups diff -f group.yaml --exit-code')).toMatchObject({ code: 0, data: { method: null } });
  });

  it('rejects a second definition in a workspace', async () => {
    await home.run('groups set -f group.yaml --yes');
    home.write('group.yaml', GROUP.replace('household #', 'office #'));
    const result = await home.run('groups set -f group.yaml --yes');
    expect(result).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/already has its 1 group definition \(household\)/),
    });
  });

  it('prints the exact request in a dry run, and does not send a write', async () => {
    const { code, data } = await home.json<{ requests: unknown[] }>('groups set -f group.yaml --dry-run');
    expect({ code, requests: data.requests }).toMatchObject({
      code: 0,
      requests: [{ method: 'POST', body: { id: 'household', source_user_attribute: 'household_id' } }],
    });
    expect(await verbs()).toEqual([]);
  });

  it('confirms a write with a read if its response was lost', async () => {
    await home.platform.api.addFault({ method: 'POST', path: '/platform/workspaces/*', drop: 'after', times: 1 });
    const result = await home.run('groups set -f group.yaml --yes');
    expect(result).toMatchObject({ code: 0, stderr: expect.stringMatching(/The platform did receive the write/) });
    expect(await verbs()).toEqual(['POST']);
  });

  it('retries a write that did not arrive', async () => {
    await home.platform.api.addFault({ method: 'POST', path: '/platform/workspaces/*', drop: 'before', times: 1 });
    expect(await home.run('groups set -f group.yaml --yes')).toMatchObject({ code: 0 });
    expect(await home.json('groups list')).toMatchObject({ data: [{ id: 'household' }] });
  });
});

it('reports every error in a file with its line and column, and sends nothing', async () => {
  home.write('group.yaml', 'id: ab\nsource_user_attribute: x\nattributes:\n  - {id: a, type: most}\n');
  const result = await home.run('groups set -f group.yaml --yes');
  expect(result).toMatchObject({ code: 9, stderr: expect.stringMatching(/group\.yaml:1:5: id: .*3 are needed/) });
  expect(result.stderr).toMatch(/group\.yaml:4:\d+: attributes\[0\]\.type: must be `latest`/);
  expect(await verbs()).toEqual([]);
});

it.each([
  ['cannot be read', 503, {}],
  ['shows the group', 200, [{ id: 'household' }]],
])('reports a 404 as it is if the list %s', async (_case, status, list) => {
  const server = await startFaultServer();
  onTestFinished(() => server.close());
  server.next(json({ message: 'gone' }, { status: 404 }));
  server.otherwise(json(list, { status }));
  const env = { ...home.env, CDPADM_BASE_URL: server.url, CDPADM_ACCESS_TOKEN: 'token' };
  const { code, stderr } = await home.run('groups get household --retries 0', { env });
  expect([code, stderr]).toEqual([5, expect.stringMatching(/^Error: Not found \(404\): gone\./)]);
});

describe('groups attributes', () => {
  beforeEach(() => home.run('groups set -f group.yaml --yes'));

  it('adds, changes and removes attributes, and sends the whole list in one PATCH per change', async () => {
    await home.run('groups attributes add household city loyalty_points=average --yes');
    await home.run('groups attributes remove household is_member --yes');
    expect(await home.json('groups get household')).toMatchObject({
      data: {
        attributes: [
          { id: 'loyalty_points', type: 'average' },
          { id: 'city', type: 'latest' },
        ],
      },
    });
    expect(await verbs()).toEqual(['POST', 'PATCH', 'PATCH']);
  });

  it('sends unknown fields and types of attributes back unchanged', async () => {
    const size = { id: 'size', type: 'sum', window: '7d' };
    const other = { id: 'other', type: 'median' };
    const server = await startFaultServer();
    onTestFinished(() => server.close());
    const live = { id: 'household', description: '', source_user_attribute: 'x', attributes: [size, other] };
    server.otherwise(json(live));
    const dryRun = async (line: string) => {
      const env = { ...home.env, CDPADM_BASE_URL: server.url, CDPADM_ACCESS_TOKEN: 'token' };
      const { stdout } = await home.run(`groups attributes ${line} --dry-run -o json`, { env });
      return (JSON.parse(stdout) as { requests: unknown[] }).requests;
    };
    const patch = (...attributes: unknown[]): unknown => [
      expect.objectContaining({ method: 'PATCH', body: { attributes } }),
    ];
    expect(await dryRun('add household city')).toEqual(patch(size, other, { id: 'city', type: 'latest' }));
    expect(await dryRun('add household size other city')).toEqual(patch(size, other, { id: 'city', type: 'latest' }));
    expect(await dryRun('add household size=average')).toEqual(patch({ ...size, type: 'average' }, other));
    expect(await dryRun('remove household other')).toEqual(patch(size));
  });

  it.each([
    ['an unknown type', 'groups attributes add household city=most --yes', 2, /latest, boolean_or, sum, average/],
    [
      'two types for one attribute',
      'groups attributes add household city=sum city city=latest --yes',
      2,
      /sum and latest/,
    ],
    ['an unknown attribute', 'groups attributes remove household is_membr --yes', 5, /mean is_member\?/],
    ['an unknown group', 'groups attributes add househol city --yes', 5, /mean household\?/],
    [
      'too many attributes',
      `groups attributes add household ${'abcdefghi'.split('').join(' ')} --yes`,
      9,
      /at most 10/,
    ],
  ])('rejects %s', async (_what, line, code, message) => {
    expect(await home.run(line)).toMatchObject({ code, stderr: expect.stringMatching(message) });
    expect(await verbs()).toEqual(['POST']);
  });
});

it('creates a definition once, updates it with PUT, and deletes it', async () => {
  expect(await home.run('groups create -f group.yaml --yes')).toMatchObject({ code: 0 });
  expect(await home.run('groups create -f group.yaml --yes')).toMatchObject({ code: 6 });
  home.write('group.yaml', GROUP.replace(/^id.*\n/, '').replace('type: sum', 'type: latest'));
  expect(await home.run('groups update household -f group.yaml --yes')).toMatchObject({ code: 0 });
  expect(await home.run('groups update office -f group.yaml --yes')).toMatchObject({ code: 5 });
  expect(await home.json('groups delete household --yes')).toMatchObject({ data: { id: 'household', deleted: true } });
  expect(await home.run('groups delete household --yes')).toMatchObject({ code: 5 });
  expect(await verbs()).toEqual(['POST', 'PUT', 'DELETE']);
});

describe('groups diff', () => {
  it.each([{}, { type: null }, { type: 'median' }])(
    'compares live attributes whose type is missing, null or unknown: %j',
    (type) => {
      const attributes = ['kept', 'removed'].map((id) => ({ id, ...type }));
      const wanted = { source_user_attribute: 'household_id', attributes: [{ id: 'kept', type: 'latest' as const }] };
      const plan = planGroup({ id: 'household', attributes }, { id: 'household', ...wanted });
      expect(plan.changes.attributes).toMatchObject({ removed: [{ id: 'removed' }], changed: [{ id: 'kept' }] });
      expect(diffGroup.output && safeParse(diffGroup.output(), JSON.parse(JSON.stringify(plan)))).toMatchObject({
        success: true,
      });
    },
  );
});
