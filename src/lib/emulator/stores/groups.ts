// What B keeps: the definitions of each workspace and when each is refreshed next.
import type { GroupAttribute } from '../../contract/groups.ts';
import type { Audit } from '../base/audit.ts';
import type { Database } from '../base/db.ts';

export const groupsMigrations = [
  `CREATE TABLE groups (
     workspace INTEGER NOT NULL, id TEXT NOT NULL, document TEXT NOT NULL, refresh_at INTEGER NOT NULL,
     PRIMARY KEY (workspace, id)
   ) WITHOUT ROWID`,
];

/** A definition as it is answered. */
export interface Group extends Audit {
  id: string;
  description: string;
  source_user_attribute: string;
  attributes: GroupAttribute[];
}

export function createGroupsStore(db: Database) {
  const parse = ({ document }: { document: string }): Group => JSON.parse(document) as Group;
  return {
    list: (workspace: number): Group[] =>
      db.all<{ document: string }>('SELECT document FROM groups WHERE workspace = ? ORDER BY id', workspace).map(parse),
    get: (workspace: number, id: string): Group | undefined => {
      const row = db.get<{ document: string }>(
        'SELECT document FROM groups WHERE workspace = ? AND id = ?',
        workspace,
        id,
      );
      return row && parse(row);
    },
    /** Adds a definition; it is refreshed first at `refreshAt` (epoch ms). */
    add: (workspace: number, group: Group, refreshAt: number): void => {
      db.run(
        'INSERT INTO groups (workspace, id, document, refresh_at) VALUES (?, ?, ?, ?)',
        ...[workspace, group.id, JSON.stringify(group), refreshAt],
      );
    },
    replace: (workspace: number, group: Group): void => {
      db.run(
        'UPDATE groups SET document = ? WHERE workspace = ? AND id = ?',
        JSON.stringify(group),
        workspace,
        group.id,
      );
    },
    remove: (workspace: number, id: string): void => {
      db.run('DELETE FROM groups WHERE workspace = ? AND id = ?', workspace, id);
    },
    /** The refresh that comes first, or undefined. */
    nextRefresh: (): { workspace: number; id: string; refresh_at: number } | undefined =>
      db.get('SELECT workspace, id, refresh_at FROM groups ORDER BY refresh_at, workspace, id LIMIT 1'),
    setRefresh: (workspace: number, id: string, at: number): void => {
      db.run('UPDATE groups SET refresh_at = ? WHERE workspace = ? AND id = ?', at, workspace, id);
    },
    clear: (): void => {
      db.exec('DELETE FROM groups');
    },
  };
}
