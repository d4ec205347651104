// Group definitions of each workspace, and when each is refreshed next.
import type { GroupAttribute } from '../../contract/groups.ts';
import type { Audit } from '../base/audit.ts';
import type { Database } from '../base/db.ts';
import { createDocumentStore } from './documents.ts';

export const groupsMigrations = [
  `CREATE TABLE groups (
     workspace INTEGER NOT NULL, id TEXT NOT NULL, document TEXT NOT NULL, refresh_at INTEGER NOT NULL,
     PRIMARY KEY (workspace, id)
   ) WITHOUT ROWID`,
];

/** A definition as the platform returns it. */
export interface Group extends Audit {
  id: string;
  description: string;
  source_user_attribute: string;
  attributes: GroupAttribute[];
}

/** `add` needs the column `refresh_at`: the time of the first refresh, epoch milliseconds. */
export function createGroupsStore(db: Database) {
  return {
    ...createDocumentStore<Group>(db, 'groups', ({ id }) => id, 'id'),
    /** The next refresh, or undefined. */
    nextRefresh: (): { workspace: number; id: string; refresh_at: number } | undefined =>
      db.get('SELECT workspace, id, refresh_at FROM groups ORDER BY refresh_at, workspace, id LIMIT 1'),
    setRefresh: (workspace: number, id: string, at: number): void => {
      db.run('UPDATE groups SET refresh_at = ? WHERE workspace = ? AND id = ?', at, workspace, id);
    },
  };
}
