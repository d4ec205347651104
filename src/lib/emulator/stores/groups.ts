// Group definitions of each workspace, and the time of each group's next refresh.
import type { GroupAttribute } from '../../contract/groups.ts';
import { type Database, openTable } from '../base/db.ts';
import { type Audit, createDocumentStore } from './documents.ts';

export const groupsMigrations = [
  `CREATE TABLE groups (
     workspace INTEGER NOT NULL, id TEXT NOT NULL, document TEXT NOT NULL, refresh_at INTEGER NOT NULL,
     PRIMARY KEY (workspace, id)
   ) WITHOUT ROWID`,
];

export interface Group extends Audit {
  id: string;
  description: string;
  source_user_attribute: string;
  attributes: GroupAttribute[];
}

interface Refresh {
  workspace: number;
  id: string;
  /** Epoch milliseconds. */
  refresh_at: number;
}

/** Callers of `add` must pass the `refresh_at` column. */
export function createGroupsStore(db: Database) {
  const refreshes = openTable<Refresh>(db, 'groups');
  return {
    ...createDocumentStore<Group>(db, 'groups', ({ id }) => id),
    nextRefresh: (): Refresh | undefined => refreshes.find({}, 'ORDER BY refresh_at, workspace, id'),
    setRefresh: (workspace: number, id: string, refresh_at: number): void =>
      refreshes.update({ workspace, id }, { refresh_at }),
  };
}
