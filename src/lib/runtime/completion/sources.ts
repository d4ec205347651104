// Values for arguments and flags, each by its name: words that the program knows, and ids that it was told before.
import type { Argument, Option } from 'commander';
import { type IdKind, openKnownIds } from '../../config/known-ids.ts';
import { type QuickSettings, readQuickSettings } from '../../config/quick-settings.ts';
import { LOCAL_PROFILE } from '../../config/profile-name.ts';
import type { Context } from '../context.ts';
import { FLAG_CHOICES } from '../command-line/global-flags.ts';
import { COMMON_FORMATS, helpOf } from '../command-line/help.ts';
import type { Candidate, Completion, Place, Values } from './complete.ts';

type Source = (place: Place, settings: () => Known) => Promise<Candidate[]> | Candidate[];

interface Known extends QuickSettings {
  ids(kind: IdKind): Candidate[];
}

/** For a context that never goes beyond this machine; `home` is where the search for a project file ends. */
export function createValues(ctx: Context, home: string): Values {
  return async (subject, place) => {
    const file = fileKind(subject);
    if (file) return { kind: file, candidates: [] };
    if (subject.argChoices) return listed(subject.argChoices.map((value) => ({ value })));
    const source = sourceOf(subject, place);
    return source && listed(await source(place, () => readKnown(ctx, home, place)));
  };
}

function readKnown(ctx: Context, home: string, { flags }: Place): Known {
  const settings = readQuickSettings({
    configFolder: ctx.paths.config,
    env: ctx.io.env,
    cwd: ctx.io.cwd,
    home,
    flags: { profile: flags.get('--profile'), org: flags.get('--org'), workspace: flags.get('--workspace') },
  });
  const known = openKnownIds(ctx.paths.cache, settings.scope);
  return { ...settings, ids: (kind) => known.read(kind).map((value) => ({ value })) };
}

function listed(candidates: Candidate[]): Completion {
  return { kind: 'values', candidates };
}

/** `<file>`, `<dir>`, `<file|url>`: the shell knows best. */
function fileKind(subject: Argument | Option): 'files' | 'folders' | undefined {
  const name = placeholderOf(subject);
  if (name === 'dir') return 'folders';
  return name === 'file' || name === 'file|url' ? 'files' : undefined;
}

/** `<role_id>` of a flag, or an argument's own name. */
function placeholderOf(subject: Argument | Option): string {
  if (!('flags' in subject)) return subject.name();
  return /[<[]([^>\]]+?)(?:\.{3})?[>\]]$/.exec(subject.flags)?.[1] ?? '';
}

/** By command and argument, else by argument; flags by command and flag, else by flag. */
function sourceOf(subject: Argument | Option, { path }: Place): Source | undefined {
  const name = 'flags' in subject ? (subject.long ?? '') : subject.name();
  const [group = ''] = path.split(' ');
  return SOURCES[`${path} ${name}`] ?? SOURCES[`${group} ${name}`] ?? SOURCES[name];
}

const words =
  (...values: readonly string[]): Source =>
  () =>
    values.map((value) => ({ value }));

const ids =
  (kind: IdKind): Source =>
  (_place, settings) =>
    settings().ids(kind);

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

const rolesAndTemplates: Source = async (place, settings) => [
  ...settings().ids('role_id'),
  ...(await templates(place, settings)),
];

const runs: Source = ({ operands: [pipeline = ''] }, settings) => settings().ids(`pipeline_run_id of ${pipeline}`);

/** Those that the result of this command has. */
const formats: Source = ({ command }) => {
  return (helpOf(command)?.formats ?? COMMON_FORMATS).map((value) => ({ value }));
};

const identities: Source = async () => {
  const { EXTENSION_IDENTITY_TYPES, REQUEST_IDENTITY_TYPES } = await import('../../contract/identities.ts');
  return [...Object.keys(REQUEST_IDENTITY_TYPES), ...EXTENSION_IDENTITY_TYPES].map((type) => ({ value: `${type}=` }));
};

const extensionIdentities: Source = async () => {
  const { EXTENSION_IDENTITY_TYPES } = await import('../../contract/identities.ts');
  return EXTENSION_IDENTITY_TYPES.map((type) => ({ value: `${type}=` }));
};

const providers: Source = async () => {
  const { SERVICE_PROVIDERS } = await import('../../contract/connections.ts');
  return SERVICE_PROVIDERS.map((value) => ({ value }));
};

const SOURCES: Readonly<Record<string, Source>> = {
  '--profile': profiles,
  '--against-profile': profiles,
  'profile name': ownProfiles,
  'profile show name': profiles,
  'profile use name': profiles,
  'profile from': ownProfiles,
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
