// The tour's chapter on warehouse sync and groups: files, a run, a broken model, a household.
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeFolder } from '../../lib/kernel/temporary-file.ts';
import type { Stage } from './stage.ts';

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
  await stage.say('The pipeline runs and executes the SQL.');
  await stage.run('pipelines trigger customers --wait --poll 500ms --yes');

  await stage.say(
    'Now we break the query and apply it. The run fails with an exit code, and `doctor` names the cause.',
  );
  stage.edit('sync/data-models/customers.sql', (text) => text.replace('public.customers', 'public.customer'));
  await stage.sandbox.run(['warehouse', 'apply', 'sync', '--yes']);
  await stage.run('pipelines trigger customers --wait --poll 500ms --yes', 'failed');
  await stage.run('pipelines doctor customers', 'failed');
  await stage.say('A group lets people of one household share attributes:');
  await stage.run('groups set -f group.yaml --yes');
}
