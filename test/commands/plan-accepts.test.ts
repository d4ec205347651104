// A diff, a dry run and the write either all accept an input or all reject it.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openPlatformHome, type PlatformHome } from '../helpers/platform-home.ts';
import { CONNECTION, MODEL, PIPELINE, SECRET_ENV, SQL } from '../helpers/warehouse-files.ts';

let home: PlatformHome;
beforeEach(async () => {
  home = await openPlatformHome();
});
afterEach(() => home.close());

const ROLE = { role_id: 'analyst', name: 'Analyst', description: 'd', tasks: ['audiences:view'] };
const GROUP = `id: household
source_user_attribute: household_id
attributes:
  - {id: is_member, type: boolean_or}
  - {id: lifetime_value, type: sum}
`;

/**
 * Each kind of input with the commands that validate it: plans first, the write last. `FILE` is replaced by the path of
 * the input.
 */
const KINDS: Record<
  string,
  { commands: string[]; stage(text: string): string | Promise<string>; inputs: Record<string, string> }
> = {
  roles: {
    commands: ['roles validate FILE --online', 'roles diff FILE', 'roles push FILE --dry-run', 'roles push FILE --yes'],
    stage: async (text) => {
      const { data } = await home.json<unknown[]>('roles list');
      const { roles } = JSON.parse(text) as { roles: unknown[] };
      home.write('roles.json', JSON.stringify({ roles: [...data, ...roles] }));
      return 'roles.json';
    },
    inputs: {
      'no issues': JSON.stringify({ roles: [ROLE] }),
      'an unknown task': JSON.stringify({ roles: [{ ...ROLE, tasks: ['audiences:veiw'] }] }),
      'an unknown field': JSON.stringify({ roles: [{ ...ROLE, nmae: 'x' }] }),
      'a duplicate id': JSON.stringify({ roles: [ROLE, { ...ROLE, name: 'Other' }] }),
      'an empty description': JSON.stringify({ roles: [{ ...ROLE, description: '' }] }),
    },
  },
  groups: {
    commands: ['groups diff -f FILE', 'groups set -f FILE --dry-run', 'groups set -f FILE --yes'],
    stage: (text) => {
      home.write('group.yaml', text);
      return 'group.yaml';
    },
    inputs: {
      'no issues': GROUP,
      'an unknown type': GROUP.replace('type: sum', 'type: smu'),
      'no attributes': GROUP.replace(/attributes:[^]*/, ''),
    },
  },
  warehouse: {
    commands: ['warehouse diff FILE', 'warehouse apply FILE --dry-run', 'warehouse apply FILE --yes'],
    stage: (text) => {
      for (const group of ['connections', 'data-models', 'pipelines'])
        mkdirSync(join(home.cwd, 'sync', group), { recursive: true });
      home.write('sync/connections/crm.yaml', CONNECTION);
      home.write('sync/data-models/model.yaml', MODEL);
      home.write('sync/data-models/active-customers.sql', SQL);
      home.write('sync/pipelines/customers.yaml', PIPELINE);
      const group = text.includes('pipeline_type')
        ? 'pipelines'
        : text.includes('sql_')
          ? 'data-models'
          : 'connections';
      home.write(`sync/${group}/changed.yaml`, text);
      return 'sync';
    },
    inputs: {
      'no issues': CONNECTION.replace('id: crm', 'id: other'),
      'a missing field': CONNECTION.replace('id: crm', 'id: other').replace('  role: sync\n', ''),
      'a duplicate id': CONNECTION,
      'a literal secret': CONNECTION.replace('id: crm', 'id: other').replace('env:WAREHOUSE_PASSWORD', 'hunter2'),
      'a mask': CONNECTION.replace('id: crm', 'id: other').replace('env:WAREHOUSE_PASSWORD', '"********"'),
      'a command': CONNECTION.replace('id: crm', 'id: other').replace('env:WAREHOUSE_PASSWORD', 'command:echo x'),
      'a file outside the folder': CONNECTION.replace('id: crm', 'id: other').replace(
        'env:WAREHOUSE_PASSWORD',
        'file:/etc/passwd',
      ),
      'a missing connection': PIPELINE.replace('id: customers', 'id: other').replace(
        'connection_id: crm',
        'connection_id: c',
      ),
      'missing SQL': MODEL.replace('id: active-customers', 'id: other').replace('active-customers.sql', 'none.sql'),
    },
  },
  connections: {
    commands: ['connections create -f FILE --dry-run', 'connections create -f FILE --yes'],
    stage: (text) => {
      home.write('connection.yaml', text);
      return 'connection.yaml';
    },
    inputs: {
      'no issues': CONNECTION,
      'a missing field': CONNECTION.replace('  role: sync\n', ''),
      'a mask': CONNECTION.replace('env:WAREHOUSE_PASSWORD', '"********"'),
      'a command': CONNECTION.replace('env:WAREHOUSE_PASSWORD', 'command:echo x'),
      'our own secret': CONNECTION.replace('env:WAREHOUSE_PASSWORD', 'env:CDPADM_CLIENT_SECRET'),
    },
  },
};

const CASES = Object.entries(KINDS).flatMap(([kind, { inputs }]) =>
  Object.keys(inputs).map((input) => [kind, input] as const),
);

describe('a diff, a dry run and a write', () => {
  it.each(CASES)('have the same result for a %s file with %s', async (kind, input) => {
    const { commands, stage, inputs } = KINDS[kind] as (typeof KINDS)[string];
    const file = await stage(inputs[input] ?? '');
    const results: { code: number; issues: string[] }[] = [];
    for (const line of commands) {
      const { code, error } = await home.json(line.replace('FILE', file), { env: SECRET_ENV });
      const issues = (error as typeof error | undefined)?.issues;
      results.push({ code, issues: issues?.map(({ path, message }) => `${path}: ${message}`) ?? [] });
    }
    expect(results).toEqual(results.map(() => results[0]));
    expect(results[0]?.code).toEqual(input === 'no issues' ? 0 : expect.toBeOneOf([9, 12]));
  });
});
