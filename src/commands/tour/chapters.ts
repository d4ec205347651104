// Chapters of the tour: data subject requests, roles, seeding, and warehouse sync with groups.
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { startCallbackServer } from '../../lib/runtime/callbacks/server.ts';
import type { Stage } from './stage.ts';
import { makeFolder } from '../../lib/kernel/temporary-file.ts';
import { counted } from '../../lib/kernel/words.ts';

/** Fixed ids produce the same requests in every tour. */
const ACCESS = '2d1f0a52-7c1e-4b3c-9f0a-1a2b3c4d5e6f';
const ERASURE = '3e2f1b63-8d2f-4c4d-8a1b-2b3c4d5e6f70';

const JANE = {
  environment: 'production',
  user_identities: { email: 'jane@example.com', customer_id: '4711' },
  user_attributes: { favorite_color: 'green' },
};

export async function dsrChapter(stage: Stage): Promise<void> {
  const { folder } = stage.sandbox;
  await stage.chapter('Data subject requests');
  await stage.say('The platform has data about Jane. She asks for it, and the regulation allows one month to respond.');
  writeFileSync(join(folder, 'jane.json'), `${JSON.stringify(JANE, undefined, 2)}\n`);
  await stage.sandbox.run(['intake', 'identify', '-f', 'jane.json', '--yes']);
  const jane = '--identity email=jane@example.com';
  await stage.run(`dsr submit --regulation gdpr --type access ${jane} --request-id ${ACCESS} --yes`);
  await stage.say('A request takes days. The embedded platform has its own clock, so you do not have to wait:');
  await stage.run('emulator clock advance 4d');
  await stage.run(`dsr results ${ACCESS}`);

  await stage.say('Now Jane asks for erasure. The platform posts each status to our receiver as a signed callback.');
  const done = new AbortController();
  const receiver = await startCallbackServer({ host: '127.0.0.1', port: 0 }, async ({ body, headers }) => {
    writeFileSync(join(folder, 'callback.headers'), headers.map(([name, value]) => `${name}: ${value}\n`).join(''));
    writeFileSync(join(folder, 'callback.json'), body ?? '');
    if (body?.includes('"completed"')) done.abort();
    return 202;
  });
  try {
    const url = `http://127.0.0.1:${receiver.port}/`;
    await stage.run(
      `dsr submit --regulation gdpr --type erasure ${jane} --callback-url ${url} --request-id ${ERASURE} --yes`,
    );
    await stage.run('emulator clock advance 10d');
    await stage.waitFor(once(done.signal, 'abort'));
  } finally {
    await receiver.close();
  }

  await stage.say('Did the platform send the last callback? Four checks show that it did. A modified body fails them:');
  const verify = 'dsr callbacks verify --headers callback.headers --body callback.json';
  await stage.run(verify);
  stage.edit('callback.json', (text) => text.replace(/"request_status":"\w+"/, '"request_status":"cancelled"'));
  await stage.run(verify, 'failed');
}

const NEW_ROLE = `  - role_id: analyst-role
    name: Analyst
    description: Views audiences and the live stream
    tasks:
      - audiences:view
      - live_stream:view
`;

export async function rolesChapter(stage: Stage): Promise<void> {
  await stage.chapter('Custom roles');
  await stage.say('All roles of an organization form one manifest. To read it:');
  await stage.run('roles list');
  await stage.run('roles pull');

  await stage.say('Now we edit roles.yaml: the User role loses access to the live stream, and we add an Analyst role.');
  stage.edit('roles.yaml', (text) => removeTask(text, 'user-role', 'live_stream:view') + NEW_ROLE);
  await stage.run('roles diff');
  await stage.say('The diff is correct, so we push it. The command first saves the previous roles.');
  await stage.run('roles push --yes');

  await stage.say(
    'Now we remove the Support role from the file. Deleting it for the whole organization needs a separate flag. Without it, ' +
      'the command sends nothing (exit 12, stopped by a guard):',
  );
  stage.edit('roles.yaml', (text) => removeRole(text, 'support-role'));
  await stage.run('roles push --yes', 'guard');
  await stage.say(
    'Even with the flag, the platform rejects the push, because a user has this role. Nothing changes (exit 6, a conflict):',
  );
  await stage.run('roles push --yes --allow-delete', 'conflict');

  await stage.say('You can restore every previous manifest, with the same diff and the same guards.');
  const history = await stage.sandbox.run(['roles', 'history', '-o', 'json']);
  const revisions = JSON.parse(history.stdout) as { revision: string }[];
  await stage.run(`roles rollback ${revisions.at(-1)?.revision ?? ''} --yes --allow-delete`);
}

function removeTask(text: string, roleId: string, task: string): string {
  const start = text.indexOf(`role_id: ${roleId}\n`);
  return text.slice(0, start) + text.slice(start).replace(`      - ${task}\n`, '');
}

function removeRole(text: string, roleId: string): string {
  const start = text.indexOf(`  - role_id: ${roleId}\n`);
  const next = text.indexOf('\n  - role_id: ', start);
  return text.slice(0, start) + (next < 0 ? '' : text.slice(next + 1));
}

const USERS = 20_000;
const BAD_ROW = 12_345;

export async function seedChapter(stage: Stage): Promise<void> {
  await stage.chapter('Seeding');
  await stage.say(
    `Seeding gives calculated attributes their first values. Here is an export of ${counted(USERS, 'user')}. One of them has an ` +
      'invalid number of orders:',
  );
  writeFileSync(join(stage.sandbox.folder, 'users.csv'), usersFile());
  await stage.show('users.csv', 3);
  await stage.run('seed validate users.csv', 'invalidInput');

  await stage.say(
    'The other users can be seeded now. The platform responds once with 429, too many requests. The command sends that ' +
      'request again, so the result is complete:',
  );
  await stage.sandbox.control.faults.add({
    path: '/v2/bulkcalculatedattributes',
    status: 429,
    retry_after: 1,
    times: 1,
  });
  await stage.run('seed bulk users.csv --yes', 'partial');

  await stage.say(
    'A rejects file next to the input contains the invalid row and the reason. Correct the row, and the file is a valid input:',
  );
  const rejects = 'users.csv.rejects.ndjson';
  await stage.show(rejects, 1);
  stage.edit(rejects, (text) => text.replaceAll('three', '3'));
  await stage.run(`seed bulk ${rejects} --yes`);
}

function usersFile(): string {
  const rows = Array.from({ length: USERS }, (_, index) => {
    const user = index + 1;
    return `c-${user},${user === BAD_ROW ? 'three' : user % 40},${(user % 900) + 0.5},production,2026-01-01`;
  });
  return `identity:customer_id,attr:Orders:count,attr:Revenue:sum,environment,cutoff_date\n${rows.join('\n')}\n`;
}

const FILES: Readonly<Record<string, string>> = {
  'sync/connections/warehouse-password.txt': 'only-for-the-tour\n',
  'sync/connections/shop.yaml': `id: shop
name: Shop warehouse
service_provider: PROVIDER_A
config:
  account_identifier: xy12345
  region: region-1
  warehouse: sync_wh
  database: shop
  user: cdp
  role: sync
  password: file:warehouse-password.txt # a reference, never the secret
  storage_integration: cdp_integration
`,
  'sync/data-models/customers.yaml': `id: customers
name: Customers of the shop
type: sql
config:
  sql_file: customers.sql
`,
  'sync/data-models/customers.sql': `SELECT customer_id, email, city, household_id, is_member, updated_at
FROM shop.public.customers
`,
  'sync/pipelines/customers.yaml': `id: customers
name: Customers
pipeline_type: user_attributes
connection_id: shop
data_model_id: customers
state: active
sync_mode:
  type: incremental
  iterator_field: updated_at
  iterator_data_type: timestamp
schedule:
  type: on_demand
environment: production
`,
  'group.yaml': `id: household
description: People who live together
source_user_attribute: household_id
attributes:
  - {id: is_member, type: boolean_or}
`,
};

export async function warehouseChapter(stage: Stage): Promise<void> {
  await stage.chapter('Warehouse sync and groups');
  for (const [name, text] of Object.entries(FILES)) {
    const path = join(stage.sandbox.folder, name);
    makeFolder(dirname(path));
    writeFileSync(path, text);
  }
  await stage.say('A folder has files for a connection, a data model with its SQL, and a pipeline:');
  await stage.run('warehouse apply sync --yes');
  await stage.say('A run of the pipeline executes the SQL.');
  await stage.run('pipelines trigger customers --wait --poll 500ms --yes');

  await stage.say(
    'Now we break the query and apply it. The run fails, the command exits with 1, and `doctor` shows the cause.',
  );
  stage.edit('sync/data-models/customers.sql', (text) => text.replace('public.customers', 'public.customer'));
  await stage.sandbox.run(['warehouse', 'apply', 'sync', '--yes']);
  await stage.run('pipelines trigger customers --wait --poll 500ms --yes', 'failed');
  await stage.run('pipelines doctor customers', 'failed');
  await stage.say('A group lets people in one household share attributes:');
  await stage.run('groups set -f group.yaml --yes');
}
