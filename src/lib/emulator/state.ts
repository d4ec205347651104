// The platform's state as a value, for snapshots, export and import.
import * as z from 'zod/mini';
import { rule } from '../contract/shared.ts';
import { parseJson, stringifyJson, tryJson } from '../kernel/json.ts';
import { createRedactor } from '../kernel/redact.ts';
import { LAST_TIME } from './base/clock.ts';
import type { Database, SqlValue } from './base/db.ts';
import type { RunningPlatform } from './open-platform.ts';
import { Fault } from './wire/faults.ts';
import { badRequest, checkBody } from './wire/request-body.ts';

/** Columns that contain JSON. */
const JSON_COLUMNS = ['attempts', 'body', 'document', 'event', 'forwarding', 'history', 'progress', 'reply', 'sources'];

const Row = z.record(z.string(), z.union([z.number(), z.bigint(), z.string(), z.null()])).check(
  rule((row) => {
    const texts = JSON_COLUMNS.map((column) => [column, row[column] ?? '{}'] as const);
    const broken = texts.filter(([, text]) => typeof text !== 'string' || tryJson(text) === undefined);
    return broken.map(([column]) => ({ path: [column], message: 'must be JSON' }));
  }),
);

export const PlatformState = z.strictObject({
  format: z.literal(1),
  /** The platform's time in epoch milliseconds. */
  clock: z.number().check(z.minimum(0), z.maximum(LAST_TIME)),
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
  const tables = tablesOf(platform).map((name) => [name, z.array(Row)]);
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

/** Lets the database check columns and keys, without changes. Throws 400 with its message. */
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
