// From a checked file to the roles that shall be: three-way against the base, or a plain replacement without one.
import { carryUnknownFields } from './carry.ts';
import { type Manifest, type Role, rolesById, sameContent, sameRole, sameStamp } from './manifest.ts';
import { type MergeConflict, mergeRoles } from './merge.ts';

export interface WantedRoles {
  roles: Role[];
  conflicts: MergeConflict[];
  /** Ids of roles where changes that the platform got since the base were kept. */
  rebased: string[];
  /**
   * The file carries an older stamp, its base is not known, and the platform holds something else: whether anybody
   * changed it meanwhile cannot be told.
   */
  stale: boolean;
}

/** Works out what the file wants of the platform as it is now. */
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
 * Picks the remembered manifest that a file was made from: the same stamp and, since a stamp has whole seconds only,
 * among several the one whose roles differ least from the file's. `candidates` come newest first.
 */
export function chooseBase(file: Manifest, candidates: readonly Manifest[]): Manifest | undefined {
  if (file.last_modified_on === null) return undefined;
  let best: Manifest | undefined;
  let fewest = Infinity;
  for (const candidate of candidates) {
    if (!sameStamp(file, candidate)) continue;
    const distance = differingRoles(file, candidate);
    if (distance < fewest) {
      best = candidate;
      fewest = distance;
    }
  }
  return best;
}

function differingRoles(a: Manifest, b: Manifest): number {
  const mine = rolesById(a.roles);
  const other = rolesById(b.roles);
  let count = 0;
  for (const id of new Set([...mine.keys(), ...other.keys()])) {
    const [left, right] = [mine.get(id), other.get(id)];
    if (!left || !right || !sameRole(left, right)) count++;
  }
  return count;
}
