// Definitions of warehouse sync that the embedded platform's sample warehouse can run.

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
