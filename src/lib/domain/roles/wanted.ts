// The roles that a checked file asks for: merged against its base, or a plain replacement without one.
import { diffRoles } from './diff.ts';
import { type Manifest, type Role, rolesById, sameContent, sameStamp } from './manifest.ts';
import { type MergeConflict, mergeRoles } from './merge.ts';

export interface WantedRoles {
  roles: Role[];
  conflicts: MergeConflict[];
  /** Ids of roles that keep changes made on the platform since the base. */
  rebased: string[];
  /** The file has an older stamp, its base is unknown and the platform differs: the cause of a difference is unknown. */
  stale: boolean;
}

/** Computes the roles that the file asks for, given the live manifest. */
export function wantedRoles(file: Manifest, base: Manifest | undefined, live: Manifest): WantedRoles {
  if (base) {
    const known = rolesById(base.roles);
    const source = [...base.roles, ...live.roles.filter((role) => !known.has(role.role_id))];
    return { ...mergeRoles(base.roles, carryUnknownFields(file.roles, source), live.roles), stale: false };
  }
  const roles = carryUnknownFields(file.roles, live.roles);
  const stamped = file.last_modified_on !== null;
  const stale = stamped && !sameStamp(file, live) && !sameContent({ ...live, roles }, live);
  return { roles, conflicts: [], rebased: [], stale };
}

/**
 * Picks the remembered manifest that a file was made from. Stamps have whole seconds, so among those with the file's
 * stamp it is the one whose roles differ least from the file's. `candidates` come newest first.
 */
export function chooseBase(file: Manifest, candidates: readonly Manifest[]): Manifest | undefined {
  if (file.last_modified_on === null) return undefined;
  const measured = candidates
    .filter((candidate) => sameStamp(file, candidate))
    .map((candidate) => {
      const { create, modify, delete: deleted } = diffRoles(candidate.roles, file.roles).summary;
      return { candidate, distance: create + modify + deleted };
    });
  return measured.sort((one, other) => one.distance - other.distance)[0]?.candidate;
}

/**
 * The roles with the further fields of the same role or task in `source`. A file that omits a field which the
 * specification does not know, or names a task by its id alone, does not mean to remove anything.
 */
export function carryUnknownFields(roles: readonly Role[], source: readonly Role[]): Role[] {
  const held = rolesById(source);
  return roles.map((role) => {
    const same = held.get(role.role_id);
    if (!same) return role;
    const tasks = new Map(same.tasks.map((task) => [task.task_id, task]));
    return { ...same, ...role, tasks: role.tasks.map((task) => ({ ...tasks.get(task.task_id), ...task })) };
  });
}
