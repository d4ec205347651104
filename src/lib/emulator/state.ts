// The platform's state as a value, for snapshots, export and import.
import * as z from 'zod/mini';
import { parseJson, stringifyJson } from '../kernel/json.ts';
import { createRedactor } from '../kernel/redact.ts';
import type { SqlValue } from './base/db.ts';
import type { RunningPlatform } from './open-platform.ts';
import { Fault } from './wire/faults.ts';
import { refusal } from './wire/platform-error.ts';

const Row = z.record(z.string(), z.union([z.number(), z.bigint(), z.string(), z.null()]));

export const PlatformState = z.strictObject({
  format: z.literal(1),
  /** The platform's time in epoch milliseconds. */
  clock: z.int(),
  faults: z.array(Fault),
  /** Area -> version of its tables. */
  versions: z.record(z.string(), z.int()),
  /** Organization, account and workspace ids. State with any other ids would be invisible. */
  ids: z.array(z.array(z.int())),
  tables: z.record(z.string(), z.array(Row)),
});

export type PlatformState = z.infer<typeof PlatformState>;

/** Tables that are not replaced, like in a reset. */
const NOT_STATE = ['settings', 'tokens', 'request_log'];

/** Tables that contain warehouse secrets. */
const WITH_SECRETS = ['connections', 'pipelines'];

/** Copies the whole state. */
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

/** At most `most` rows of each table, without warehouse secrets. Tables with a sequence list the newest rows first. */
export function newestRows(platform: RunningPlatform, most: number): PlatformState['tables'] {
  const newest = (name: string) =>
    platform.db.all<z.infer<typeof Row>>(`SELECT * FROM "${name}" ORDER BY 1 DESC LIMIT ?`, most);
  const tables = Object.fromEntries(tablesOf(platform).map((name) => [name, newest(name)]));
  maskSecrets(tables);
  return tables;
}

function maskSecrets(tables: PlatformState['tables']): void {
  const { value } = createRedactor();
  for (const name of WITH_SECRETS) {
    for (const row of tables[name] ?? []) row['document'] = stringifyJson(value(parseJson(String(row['document']))));
  }
}

/** Checks a state, and replaces the platform's state with it. Throws 400 for another version or other workspaces. */
export function replaceState(platform: RunningPlatform, state: PlatformState): Promise<void> {
  const { clock, db, faults } = platform;
  const columns = new Map(tablesOf(platform).map((name) => [name, columnsOf(platform, name)]));
  const isKnown = ([name, rows]: [string, z.infer<typeof Row>[]]): boolean =>
    rows.every((row) => Object.keys(row).every((column) => columns.get(name)?.includes(column) === true));
  const sameVersion = stringifyJson(state.versions) === stringifyJson(versionsOf(platform));
  if (!sameVersion || !Object.entries(state.tables).every(isKnown)) {
    throw refusal(400, 'Bad request: the state is from a different version of this program');
  }
  if (stringifyJson(state.ids) !== stringifyJson(idsOf(platform))) {
    throw refusal(400, 'Bad request: the state is from other organizations or workspaces; start with their fixtures');
  }
  return platform.reset(() => {
    clock.moveTo(state.clock);
    faults.clear();
    for (const fault of state.faults) faults.add(fault);
    for (const [name, own] of columns) {
      db.run(`DELETE FROM "${name}"`);
      for (const row of state.tables[name] ?? []) {
        const places = own.map(() => '?').join(', ');
        db.run(`INSERT INTO "${name}" VALUES (${places})`, ...own.map((column) => row[column] ?? null));
      }
    }
  });
}

const tablesOf = ({ db }: RunningPlatform): string[] =>
  db
    .all<{ name: string }>(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
    )
    .map(({ name }) => name)
    .filter((name) => !NOT_STATE.includes(name));

const columnsOf = ({ db }: RunningPlatform, table: string): string[] =>
  db.all<{ name: string }>('SELECT name FROM pragma_table_info(?) ORDER BY cid', table).map(({ name }) => name);

const versionsOf = ({ areas }: RunningPlatform): Record<string, number> =>
  Object.fromEntries(areas.map(({ area }) => [area.name, area.migrations.length]));

const idsOf = ({ fixtures: { accounts, organizations, workspaces } }: RunningPlatform): number[][] =>
  [organizations, accounts, workspaces].map((list) => list.map(({ id }) => id));
