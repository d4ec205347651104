// What A keeps: a manifest per organization, ready to be sent, and who holds which role.
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

export interface RolesStore {
  /** The manifest of an organization as JSON, as GET answers it. */
  read(orgId: number): string;
  /** Puts a manifest in its place and returns it as JSON. `at` is epoch milliseconds, `by` an e-mail address. */
  replace(orgId: number, roles: readonly Role[], at: number, by: string): string;
  /** Whether the manifest has the role. */
  has(orgId: number, roleId: string): boolean;
  /** The ids of all roles that somebody holds. */
  assigned(orgId: number): string[];
  assign(assignment: RoleAssignment): void;
  clear(): void;
}

export function createRolesStore(db: Database): RolesStore {
  function read(orgId: number): string {
    const row = db.get<{ reply: string }>('SELECT reply FROM manifests WHERE org_id = ?', orgId);
    return row?.reply ?? '{"roles":[]}';
  }

  return {
    read,
    replace: (orgId, roles, at, by) => {
      const reply = JSON.stringify({ roles, last_modified_on: manifestTime(at), last_modified_by: by });
      db.run('INSERT OR REPLACE INTO manifests (org_id, reply) VALUES (?, ?)', orgId, reply);
      return reply;
    },
    has: (orgId, roleId) => {
      const { roles } = JSON.parse(read(orgId)) as ManifestReply;
      return roles.some(({ role_id }) => role_id === roleId);
    },
    assigned: (orgId) =>
      db
        .all<{ role_id: string }>('SELECT DISTINCT role_id FROM role_assignments WHERE org_id = ?', orgId)
        .map(({ role_id }) => role_id),
    assign: ({ org_id, role_id, user }) => {
      db.run('INSERT OR IGNORE INTO role_assignments (org_id, role_id, user) VALUES (?, ?, ?)', org_id, role_id, user);
    },
    clear: () => {
      db.exec('DELETE FROM manifests; DELETE FROM role_assignments');
    },
  };
}
