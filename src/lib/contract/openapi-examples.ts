// Requests that the embedded platform accepts with its default fixtures. The OpenAPI document shows them as examples.

const connection = {
  id: 'lakehouse',
  name: 'Lakehouse',
  state: 'active',
  service_provider: 'PROVIDER_D',
  config: { provider: 'sample-organization', schema: 'shop' },
};
const model = {
  id: 'customers',
  name: 'Customers',
  type: 'sql',
  config: { sql_query: 'SELECT customer_id, plan, updated_at FROM shop.customers' },
};
const pipeline = {
  id: 'daily-customers',
  name: 'Customers, daily',
  pipeline_type: 'user_attributes',
  connection_id: 'lakehouse',
  data_model_id: 'customers',
  state: 'active',
  sync_mode: { type: 'incremental', iterator_field: 'updated_at', iterator_data_type: 'timestamp' },
  schedule: { type: 'interval', frequency: 'daily', start: '2026-01-01T00:00:00Z' },
  environment: 'development',
};
const attributes = [{ id: 'is_member', type: 'boolean_or' }];
const group = { id: 'household', source_user_attribute: 'household_id', attributes };
const seed = {
  environment: 'production',
  identities: { customer_id: 'c-1' },
  calculated_attributes: {
    3001: [{ attribute_name: 'purchases', calculation_type: 'count', cutoff_date: '2026-01-01', seed: { value: 12 } }],
  },
};
const user = { environment: 'production', user_identities: { customer_id: 'c-1' } };

/** Examples by endpoint id, in an order in which they can be sent. */
export const examples: Readonly<Record<string, object>> = {
  'oauth.token': {
    client_id: 'local-client',
    client_secret: 'local-client-secret',
    audience: 'https://api.platform.example',
    grant_type: 'client_credentials',
  },
  'roles.replace': {
    roles: [{ role_id: 'support-role', name: 'Support', description: 'Helps users.', tasks: [{ task_id: 'rules:*' }] }],
  },
  'groups.create': group,
  'groups.update': group,
  'groups.patch': { attributes },
  'dsr.create': {
    regulation: 'gdpr',
    subject_request_id: 'a7551968-d5d6-44b2-9831-815ac9017798',
    subject_request_type: 'access',
    submitted_time: '2026-01-31T08:00:00Z',
    subject_identities: { controller_customer_id: { value: 'c-1', encoding: 'raw' } },
    api_version: '3.0',
  },
  'connections.create': connection,
  'connections.update': connection,
  'dataModels.create': model,
  'dataModels.update': model,
  'pipelines.create': pipeline,
  'pipelines.update': pipeline,
  'pipelines.trigger': { pipeline_id: 'daily-customers' },
  'pipelines.reset': { pipeline_id: 'daily-customers', reset_type: 'full' },
  'seeding.set': seed,
  'seeding.bulk': [seed],
  'intake.event': { ...user, events: [{ event_type: 'custom_event', data: { event_name: 'visit' } }] },
  'intake.identify': { ...user, user_attributes: { plan: 'plus' } },
};
