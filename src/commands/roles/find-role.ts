// A role that is asked for by its id.
import type { RoleReply } from '../../lib/contract/roles.ts';
import { nearestHint } from '../../lib/kernel/nearest.ts';
import { fail } from '../../lib/errors/fail.ts';

/** The role with this id; KnownError not found (5) with the nearest id otherwise. */
export function findRole(roles: readonly RoleReply[], roleId: string): RoleReply {
  const role = roles.find((item) => item.role_id === roleId);
  if (role) return role;
  const known = roles.map((item) => item.role_id);
  throw fail('roles.not_found', {
    message: `There is no role ${roleId}.`,
    hint: nearestHint(roleId, known, { text: 'To list them all:', command: 'cdpadm roles list' }),
  });
}
