// A valid command line for every command, with what it needs: what the sweeps of faults, kills and secrets go through. Each record's own
// example is its case, so a new command needs no edit here.
import type { Command } from 'commander';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CommandHelp, helpOf } from '../../src/lib/runtime/command-line/help.ts';
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

/** Ids that the examples name -> those of the same kind that the stage holds. */
const STAGE_WORDS: Readonly<Record<string, string | undefined>> = {
  'admin-role': 'analyst',
  'user-role': 'editor',
  'support-role': 'support',
  'read-only-role': 'spare',
  'audiences-only-role': 'spare',
  lifetime_value: 'city',
};

const pull = 'roles pull';
const changeRoles = ({ folder }: World): void => {
  const file = join(folder, 'roles.yaml');
  const text = readFileSync(file, 'utf8').replace('name: Role analyst', 'name: Role analyst, renamed');
  writeFileSync(file, text.replace('roles:', '# Reviewed every spring\nroles:'));
};
const profile = (name: string) =>
  `profile create ${name} --base-url https://api.example.com --auth-url https://auth.example.com --client-id me --client-secret-env CDP_SECRET`;
const submit = 'dsr submit --regulation gdpr --type access --identity email=before@people.example --yes';
const MARKED = PENDING.replace('8c11', '8c77');
const EDITOR = { CDPADM_EDITOR: 'sh editor.sh' };
const of = (command: string, args: CommandCase['args'] = '', more: Partial<CommandCase> = {}): CommandCase => ({
  command,
  args,
  ...more,
});
const ELSEWHERE_TOUR = 'it starts a platform of its own; test/e2e/tour.test.ts takes it';

/** In place of an example that the stage cannot run: it needs an empty workspace, a value of the moment, or an end. */
const INSTEAD: readonly CommandCase[] = [
  of('roles pull', 'pulled.yaml'),
  of('roles edit', '', { before: [profile('dev')], env: EDITOR }),
  of('roles rollback', ['REVISION'], {
    before: [
      pull,
      changeRoles,
      'roles push --yes',
      async (world) => {
        const { stdout } = await world.well('roles history -o json');
        world.words.set('REVISION', (JSON.parse(stdout) as { revision: string }[])[0]?.revision ?? '');
      },
    ],
  }),
  of('groups create', '-f group.yaml --workspace 3002'),
  of('warehouse export', 'exported'),
  of('connections create', '-f connection-2.yaml --workspace 3002'),
  of('data-models create', '-f model-2.yaml'),
  of('pipelines create', '-f pipeline-2.yaml'),
  of('pipelines delete', 'paused'),
  of('pipelines resume', 'paused'),
  of('pipelines doctor', 'customers', { exits: [0, 1], reports: true }),
  of('seed bulk', 'users.ndjson --batch-size 2 --concurrency 1 --give-up-after 1m'),
  of('seed preview', 'users.ndjson', { local: true }),
  of('seed template', '', { local: true, plain: true }),
  of('intake identify', '-f identify.json'),
  of('dsr list', '', { before: [submit] }),
  of('dsr ledger export', '', { local: true, before: [submit] }),
  of('dsr mark', `${MARKED} --answered`, { local: true, before: [`${submit} --request-id ${MARKED}`] }),
  of('dsr results', COMPLETED),
  of('dsr callbacks verify', '--headers callback.json --body callback.body'),
  of('dsr callbacks listen', '--port 0', {
    exits: [130],
    plain: true,
    serves: async (line, { callback }) => {
      const { callback_url: url } = JSON.parse(line) as { callback_url: string };
      const reply = await send('POST', url, callback);
      if (![202, 401, 503].includes(reply.status)) throw new Error(`the receiver answered ${reply.status}`);
    },
  }),
  of('profile import', 'profile.json dev', { local: true }),
  of('auth test', '', { reports: true }),
  of('auth login', '--profile dev --client-secret-stdin --insecure-storage', {
    local: true,
    before: [profile('dev')],
    stdin: `${CANARIES.typed}\n`,
  }),
  of('doctor', '', { exits: [0, 1], reports: true }),
  of('emulator start', '--memory --port 0', {
    local: true,
    exits: [130],
    plain: true,
    serves: () => Promise.resolve(),
  }),
  of('emulator env', '', { local: true }),
  of('emulator import', 'state.json', { before: ['emulator export state.json'] }),
  of('emulator reset', '', { before: ['groups delete household --yes'] }),
  of('emulator fault clear', '', { before: ['emulator fault add --status 503 --path /nowhere --times 1'] }),
  of('completion', 'bash', { local: true, plain: true }),
  of('help', 'exit-codes', { local: true, plain: true }),
  of('tour', '', { local: true, elsewhere: ELSEWHERE_TOUR }),
];

/** Further ways through the commands that write most, or that see secrets. */
const MORE: readonly CommandCase[] = [
  of('roles push', 'wanted.yaml --allow-delete --force'),
  of('groups set', '-f group.yaml --workspace 3002'),
  of('warehouse apply', 'sync --workspace 3002'),
  of('warehouse apply', 'service --workspace 3002'),
  of('connections create', '-f helped.yaml --allow-commands --workspace 3002', { before: [profile('dev')] }),
  of('connections update', 'service -f service.yaml --workspace 3002', {
    before: ['connections create -f service.yaml --workspace 3002 --yes'],
  }),
  of('pipelines trigger', 'customers'),
  of('pipelines watch', `customers ${RUN}`),
  of('dsr submit', '--bulk people.csv --regulation gdpr --type access --concurrency 1 --give-up-after 1m'),
  of('dsr submit', '--bulk taken.csv --regulation gdpr --type erasure --concurrency 1 --give-up-after 1m', {
    exits: [3],
  }),
  of('dsr status', `${PENDING} ${COMPLETED}`),
  of('dsr list', '--group-id spring-clean'),
  of('dsr cancel', PENDING),
  of('profile edit', 'dev', { local: true, before: [profile('dev')], env: EDITOR }),
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
];

/** The words of an example behind the command, without what only says how the result is printed. */
function wordsOf(command: string, { examples, ownsOut }: CommandHelp): string[] {
  const own = examples.filter((line) => line.includes(`cdpadm ${command}`));
  const line = own.find((example) => !example.includes('--dry-run')) ?? own[0] ?? '';
  const call = line.slice(line.indexOf('cdpadm ')).replace(/\)"$| < \S+$| --dry-run| --profile local/g, '');
  const kept = call.replace(/ -o \S+| --query "[^"]*"/g, '').replace(ownsOut ? '' : / --out \S+/, '');
  const words = shellWords(kept).slice(1 + command.split(' ').length);
  return words.filter((word) => word !== '--yes').map((word) => STAGE_WORDS[word] ?? word);
}

/** The profile, or the edited file, that the example speaks of. */
function stepsBefore(leaf: Command, words: readonly string[]): NonNullable<CommandCase['before']> {
  const readsRoles = leaf.registeredArguments.some(({ defaultValue }) => defaultValue === 'roles.yaml');
  return [...(words.includes('dev') ? [profile('dev')] : []), ...(readsRoles ? [pull, changeRoles] : [])];
}

function exampleCase(command: string, leaf: Command): CommandCase {
  const help = helpOf(leaf);
  if (!help) throw new Error(`${command} has no example`);
  const args = wordsOf(command, help);
  const before = stepsBefore(leaf, args);
  const isLocal = help.calls === 'nobody' || help.calls === 'settings';
  return of(command, args, { ...(before.length > 0 && { before }), ...(isLocal && { local: true }) });
}

const replaced = new Set(INSTEAD.map(({ command }) => command));
const leaves = leavesBelow(await loadProgram());

export const CASES: readonly CommandCase[] = [
  ...leaves.flatMap(([command, leaf]) => (replaced.has(command) ? [] : [exampleCase(command, leaf)])),
  ...INSTEAD,
  ...MORE,
];
