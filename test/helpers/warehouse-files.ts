// Warehouse sync definitions that work with the embedded platform's sample warehouse.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const CONNECTION = `id: crm
name: CRM warehouse # asked for by the loyalty team
state: active
service_provider: PROVIDER_A
config:
  account_identifier: xy12345
  region: region-1
  warehouse: sync_wh
  database: crm
  user: cdp
  role: sync
  password: env:WAREHOUSE_PASSWORD
  storage_integration: cdp_integration
`;

export const MODEL = `id: active-customers
name: Active customers
state: active
type: sql
config:
  sql_file: active-customers.sql
`;

export const SQL = `SELECT customer_id, email, first_name, city, updated_at
FROM crm.public.customers
`;

export const PIPELINE = `id: customers
name: Customers
pipeline_type: user_attributes
connection_id: crm
data_model_id: active-customers
state: active
sync_mode:
  type: incremental
  iterator_field: updated_at
  iterator_data_type: timestamp
  from: 2024-01-01T00:00:00Z
schedule:
  type: on-demand
environment: production
`;

export const SECRET_ENV = { WAREHOUSE_PASSWORD: 'hunter2-but-longer' };

const GROUP = `id: household
source_user_attribute: household_id
attributes:
  - {id: is_member, type: boolean_or}
  - {id: lifetime_value, type: sum}
`;

/** The three definitions and the SQL, keyed by the file name that command tests use. */
export const DEFINITIONS: Readonly<Record<string, string>> = {
  'connection.yaml': CONNECTION,
  'model.yaml': MODEL,
  'active-customers.sql': SQL,
  'pipeline.yaml': PIPELINE,
};

/** Commands that create the definitions on the platform, in order. */
export const CREATIONS = [
  'connections create -f connection.yaml',
  'data-models create -f model.yaml',
  'pipelines create -f pipeline.yaml',
] as const;

/** Writes the files that the examples in the help use: single files, and a folder of definitions. */
export function stageWarehouse(folder: string): void {
  const connection = CONNECTION.replace('env:WAREHOUSE_PASSWORD', 'file:password.txt');
  const files: Record<string, string> = {
    ...DEFINITIONS,
    'password.txt': SECRET_ENV.WAREHOUSE_PASSWORD,
    'group.yaml': GROUP,
    'connection.yaml': connection,
    'unused-connection.yaml': connection.replace('id: crm', 'id: unused'),
    'unused-model.yaml': MODEL.replace('id: active-customers', 'id: unused'),
    'sync/connections/crm.yaml': connection,
    'sync/connections/password.txt': SECRET_ENV.WAREHOUSE_PASSWORD,
    'sync/data-models/active-customers.yaml': MODEL,
    'sync/data-models/active-customers.sql': SQL,
    'sync/pipelines/customers.yaml': PIPELINE,
    'production/connections/crm.yaml': 'id: crm\nconfig:\n  role: loader\n',
  };
  writeAll(folder, files);
}

/**
 * Writes a folder `sync` with `count` definitions: a connection, a pipeline, its data model, and further data models.
 */
export function stageSync(folder: string, count: number): void {
  const others = Array.from({ length: count - 3 }, (_, index) => [
    `sync/data-models/model-${index}.yaml`,
    MODEL.replace('id: active-customers', `id: model-${index}`),
  ]);
  writeAll(folder, {
    'sync/connections/crm.yaml': CONNECTION,
    'sync/data-models/active-customers.yaml': MODEL,
    'sync/data-models/active-customers.sql': SQL,
    'sync/pipelines/customers.yaml': PIPELINE,
    ...(Object.fromEntries(others) as Record<string, string>),
  });
}

/** Writes the files, whose texts are keyed by path, and creates their folders. */
export function writeAll(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}
