// What the commands in the table run against: a platform with at least one resource of each kind, and matching files.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CONNECTION, MODEL, PIPELINE, SQL, stageWarehouse } from '../helpers/warehouse-files.ts';

/** Ids of requests on the platform: two pending ones in one group, and one with results. */
export const PENDING = '6f1c5a52-3a4c-4f0e-9d55-3d2f6a1f8c11';
export const PENDING_TOO = '6f1c5a52-3a4c-4f0e-9d55-3d2f6a1f8c12';
export const COMPLETED = '6f1c5a52-3a4c-4f0e-9d55-3d2f6a1f8c13';
export const RUN = '1001';

/** Every secret that a command uses. URL encoding changes each of them. */
export const CANARIES = {
  client: 'canary+client/secret=1',
  workspaceKey: 'canary+workspace/key=2',
  workspace: 'canary+workspace/secret=3',
  warehouse: 'canary+warehouse/password=4',
  old: 'canary+old/password=5',
  typed: 'canary+typed/secret=6',
  environment: 'canary+environment/secret=7',
  serviceKey: 'canary+service/key=8',
};

const role = (id: string, ...tasks: string[]) => ({
  role_id: id,
  name: `Role ${id}`,
  description: `What ${id} does`,
  tasks,
});
const request = (id: string, email: string, more: Record<string, unknown> = {}) => ({
  regulation: 'gdpr',
  subject_request_id: id,
  subject_request_type: 'access',
  submitted_time: '2026-01-05T09:00:00Z',
  subject_identities: { email: { value: email, encoding: 'raw' } },
  ...more,
});

/** The platform's fixtures: the first workspace has resources, the second is empty. */
export const FIXTURES = {
  organizations: [{ id: 1001, client_secret: CANARIES.client }],
  accounts: [{ id: 2001 }],
  workspaces: [
    { id: 3001, key: CANARIES.workspaceKey, secret: CANARIES.workspace },
    { id: 3002, key: 'second-workspace-key', secret: 'second-workspace-secret' },
  ],
  roles: [
    role('analyst', 'audiences:view'),
    role('editor', 'audiences:*'),
    role('spare', 'rules:view'),
    role('support', 'user_activity:view'),
  ],
  groups: [
    {
      id: 'household',
      description: 'People who live together',
      source_user_attribute: 'household_id',
      attributes: [
        { id: 'is_member', type: 'boolean_or' },
        { id: 'city', type: 'latest' },
      ],
    },
  ],
  profiles: [
    {
      xpid: 5,
      identities: { email: 'ada@people.example' },
      user_attributes: { first_name: 'Ada' },
    },
  ],
  requests: [
    request(PENDING, 'kim@people.example', { group_id: 'spring-clean', subject_request_type: 'erasure' }),
    request(PENDING_TOO, 'noor@people.example', { group_id: 'spring-clean', subject_request_type: 'erasure' }),
    request(COMPLETED, 'ada@people.example', { age: '5d' }),
  ],
  connections: [
    {
      id: 'crm',
      name: 'CRM',
      state: 'active',
      service_provider: 'PROVIDER_A',
      config: {
        account_identifier: 'xy12345',
        region: 'region-1',
        warehouse: 'sync_wh',
        database: 'crm',
        user: 'cdp',
        role: 'sync',
        password: CANARIES.old,
        storage_integration: 'cdp_integration',
      },
    },
    {
      id: 'unused',
      name: 'Unused',
      state: 'active',
      service_provider: 'PROVIDER_D',
      config: { provider: 'sample-organization', schema: 'shop' },
    },
  ],
  data_models: [
    { id: 'active-customers', name: 'Customers', state: 'active', type: 'sql', config: { sql_query: SQL } },
    { id: 'unused', name: 'Unused', state: 'active', type: 'sql', config: { sql_query: SQL } },
  ],
  pipelines: [
    {
      id: 'customers',
      name: 'People',
      pipeline_type: 'user_attributes',
      connection_id: 'crm',
      data_model_id: 'active-customers',
      state: 'active',
      sync_mode: {
        type: 'incremental',
        iterator_field: 'updated_at',
        iterator_data_type: 'timestamp',
        from: '2024-01-01T00:00:00Z',
      },
      schedule: { type: 'on_demand' },
      environment: 'production',
    },
    {
      id: 'paused',
      name: 'Paused',
      pipeline_type: 'user_attributes',
      connection_id: 'crm',
      data_model_id: 'active-customers',
      state: 'paused',
      sync_mode: { type: 'full' },
      schedule: { type: 'on_demand' },
      environment: 'production',
    },
  ],
  runs: [
    {
      id: Number(RUN),
      pipeline_id: 'customers',
      type: 'manual',
      status: 'success',
      logical_date: '2026-01-02T00:00:00Z',
      started_on: '2026-01-02T00:00:00Z',
      ended_on: '2026-01-02T00:01:00Z',
      successful_records: 4,
    },
  ],
};

const seed = (id: number) => ({
  environment: 'production',
  xpid: id,
  calculated_attributes: {
    '3001': [{ attribute_name: 'Orders', calculation_type: 'count', cutoff_date: '2024-01-31', seed: { value: '3' } }],
  },
});

const ROLES_FILE = `roles:
  - role_id: analyst
    name: Role analyst, renamed
    description: What analyst does
    tasks:
      - audiences:view
      - rules:view
  - role_id: editor
    name: Role editor
    description: What editor does
    tasks:
      - audiences:*
  - role_id: support
    name: Role support
    description: What support does
    tasks:
      - user_activity:view
`;

const EVENT = {
  environment: 'production',
  user_identities: { email: 'ada@people.example' },
  events: [{ event_type: 'custom_event', data: { event_name: 'visit' } }],
};

/** A connection whose key is a multi-line document. */
const SERVICE = `id: service
name: Service
state: active
service_provider: PROVIDER_B
config:
  region: region-1
  project_id: crm
  dataset_id: people
  service_account_id: cdp@crm.example
  service_account_key: file:service-key.json
`;

const SERVICE_KEY = { type: 'service_account', key: CANARIES.serviceKey };

/** Programs that save their environment before they do their work. These programs do not follow symlinks. */
const CHILDREN = {
  'editor.sh': 'set -C\n{ env > editor-was-told; } 2>/dev/null\nexec sed -i s/What/All/ "$@"\n',
  'key.sh': 'set -C\ncd "$(dirname "$0")"\n{ env > helper-was-told; } 2>/dev/null\ncat service-key.json\n',
};

const WENT_TO = {
  profile: null,
  environment: 'production',
  workspace_id: '3001',
  address: 'https://seeds.people.example',
};

/** Output of a `seed bulk` shard, and of a `dsr submit --bulk` part. */
const SHARD = {
  ...{ rows: 5, accepted: 5, rejected: 0, batches: 1, requests: 1, retries: 0, seconds: 0.5 },
  ...{ journal: '/state/seed/1.json', rejects: null, shard: { index: 1, count: 1 }, target: WENT_TO },
  input: 'users.ndjson',
  resume: 'cdpadm seed bulk users.ndjson --shard 1/1 --yes --resume',
  argv: ['cdpadm', 'seed', 'bulk', 'users.ndjson', '--shard', '1/1', '--yes', '--resume'],
};
const PART = {
  ...{ rows: 4, submitted: 4, existing: 0, failed: 0, skipped: 0, left: 0, requests: 4, retries: 0, seconds: 0.5 },
  ...{ results: 'people.csv.results.csv', journal: '/state/dsr/bulk/1.ndjson', input: 'people.csv', target: WENT_TO },
  resume: 'cdpadm dsr submit --bulk people.csv --yes --resume',
  argv: ['cdpadm', 'dsr', 'submit', '--bulk', 'people.csv', '--yes', '--resume'],
};

/** Writes every file that is named in the table's command lines. */
export function stageFiles(folder: string): void {
  stageWarehouse(folder);
  const files: Record<string, string> = {
    'wanted.yaml': ROLES_FILE,
    'roles.test.yaml': '- each: {max_tasks: 30}\n',
    'subjects.csv': 'regulation,subject_request_type,email\ngdpr,access,person1@people.example\n',
    'profile.json': '{"base_url":"https://api.example.com"}',
    'people.csv': `email,group_id\n${[1, 2, 3, 4].map((n) => `person${n}@people.example,bulk\n`).join('')}`,
    // The first id belongs to another person's request.
    'taken.csv': `email,subject_request_id\nperson5@people.example,${PENDING}\nperson6@people.example,${PENDING.replace('8c11', '8c21')}\n`,
    'users.ndjson': [1, 2, 3, 4, 5].map((id) => `${JSON.stringify(seed(id))}\n`).join(''),
    'user.json': JSON.stringify(seed(7)),
    'results/shard.json': `${JSON.stringify(SHARD)}\n`,
    'results/part.json': `${JSON.stringify(PART)}\n`,
    'event.json': JSON.stringify(EVENT),
    'identify.json': JSON.stringify({
      environment: 'production',
      user_identities: { email: 'ada@people.example' },
      user_attributes: { first_name: 'Ada' },
    }),
    // Definitions of resources that do not exist yet.
    'connection-2.yaml': CONNECTION.replace('id: crm', 'id: second')
      .replace('env:', 'file:')
      .replace('WAREHOUSE_PASSWORD', 'password.txt'),
    'users.csv': 'xpid,attr:Orders:count\n7,3\n',
    'pipeline-2.yaml': PIPELINE.replace('id: customers', 'id: second'),
    'model-2.yaml': MODEL.replace('id: active-customers', 'id: second'),
    'password.txt': CANARIES.warehouse,
    ...CHILDREN,
    'service-key.json': `${JSON.stringify(SERVICE_KEY, undefined, 2)}\n`,
    'service.yaml': SERVICE,
    'helped.yaml': SERVICE.replace('file:service-key.json', `'command:sh ${folder}/key.sh'`),
    'service/connections/service.yaml': SERVICE,
    'service/connections/service-key.json': `${JSON.stringify(SERVICE_KEY, undefined, 2)}\n`,
  };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}
