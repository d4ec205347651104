// Manifest of each organization, as the JSON that GET returns, and the users of each role.
import type { ManifestReply, Role } from '../../contract/roles.ts';
import { manifestTime } from '../../kernel/timestamps.ts';
import { type Database, openTable } from '../base/db.ts';
import type { RoleAssignment } from '../base/embedding.ts';

export const rolesMigrations = [
  `CREATE TABLE manifests (org_id INTEGER PRIMARY KEY, reply TEXT NOT NULL);
   CREATE TABLE role_assignments (
     org_id INTEGER NOT NULL, role_id TEXT NOT NULL, user TEXT NOT NULL,
     PRIMARY KEY (org_id, role_id, user)
   ) WITHOUT ROWID`,
];

export function createRolesStore(db: Database) {
  const manifests = openTable<{ org_id: number; reply: string }>(db, 'manifests');
  const assignments = openTable<RoleAssignment>(db, 'role_assignments');
  const read = (org_id: number): string => manifests.find({ org_id })?.reply ?? '{"roles":[]}';
  return {
    read,
    /** Replaces a manifest and returns it as JSON. `at` is epoch milliseconds, and `by` is an email address. */
    replace: (org_id: number, roles: readonly Role[], at: number, by: string): string => {
      const reply = JSON.stringify({ roles, last_modified_on: manifestTime(at), last_modified_by: by });
      db.run('INSERT OR REPLACE INTO manifests (org_id, reply) VALUES (?, ?)', org_id, reply);
      return reply;
    },
    has: (orgId: number, roleId: string): boolean =>
      (JSON.parse(read(orgId)) as ManifestReply).roles.some(({ role_id }) => role_id === roleId),
    /** Returns the ids of the organization's assigned roles, once for each assignment. */
    assigned: (org_id: number): string[] => assignments.list({ org_id }).map(({ role_id }) => role_id),
    assign: ({ org_id, role_id, user }: RoleAssignment): void => {
      db.run('INSERT OR IGNORE INTO role_assignments (org_id, role_id, user) VALUES (?, ?, ?)', org_id, role_id, user);
    },
    clear: (): void => {
      manifests.remove();
      assignments.remove();
    },
  };
}
