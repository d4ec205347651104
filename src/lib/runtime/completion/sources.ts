// Where the values for arguments and flags come from, each by its name: words that the program knows, and ids that it
// was told before.
import type { Command } from 'commander';
import type { IdKind } from '../../config/known-ids.ts';
import type { QuickSettings } from '../../config/quick-settings.ts';
import { LOCAL_PROFILE } from '../../config/profile-name.ts';
import type { Context } from '../context.ts';
import { FLAG_CHOICES } from '../command-line/global-flags.ts';
import { formatsOf, helpOf } from '../command-line/help.ts';
import type { Candidate, CompletionPoint } from './complete.ts';
import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';

export type Source = (point: CompletionPoint, settings: () => Known) => Promise<Candidate[]> | Candidate[];

/** What this machine knows. */
export interface Known extends QuickSettings {
  ids(kind: IdKind): Candidate[];
  paths: Context['paths'];
  /** The names of the variables in the environment. */
  variables: string[];
  cwd: string;
}

const words =
  (...values: readonly string[]): Source =>
  () =>
    values.map((value) => ({ value }));

const ids =
  (kind: IdKind): Source =>
  (_place, settings) =>
    settings().ids(kind);

/** What a new thing is called is its maker's affair. */
const nothing: Source = () => [];

/** The numbers that profiles have, which say whose they are. */
const coordinates =
  (name: 'org_id' | 'account_id' | 'workspace_id'): Source =>
  (_place, settings) =>
    settings()
      .valuesOf(name)
      .map(({ value, profile }) => ({ value, description: `of profile ${profile}` }));

const variables: Source = (_place, settings) => settings().variables.map((value) => ({ value }));

/** Where a secret is: the kind of place first, behind `env:` the variables and behind `file:` the paths. */
const places =
  (...kinds: readonly string[]): Source =>
  ({ typed }, settings) => {
    if (typed.startsWith('env:')) return settings().variables.map((name) => ({ value: `env:${name}` }));
    if (typed.startsWith('file:') && kinds.includes('file:')) return filesBehind(typed, settings().cwd);
    return kinds.map((value) => ({ value }));
  };

/** What one would have typed: the profile's name; of a operation on one pipeline its id. */
const confirmed: Source = ({ path, operands }, settings) => {
  const isId = /^(?:profile |pipelines (?:reset|update)$)/.test(path);
  const typed = isId ? operands[0] : settings().profile;
  return typed === undefined ? [] : [{ value: typed }];
};

const profiles: Source = (_place, settings) => [
  ...settings().profiles.map((value) => ({ value })),
  { value: LOCAL_PROFILE, description: 'the embedded platform' },
];

/** Without the built-in one, which cannot be changed. */
const ownProfiles: Source = (_place, settings) => settings().profiles.map((value) => ({ value }));

/** What the platform listed; before it was asked, what the specification lists. */
const tasks: Source = async (_place, settings) => {
  const { PERMISSIONS } = await import('../../contract/role-catalog.ts');
  const meanings = new Map(PERMISSIONS.map((one) => [one.task_id, `${one.feature}: ${one.permission}`]));
  const known = settings().ids('task_id');
  return (known.length > 0 ? known : [...meanings.keys()].map((value) => ({ value }))).map(({ value }) => {
    const description = meanings.get(value);
    return { value, ...(description !== undefined && { description }) };
  });
};

const templates: Source = async () => {
  const { ROLE_TEMPLATES } = await import('../../contract/role-catalog.ts');
  return ROLE_TEMPLATES.map(({ role_id: value, name }) => ({ value, description: `template ${name}` }));
};

/** A role that was made from a template and kept its id is meant before the template. */
const rolesAndTemplates: Source = async (point, settings) => {
  const both = [...settings().ids('role_id'), ...(await templates(point, settings))];
  return both.filter(({ value }, at) => both.findIndex((one) => one.value === value) === at);
};

const runs: Source = ({ operands: [pipeline = ''] }, settings) => settings().ids(`pipeline_run_id of ${pipeline}`);

const attributes: Source = ({ operands: [group = ''] }, settings) => settings().ids(`attribute_id of ${group}`);

/** Of the organization in use, the newest first. */
const revisions: Source = async (_place, settings) => {
  const { revisionNames } = await import('../../config/roles-store.ts');
  const { paths, scope } = settings();
  const address =
    scope.profile === LOCAL_PROFILE ? scope.profile : scope.base_url?.replace(/(?<!\/)\/+$/, '').toLowerCase();
  return revisionNames(paths.state, { organization: scope.org_id, address: address ?? '' }).map((value) => ({ value }));
};

const runningPorts: Source = async (_place, settings) => {
  const { listEmulators } = await import('../emulator/running.ts');
  return listEmulators(settings().paths).map(({ port, started }) => ({
    value: String(port),
    description: `since ${new Date(started).toISOString()}`,
  }));
};

/** The columns of this command's list; behind a comma the others. */
const fields: Source = async ({ command, flags, operands, typed }) => {
  const { columns } = helpOf(command) ?? {};
  const { fieldsOf } = await import('../output/result-shape.ts');
  const known =
    columns === undefined
      ? fieldsOf(command)
      : (typeof columns === 'function' ? columns(optionsOf(flags), operands) : columns)?.map(({ key }) => key);
  const given = typed.split(',').slice(0, -1);
  return (known ?? []).filter((name) => !given.includes(name)).map((name) => ({ value: [...given, name].join(',') }));
};

/** As a command gets its flags: `--dry-run` as `dryRun`. */
function optionsOf(flags: ReadonlyMap<string, string>): Record<string, unknown> {
  return Object.fromEntries(
    Array.from(flags, ([flag, value]) => [
      flag.slice(2).replaceAll(/-(\w)/g, (_match, letter: string) => letter.toUpperCase()),
      value === '' ? true : value,
    ]),
  );
}

/** `schema output …`: the words that lead to a command with a result. */
const described: Source = async ({ operands: [document, ...words], flags, tree }) => {
  if (document !== 'output') return [];
  const { repeatedSchema, resultSchema } = await import('../output/result-shape.ts');
  const shape = flags.has('--several-profiles') ? repeatedSchema : resultSchema;
  const leadsOn = (command: Command): boolean => shape(command) !== undefined || command.commands.some(leadsOn);
  const offer = (commands: readonly Command[]): Candidate[] =>
    commands.filter(leadsOn).map((command) => ({
      value: command.name(),
      description: command.summary() || command.description(),
    }));
  const [name, ...rest] = words;
  if (name === undefined) {
    // Of the root's commands only the names are there.
    const built = await Promise.all(tree.root.commands.map(async (command) => await tree.load(command.name())));
    return offer(built.filter((command) => command !== undefined));
  }
  const found = rest.reduce<Command | undefined>(
    (command, word) => command?.commands.find((child) => child.name() === word),
    await tree.load(name),
  );
  return offer(found?.commands ?? []);
};

/** Those that the result of this command has. */
const formats: Source = ({ command }) => {
  return formatsOf(command).map((value) => ({ value }));
};

const identities: Source = async () => {
  const { EXTENSION_IDENTITY_TYPES: more, inOfferedOrder, ...types } = await import('../../contract/identities.ts');
  return inOfferedOrder([...Object.keys(types.REQUEST_IDENTITY_TYPES), ...more]).map((type) => ({ value: `${type}=` }));
};

const extensionIdentities: Source = async () => {
  const { EXTENSION_IDENTITY_TYPES } = await import('../../contract/identities.ts');
  return EXTENSION_IDENTITY_TYPES.map((type) => ({ value: `${type}=` }));
};

const providers: Source = async () => {
  const { SERVICE_PROVIDERS } = await import('../../contract/connections.ts');
  return SERVICE_PROVIDERS.map((value) => ({ value }));
};

/** By command and argument, group and argument, or argument alone; flags likewise. */
export const SOURCES: Readonly<Record<string, Source>> = {
  '--profile': profiles,
  '--against-profile': profiles,
  '--as': ownProfiles,
  'profile name': ownProfiles,
  'profile show name': profiles,
  'profile use name': profiles,
  'profile from': ownProfiles,
  '--org': coordinates('org_id'),
  '--account': coordinates('account_id'),
  '--workspace': coordinates('workspace_id'),
  '--fields': fields,
  '--confirm': confirmed,
  '--annotations': words(...FLAG_CHOICES['--annotations']),
  'schema command': described,
  'profile create name': nothing,
  'profile import name': nothing,
  'roles rollback revision': revisions,
  'connections create connection_id': nothing,
  'data-models create data_model_id': nothing,
  'pipelines create pipeline_id': nothing,
  '--connection-id': ids('connection_id'),
  '--data-model-id': ids('data_model_id'),
  'groups attributes remove attribute': attributes,
  'dsr --group-id': ids('request_group_id'),
  '--password-from': places('env:', 'file:', 'keychain:', 'command:'),
  '--service-account-key-from': places('env:', 'file:', 'keychain:', 'command:'),
  '--partner-feed-key-from': places('env:', 'file:', 'keychain:', 'command:'),
  '--workspace-key': places('env:', 'command:', 'keychain:'),
  '--client-secret-env': variables,
  '--workspace-secret-env': variables,
  'emulator --port': runningPorts,
  'emulator start --port': words('4010', '0'),
  'emulator start --host': words('127.0.0.1', '0.0.0.0'),
  'dsr callbacks listen --host': words('127.0.0.1', '0.0.0.0'),
  'emulator fault add --status': words('400', '401', '403', '404', '409', '429', '500', '502', '503', '504'),
  '--output': formats,
  '--color': words(...FLAG_CHOICES['--color']),
  '--progress': words(...FLAG_CHOICES['--progress']),
  '--environment': words('development', 'production'),
  role_id: ids('role_id'),
  'roles compare a': ids('role_id'),
  'roles compare b': ids('role_id'),
  'roles create role_id': templates,
  'roles create --from': rolesAndTemplates,
  'roles templates id': templates,
  task: tasks,
  '--task': tasks,
  '--add-task': tasks,
  '--remove-task': tasks,
  group_id: ids('group_id'),
  connection_id: ids('connection_id'),
  data_model_id: ids('data_model_id'),
  pipeline_id: ids('pipeline_id'),
  run_id: runs,
  'dsr id': ids('subject_request_id'),
  request_id: ids('subject_request_id'),
  '--identity': identities,
  '--extension-identity': extensionIdentities,
  '--service-provider': providers,
  'seed --format': words('ndjson', 'json', 'csv', 'parquet'),
};

/** What `file:PATH`, typed so far, may go on with: a folder's path ends in a slash. `cwd` is where a relative one begins. */
function filesBehind(typed: string, cwd: string): Candidate[] {
  const begun = typed.slice(0, typed.lastIndexOf('/') + 1) || 'file:';
  const isHidden = typed.slice(begun.length).startsWith('.');
  try {
    return readdirSync(resolve(cwd, begun.slice('file:'.length)), { withFileTypes: true })
      .filter(({ name }) => name.startsWith('.') === isHidden)
      .map((entry) => ({ value: `${begun}${entry.name}${entry.isDirectory() ? '/' : ''}` }))
      .sort((a, b) => (a.value < b.value ? -1 : 1));
  } catch {
    // What cannot be listed has nothing to offer.
    return [];
  }
}
