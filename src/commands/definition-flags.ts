// The fields of connections, data models and pipelines as flags; a secret's flag takes the place where it is, never it.
import { FREQUENCIES, PIPELINE_STATES, PIPELINE_TYPES, SCHEDULE_TYPES, SYNC_MODES } from '../lib/contract/choices.ts';
import { RESOURCE_STATES } from '../lib/contract/choices.ts';
import { isReference } from '../lib/domain/warehouse/secrets.ts';
import type { ResourceType } from '../lib/domain/warehouse/definition.ts';
import { readInput, resolvePath } from '../lib/files/read-input.ts';
import { usageError } from '../lib/kernel/errors.ts';
import type { Context } from '../lib/runtime/context.ts';
import type { FlagSpec } from '../lib/runtime/command-line/define-command.ts';
import { optionKey } from '../lib/runtime/command-line/secret-flags.ts';

/** One field of a definition that a flag gives. */
export interface GivenField {
  flag: string;
  path: readonly string[];
  /** Undefined takes the field out. */
  value: unknown;
}

interface FieldFlag {
  /** `--region`. */
  flag: string;
  path: readonly string[];
  about: string;
  /** What the flag's value is called in the help. */
  value?: string;
  /** How the text is read: as it is, as a whole number, as the place of a secret, as the file of a query. */
  kind?: 'text' | 'integer' | 'reference' | 'file';
  /** What Tab offers. */
  offered?: readonly string[];
}

const NAME: FieldFlag = { flag: '--name', path: ['name'], about: 'its name for people' };

const at = (flag: string, field: string, about: string, over: Partial<FieldFlag> = {}): FieldFlag => {
  return { flag, path: field.split('.'), about, ...over };
};

/** `--cloud-external-id` for `config.cloud_external_id`. */
const config = (field: string, about: string): FieldFlag =>
  at(`--${field.replaceAll('_', '-')}`, `config.${field}`, about);

const secret = (field: string, about: string): FieldFlag =>
  at(`--${(field.split('.').at(-1) ?? '').replaceAll('_', '-')}-from`, field, about, {
    value: 'reference',
    kind: 'reference',
  });

const anyOf = (words: readonly string[]): string => words.join(', ');

const FIELD_FLAGS: Readonly<Record<ResourceType, readonly FieldFlag[]>> = {
  connection: [
    NAME,
    at('--state', 'state', anyOf(RESOURCE_STATES), { offered: RESOURCE_STATES }),
    at('--service-provider', 'service_provider', "PROVIDER_A to PROVIDER_D, or the deployment's word", {
      value: 'provider',
    }),
    config('account_identifier', 'A: the account'),
    config('region', 'A, B: region id; A also <region>.<cloud>'),
    config('warehouse', 'A: the warehouse'),
    config('database', 'A, C: the database'),
    config('user', 'A, C: the user'),
    config('role', 'A: the role'),
    config('storage_integration', 'A: the storage integration'),
    config('cloud_iam_user_arn', 'A, optional: the cloud user'),
    config('cloud_external_id', 'A, optional: the external id'),
    config('external_stage', 'A, optional: schema.stage'),
    config('project_id', 'B: the project'),
    config('dataset_id', 'B: the dataset'),
    config('service_account_id', 'B: the service account'),
    config('cloud_iam_role_arn', 'C: the cloud role'),
    config('host', 'C: the host'),
    config('port', 'C, optional: the port'),
    config('provider', "D: the organization's name in the metastore"),
    config('schema', 'D: the schema'),
    secret('config.password', 'A, C: where the password is'),
    secret('config.service_account_key', 'B: where the key, a JSON document, is'),
  ],
  data_model: [
    NAME,
    at('--state', 'state', anyOf(RESOURCE_STATES), { offered: RESOURCE_STATES }),
    at('--sql-file', 'config.sql_query', 'file with the SQL query; - is standard input', {
      value: 'file',
      kind: 'file',
    }),
    at('--sql-query', 'config.sql_query', 'the SQL query', { value: 'sql' }),
  ],
  pipeline: [
    NAME,
    at('--state', 'state', anyOf(PIPELINE_STATES), { offered: PIPELINE_STATES }),
    at('--pipeline-type', 'pipeline_type', 'user_attributes or events', { value: 'type', offered: PIPELINE_TYPES }),
    at('--connection-id', 'connection_id', 'the connection', { value: 'id' }),
    at('--data-model-id', 'data_model_id', 'the data model', { value: 'id' }),
    at('--field-transformation-id', 'field_transformation_id', 'for events, and for them only', { value: 'id' }),
    at('--environment', 'environment', 'development or production'),
    at('--sync-mode', 'sync_mode.type', 'incremental or full', { value: 'type', offered: SYNC_MODES }),
    at('--iterator-field', 'sync_mode.iterator_field', 'incremental: the column that grows', { value: 'column' }),
    at('--iterator-data-type', 'sync_mode.iterator_data_type', 'incremental: such as timestamp', {
      value: 'type',
      offered: ['timestamp', 'datetime_tz'],
    }),
    at('--from', 'sync_mode.from', 'first record, YYYY-MM-DDThh:mm:ssZ', { value: 'time' }),
    at('--until', 'sync_mode.until', 'last record, YYYY-MM-DDThh:mm:ssZ', { value: 'time' }),
    at('--schedule', 'schedule.type', 'interval, once or on_demand', { value: 'type', offered: SCHEDULE_TYPES }),
    at('--frequency', 'schedule.frequency', `interval: ${anyOf(FREQUENCIES)}`, { offered: FREQUENCIES }),
    at('--start', 'schedule.start', 'interval: first time, ISO 8601', { value: 'time' }),
    at('--end', 'schedule.end', 'last time, ISO 8601', { value: 'time' }),
    at('--delay', 'schedule.delay', 'how far the data lags behind: a number and s, m, h, d, w or y'),
    at('--partner-feed-id', 'partner_feed_id', 'feed to route the data to', { value: 'number', kind: 'integer' }),
    secret('partner_feed_key', 'where the key of the feed is'),
    at('--data-plan-id', 'data_plan_id', 'an active data plan', { value: 'id' }),
    at('--data-plan-version', 'data_plan_version', 'its version', { value: 'version' }),
  ],
};

/** The flags of `create` and `update`: the file, and every field's own. */
export function definitionFlags(type: ResourceType): Record<string, FlagSpec> {
  const fields = FIELD_FLAGS[type].map(({ flag, about, value, offered }): [string, FlagSpec] => [
    optionKey(flag),
    {
      value: value ?? flag.slice(2).replaceAll('-', '_'),
      help: about,
      ...(offered && { offers: () => offered }),
    },
  ]);
  const hasSecrets = FIELD_FLAGS[type].some(({ kind }) => kind === 'reference');
  return {
    file: { short: 'f', value: 'file', help: 'the definition, YAML or JSON; - is standard input' },
    ...Object.fromEntries(fields),
    ...(hasSecrets && { allowCommands }),
  };
}

/** The permission that a file needs to name a command. */
export const allowCommands = {
  help: 'run the commands that a file names for its secrets (command:LINE)',
} satisfies FlagSpec;

/** The flag of a secret, which messages name. */
export function flagOf(type: ResourceType, path: readonly (string | number)[]): string | undefined {
  return FIELD_FLAGS[type].find((field) => field.path.join('.') === path.join('.'))?.flag;
}

/**
 * What the flags give, in neutral words or the deployment's own; an empty text takes a field out. Throws usage (2) for
 * two flags about one field, and for a secret in place of where it is: that one is not repeated.
 */
export async function readFieldFlags(
  ctx: Context,
  type: ResourceType,
  flags: Readonly<Record<string, unknown>>,
): Promise<GivenField[]> {
  const given: GivenField[] = [];
  for (const { flag, path, kind = 'text' } of FIELD_FLAGS[type]) {
    const text = flags[optionKey(flag)];
    if (typeof text !== 'string') continue;
    const twin = given.find((it) => it.path.join('.') === path.join('.'));
    if (twin) throw usageError(`${twin.flag} and ${flag} contradict each other.`);
    given.push({ flag, path, value: text.trim() === '' ? undefined : await read(ctx, kind, flag, text) });
  }
  return given;
}

async function read(ctx: Context, kind: NonNullable<FieldFlag['kind']>, flag: string, text: string): Promise<unknown> {
  switch (kind) {
    case 'text':
      return text;
    case 'integer': {
      if (!/^-?\d{1,19}$/.test(text)) throw usageError(`${flag} takes a whole number, not \`${text}\`.`);
      const number = Number(text);
      return Number.isSafeInteger(number) ? number : BigInt(text);
    }
    case 'file':
      return (await readInput(text, ctx)).text;
    case 'reference':
      return placed(ctx, flag, text.trim());
  }
}

/** A path of the command line starts from the working folder, not from a file's. */
function placed(ctx: Context, flag: string, text: string): string {
  if (!isReference(text)) {
    ctx.redactor.add(text);
    throw usageError(
      `${flag} takes the place where the secret is, not the secret: env:NAME, file:PATH, keychain:NAME or command:LINE.`,
      "If what you gave was the real one, it may now be in your shell's history: renew it.",
    );
  }
  const path = /^file:\s*(\S.*)$/s.exec(text)?.[1];
  return path === undefined ? text : `file:${resolvePath(path, ctx.io.cwd)}`;
}
