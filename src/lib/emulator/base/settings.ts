// Small values that survive a restart (clock, fixtures, versions of tables), by key.
import { parseJson, stringifyJson } from '../../kernel/json.ts';
import type { Database } from './db.ts';

export type StoredSettings = ReturnType<typeof openSettings>;

/** Opens the settings of a database and creates their table if necessary. Values are JSON. */
export function openSettings(db: Database) {
  db.exec('CREATE TABLE IF NOT EXISTS settings (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID');
  return {
    get: <T>(key: string): T | undefined => {
      const row = db.get<{ value: string }>('SELECT value FROM settings WHERE key = ?', key);
      return row && (parseJson(row.value) as T);
    },
    set: (key: string, value: unknown): void => {
      db.run('INSERT OR REPLACE INTO settings (key, value) VALUES (?, ?)', key, stringifyJson(value));
    },
  };
}
