// The one home of the SQLite driver: a small synchronous database with cached statements.
import { chmodSync, closeSync, openSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { KnownError } from '../../kernel/errors.ts';

export type SqlValue = number | bigint | string | Uint8Array | null;

export interface Database {
  /** Runs statements without parameters. */
  exec(sql: string): void;
  /** Runs one writing statement and returns the number of changed rows. */
  run(sql: string, ...values: SqlValue[]): number;
  /** The first row, or undefined. */
  get<Row>(sql: string, ...values: SqlValue[]): Row | undefined;
  all<Row>(sql: string, ...values: SqlValue[]): Row[];
  /** Runs `work`, which is synchronous, so that all its writes are kept or none; inside another one, of that one too. */
  transaction<T>(work: () => T): T;
  /** What SQLite says against a single statement, which is not run; undefined when it has nothing to say. */
  complaint(sql: string): string | undefined;
  close(): void;
}

/** Marks a file as ours (`PRAGMA application_id`), so that no other program's database is ever written to. */
const APPLICATION_ID = 0x63647061;

type Driver = typeof import('node-sqlite3-wasm');

/**
 * About how many bytes of WebAssembly a function runs through before V8 optimises it: what a busy platform has behind it
 * within a second. By the default of Node 20 much is optimised for the making of a few tables, which takes as much time
 * as all the rest of a start.
 */
const BYTES_BEFORE_OPTIMISING = 50_000_000;

/** V8 sees the flag when the driver is compiled, which is when it is loaded. */
async function loadDriver(): Promise<Driver> {
  setFlagsFromString(`--wasm-tiering-budget=${BYTES_BEFORE_OPTIMISING}`);
  return ((await import('node-sqlite3-wasm')) as unknown as { default: Driver }).default;
}

/**
 * Opens (or makes, 0600) the database file; without a path, one in memory. The caller owns the folder: the driver's
 * own locking is only told to hold on to the file. Throws KnownError when the file is not a database of ours.
 *
 * A write is acknowledged once the operating system has it: it survives `kill -9` of this process, which is what is
 * promised, but not a loss of power. That is why `synchronous` is off, and why a commit costs tens of microseconds.
 */
export async function openDatabase(path: string | undefined): Promise<Database> {
  const driver = await loadDriver();
  if (path !== undefined) createPrivately(path);
  const connection = new driver.Database(path ?? ':memory:');
  try {
    connection.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = PERSIST; PRAGMA synchronous = OFF');
    claim(connection, path);
  } catch (error) {
    connection.close();
    throw error instanceof KnownError ? error : unreadable(path, error);
  }
  return wrap(connection);
}

/** Makes a new database file (0600) for others to read; nothing may be in its place. */
export async function createDatabaseFile(path: string): Promise<Database> {
  const driver = await loadDriver();
  closeSync(openSync(path, 'wx', 0o600));
  const connection = new driver.Database(path);
  connection.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF');
  return wrap(connection);
}

function wrap(connection: InstanceType<Driver['Database']>): Database {
  type Statement = ReturnType<typeof connection.prepare>;
  const statements = new Map<string, Statement>();

  function prepare(sql: string, values: SqlValue[]): Statement {
    for (const value of values) {
      // The driver hands texts over as C strings and would cut this one off in silence.
      if (typeof value === 'string' && value.includes('\0')) throw new TypeError('a stored text holds a NUL');
    }
    let statement = statements.get(sql);
    if (!statement) statements.set(sql, (statement = connection.prepare(sql)));
    return statement;
  }

  function all<Row>(sql: string, ...values: SqlValue[]): Row[] {
    return prepare(sql, values).all(values) as Row[];
  }

  return {
    exec: (sql) => {
      connection.exec(sql);
    },
    run: (sql, ...values) => prepare(sql, values).run(values).changes,
    // Stepping to the end resets the statement; a half-read one would keep its read transaction open.
    get: <Row>(sql: string, ...values: SqlValue[]) => all<Row>(sql, ...values)[0],
    all,
    transaction: (work) => {
      const inner = connection.inTransaction;
      connection.exec(inner ? 'SAVEPOINT inner' : 'BEGIN');
      try {
        const result = work();
        connection.exec(inner ? 'RELEASE inner' : 'COMMIT');
        return result;
      } catch (error) {
        if (connection.inTransaction) connection.exec(inner ? 'ROLLBACK TO inner; RELEASE inner' : 'ROLLBACK');
        throw error;
      }
    },
    complaint: (sql) => {
      try {
        connection.prepare(sql).finalize();
        return undefined;
      } catch (error) {
        return error instanceof Error ? error.message : String(error);
      }
    },
    close: () => {
      for (const statement of statements.values()) statement.finalize();
      statements.clear();
      connection.close();
    },
  };
}

/** The driver would make the file readable for everybody. */
function createPrivately(path: string): void {
  closeSync(openSync(path, 'a', 0o600));
  chmodSync(path, 0o600);
}

function claim(connection: InstanceType<Driver['Database']>, path: string | undefined): void {
  const { application_id: found } = connection.get('PRAGMA application_id') as { application_id: number };
  if (found === APPLICATION_ID) return;
  const tables = connection.get('SELECT count(*) AS count FROM sqlite_master') as { count: number };
  if (found !== 0 || tables.count > 0) throw unreadable(path);
  connection.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
}

function unreadable(path: string | undefined, cause?: unknown): KnownError {
  return new KnownError({
    code: 'emulator.database',
    message: `${path ?? 'The database'} is not a database of the embedded platform.`,
    hint: 'Choose another folder, or move that file away to start again.',
    cause,
  });
}
