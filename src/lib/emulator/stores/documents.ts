// Definitions as JSON documents, by workspace and id: groups, connections, data models and pipelines.
import { parseJson, stringifyJson } from '../../kernel/json.ts';
import type { Audit } from '../base/audit.ts';
import type { Database, SqlValue } from '../base/db.ts';

/** SQL that creates the table of connections or data models. */
export function resourcesMigration(table: string): string {
  return `CREATE TABLE ${table} (
     seq INTEGER PRIMARY KEY, workspace INTEGER NOT NULL, id TEXT NOT NULL, document TEXT NOT NULL,
     UNIQUE (workspace, id)
   )`;
}

/** A connection or a data model. */
export interface Kept<Definition> {
  /** As it was sent, secrets included. */
  definition: Definition;
  audit: Audit;
  /** Faulted or invalid: it stops its pipelines until it is fixed. */
  broken: boolean;
  errors: string[];
}

type Columns = Readonly<Record<string, SqlValue>>;

export type DocumentStore<Document> = ReturnType<typeof createDocumentStore<Document>>;

/** `columns` of a call are further columns of the row. */
export function createDocumentStore<Document>(
  db: Database,
  table: string,
  idOf: (document: Document) => string,
  order = 'seq',
) {
  const select = `SELECT document FROM ${table} WHERE workspace = ?`;
  const read = (sql: string, ...values: SqlValue[]): Document[] =>
    db.all<{ document: string }>(sql, ...values).map(({ document }) => parseJson(document) as Document);
  return {
    list: (workspace: number): Document[] => read(`${select} ORDER BY ${order}`, workspace),
    get: (workspace: number, id: string): Document | undefined => read(`${select} AND id = ?`, workspace, id)[0],
    add: (workspace: number, document: Document, columns: Columns = {}): void => {
      db.insert(table, { workspace, id: idOf(document), document: stringifyJson(document), ...columns });
    },
    replace: (workspace: number, document: Document, columns: Columns = {}): void => {
      const changed = { document: stringifyJson(document), ...columns };
      const assignments = Object.keys(changed).map((column) => `${column} = ?`);
      db.run(
        `UPDATE ${table} SET ${assignments.join(', ')} WHERE workspace = ? AND id = ?`,
        ...[...Object.values(changed), workspace, idOf(document)],
      );
    },
    remove: (workspace: number, id: string): void => {
      db.run(`DELETE FROM ${table} WHERE workspace = ? AND id = ?`, workspace, id);
    },
    clear: (): void => db.exec(`DELETE FROM ${table}`),
  };
}
