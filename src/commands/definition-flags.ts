// Fields of connections, data models and pipelines, as flags. A secret's flag accepts only references.
import {
  FREQUENCIES,
  PIPELINE_STATES,
  PIPELINE_TYPES,
  RESOURCE_STATES,
  SCHEDULE_TYPES,
  SYNC_MODES,
} from '../lib/contract/choices.ts';
import type { FieldChanges } from '../lib/domain/field-changes.ts';
import { GROUPS, isReference, NOUNS, resetsPosition, type ResourceType } from '../lib/domain/warehouse/definition.ts';
import type { Step } from '../lib/domain/warehouse/plan.ts';
import { readInput, resolvePath } from '../lib/files/read-input.ts';
import { usageError } from '../lib/kernel/errors.ts';
import type { Context } from '../lib/runtime/context.ts';
import { type FlagSpec, optionKey } from '../lib/runtime/command-line/define-command.ts';

export interface GivenField {
  flag: string;
  path: readonly string[];
  /** Undefined if the field is to be removed. */
  value: unknown;
}

interface FieldFlag {
  flag: string;
  path: readonly string[];
  about: string;
  value?: string;
  /** How the value is parsed; a `file` contains a query. */
  kind?: 'text' | 'integer' | 'reference' | 'file';
  offered?: readonly string[];
}

const ITERATOR_TYPES = ['timestamp', 'datetime_tz'];

/** Returns the flag of a field: `--cloud-external-id` for `config.cloud_external_id`. */
function of(field: string, about: string, value?: string, over: Partial<FieldFlag> = {}): FieldFlag {
  const path = field.split('.');
  return { flag: `--${(path.at(-1) ?? '').replaceAll('_', '-')}`, path, about, ...(value && { value }), ...over };
}

const config = (field: string, about: string): FieldFlag => of(`config.${field}`, about);

function secret(field: string, about: string): FieldFlag {
  const plain = of(field, about, 'reference', { kind: 'reference' });
  return { ...plain, flag: `${plain.flag}-from` };
}

const states = (offered: readonly string[]): FieldFlag => of('state', offered.join(', '), undefined, { offered });

const NAME = of('name', 'display name');

const FIELD_FLAGS: Readonly<Record<ResourceType, readonly FieldFlag[]>> = {
  connection: [
    NAME,
    states(RESOURCE_STATES),
    of('service_provider', 'PROVIDER_A to PROVIDER_D (A to D below), or the deployment-specific name', 'provider'),
    config('account_identifier', 'A: account'),
    config('region', 'A, B: region id; for A also <region>.<cloud>'),
    config('warehouse', 'A: warehouse'),
    config('database', 'A, C: database'),
    config('user', 'A, C: user'),
    config('role', 'A: role'),
    config('storage_integration', 'A: storage integration'),
    config('cloud_iam_user_arn', 'A, optional: ARN of the cloud user'),
    config('cloud_external_id', 'A, optional: external id'),
    config('external_stage', 'A, optional: external stage, as schema.stage'),
    config('project_id', 'B: project'),
    config('dataset_id', 'B: dataset'),
    config('service_account_id', 'B: service account'),
    config('cloud_iam_role_arn', 'C: ARN of the cloud role'),
    config('host', 'C: host'),
    config('port', 'C, optional: port'),
    config('provider', 'D: name of the organization in the metastore'),
    config('schema', 'D: schema'),
    secret('config.password', 'A, C: reference to the password'),
    secret('config.service_account_key', 'B: reference to the key, which is a JSON document'),
  ],
  data_model: [
    NAME,
    states(RESOURCE_STATES),
    of('config.sql_query', 'file with the SQL query; - reads standard input', 'file', {
      flag: '--sql-file',
      kind: 'file',
    }),
    of('config.sql_query', 'SQL query', 'sql'),
  ],
  pipeline: [
    NAME,
    states(PIPELINE_STATES),
    of('pipeline_type', 'user_attributes or events', 'type', { offered: PIPELINE_TYPES }),
    of('connection_id', 'connection that runs the query', 'id'),
    of('data_model_id', 'data model with the query', 'id'),
    of('field_transformation_id', 'field transformation (events only)', 'id'),
    of('environment', 'development or production'),
    of('sync_mode.type', 'incremental or full', 'type', { flag: '--sync-mode', offered: SYNC_MODES }),
    of('sync_mode.iterator_field', 'incremental: column with increasing values', 'column'),
    of('sync_mode.iterator_data_type', 'incremental: data type of that column', 'type', { offered: ITERATOR_TYPES }),
    of('sync_mode.from', 'time of the first record, YYYY-MM-DDThh:mm:ssZ', 'time'),
    of('sync_mode.until', 'time of the last record, YYYY-MM-DDThh:mm:ssZ', 'time'),
    of('schedule.type', 'interval, once or on_demand', 'type', { flag: '--schedule', offered: SCHEDULE_TYPES }),
    of('schedule.frequency', `interval: ${FREQUENCIES.join(', ')}`, undefined, { offered: FREQUENCIES }),
    of('schedule.start', 'interval: time of the first run, ISO 8601', 'time'),
    of('schedule.end', 'end of the schedule, ISO 8601', 'time'),
    of('schedule.delay', 'data delay: a number and a unit (s, m, h, d, w or y)'),
    of('partner_feed_id', 'partner feed that receives the data', 'number', { kind: 'integer' }),
    secret('partner_feed_key', 'reference to the feed key'),
    of('data_plan_id', 'active data plan', 'id'),
    of('data_plan_version', 'data plan version', 'version'),
  ],
};

export function definitionFlags(type: ResourceType): Record<string, FlagSpec> {
  const fields = FIELD_FLAGS[type].map(({ flag, about, value, offered }): [string, FlagSpec] => [
    optionKey(flag),
    { value: value ?? flag.slice(2).replaceAll('-', '_'), help: about, ...(offered && { offers: () => offered }) },
  ]);
  const hasSecrets = FIELD_FLAGS[type].some(({ kind }) => kind === 'reference');
  return {
    file: { short: 'f', value: 'file', help: 'definition, YAML or JSON; - reads standard input' },
    ...Object.fromEntries(fields),
    ...(hasSecrets && { allowCommands }),
  };
}

export const allowCommands = {
  help: 'run the commands that a file specifies for reading its secrets (command:LINE)',
} satisfies FlagSpec;

/** Longer values, such as queries, do not belong on a command line. */
const MOST_TEXT = 200;
/** More commands would not fit on one line. */
const MOST_UNDONE = 20;

/** Returns the arguments of the `update` that restores these fields. Adds fields that no flag restores to `left`. */
function undoChanges(type: ResourceType, id: string, changes: FieldChanges, left: string[]): string[] {
  const words = Object.entries(changes).flatMap(([path, { from }]) => {
    const { flag } =
      FIELD_FLAGS[type].find((it) => it.path.join('.') === path && !['file', 'reference'].includes(it.kind ?? '')) ??
      {};
    const text = typeof from === 'number' || typeof from === 'bigint' ? from.toString() : (from ?? '');
    if (flag !== undefined && typeof text === 'string' && text.length <= MOST_TEXT) return [`${flag}=${text}`];
    left.push(`${path} of ${NOUNS[type]} ${id}`);
    return [];
  });
  const resets = resetsPosition(type, changes) ? ['--allow-reset'] : [];
  return words.length > 0 ? [GROUPS[type], 'update', id, ...words, ...resets] : [];
}

/** Returns facts about changes for the log: commands that undo them, in reverse order, and what no command restores. */
export function undoSteps(steps: readonly Pick<Step, 'action' | 'type' | 'id' | 'changes' | 'secrets'>[]) {
  const left: string[] = [];
  const undo = steps.toReversed().map(({ action, changes, id, secrets, type }): string[] => {
    if (action === 'create') return [GROUPS[type], 'delete', id];
    if (action === 'update' && Object.keys(changes).length > 0) return undoChanges(type, id, changes, left);
    left.push(`${action === 'update' ? `${secrets.join(', ')} of ` : ''}${NOUNS[type]} ${id}`);
    return [];
  });
  const known = undo.filter((words) => words.length > 0);
  if (known.length > MOST_UNDONE) left.unshift(`${known.length} resources`);
  const undoNote = left.length > 0 ? `No command restores ${left.slice(0, MOST_UNDONE).join(', ')}.` : undefined;
  return { undo: known.length > MOST_UNDONE ? [] : known, undoNote };
}

export function flagOf(type: ResourceType, path: readonly (string | number)[]): string | undefined {
  return FIELD_FLAGS[type].find((field) => field.path.join('.') === path.join('.'))?.flag;
}

/** Returns the fields that flags set; an empty value removes a field. Throws usage (2), also for plain secrets. */
export async function readFieldFlags(ctx: Context, type: ResourceType, flags: Readonly<Record<string, unknown>>) {
  const given: GivenField[] = [];
  for (const { flag, path, kind = 'text' } of FIELD_FLAGS[type]) {
    const text = flags[optionKey(flag)];
    if (typeof text !== 'string') continue;
    const twin = given.find((it) => it.path.join('.') === path.join('.'));
    if (twin) throw usageError(`${twin.flag} and ${flag} set the same field: pass only one.`);
    given.push({ flag, path, value: text.trim() === '' ? undefined : await read(ctx, kind, flag, text) });
  }
  return given;
}

async function read(ctx: Context, kind: NonNullable<FieldFlag['kind']>, flag: string, text: string): Promise<unknown> {
  switch (kind) {
    case 'text':
      return text;
    case 'integer': {
      if (!/^-?\d{1,19}$/.test(text)) throw usageError(`${flag} must be a whole number, not \`${text}\`.`);
      const number = Number(text);
      return Number.isSafeInteger(number) ? number : BigInt(text);
    }
    case 'file':
      return (await readInput(text, ctx)).text;
    case 'reference':
      return readReference(ctx, flag, text.trim());
  }
}

/** A path on the command line is relative to the working directory. */
function readReference(ctx: Context, flag: string, text: string): string {
  if (!isReference(text)) {
    ctx.redactor.add(text);
    throw usageError(
      `${flag} must be a reference (env:NAME, file:PATH, keychain:NAME or command:LINE), not the secret itself.`,
      'If you passed a real secret, it may now be in your shell history: rotate the secret.',
    );
  }
  const path = /^file:\s*(\S.*)$/s.exec(text)?.[1];
  return path === undefined ? text : `file:${resolvePath(path, ctx.io.cwd)}`;
}
