// A manifest per organization as the JSON that GET returns, and the users of each role.
import type { ManifestReply, Role } from '../../contract/roles.ts';
import { manifestTime } from '../../kernel/timestamps.ts';
import type { Database } from '../base/db.ts';

export const rolesMigrations = [
  `CREATE TABLE manifests (org_id INTEGER PRIMARY KEY, reply TEXT NOT NULL);
   CREATE TABLE role_assignments (
     org_id INTEGER NOT NULL, role_id TEXT NOT NULL, user TEXT NOT NULL,
     PRIMARY KEY (org_id, role_id, user)
   ) WITHOUT ROWID`,
];

export interface RoleAssignment {
  org_id: number;
  role_id: string;
  user: string;
}

export function createRolesStore(db: Database) {
  function read(orgId: number): string {
    const row = db.get<{ reply: string }>('SELECT reply FROM manifests WHERE org_id = ?', orgId);
    return row?.reply ?? '{"roles":[]}';
  }

  return {
    read,
    /** Replaces a manifest and returns it as JSON. `at` is epoch milliseconds, `by` an email address. */
    replace: (orgId: number, roles: readonly Role[], at: number, by: string): string => {
      const reply = JSON.stringify({ roles, last_modified_on: manifestTime(at), last_modified_by: by });
      db.run('INSERT OR REPLACE INTO manifests (org_id, reply) VALUES (?, ?)', orgId, reply);
      return reply;
    },
    has: (orgId: number, roleId: string): boolean => {
      const { roles } = JSON.parse(read(orgId)) as ManifestReply;
      return roles.some(({ role_id }) => role_id === roleId);
    },
    /** Ids of all roles that have a user. */
    assigned: (orgId: number): string[] =>
      db
        .all<{ role_id: string }>('SELECT DISTINCT role_id FROM role_assignments WHERE org_id = ?', orgId)
        .map(({ role_id }) => role_id),
    assign: ({ org_id, role_id, user }: RoleAssignment): void => {
      db.run('INSERT OR IGNORE INTO role_assignments (org_id, role_id, user) VALUES (?, ?, ?)', org_id, role_id, user);
    },
    clear: (): void => {
      db.exec('DELETE FROM manifests; DELETE FROM role_assignments');
    },
  };
}
