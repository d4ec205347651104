// What connections and data models have in common: definitions by workspace and id, in the order they were made.
import { parseJson, stringifyJson } from '../../kernel/json.ts';
import type { Audit } from '../base/audit.ts';
import type { Database } from '../base/db.ts';

/** The step that makes the table of one kind of resource. */
export function resourcesMigration(table: string): string {
  return `CREATE TABLE ${table} (
     seq INTEGER PRIMARY KEY, workspace INTEGER NOT NULL, id TEXT NOT NULL, document TEXT NOT NULL,
     UNIQUE (workspace, id)
   )`;
}

export interface Kept<Definition> {
  /** As it was sent, secrets included. */
  definition: Definition;
  audit: Audit;
  /** Faulted, or invalid: nothing is synchronized by it until it is put right. */
  broken: boolean;
  /** What went wrong. */
  errors: string[];
}

export interface ResourceStore<Definition extends { id: string }> {
  list(workspace: number): Kept<Definition>[];
  get(workspace: number, id: string): Kept<Definition> | undefined;
  add(workspace: number, kept: Kept<Definition>): void;
  replace(workspace: number, kept: Kept<Definition>): void;
  remove(workspace: number, id: string): void;
  clear(): void;
}

export function createResourceStore<Definition extends { id: string }>(
  db: Database,
  table: 'connections' | 'data_models',
): ResourceStore<Definition> {
  const parse = ({ document }: { document: string }) => parseJson(document) as Kept<Definition>;
  return {
    list: (workspace) =>
      db
        .all<{ document: string }>(`SELECT document FROM ${table} WHERE workspace = ? ORDER BY seq`, workspace)
        .map(parse),
    get: (workspace, id) => {
      const row = db.get<{ document: string }>(
        `SELECT document FROM ${table} WHERE workspace = ? AND id = ?`,
        workspace,
        id,
      );
      return row && parse(row);
    },
    add: (workspace, kept) => {
      const { id } = kept.definition;
      db.run(`INSERT INTO ${table} (workspace, id, document) VALUES (?, ?, ?)`, workspace, id, stringifyJson(kept));
    },
    replace: (workspace, kept) => {
      const { id } = kept.definition;
      db.run(`UPDATE ${table} SET document = ? WHERE workspace = ? AND id = ?`, stringifyJson(kept), workspace, id);
    },
    remove: (workspace, id) => {
      db.run(`DELETE FROM ${table} WHERE workspace = ? AND id = ?`, workspace, id);
    },
    clear: () => {
      db.exec(`DELETE FROM ${table}`);
    },
  };
}
