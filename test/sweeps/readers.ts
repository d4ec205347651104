// Every file that a user passes to the program, with a command line that reads it, for tests with hostile contents.
import { readFileSync } from 'node:fs';
import type { World } from './world.ts';

/** `text` is any file without its own format. */
export type Format = 'yaml' | 'json' | 'csv' | 'ndjson' | 'text';

export interface Reader {
  command: string;
  args: string;
  /** The file to replace, relative to the working directory. */
  file: string;
  format: Format;
  /** Valid contents; required if the stage does not provide the file. */
  good?: string | ((world: World) => string);
  /** Other files that the command needs. */
  beside?: Readonly<Record<string, string>>;
  /** Command lines to run first. */
  before?: readonly string[];
  /** True if invalid rows are reported one by one, and the others are sent. */
  byRow?: true;
  /** True if unknown fields are kept for newer versions. */
  keepsUnknown?: true;
  /** True if any contents may be accepted; only the outcome of the command is checked. */
  any?: true;
  /** True if only the platform validates the contents. */
  judgedThere?: true;
  /** Additional exit codes for a rejection. */
  exits?: readonly number[];
}

const ROLE = { role_id: 'analyst', name: 'A', description: 'B', tasks: ['audiences:view'] };
const ROLES = JSON.stringify({ roles: [ROLE] });
const SUBJECT = {
  regulation: 'gdpr',
  subject_request_id: '6f1c5a52-3a4c-4f0e-9d55-3d2f6a1f8c55',
  subject_request_type: 'access',
  submitted_time: '2026-01-05T09:00:00Z',
  subject_identities: { email: { value: 'a@people.example', encoding: 'raw' } },
  group_id: 'spring',
  status_callback_urls: ['https://receiver.example/callback'],
};
const SUBJECT_YAML = `regulation: gdpr
subject_request_id: 6f1c5a52-3a4c-4f0e-9d55-3d2f6a1f8c55
subject_request_type: access
submitted_time: "2026-01-05T09:00:00Z"
subject_identities:
  email:
    value: a@people.example
    encoding: raw
group_id: spring
status_callback_urls:
  - https://receiver.example/callback
`;
const MAIL = 'mail,city\na@people.example,Berlin\nb@people.example,Oslo\n';
const ROWS = 'user,xpid\na,1\n';
const BULK = '--regulation gdpr --type access';
const KEPT_ID = SUBJECT.subject_request_id;
const KEPT = `kept/${KEPT_ID}.1`;
const certificates = ({ env }: World): string => readFileSync(env()['CDPADM_CA_FILE'] ?? '', 'utf8');
const VERIFY = 'dsr callbacks verify';
const FIXTURES = `organizations:
  - id: 1001
accounts:
  - id: 2001
roles:
  - role_id: analyst
    name: Analyst
    description: Reads
    tasks:
      - audiences:view
`;

const yaml = (command: string, args: string, file: string, more: Partial<Reader> = {}): Reader => ({
  command,
  args,
  file,
  format: 'yaml',
  ...more,
});
const json = (command: string, args: string, file: string, more: Partial<Reader> = {}): Reader => ({
  ...yaml(command, args, file, more),
  format: 'json',
});

/** Returns the reader of a file with one path per line. A path may contain any characters. */
const list = (command: string, args: string, good: string): Reader => ({
  command,
  args: `${args}--files-from list.txt`,
  file: 'list.txt',
  format: 'text',
  good,
  any: true,
});

/** Returns the reader of a plan that `diff` saved. The digest in the plan covers every character except line breaks. */
const savedPlan = (command: string, args: string, diff: string): Reader => ({
  command,
  args,
  file: 'saved.plan',
  format: 'text',
  before: [`${diff} --save-plan saved.plan`],
});

export const READERS: readonly Reader[] = [
  list('seed bulk', '', 'users.ndjson\n'),
  list('seed validate', '', 'users.ndjson\n'),
  list('seed inspect', '', 'users.ndjson\n'),
  list('seed preview', '', 'users.ndjson\n'),
  list('seed results', '', 'results/shard.json\n'),
  list('dsr bulk-results', '', 'results/part.json\n'),
  list('dsr submit', `--bulk ${BULK} `, 'people.csv\n'),
  list('dsr prepare', `${BULK} --out prepared.csv `, 'people.csv\n'),
  yaml('roles push', 'wanted.yaml --allow-delete --force', 'wanted.yaml'),
  json('roles push', 'wanted.json --allow-delete --force', 'wanted.json', { good: ROLES }),
  json('roles push', 'wanted.yaml --base base.json --allow-delete --force', 'base.json', { good: ROLES, exits: [6] }),
  yaml('roles validate', 'wanted.yaml', 'wanted.yaml'),
  yaml('roles diff', 'wanted.yaml', 'wanted.yaml'),
  json('roles diff', 'wanted.yaml --base base.json', 'base.json', { good: ROLES, exits: [6] }),
  json('roles diff', 'wanted.yaml --against other.json', 'other.json', { good: ROLES }),
  yaml('roles test', 'roles.test.yaml', 'roles.test.yaml', { exits: [10] }),
  yaml('roles test', 'roles.test.yaml --file wanted.yaml', 'wanted.yaml', { exits: [10] }),
  // A pull overwrites an existing file, but rejects an invalid file (exit code 6), which may contain edits.
  yaml('roles pull', 'wanted.yaml', 'wanted.yaml', { exits: [6] }),

  json('roles pull', 'wanted.yaml --merge --base base.json', 'base.json', { good: ROLES, exits: [6] }),
  savedPlan('roles push', '--plan saved.plan --allow-delete', 'roles diff wanted.yaml'),

  yaml('groups create', '-f group.yaml --workspace 3002', 'group.yaml'),
  yaml('groups update', 'household -f group.yaml', 'group.yaml'),
  yaml('groups set', '-f group.yaml --workspace 3002', 'group.yaml'),
  yaml('groups diff', '-f group.yaml', 'group.yaml'),

  yaml('connections create', '-f connection-2.yaml --workspace 3002', 'connection-2.yaml'),
  yaml('connections update', 'crm -f connection.yaml', 'connection.yaml'),
  yaml('data-models create', '-f model-2.yaml', 'model-2.yaml'),
  yaml('data-models update', 'active-customers -f model.yaml', 'model.yaml'),
  yaml('pipelines create', '-f pipeline-2.yaml', 'pipeline-2.yaml'),
  yaml('pipelines update', 'customers -f pipeline.yaml', 'pipeline.yaml'),
  { command: 'data-models create', args: '-f model-2.yaml', file: 'active-customers.sql', format: 'text', any: true },
  {
    command: 'data-models create',
    args: '--id third --name Third --type sql --state active --sql-file third.sql',
    file: 'third.sql',
    format: 'text',
    good: 'SELECT 1\n',
    any: true,
  },
  {
    command: 'data-models update',
    args: 'active-customers --sql-file third.sql',
    file: 'third.sql',
    format: 'text',
    good: 'SELECT 1\n',
    any: true,
  },
  {
    command: 'connections update',
    args: 'crm -f connection.yaml',
    file: 'password.txt',
    format: 'text',
    any: true,
    exits: [4],
  },

  yaml('warehouse apply', 'sync --prune --allow-delete', 'sync/pipelines/customers.yaml'),
  yaml('warehouse apply', 'sync --prune --allow-delete', 'sync/connections/crm.yaml'),
  yaml('warehouse apply', 'sync --prune --allow-delete', 'sync/data-models/active-customers.yaml'),
  {
    command: 'warehouse apply',
    args: 'sync --prune --allow-delete',
    file: 'sync/data-models/active-customers.sql',
    format: 'text',
    any: true,
  },
  json('warehouse apply', 'sync --prune --allow-delete', 'sync/pipelines/more.json', {
    good: JSON.stringify({
      id: 'more',
      name: 'More',
      pipeline_type: 'user_attributes',
      connection_id: 'crm',
      data_model_id: 'active-customers',
      state: 'paused',
      sync_mode: { type: 'full' },
      schedule: { type: 'on_demand' },
      environment: 'production',
    }),
  }),
  yaml('warehouse apply', 'sync --overlay production', 'production/connections/crm.yaml'),
  yaml('warehouse diff', 'sync --overlay production', 'production/connections/crm.yaml'),
  savedPlan('warehouse apply', '--plan saved.plan', 'warehouse diff sync'),
  yaml('warehouse diff', 'sync', 'sync/connections/crm.yaml'),
  // An export into a folder keeps users' changes, so it reads the existing files first.
  yaml('warehouse export', 'sync', 'sync/pipelines/customers.yaml', { exits: [6] }),
  yaml('warehouse export', 'exported', 'exported/connections/crm.yaml', {
    before: ['warehouse export exported --yes'],
    // The file may no longer contain the resource that it is named after.
    exits: [6],
  }),
  yaml('warehouse apply', 'exported --prune --allow-delete', 'exported/pipelines/paused.yaml', {
    before: ['warehouse export exported --yes'],
  }),

  json('dsr submit', '-f dsr.json', 'dsr.json', { good: JSON.stringify(SUBJECT) }),
  yaml('dsr submit', '-f dsr.yaml', 'dsr.yaml', { good: SUBJECT_YAML }),
  { command: 'dsr submit', args: `--bulk people.csv ${BULK}`, file: 'people.csv', format: 'csv' },
  {
    command: 'dsr submit',
    args: `--bulk people.ndjson ${BULK}`,
    file: 'people.ndjson',
    format: 'ndjson',
    good: '{"email":"a@people.example"}\n{"email":"b@people.example"}\n',
  },
  json('dsr submit', `--bulk people.json ${BULK}`, 'people.json', {
    good: '[{"email":"a@people.example"},\n{"email":"b@people.example"}]\n',
  }),
  yaml('dsr submit', `--bulk mail.csv --map-file map.yaml ${BULK}`, 'map.yaml', {
    good: 'mail: email\ncity: "-"\n',
    beside: { 'mail.csv': MAIL },
  }),
  json('dsr submit', `--bulk mail.csv --map-file map.json ${BULK}`, 'map.json', {
    good: '{"mail":"email","city":"-"}\n',
    beside: { 'mail.csv': MAIL },
  }),
  {
    command: 'dsr submit',
    args: `--identity email=@mail.txt ${BULK}`,
    file: 'mail.txt',
    format: 'text',
    good: 'a@people.example\n',
    any: true,
  },
  { command: 'dsr prepare', args: `people.csv ${BULK} --out prepared.csv`, file: 'people.csv', format: 'csv' },
  yaml('dsr prepare', `mail.csv --map-file map.yaml ${BULK} --out prepared.csv`, 'map.yaml', {
    good: 'mail: email\ncity: "-"\n',
    beside: { 'mail.csv': MAIL },
  }),
  ...[`${KEPT}.headers.json`, `${KEPT}.body`].map((file): Reader => ({
    command: 'dsr evidence',
    args: `${KEPT_ID} --kept kept --out evidence.zip`,
    file,
    format: 'text',
    before: [`dsr submit ${BULK} --identity email=a@people.example --request-id ${KEPT_ID} --keep kept --yes`],
    any: true,
  })),
  {
    command: VERIFY,
    args: '--headers callback.json --body callback.body',
    file: 'callback.body',
    format: 'text',
    any: true,
  },
  json(VERIFY, '--headers callback.json --body callback.body', 'callback.json', { any: true }),
  {
    command: VERIFY,
    args: '--headers callback.txt --body callback.body',
    file: 'callback.txt',
    format: 'text',
    good: ({ callback }) =>
      Object.entries(callback.headers)
        .map(([name, value]) => `${name}: ${value}\n`)
        .join(''),
    any: true,
  },
  {
    command: VERIFY,
    args: '--headers callback.json --body callback.body --certificate processor.pem',
    file: 'processor.pem',
    format: 'text',
    good: certificates,
    any: true,
  },
  {
    command: VERIFY,
    args: '--headers callback.json --body callback.body --ca-file authority.pem',
    file: 'authority.pem',
    format: 'text',
    good: certificates,
    any: true,
  },

  { command: 'seed bulk', args: 'users.ndjson', file: 'users.ndjson', format: 'ndjson', byRow: true },
  { command: 'seed validate', args: 'users.ndjson', file: 'users.ndjson', format: 'ndjson', byRow: true },
  { command: 'seed inspect', args: 'users.ndjson', file: 'users.ndjson', format: 'ndjson', any: true },
  // Reads only the first row.
  { command: 'seed preview', args: 'users.ndjson', file: 'users.ndjson', format: 'ndjson', any: true, exits: [5] },
  ...['bulk', 'validate', 'preview'].map((name) =>
    yaml(`seed ${name}`, 'rows.csv --map-file columns.yaml', 'columns.yaml', {
      good: 'user: user:name\nxpid: xpid\n',
      beside: { 'rows.csv': ROWS },
      byRow: true,
    }),
  ),
  { command: 'seed results', args: 'results', file: 'results/shard.json', format: 'text', any: true },
  { command: 'dsr bulk-results', args: 'results', file: 'results/part.json', format: 'text', any: true },
  json('seed set', '-f user.json', 'user.json'),
  json('intake event', '-f event.json', 'event.json'),
  json('intake identify', '-f identify.json', 'identify.json'),
  json('api', 'POST /v2/events -f event.json', 'event.json', { exits: [6], judgedThere: true }),
  json('profile import', 'profile.json dev', 'profile.json'),

  yaml('roles list', '', '.cdpadm.yaml', { good: 'vendor_domain: people.example\n' }),
  json('roles list', '', '../config/config.json', { good: '{"profiles":{}}', keepsUnknown: true }),
  yaml('emulator start', '--memory --port 0 --fixtures fixtures.yaml', 'fixtures.yaml', { good: FIXTURES }),
  yaml('emulator start', '--memory --port 0 --names names.yaml', 'names.yaml', { good: 'email: mail\n' }),
  {
    command: 'emulator start',
    args: '--memory --port 0 --warehouse warehouse.sqlite',
    file: 'warehouse.sqlite',
    format: 'text',
    good: 'nothing that is a database\n',
    any: true,
  },
];
