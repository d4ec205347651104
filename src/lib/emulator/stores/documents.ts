// Definitions as JSON documents, by workspace and id: groups, connections, data models and pipelines.
import { isoMillis } from '../../kernel/timestamps.ts';
import { type Database, openTable, type SqlValue } from '../base/db.ts';

/** Fields that the platform sets. Times are ISO 8601 with milliseconds; users are email addresses. */
export interface Audit {
  created_on: string;
  created_by: string;
  last_modified_on: string | null;
  last_modified_by: string | null;
}

/** Returns the audit fields of a new resource. `at` is epoch milliseconds; `by` is an email address. */
export function created(at: number, by: string): Audit {
  return { created_on: isoMillis(at), created_by: by, last_modified_on: null, last_modified_by: null };
}

export function modified({ created_on, created_by }: Audit, at: number, by: string): Audit {
  return { created_on, created_by, last_modified_on: isoMillis(at), last_modified_by: by };
}

/** Returns SQL that creates the table of connections or data models. */
export function resourcesMigration(table: string): string {
  return `CREATE TABLE ${table} (
     seq INTEGER PRIMARY KEY, workspace INTEGER NOT NULL, id TEXT NOT NULL, document TEXT NOT NULL,
     UNIQUE (workspace, id)
   )`;
}

export interface Kept<Definition> {
  /** The definition with defaults and secrets, without read-only fields. */
  definition: Definition;
  audit: Audit;
  /** True if the resource is faulted or invalid, which stops its pipelines until it is fixed. */
  broken: boolean;
  errors: string[];
}

export type DocumentStore<Document> = ReturnType<typeof createDocumentStore<Document>>;

/** `columnsOf` returns a row's additional columns. */
export function createDocumentStore<Document>(
  db: Database,
  table: string,
  idOf: (document: Document) => string,
  columnsOf: (document: Document) => Readonly<Record<string, SqlValue>> = () => ({}),
) {
  const rows = openTable<{ workspace: number; id: string; document: Document }>(db, table, ['document']);
  const cached = new Map<string, Document>();
  let revision = -1;

  /** Returns the cached documents, which are valid until the next write to the database. */
  function known(): Map<string, Document> {
    if (revision !== db.revision()) cached.clear();
    revision = db.revision();
    return cached;
  }

  function get(workspace: number, id: string): Document | undefined {
    const key = `${workspace} ${id}`;
    const document = known().get(key) ?? rows.find({ workspace, id })?.document;
    if (document !== undefined) cached.set(key, document);
    return document;
  }

  return {
    /** Returns definitions in order of creation or, in a table without `seq`, by id. */
    list: (workspace: number): Document[] => rows.list({ workspace }, 'ORDER BY 1, 2').map(({ document }) => document),
    get,
    add: (workspace: number, document: Document, columns: Readonly<Record<string, SqlValue>> = {}): void => {
      rows.insert({ workspace, id: idOf(document), document, ...columnsOf(document), ...columns });
    },
    replace: (workspace: number, document: Document): void => {
      const id = idOf(document);
      rows.update({ workspace, id }, { document, ...columnsOf(document) });
      known().set(`${workspace} ${id}`, document);
    },
    remove: (workspace: number, id: string): void => rows.remove({ workspace, id }),
    clear: (): void => rows.remove(),
  };
}
