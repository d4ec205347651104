// A connection, a data model and a pipeline in wire format, with only the required fields.

export const CONNECTION = {
  id: 'lake',
  name: 'Lake',
  state: 'active',
  service_provider: 'PROVIDER_D',
  config: { provider: 'acme', schema: 'shop' },
};

export const MODEL = {
  id: 'people',
  name: 'People',
  state: 'active',
  type: 'sql',
  config: { sql_query: 'SELECT * FROM acme.shop.people' },
};

export const PIPELINE = {
  id: 'sync',
  name: 'Sync',
  pipeline_type: 'user_attributes',
  connection_id: 'lake',
  data_model_id: 'people',
  state: 'active',
  sync_mode: { type: 'full' },
  schedule: { type: 'on_demand' },
  environment: 'production',
};
