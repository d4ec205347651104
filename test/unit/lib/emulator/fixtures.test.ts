// The fixtures document: its fields, its defaults and its errors.
import { describe, expect, it, test } from 'vitest';
import { readFixtures } from '../../../../src/lib/emulator/fixtures/document.ts';
import { KnownError } from '../../../../src/lib/kernel/errors.ts';
import { dsrBody } from '../../../helpers/dsr.ts';

const ROLE = { role_id: 'a', name: 'A', description: 'd', tasks: ['rules:*'] };

function issuesOf(document: unknown): string[] {
  try {
    readFixtures(document);
  } catch (error) {
    if (!(error instanceof KnownError)) throw error;
    expect(error.code).toBe('input.invalid');
    return error.issues.map(({ path, message }) => `${path}: ${message}`);
  }
  return [];
}

const REQUEST = 'a3b9c1d2-0000-4000-8000-000000000001';

describe('a fixtures document', () => {
  it('is accepted if it is empty, which creates a default organization without data', () => {
    const { accounts, limits, names, organizations, processor_domain, vendor_domain, workspaces, ...rest } =
      readFixtures({});
    expect(organizations).toEqual([{ id: 1001, client_id: 'local-client', client_secret: 'local-client-secret' }]);
    expect(accounts).toEqual([
      { id: 2001, org_id: 1001 },
      { id: 2002, org_id: 1001 },
    ]);
    expect(workspaces).toMatchObject([
      { id: 3001, account_id: 2001 },
      { id: 3002, account_id: 2001 },
    ]);
    expect({ limits, names, processor_domain, vendor_domain }).toEqual({
      limits: { roles_per_minute: 100 },
      names: {},
      processor_domain: 'opendsr.platform.example',
      vendor_domain: 'platform.example',
    });
    expect(Object.keys(rest)).toContain('profiles');
    expect(Object.values(rest).flat()).toEqual([]);
    for (const document of [undefined, null]) expect(readFixtures(document)).toEqual(readFixtures({}));
  });

  test('is accepted if it omits references, which then default to the first organization and account', () => {
    const fixtures = readFixtures({
      organizations: [{ id: 5, name: 'Ours' }],
      accounts: [{ id: 6 }],
      workspaces: [{ id: 7, key: 'k', secret: 's' }],
      roles: [ROLE, { ...ROLE, role_id: 'b', name: 'B', tasks: [{ task_id: 'user:core' }] }],
      role_assignments: [{ role_id: 'b', user: 'kim@platform.example' }],
      limits: { roles_per_minute: 7 },
      names: { xpid: 'wire_id' },
    });
    expect(fixtures).toMatchObject({
      organizations: [{ id: 5, client_id: 'local-client', client_secret: 'local-client-secret' }],
      accounts: [{ id: 6, org_id: 5 }],
      workspaces: [{ id: 7, account_id: 6, key: 'k', secret: 's' }],
      roles: [
        { org_id: 5, role: { role_id: 'a', tasks: [{ task_id: 'rules:*' }] } },
        { org_id: 5, role: { role_id: 'b', tasks: [{ task_id: 'user:core' }] } },
      ],
      role_assignments: [{ org_id: 5, role_id: 'b', user: 'kim@platform.example' }],
      limits: { roles_per_minute: 7 },
      names: { xpid: 'wire_id' },
    });
  });

  test('is accepted with empty lists, and with a processor domain', () => {
    const keys = [
      ...['groups', 'profiles', 'requests', 'connections', 'data_models', 'pipelines', 'runs'],
      ...['data_plans', 'warehouses', 'partners'],
    ];
    expect(issuesOf(Object.fromEntries(keys.map((key) => [key, []])))).toEqual([]);
    expect(issuesOf({ processor_domain: 'opendsr.example' })).toEqual([]);
  });

  test.each<[string, unknown, string[]]>([
    [
      'a request that the platform would reject',
      { requests: [{ age: 'old' }] },
      ['requests[0].age: is not a duration such as 90m or 8d'],
    ],
    [
      'a duplicate request, and a request in an unknown workspace',
      {
        requests: [
          dsrBody({ subject_request_id: REQUEST }),
          { ...dsrBody({ subject_request_id: REQUEST }), workspace_id: 9 },
          dsrBody({ subject_request_id: REQUEST, regulation: 'x' }),
          dsrBody({ subject_request_id: REQUEST }),
        ],
      },
      [
        'requests[1].workspace_id: no workspace has the id 9',
        'requests[2].regulation: must be `gdpr` or `ccpa`',
        `requests[3].subject_request_id: \`${REQUEST}\` is a duplicate`,
      ],
    ],
    [
      'a partner with an unknown status',
      { partners: [{ domain: 'a.example', name: 'A', status: 'lost' }] },
      ['partners[0].status: must be `pending`, `skipped`, `sent` or `failed`'],
    ],
    [
      'a processor domain that no certificate can have',
      { processor_domain: '../up' },
      ['processor_domain: must be a lowercase domain name of at most 64 characters'],
    ],
    ['a list', [1], [': must be an object, not a list']],
    ['a misspelled key', { rolls: [] }, ['rolls: unknown field `rolls`; did you mean `roles`?']],
    [
      'an unknown field',
      { workspaces: [{ id: 1, key: 'k', secret: 's', kee: 1 }] },
      ['workspaces[0].kee: unknown field `kee`'],
    ],
    [
      'duplicate ids',
      {
        accounts: [{ id: 1 }, { id: 1 }],
        workspaces: [
          { id: 2, key: 'k', secret: 's' },
          { id: 2, key: 'k', secret: 's' },
        ],
      },
      [
        'accounts[1].id: `1` is a duplicate',
        'workspaces[1].id: `2` is a duplicate',
        'workspaces[1].key: `k` is a duplicate',
      ],
    ],
    [
      'unknown references',
      {
        accounts: [{ id: 1, org_id: 9 }, { id: 2 }],
        workspaces: [{ id: 1, key: 'k', secret: 's', account_id: 8 }],
        roles: [{ ...ROLE, org_id: 7 }],
        role_assignments: [{ role_id: 'b', user: 'kim' }],
      },
      [
        'accounts[0].org_id: no organization has the id 9',
        'workspaces[0].account_id: no account has the id 8',
        'roles[0].org_id: no organization has the id 7',
        'role_assignments[0].role_id: organization 1001 has no role `b`',
      ],
    ],
    [
      'a key that Basic cannot carry',
      { workspaces: [{ id: 1, key: 'a:b', secret: 's' }] },
      ['workspaces[0].key: must not contain a colon'],
    ],
    [
      'roles that the platform would reject',
      { roles: [ROLE, { ...ROLE, role_id: 'b', name: 'n'.repeat(65) }] },
      ['roles[1].name: has 65 characters; at most 64 are allowed'],
    ],
    [
      'a duplicate name',
      { roles: [ROLE, { ...ROLE, role_id: 'b' }] },
      ['roles[1].name: is already used by another role: A'],
    ],
    [
      'an unknown task',
      { roles: [{ ...ROLE, tasks: ['rules:all'] }] },
      ['roles[0].tasks: contains unknown tasks: rules:all'],
    ],
    ['a limit of zero', { limits: { roles_per_minute: 0 } }, ['limits.roles_per_minute: must be at least 1']],
  ])('is rejected with the path of each issue: %s', (_what, document, issues) => {
    expect(issuesOf(document)).toEqual(issues);
  });
});
