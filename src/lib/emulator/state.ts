// The platform's state as a value, for snapshots, export and import.
import * as z from 'zod/mini';
import { REQUEST_STATUSES } from '../contract/choices.ts';
import { parseWith, showPath } from '../contract/explain.ts';
import { RUN_STATUSES, RUN_TYPES } from '../contract/pipeline-runs.ts';
import { ManifestReply } from '../contract/roles.ts';
import { Environment, textWhere, XpidInteger, xpidTextIssue } from '../contract/shared.ts';
import { parseJson, stringifyJson, tryJson } from '../kernel/json.ts';
import { createRedactor } from '../kernel/redact.ts';
import { LAST_TIME } from './base/clock.ts';
import type { Database, SqlValue } from './base/db.ts';
import { CALLBACK_STATES } from './stores/callbacks.ts';
import { STEPS } from './stores/dsr.ts';
import type { RunningPlatform } from './open-platform.ts';
import { Fault } from './wire/faults.ts';
import { badRequest, checkBody } from './wire/request-body.ts';

/** Epoch milliseconds. A time in a request may contain a fraction of a millisecond. */
const Time = z.number().check(z.minimum(0), z.maximum(LAST_TIME));

const Row = z.record(z.string(), z.union([z.number(), z.bigint(), z.string(), z.null()]));

export const PlatformState = z.strictObject({
  format: z.literal(1),
  /** The platform's time. */
  clock: Time,
  faults: z.array(Fault),
  /** Version of each area's tables. */
  versions: z.record(z.string(), z.int()),
  /** Organization, account and workspace ids. State with any other ids would be invisible. */
  ids: z.array(z.array(z.int())),
  tables: z.record(z.string(), z.array(Row)),
});

export type PlatformState = z.infer<typeof PlatformState>;

/** Tables that are not part of a snapshot or an exported state. */
const NOT_STATE = ['settings', 'tokens', 'request_log'];

export function copyState(platform: RunningPlatform): PlatformState {
  const { clock, db, faults } = platform;
  const tables = tablesOf(platform).map((name) => [name, db.all<Record<string, SqlValue>>(`SELECT * FROM "${name}"`)]);
  return {
    format: 1,
    clock: Math.floor(clock.now()),
    faults: faults.list(),
    versions: versionsOf(platform),
    ids: idsOf(platform),
    tables: Object.fromEntries(tables) as PlatformState['tables'],
  };
}

/** Copies the state, except warehouse secrets. */
export function exportState(platform: RunningPlatform): PlatformState {
  const state = copyState(platform);
  maskSecrets(state.tables);
  return state;
}

/** Returns at most `most` rows of each table, without warehouse secrets; newest first if the table has a sequence. */
export function newestRows(platform: RunningPlatform, most: number): PlatformState['tables'] {
  const newest = (name: string) =>
    platform.db.all<z.infer<typeof Row>>(`SELECT * FROM "${name}" ORDER BY 1 DESC LIMIT ?`, most);
  const tables = Object.fromEntries(tablesOf(platform).map((name) => [name, newest(name)]));
  maskSecrets(tables);
  return tables;
}

function maskSecrets(tables: PlatformState['tables']): void {
  const { value } = createRedactor();
  for (const name of ['connections', 'pipelines']) {
    for (const row of tables[name] ?? []) row['document'] = stringifyJson(value(parseJson(String(row['document']))));
  }
}

/** Checks the whole state, and replaces the platform's state with it. Throws 400 for an unusable state. */
export function importState(platform: RunningPlatform, body: unknown): Promise<void> {
  const state = checkBody(PlatformState, body);
  if (stringifyJson(state.versions) !== stringifyJson(versionsOf(platform))) {
    throw badRequest('a different version of this program exported the state');
  }
  if (stringifyJson(state.ids) !== stringifyJson(idsOf(platform))) {
    throw badRequest('the state belongs to other organizations or workspaces; start with their fixtures');
  }
  const tables = tablesOf(platform).map((name) => [name, z.array(rowSchema(platform, name))]);
  checkBody(z.looseObject({ tables: z.strictObject(Object.fromEntries(tables)) }), state);
  tryState(platform.db, state);
  return replaceState(platform, state);
}

/** Replaces the platform's state. Does not check `state`. */
export function replaceState(platform: RunningPlatform, state: PlatformState): Promise<void> {
  const { clock, db, faults } = platform;
  return platform.reset(() => {
    clock.moveTo(state.clock);
    for (const fault of state.faults) faults.add(fault);
    writeTables(db, state);
  });
}

function writeTables(db: Database, { tables }: PlatformState): void {
  for (const [name, rows] of Object.entries(tables)) {
    db.run(`DELETE FROM "${name}"`);
    for (const row of rows) db.insert(`"${name}"`, row);
  }
}

/** Lets the database check the keys, without changes. Throws 400 with its message. */
function tryState(db: Database, state: PlatformState): void {
  const undo = new Error('undo');
  try {
    db.transaction(() => {
      writeTables(db, state);
      throw undo;
    });
  } catch (error) {
    if (error !== undo) throw badRequest((error as Error).message);
  }
}

/** Text that is JSON and matches the schema. The message names the first field that is missing or invalid. */
const jsonOf = (schema: z.ZodMiniType) =>
  textWhere((text) => {
    const value = tryJson(text);
    const [issue] = value === undefined ? [{ path: [], message: 'must be JSON' }] : parseWith(schema, value).issues;
    const path = issue && showPath(issue.path);
    return path ? `has an invalid field: ${path} ${issue.message}` : issue?.message;
  });
const Fields = z.record(z.string(), z.unknown());
const JsonObject = jsonOf(Fields);
const JsonList = jsonOf(z.array(z.unknown()));
const definitionWith = (fields: Record<string, z.ZodMiniType>) =>
  jsonOf(z.looseObject({ definition: z.looseObject({ id: z.string(), ...fields }) }));

/** Schemas of text columns, by `column` (in all tables) or `table.column`. Other text columns contain plain text. */
const TEXTS: Readonly<Record<string, z.ZodMiniType>> = {
  attempts: JsonList,
  body: JsonObject,
  document: JsonObject,
  environment: Environment,
  event: jsonOf(z.unknown()),
  forwarding: jsonOf(z.nullable(z.array(z.unknown()))),
  history: JsonList,
  progress: JsonObject,
  reply: JsonObject,
  sources: JsonObject,
  step: z.enum(STEPS),
  xpid: textWhere(xpidTextIssue),
  'connections.document': definitionWith({ service_provider: z.string(), config: Fields }),
  'data_models.document': definitionWith({ config: z.looseObject({ sql_query: z.string() }) }),
  'groups.document': jsonOf(z.looseObject({ source_user_attribute: z.string(), attributes: z.array(Fields) })),
  'manifests.reply': jsonOf(ManifestReply),
  'pipelines.document': definitionWith({ connection_id: z.string(), sync_mode: Fields, schedule: Fields }),
  'profiles.document': jsonOf(z.object({ identities: Fields, user_attributes: Fields, group_attributes: Fields })),
  'callbacks.state': z.enum(CALLBACK_STATES),
  'callbacks.status': z.enum(REQUEST_STATUSES),
  'dsr_requests.status': z.enum(REQUEST_STATUSES),
  'pipeline_runs.status': z.enum(RUN_STATUSES),
  'pipeline_runs.type': z.enum(RUN_TYPES),
};

/** The driver would truncate text at a NUL. */
const Text = textWhere((text) => (text.includes('\0') ? 'must not contain a NUL character' : undefined));

function rowSchema({ db }: RunningPlatform, table: string) {
  const sql = 'SELECT name, type, "notnull" OR pk AS required FROM pragma_table_info(?)';
  const columns = db.all<{ name: string; type: string; required: number }>(sql, table);
  const schemas = columns.map(({ name, type, required }): [string, z.ZodMiniType] => {
    const text = TEXTS[`${table}.${name}`] ?? TEXTS[name] ?? Text;
    const value = type === 'TEXT' ? text : /(^|_)at$/.test(name) ? Time : XpidInteger;
    return [name, required === 0 ? z.nullable(value) : value];
  });
  return z.strictObject(Object.fromEntries(schemas));
}

const tablesOf = ({ db }: RunningPlatform): string[] =>
  db
    .all<{ name: string }>(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
    )
    .map(({ name }) => name)
    .filter((name) => !NOT_STATE.includes(name));

const versionsOf = ({ areas }: RunningPlatform): Record<string, number> =>
  Object.fromEntries(areas.map(({ area }) => [area.name, area.migrations.length]));

const idsOf = ({ fixtures: { accounts, organizations, workspaces } }: RunningPlatform): number[][] =>
  [organizations, accounts, workspaces].map((list) => list.map(({ id }) => id));
