// A small synchronous database with cached statements. Only this file and `query-worker.js` use the SQLite driver.
import { chmodSync, closeSync, openSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { KnownError } from '../../kernel/errors.ts';
import { host } from '../../kernel/host.ts';
import { parseJson, stringifyJson } from '../../kernel/json.ts';

export type SqlValue = number | bigint | string | Uint8Array | null;

export type Database = ReturnType<typeof wrap>;

/** Marks our files (`PRAGMA application_id`), so that we never write to another program's database. */
const APPLICATION_ID = 0x63647061;

type Driver = typeof import('node-sqlite3-wasm');

/**
 * Bytes of WebAssembly that a function executes before V8 optimizes it. A busy platform reaches our value within a
 * second. With the default of Node 20, V8 optimizes code that only creates tables, which doubles the startup time.
 */
const BYTES_BEFORE_OPTIMIZING = { ours: 50_000_000, node20: 1_800_000 };

/** V8 reads the flag when it compiles the driver. While it differs from the default, V8 rejects every code cache. */
async function loadDriver(): Promise<Driver> {
  const budget = (bytes: number) => {
    if (host.nodeVersion.startsWith('20.')) setFlagsFromString(`--wasm-tiering-budget=${bytes}`);
  };
  budget(BYTES_BEFORE_OPTIMIZING.ours);
  const { default: driver } = (await import('node-sqlite3-wasm')) as unknown as { default: Driver };
  budget(BYTES_BEFORE_OPTIMIZING.node20);
  return driver;
}

/**
 * Opens the database file, or creates it (0600). Without a path, opens a database in memory. The caller must own the
 * folder (see `ownFolder`), so that the file has no stale lock. Throws KnownError if the file is not our database.
 *
 * Commits go to a write-ahead log: the driver mistakes its own lock for another process's lock, so it would never roll
 * back a journal. With `synchronous` off, a write survives `kill -9` of this process, but not a power failure. A commit
 * then takes tens of microseconds.
 */
export async function openDatabase(path: string | undefined): Promise<Database> {
  const driver = await loadDriver();
  if (path !== undefined) createPrivately(path);
  const connection = new driver.Database(path ?? ':memory:');
  try {
    connection.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = OFF');
    if (!isOurs(connection)) throw unreadable(path);
    connection.exec(`PRAGMA journal_mode = WAL; PRAGMA application_id = ${APPLICATION_ID}`);
  } catch (error) {
    connection.close();
    throw error instanceof KnownError ? error : unreadable(path, error);
  }
  return wrap(connection);
}

/** Creates a database file (0600) that any SQLite program can open. Throws if the path exists. */
export async function createDatabaseFile(path: string): Promise<Database> {
  const driver = await loadDriver();
  closeSync(openSync(path, 'wx', 0o600));
  const connection = new driver.Database(path);
  connection.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF');
  return wrap(connection);
}

function wrap(connection: InstanceType<Driver['Database']>) {
  type Statement = ReturnType<typeof connection.prepare>;
  const statements = new Map<string, Statement>();
  let revision = 0;

  function execute<T>(sql: string, values: SqlValue[], step: (statement: Statement) => T): T {
    for (const value of values) {
      // The driver passes C strings, so text with a NUL would be silently truncated.
      if (typeof value === 'string' && value.includes('\0')) throw new TypeError('a stored string contains a NUL');
    }
    let statement = statements.get(sql);
    if (!statement) statements.set(sql, (statement = connection.prepare(sql)));
    try {
      return step(statement);
    } catch (error) {
      statements.delete(sql);
      try {
        statement.finalize();
      } catch {
        // Ignore the error: `finalize` reports the error of the failed step again.
      }
      throw error;
    }
  }

  const all = <Row>(sql: string, ...values: SqlValue[]): Row[] =>
    execute(sql, values, (statement) => statement.all(values) as Row[]);

  return {
    /** Runs statements without parameters. */
    exec: (sql: string): void => {
      revision++;
      connection.exec(sql);
    },
    /** Runs a write statement and returns the number of changed rows. */
    run: (sql: string, ...values: SqlValue[]): number => {
      revision++;
      return execute(sql, values, (statement) => statement.run(values)).changes;
    },
    insert: (table: string, row: Readonly<Record<string, SqlValue>>): number | bigint => {
      revision++;
      const [columns, values] = [Object.keys(row), Object.values(row)];
      const sql = `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`;
      return execute(sql, values, (statement) => statement.run(values)).lastInsertRowid;
    },
    // Read all rows, because an unfinished statement keeps its read transaction open.
    get: <Row>(sql: string, ...values: SqlValue[]): Row | undefined => all<Row>(sql, ...values)[0],
    all,
    /** Returns a number that increases with every write. */
    revision: (): number => revision,
    /** Runs `work`, which must be synchronous, and keeps either all of its writes or none. Transactions can be nested. */
    transaction: <T>(work: () => T): T => {
      const inner = connection.inTransaction;
      connection.exec(inner ? 'SAVEPOINT inner' : 'BEGIN');
      try {
        const result = work();
        connection.exec(inner ? 'RELEASE inner' : 'COMMIT');
        return result;
      } catch (error) {
        revision++;
        if (connection.inTransaction) connection.exec(inner ? 'ROLLBACK TO inner; RELEASE inner' : 'ROLLBACK');
        throw error;
      }
    },
    /** Returns SQLite's error for a statement, if any. Does not execute the statement. */
    complaint: (sql: string): string | undefined => {
      try {
        connection.prepare(sql).finalize();
        return undefined;
      } catch (error) {
        return error instanceof Error ? error.message : String(error);
      }
    },
    close: (): void => {
      for (const statement of statements.values()) statement.finalize();
      statements.clear();
      connection.close();
    },
  };
}

/** Creates the file with mode 0600, because the driver would make it readable by all users. */
function createPrivately(path: string): void {
  closeSync(openSync(path, 'a', 0o600));
  chmodSync(path, 0o600);
}

/** True if the file is empty or was written by us. Does not change the file. */
function isOurs(connection: InstanceType<Driver['Database']>): boolean {
  const { application_id: found } = connection.get('PRAGMA application_id') as { application_id: number };
  if (found === APPLICATION_ID) return true;
  const tables = connection.get('SELECT count(*) AS count FROM sqlite_master') as { count: number };
  return found === 0 && tables.count === 0;
}

function unreadable(path: string | undefined, cause?: unknown): KnownError {
  return new KnownError({
    code: 'emulator.database',
    message: `${path ?? 'The database'} is not an embedded platform database.`,
    hint: 'Choose another folder, or move that file elsewhere to start over.',
    cause,
  });
}

export type Table<Row extends object> = ReturnType<typeof openTable<Row>>;

/** Opens a table of `Row` rows. The columns in `json` contain JSON. Ignores undefined fields in matches and changes. */
export function openTable<Row extends object>(db: Database, name: string, json: readonly (keyof Row & string)[] = []) {
  type Fields = { readonly [Column in keyof Row]?: Row[Column] | undefined };

  function columnsOf(fields: Fields): Record<string, SqlValue> {
    const given = Object.entries(fields).filter(([, value]) => value !== undefined);
    const encode = (column: string, value: unknown): unknown =>
      (json as readonly string[]).includes(column) ? stringifyJson(value) : value;
    return Object.fromEntries(given.map(([column, value]) => [column, encode(column, value) as SqlValue]));
  }

  function rowOf(stored: Record<string, unknown>): Row {
    for (const column of json) stored[column] = parseJson(stored[column] as string);
    return stored as Row;
  }

  function where(match: Fields): [string, SqlValue[]] {
    const columns = columnsOf(match);
    const conditions = Object.keys(columns).map((column) => `${column} = ?`);
    return [conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`, Object.values(columns)];
  }

  /** Selects rows. `rest` follows the table's name in the SELECT statement. */
  const select = (rest: string, ...values: SqlValue[]): Row[] =>
    db.all<Record<string, unknown>>(`SELECT * FROM ${name} ${rest}`, ...values).map(rowOf);
  /** Returns the matching rows. `rest` may specify their order. */
  const list = (match: Fields = {}, rest = ''): Row[] => {
    const [condition, values] = where(match);
    return select(`${condition} ${rest}`, ...values);
  };
  return {
    select,
    list,
    find: (match: Fields, order = ''): Row | undefined => list(match, `${order} LIMIT 1`)[0],
    count: (match: Fields): number => {
      const [condition, values] = where(match);
      return db.get<{ count: number }>(`SELECT count(*) AS count FROM ${name} ${condition}`, ...values)?.count ?? 0;
    },
    insert: (row: Fields & Readonly<Record<string, unknown>>): number | bigint => db.insert(name, columnsOf(row)),
    update: (match: Fields, changes: Fields & Readonly<Record<string, unknown>>): void => {
      const [[condition, values], columns] = [where(match), columnsOf(changes)];
      const assignments = Object.keys(columns).map((column) => `${column} = ?`);
      db.run(`UPDATE ${name} SET ${assignments.join(', ')} ${condition}`, ...Object.values(columns), ...values);
    },
    /** Deletes matching rows; by default, all rows. */
    remove: (match: Fields = {}): void => {
      const [condition, values] = where(match);
      db.run(`DELETE FROM ${name} ${condition}`, ...values);
    },
  };
}

export type StoredSettings = ReturnType<typeof openSettings>;

/** Opens the settings of a database and creates their table if necessary. Values are JSON. */
export function openSettings(db: Database) {
  db.exec('CREATE TABLE IF NOT EXISTS settings (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID');
  const settings = openTable<{ key: string; value: unknown }>(db, 'settings', ['value']);
  return {
    get: <T>(key: string): T | undefined => settings.find({ key })?.value as T | undefined,
    set: (key: string, value: unknown): void => {
      db.run('INSERT OR REPLACE INTO settings (key, value) VALUES (?, ?)', key, stringifyJson(value));
    },
  };
}
