// A valid command line for every command, and what it needs. The sweeps run each command line. Most command lines come
// from the examples of the command records, so a new command does not need an edit here.
import type { Command } from 'commander';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CommandRecord } from '../../src/lib/runtime/command-line/define-command.ts';
import { type CommandHelp, helpOf } from '../../src/lib/runtime/command-line/help.ts';
import { leavesBelow, loadProgram } from '../helpers/command-tree.ts';
import { send } from '../helpers/emulator.ts';
import { shellWords } from '../helpers/shell-words.ts';
import { CANARIES, COMPLETED, PENDING, PENDING_TOO, RUN } from './stage.ts';
import type { World } from './world.ts';

/** A command line, or a function that changes the test world. */
type Step = string | ((world: World) => void | Promise<void>);

export interface CommandCase {
  /** The name of the command, such as `roles push`. */
  command: string;
  /** The words after the command name; a string is split at spaces. */
  args: string | readonly string[];
  /** Steps to run first, without faults. */
  before?: readonly Step[];
  stdin?: string;
  env?: Record<string, string>;
  /** Exit codes of a run without faults; the default is 0. */
  exits?: readonly number[];
  /** The result is a list of findings, so a run with findings does not print an error document. */
  reports?: true;
  /** The result is not JSON, even with `-o json`. */
  plain?: true;
  /**
   * The command runs until it is stopped. The function is called with the command's first line of output; the command
   * is stopped when the promise resolves.
   */
  serves?: (line: string, world: World) => Promise<void>;
  /** Sends nothing to the platform. */
  local?: true;
  /** The reason why the command is not run here. */
  elsewhere?: string;
}

/** Maps words in the examples to words of the same kind on the stage. */
const STAGE_WORDS: Readonly<Record<string, string | undefined>> = {
  'admin-role': 'analyst',
  'user-role': 'editor',
  'support-role': 'support',
  'read-only-role': 'spare',
  'audiences-only-role': 'spare',
  lifetime_value: 'city',
  'dev.profile.json': 'profile.json',
  'callback.headers': 'callback.json',
  'callback.json': 'callback.body',
  '4f1c': 'WRITE',
};

const pull = 'roles pull';
const changeRoles = ({ folder }: World): void => {
  const file = join(folder, 'roles.yaml');
  const text = readFileSync(file, 'utf8').replace('name: Role analyst', 'name: Role analyst, renamed');
  writeFileSync(file, text.replace('roles:', '# Reviewed every spring\nroles:'));
};
/**
 * Steps that create a revision to roll back to. The revision's id, and the id of the write in the log, replace words in
 * a command line.
 */
const pushRoles: readonly Step[] = [
  pull,
  changeRoles,
  'roles push --yes',
  async (world) => {
    const { stdout } = await world.runOk('roles history -o json');
    world.words.set('REVISION', (JSON.parse(stdout) as { revision: string }[])[0]?.revision ?? '');
    world.words.set('WRITE', (await world.runOk('log --limit 1 -o name')).stdout.trim());
  },
];
const profile = (name: string) =>
  `profile create ${name} --base-url https://api.example.com --auth-url https://auth.example.com --client-id me --client-secret-env CDP_SECRET`;
const submit = 'dsr submit --regulation gdpr --type access --identity email=before@people.example --yes';
const MARKED = PENDING.replace('8c11', '8c77');
const of = (command: string, args: CommandCase['args'] = '', more: Partial<CommandCase> = {}): CommandCase => ({
  command,
  args,
  ...more,
});

/** Replacements for examples that the stage cannot run because they need a time-dependent value or their own state. */
const INSTEAD: readonly CommandCase[] = [
  // A workspace has at most one group definition, so this example uses a workspace that has none.
  of('groups create', '-f group.yaml --workspace 3002'),
  of('pipelines delete', 'paused'),
  of('pipelines resume', 'paused'),
  of('intake identify', '-f identify.json'),
  of('dsr list', '', { before: [submit] }),
  of('dsr ledger export', '', { local: true, before: [submit] }),
  of('log', '', { local: true, before: [submit] }),
  of('dsr mark', `${MARKED} --answered`, { local: true, before: [`${submit} --request-id ${MARKED}`] }),
  of('dsr evidence', `${MARKED} --out evidence.zip`, { local: true, before: [`${submit} --request-id ${MARKED}`] }),
  of('dsr results', COMPLETED),
  of('dsr callbacks listen', '--port 0', {
    exits: [130],
    plain: true,
    serves: async (line, { callback }) => {
      const { callback_url: url } = JSON.parse(line) as { callback_url: string };
      const reply = await send('POST', url, callback);
      if (![202, 401, 503].includes(reply.status)) throw new Error(`the receiver answered ${reply.status}`);
    },
  }),
  of('auth login', '--profile dev --client-secret-stdin --insecure-storage', {
    local: true,
    before: [profile('dev')],
    stdin: `${CANARIES.typed}\n`,
  }),
  of('emulator start', '--memory --port 0', {
    local: true,
    exits: [130],
    plain: true,
    serves: () => Promise.resolve(),
  }),
  of('emulator import', 'state.json', { before: ['emulator export state.json'] }),
  of('emulator reset', '', { before: ['groups delete household --yes'] }),
  of('emulator fault clear', '', { before: ['emulator fault add --status 503 --path /nowhere --times 1'] }),
  of('mcp', '', { local: true, elsewhere: 'communicates over JSON-RPC; see test/commands/mcp' }),
  of('tour', '', { local: true, elsewhere: 'starts its own platform; see test/e2e/tour.test.ts' }),
];

/** Further command lines for the commands that write the most or use secrets. */
const MORE: readonly CommandCase[] = [
  of('roles push', 'wanted.yaml --allow-delete --force'),
  of('groups set', '-f group.yaml --workspace 3002'),
  of('warehouse apply', 'sync --workspace 3002'),
  of('warehouse apply', 'service --workspace 3002'),
  of('warehouse apply', 'sync --prune --allow-delete --force'),
  of('warehouse apply', '--plan sync.plan --workspace 3002', {
    before: ['warehouse diff sync --save-plan sync.plan --workspace 3002'],
  }),
  of('warehouse apply', 'sync --only crm --overlay production --workspace 3002'),
  of('connections create', '-f helped.yaml --allow-commands --workspace 3002', { before: [profile('dev')] }),
  of('connections update', 'service -f service.yaml --workspace 3002', {
    before: ['connections create -f service.yaml --workspace 3002 --yes'],
  }),
  of('pipelines trigger', 'customers'),
  of('pipelines watch', `customers ${RUN}`),
  of('seed bulk', 'users.ndjson --batch-size 2 --concurrency 1 --give-up-after 1m'),
  of('dsr submit', '--bulk people.csv --regulation gdpr --type access --concurrency 1 --give-up-after 1m'),
  of('dsr submit', '--bulk taken.csv --regulation gdpr --type erasure --concurrency 1 --give-up-after 1m', {
    exits: [3],
  }),
  of('dsr status', `${PENDING} ${COMPLETED}`),
  of('dsr cancel', PENDING),
  of('profile edit', 'dev', { local: true, before: [profile('dev')] }),
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

/** Returns the words after the command in an example, without flags for the output, a dry run or a confirmation. */
function wordsOf(command: string, { examples, ownsOut }: CommandHelp): string[] {
  const own = examples.filter((line) => line.includes(`cdpadm ${command}`));
  // Prefers an example with --overwrite, because the stage may already have the file that the command writes.
  const over = own.find((line) => line.includes(' --overwrite'));
  const line = over ?? own.find((example) => !example.includes('--dry-run')) ?? own[0] ?? '';
  const call = line.slice(line.indexOf('cdpadm ')).replace(/\)"$| < \S+$| --dry-run| --profile local/g, '');
  const kept = call.replace(/ -o \S+| --query "[^"]*"/g, '').replace(ownsOut ? '' : / --out \S+/, '');
  const words = shellWords(kept).slice(1 + command.split(' ').length);
  return words.filter((word) => word !== '--yes').map((word) => onStage(word, isNew(command)));
}

/** True if the command creates the resource that it names. */
const isNew = (command: string): boolean => / (create|import)$/.test(command);

/** Returns the stage's replacement for a word; with `another`, a definition of a resource that does not exist yet. */
function onStage(word: string, another: boolean): string {
  if (/^\d{8}T\d+/.test(word)) return 'REVISION';
  if (another && word.endsWith('.yaml')) return word.replace('.yaml', '-2.yaml');
  return STAGE_WORDS[word] ?? word;
}

/** Returns the steps that create the profile, the edited file or the revision that the example names. */
function stepsBefore(command: string, words: readonly string[]): readonly Step[] {
  if (words.includes('REVISION') || words.includes('WRITE')) return pushRoles;
  const readsRoles =
    command === 'roles push' ||
    leafOf(command).registeredArguments.some(({ defaultValue }) => defaultValue === 'roles.yaml');
  return [
    ...(words.includes('dev') && !isNew(command) ? [profile('dev')] : []),
    ...(readsRoles && recordOf({ command }).effect !== 'local' ? [pull, changeRoles] : []),
  ];
}

function exampleCase(command: string): CommandCase {
  const help = recordOf({ command });
  const args = wordsOf(command, help);
  const before = stepsBefore(command, args);
  // The command prints a result with or without findings.
  const reports = help.effect !== 'write' && help.exits?.failed !== undefined;
  // A command that reports findings may send any request.
  const isLocal = !reports && (help.calls === 'none' || help.calls === 'settings');
  return of(command, args, {
    ...(before.length > 0 && { before }),
    ...(isLocal && { local: true }),
    ...(reports && { reports, exits: [0, 1] }),
    // Differences on the stage count as a result.
    ...(args.includes('--exit-code') && { exits: [0, 10] }),
  });
}

/** Returns the `help` part of the command's record. */
export function recordOf({ command }: Pick<CommandCase, 'command'>): CommandHelp {
  const help = helpOf(leafOf(command));
  if (!help) throw new Error(`${command} has no record`);
  return help;
}

/** True if the command has the flag, such as `--resume`. */
export function hasFlag({ command }: Pick<CommandCase, 'command'>, flag: string): boolean {
  return leafOf(command).options.some(({ long }) => long === flag);
}

/** True if the command runs until it is stopped or until an awaited event. */
export function isEndless(one: Pick<CommandCase, 'command'>): boolean {
  return (recordOf(one) as CommandRecord & CommandHelp).endless === true;
}

const leaves = leavesBelow(await loadProgram());

/** Returns the command with this name. */
export function leafOf(command: string): Command {
  const leaf = leaves.find(([path]) => path === command);
  if (!leaf) throw new Error(`unknown command ${command}`);
  return leaf[1];
}

const replaced = new Set(INSTEAD.map(({ command }) => command));

export const CASES: readonly CommandCase[] = [
  ...leaves.flatMap(([command]) => (replaced.has(command) ? [] : [exampleCase(command)])),
  ...INSTEAD,
  ...MORE,
];
