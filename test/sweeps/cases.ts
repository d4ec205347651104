// A valid command line for every command, with what it needs: what the sweeps of faults, kills and secrets go through.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { helpOf } from '../../src/lib/runtime/command-line/help.ts';
import { leavesBelow, loadProgram } from '../helpers/command-tree.ts';
import { send } from '../helpers/emulator.ts';
import { shellWords } from '../helpers/shell-words.ts';
import { CANARIES, COMPLETED, PENDING, PENDING_TOO, RUN } from './stage.ts';
import type { World } from './world.ts';

export interface CommandCase {
  /** `roles push`. */
  command: string;
  /** What follows the command's name; a string is split at spaces. */
  args: string | readonly string[];
  /** Command lines and changes that come before, over a platform without faults. */
  before?: readonly (string | ((world: World) => void | Promise<void>))[];
  stdin?: string;
  env?: Record<string, string>;
  /** Exit codes of a run without faults; default 0. */
  exits?: readonly number[];
  /** What it finds is its result: such a run ends without an error document, whatever it finds. */
  reports?: true;
  /** Its result is no JSON, even under `-o json`. */
  plain?: true;
  /** It goes on until it is stopped: called with its first line of output, and what stops it when this resolves. */
  serves?: (line: string, world: World) => Promise<void>;
  /** Sends nothing to the platform. */
  local?: true;
  /** Why it is not run here. */
  elsewhere?: string;
}

const pull = 'roles pull';
const changeRoles = ({ folder }: World): void => {
  const file = join(folder, 'roles.yaml');
  const text = readFileSync(file, 'utf8').replace('name: Role analyst', 'name: Role analyst, renamed');
  writeFileSync(file, text.replace('roles:', '# Reviewed every spring\nroles:'));
};
const profile = (name: string) =>
  `profile create ${name} --base-url https://api.example.com --auth-url https://auth.example.com --client-id me --client-secret-env CDP_SECRET`;
const submit = 'dsr submit --regulation gdpr --type access --identity email=before@people.example --yes';
const EDITOR = { CDPADM_EDITOR: 'sh editor.sh' };
const of = (command: string, args: CommandCase['args'] = '', more: Partial<CommandCase> = {}): CommandCase => ({
  command,
  args,
  ...more,
});
const local = (command: string, args: CommandCase['args'] = '', more: Partial<CommandCase> = {}): CommandCase =>
  of(command, args, { local: true, ...more });
const ELSEWHERE_TOUR = 'it starts a platform of its own; test/e2e/tour.test.ts takes it';

const ROWS: readonly CommandCase[] = [
  of('roles list'),
  of('roles get', 'analyst'),
  of('roles tasks'),
  of('roles explain', 'analyst'),
  of('roles who-can', 'audiences:view'),
  of('roles compare', 'analyst editor'),
  of('roles matrix'),
  local('roles templates'),
  of('roles pull', 'pulled.yaml'),
  of('roles validate', 'wanted.yaml --online'),
  of('roles diff', 'wanted.yaml'),
  of('roles push', '', { before: [pull, changeRoles] }),
  of('roles push', 'wanted.yaml --allow-delete --force'),
  of('roles edit', '', { before: [profile('dev')], env: EDITOR }),
  of('roles create', ['fresh', '--name', 'Fresh', '--description', 'New', '--task', 'rules:view']),
  of('roles update', ['analyst', '--name', 'Renamed', '--add-task', 'rules:view']),
  of('roles delete', 'spare --allow-delete'),
  local('roles history', '', { before: [pull, changeRoles, 'roles push --yes'] }),
  of('roles rollback', '', {
    before: [
      pull,
      changeRoles,
      'roles push --yes',
      async (world) => {
        const { stdout } = await world.well('roles history -o json');
        world.words.set('REVISION', (JSON.parse(stdout) as { revision: string }[])[0]?.revision ?? '');
      },
    ],
    args: ['REVISION'],
  }),

  of('groups list'),
  of('groups get', 'household'),
  of('groups create', '-f group.yaml --workspace 3002'),
  of('groups update', 'household -f group.yaml'),
  of('groups set', '-f group.yaml'),
  of('groups set', '-f group.yaml --workspace 3002'),
  of('groups delete', 'household'),
  of('groups diff', '-f group.yaml'),
  of('groups attributes add', 'household loyalty_points=sum'),
  of('groups attributes remove', 'household city'),

  of('warehouse export', 'exported'),
  of('warehouse diff', 'sync'),
  of('warehouse apply', 'sync --allow-delete'),
  of('warehouse apply', 'sync --workspace 3002'),
  of('warehouse apply', 'service --workspace 3002'),

  of('connections list'),
  of('connections get', 'crm'),
  of('connections create', '-f connection-2.yaml --workspace 3002'),
  of('connections create', '-f helped.yaml --allow-commands --workspace 3002', { before: [profile('dev')] }),
  of('connections update', 'crm -f connection.yaml'),
  of('connections update', 'service -f service.yaml --workspace 3002', {
    before: ['connections create -f service.yaml --workspace 3002 --yes'],
  }),
  of('connections delete', 'unused'),
  of('data-models list'),
  of('data-models get', 'active-customers'),
  of('data-models create', '-f model-2.yaml'),
  of('data-models update', 'active-customers -f model.yaml'),
  of('data-models delete', 'unused'),
  of('pipelines list'),
  of('pipelines get', 'customers'),
  of('pipelines create', '-f pipeline-2.yaml'),
  of('pipelines update', 'customers -f pipeline.yaml'),
  of('pipelines delete', 'paused'),
  of('pipelines pause', 'customers'),
  of('pipelines resume', 'paused'),
  of('pipelines trigger', 'customers'),
  of('pipelines trigger', 'customers --wait --wait-idle'),
  of('pipelines reset', 'customers --confirm customers'),
  of('pipelines report', 'customers'),
  of('pipelines runs', 'customers --all'),
  of('pipelines run', `customers ${RUN}`),
  of('pipelines watch', `customers ${RUN}`),
  of('pipelines doctor', 'customers', { exits: [0, 1], reports: true }),

  of('seed bulk', 'users.ndjson --batch-size 2 --concurrency 1 --give-up-after 1m'),
  local('seed validate', 'users.ndjson'),
  local('seed preview', 'users.ndjson'),
  of('seed set', '-f user.json'),
  local('seed template', '', { plain: true }),
  of('intake event', '-f event.json'),
  of('intake identify', '-f identify.json'),

  of('dsr submit', '--regulation gdpr --type access --identity email=new@people.example'),
  of('dsr submit', '--bulk people.csv --regulation gdpr --type access --concurrency 1 --give-up-after 1m'),
  of('dsr submit', '--bulk taken.csv --regulation gdpr --type erasure --concurrency 1 --give-up-after 1m', {
    exits: [3],
  }),
  local('dsr prepare', 'people.csv --regulation gdpr --type access --out prepared.csv'),
  of('dsr status', `${PENDING} ${COMPLETED}`),
  of('dsr wait', COMPLETED),
  of('dsr list', '', { before: [submit] }),
  of('dsr list', '--group-id spring-clean'),
  of('dsr cancel', PENDING),
  of('dsr cancel', '--group-id spring-clean'),
  of('dsr results', COMPLETED),
  of('dsr discovery'),
  local('dsr ledger export', '', { before: [submit] }),
  of('dsr callbacks verify', '--headers callback.json --body callback.body'),
  of('dsr callbacks listen', '--port 0', {
    exits: [130],
    plain: true,
    serves: async (line, { callback }) => {
      const { callback_url: url } = JSON.parse(line) as { callback_url: string };
      const reply = await send('POST', url, callback);
      if (![202, 503].includes(reply.status)) throw new Error(`the receiver answered ${reply.status}`);
    },
  }),

  local('profile create', ['dev', '--base-url', 'https://api.example.com', '--auth-url', 'https://auth.example.com']),
  local('profile list', '', { before: [profile('dev')] }),
  local('profile show', '--origin'),
  local('profile use', 'dev', { before: [profile('prod'), profile('dev')] }),
  local('profile edit', 'dev --set protected=true', { before: [profile('dev')] }),
  local('profile edit', 'dev', { before: [profile('dev')], env: EDITOR }),
  local('profile rename', 'dev staging', { before: [profile('dev')] }),
  local('profile copy', 'dev staging', { before: [profile('dev')] }),
  local('profile export', 'dev', { before: [profile('dev')] }),
  local('profile import', 'profile.json dev'),
  local('profile delete', 'dev --confirm dev', { before: [profile('dev')] }),
  of('auth test', '', { reports: true }),
  local('auth login', '--profile dev --client-secret-stdin --insecure-storage', {
    before: [profile('dev')],
    stdin: `${CANARIES.typed}\n`,
  }),
  local('auth logout', '--profile dev', { before: [profile('dev')] }),
  of('doctor', '', { exits: [0, 1], reports: true }),

  local('emulator start', '--memory --port 0', { exits: [130], plain: true, serves: () => Promise.resolve() }),
  local('emulator env'),
  of('emulator reset', '', { before: ['groups delete household --yes'] }),
  of('emulator clock'),
  of('emulator clock advance', '1h'),
  of('emulator assign-role', 'spare --user ann@people.example'),
  of('emulator fault add', '--status 503 --path /nowhere --times 1'),
  of('emulator fault list'),
  of('emulator fault clear', '', { before: ['emulator fault add --status 503 --path /nowhere --times 1'] }),
  of('emulator log'),
  of('emulator callbacks list'),
  of('emulator callbacks resend'),
  local('emulator sample-warehouse', 'shop.sqlite --rows 5'),

  of('api', 'GET /platform/v2/organizations/{orgId}/accounts/{accountId}/tasks'),
  of('api', 'POST /v2/events -f event.json'),
  of('api', 'DELETE /platform/workspaces/{workspaceId}/groups/household'),
  of('api', `POST /v3/requests -f dsr.json`, {
    before: [
      ({ folder }) => {
        const body = {
          regulation: 'gdpr',
          subject_request_id: PENDING_TOO.replace('8c12', '8c99'),
          subject_request_type: 'access',
          submitted_time: '2026-01-05T09:00:00Z',
          subject_identities: { email: { value: 'api@people.example', encoding: 'raw' } },
        };
        writeFileSync(join(folder, 'dsr.json'), JSON.stringify(body));
      },
    ],
  }),
  local('completion', 'bash', { plain: true }),
  local('schema', 'roles'),
  local('help', 'exit-codes', { plain: true }),
  local('tour', '', { elsewhere: ELSEWHERE_TOUR }),
];

/** Any exit code of a command. */
const ANY_EXIT = Array.from({ length: 13 }, (_, code) => code);

/** A command without a row is run by its first example that is no dry run, whatever the stage holds of it. */
async function exampleCases(): Promise<CommandCase[]> {
  const known = new Set(ROWS.map(({ command }) => command));
  return leavesBelow(await loadProgram()).flatMap(([command, leaf]) => {
    const { calls, examples = [] } = helpOf(leaf) ?? {};
    const own = examples.filter((line) => line.startsWith(`cdpadm ${command}`));
    const line = own.find((example) => !example.includes('--dry-run')) ?? own[0];
    if (known.has(command) || line === undefined) return [];
    const args = shellWords(line)
      .slice(1 + command.split(' ').length)
      .filter((word) => word !== '--yes');
    return [of(command, args, { exits: ANY_EXIT, ...(calls !== 'platform' && { local: true }) })];
  });
}

export const CASES: readonly CommandCase[] = [...ROWS, ...(await exampleCases())];
