// Values for arguments and flags: words that the program knows, and ids from earlier platform responses.
import type { Argument, Command, Option } from 'commander';
import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { type IdKind, openKnownIds, plainAddress } from '../../config/known-ids.ts';
import { LOCAL_PROFILE } from '../../config/profile-name.ts';
import { readQuickSettings } from '../../config/quick-settings.ts';
import { optionKey } from '../command-line/define-command.ts';
import { FLAG_CHOICES } from '../command-line/global-flags.ts';
import { commandAt, formatsOf, helpOf } from '../command-line/help.ts';
import type { Context } from '../context.ts';
import type { Candidate, CompletionPoint, Values } from './complete.ts';

type Found = readonly (string | Candidate)[];
type Source = Found | ((point: CompletionPoint, known: () => Known) => Found | Promise<Found>);
type Known = ReturnType<typeof readKnown>;

/** Returns a function that finds values without calling the platform. The search for a project file ends at `home`. */
export function createValues(ctx: Context, home: string): Values {
  return async (subject, point) => {
    const isFlag = 'flags' in subject;
    const name = isFlag ? (subject.long ?? '') : subject.name();
    const placeholder = isFlag ? (/[<[]([^<>[\]]+?)(?:\.{3})?[>\]]$/.exec(subject.flags)?.[1] ?? '') : name;
    if (placeholder === 'dir') return { kind: 'folders', candidates: [] };
    if (placeholder === 'file' || placeholder === 'file|url') return { kind: 'files', candidates: [] };
    const source = sourceOf(subject, name, point);
    if (!source) return undefined;
    const found = typeof source === 'function' ? await source(point, () => readKnown(ctx, home, point)) : source;
    return { kind: 'values', candidates: found.map((one) => (typeof one === 'string' ? { value: one } : one)) };
  };
}

/** Returns the record's choices or `offers`, or else the entry in `SOURCES`. */
function sourceOf({ argChoices }: Argument | Option, name: string, point: CompletionPoint): Source | undefined {
  const { command, flags, operands, path, typed } = point;
  const own = helpOf(command)?.values?.[name];
  const [group = ''] = path.split(' ');
  return (
    argChoices ??
    own?.({ typed, operands, before: flags.get(name) }) ??
    SOURCES[`${path} ${name}`] ??
    SOURCES[`${group} ${name}`] ??
    SOURCES[name]
  );
}

function readKnown({ io, paths }: Context, home: string, { flags }: CompletionPoint) {
  const settings = readQuickSettings({
    configFolder: paths.config,
    env: io.env,
    cwd: io.cwd,
    home,
    flags: { profile: flags.get('--profile'), org: flags.get('--org'), workspace: flags.get('--workspace') },
  });
  const { read } = openKnownIds(paths.cache, settings.scope);
  return { ...settings, ids: read, paths, variables: Object.keys(io.env), cwd: io.cwd };
}

function ids(kind: IdKind): Source {
  return (_point, known) => known().ids(kind);
}

const coordinates =
  (name: 'org_id' | 'account_id' | 'workspace_id'): Source =>
  (_point, known) =>
    known()
      .valuesOf(name)
      .map(({ value, profile }) => ({ value, description: `of profile ${profile}` }));

const variables: Source = (_point, known) => known().variables;

/** Offers locations of a secret: `kinds` such as `env:`, then variables after `env:`, and paths after `file:`. */
const places =
  (...kinds: readonly string[]): Source =>
  ({ typed }, known) => {
    if (typed.startsWith('env:')) return known().variables.map((name) => `env:${name}`);
    return typed.startsWith('file:') && kinds.includes('file:') ? filesIn(typed, known().cwd) : kinds;
  };
const definitionSecret = places('env:', 'file:', 'keychain:', 'command:');

/** Returns the text to type for `--confirm`: the name of a profile or the id of a pipeline. */
const confirmed: Source = ({ path, operands }, known) => {
  const typed = /^(?:profile |pipelines (?:reset|update)$)/.test(path) ? operands[0] : known().profile;
  return typed === undefined ? [] : [typed];
};

const profiles: Source = (_point, known) => [
  ...known().profiles,
  { value: LOCAL_PROFILE, description: 'the embedded platform' },
];

const ownProfiles: Source = (_point, known) => known().profiles;

/** Returns the tasks that the platform listed, or else the specification's tasks. */
const tasks: Source = async (_point, known) => {
  const { PERMISSIONS } = await import('../../contract/role-catalog.ts');
  const meanings = new Map(PERMISSIONS.map((one) => [one.task_id, `${one.feature}: ${one.permission}`]));
  const found = known().ids('task_id');
  return (found.length > 0 ? found : [...meanings.keys()]).map((value) => {
    const description = meanings.get(value);
    return { value, ...(description !== undefined && { description }) };
  });
};

async function templates(): Promise<Candidate[]> {
  const { ROLE_TEMPLATES } = await import('../../contract/role-catalog.ts');
  return ROLE_TEMPLATES.map(({ role_id: value, name }) => ({ value, description: `template ${name}` }));
}

/** Returns the role ids, then the templates with other ids. */
const rolesAndTemplates: Source = async (_point, known) => {
  const roles = known().ids('role_id');
  return [...roles, ...(await templates()).filter(({ value }) => !roles.includes(value))];
};

function idsBelow(kind: 'pipeline_run_id' | 'attribute_id'): Source {
  return ({ operands: [parent = ''] }, known) => known().ids(`${kind} of ${parent}`);
}

/** Returns the current organization's revisions, newest first. */
const revisions: Source = async (_point, known) => {
  const { revisionNames } = await import('../../config/roles-store.ts');
  const { paths, scope } = known();
  const address = scope.profile === LOCAL_PROFILE ? LOCAL_PROFILE : plainAddress(scope.base_url);
  return revisionNames(paths.state, { organization: scope.org_id, address });
};

const runningPorts: Source = async (_point, known) => {
  const { listEmulators } = await import('../emulator/running.ts');
  return listEmulators(known().paths).map(({ port, started }) => ({
    value: String(port),
    description: `since ${new Date(started).toISOString()}`,
  }));
};

/** Returns the columns of the command's list or, after a comma, the remaining columns. */
const fields: Source = async ({ command, flags, operands, typed }) => {
  const { columns } = helpOf(command) ?? {};
  const { fieldsOf } = await import('../output/result-shape.ts');
  // A command receives `--dry-run` as `dryRun`.
  const options = Array.from(flags, ([flag, value]) => [optionKey(flag), value === '' ? true : value] as const);
  const found = typeof columns === 'function' ? columns(Object.fromEntries(options), operands) : columns;
  const known = columns === undefined ? fieldsOf(command) : found?.map(({ key }) => key);
  const given = typed.split(',').slice(0, -1);
  return (known ?? []).filter((name) => !given.includes(name)).map((name) => [...given, name].join(','));
};

const described: Source = async ({ operands: [document, ...words], tree }) => {
  if (document !== 'output') return [];
  const hasResult = (command: Command): boolean => !!helpOf(command)?.output || command.commands.some(hasResult);
  const [name, ...rest] = words;
  // The root contains only the names of its commands, so load them.
  const names = name === undefined ? tree.root.commands.map((command) => command.name()) : [name];
  const loaded = await Promise.all(names.map(tree.load));
  const built = loaded.filter((command) => command !== undefined);
  return (name === undefined ? built : (commandAt(built[0], rest)?.commands ?? []))
    .filter(hasResult)
    .map((command) => ({ value: command.name(), description: command.summary() || command.description() }));
};

const identities: Source = async () => {
  const { EXTENSION_IDENTITY_TYPES: more, inOfferedOrder, ...types } = await import('../../contract/identities.ts');
  return inOfferedOrder([...Object.keys(types.REQUEST_IDENTITY_TYPES), ...more]).map((type) => `${type}=`);
};

const extensionIdentities: Source = async () => {
  const { EXTENSION_IDENTITY_TYPES } = await import('../../contract/identities.ts');
  return EXTENSION_IDENTITY_TYPES.map((type) => `${type}=`);
};

/** Keyed by command and name, group and name, or name alone. An empty list means that any new name is possible. */
const SOURCES: Readonly<Record<string, Source>> = {
  ...FLAG_CHOICES,
  '--output': ({ command }) => formatsOf(command),
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
  'schema command': described,
  'profile create name': [],
  'profile import name': [],
  'roles rollback revision': revisions,
  'connections create connection_id': [],
  'data-models create data_model_id': [],
  'pipelines create pipeline_id': [],
  '--connection-id': ids('connection_id'),
  '--data-model-id': ids('data_model_id'),
  'groups attributes remove attribute': idsBelow('attribute_id'),
  'dsr --group-id': ids('request_group_id'),
  '--password-from': definitionSecret,
  '--service-account-key-from': definitionSecret,
  '--partner-feed-key-from': definitionSecret,
  '--workspace-key': places('env:', 'command:', 'keychain:'),
  '--client-secret-env': variables,
  '--workspace-secret-env': variables,
  'emulator --port': runningPorts,
  'emulator start --port': ['4010', '0'],
  'emulator start --host': ['127.0.0.1', '0.0.0.0'],
  'dsr callbacks listen --host': ['127.0.0.1', '0.0.0.0'],
  'emulator fault add --status': ['400', '401', '403', '404', '409', '429', '500', '502', '503', '504'],
  '--environment': ['development', 'production'],
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
  run_id: idsBelow('pipeline_run_id'),
  'dsr id': ids('subject_request_id'),
  request_id: ids('subject_request_id'),
  '--identity': identities,
  '--extension-identity': extensionIdentities,
  '--service-provider': async () => (await import('../../contract/connections.ts')).SERVICE_PROVIDERS,
  'seed --format': ['ndjson', 'json', 'csv', 'parquet'],
};

/** Returns the files that can complete `file:PATH`. A folder's path ends in a slash. Relative paths start at `cwd`. */
function filesIn(typed: string, cwd: string): string[] {
  const folder = typed.slice(0, typed.lastIndexOf('/') + 1) || 'file:';
  const isHidden = typed.slice(folder.length).startsWith('.');
  try {
    return readdirSync(resolve(cwd, folder.slice('file:'.length)), { withFileTypes: true })
      .filter(({ name }) => name.startsWith('.') === isHidden)
      .map((entry) => `${folder}${entry.name}${entry.isDirectory() ? '/' : ''}`)
      .sort();
  } catch {
    // An unreadable folder has no candidates.
    return [];
  }
}
