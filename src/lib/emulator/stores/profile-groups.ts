// Writes a group's attributes to the documents of its members, in small steps.
import { stringifyJson } from '../../kernel/json.ts';
import type { Database } from '../base/db.ts';
import { type Profile, profileOf, type ProfileRow, type ProfileTable } from './profile-rows.ts';

/** Fields of a group that select its members. */
export interface SharingGroup {
  workspace: number;
  id: string;
  /** Members share a value of this user attribute. */
  attribute: string;
  /** Maximum number of members with the same value. Other profiles are ignored. */
  most: number;
}

type Values = Readonly<Record<string, unknown>>;

/** A profile that has the shared value and may become a member. */
interface Candidate {
  row: number;
  xpid: bigint;
}

const ROWS_PER_STEP = 100;

export function createProfileGroups(db: Database, profiles: ProfileTable) {
  function write({ id, document }: ProfileRow, prefix: string, values: Values): void {
    const others = Object.entries(document.group_attributes).filter(([name]) => !name.startsWith(prefix));
    const own = Object.entries(values).map(([name, value]) => [prefix + name, value] as const);
    const before = stringifyJson(document.group_attributes);
    document.group_attributes = Object.fromEntries([...others, ...own]);
    if (stringifyJson(document.group_attributes) === before) return;
    profiles.update({ id }, { document });
  }

  return {
    /**
     * Visits each value of the attribute in each environment. The first members by `xpid` get the attributes that
     * `share` computes; other profiles lose the group's attributes. Null does not count as a value. Steps are short, so
     * a change between two steps may be missed. Does not change `last_modified_on`.
     */
    *shareGroup(
      { workspace, id, attribute, most }: SharingGroup,
      share: (members: readonly Omit<Profile, 'events'>[]) => Values,
    ): Generator<undefined, void> {
      const prefix = `${id}:`;
      const instances = new Map<string, Candidate[]>();
      const left = new Set<number>();
      for (let after = -1; ;) {
        const next = `WHERE workspace = ? AND id > ? ORDER BY id LIMIT ${ROWS_PER_STEP}`;
        const rows = profiles.select(next, workspace, after);
        for (const row of rows) {
          const { group_attributes, user_attributes } = row.document;
          if (Object.keys(group_attributes).some((name) => name.startsWith(prefix))) left.add(row.id);
          const value = Object.hasOwn(user_attributes, attribute) ? (user_attributes[attribute] ?? null) : null;
          if (value === null) continue;
          const key = stringifyJson([row.environment, value]);
          const candidates = instances.get(key);
          if (candidates) addCandidate(candidates, row, most);
          else instances.set(key, [{ row: row.id, xpid: BigInt(row.xpid) }]);
        }
        yield;
        const last = rows.at(-1);
        if (!last || rows.length < ROWS_PER_STEP) break;
        after = last.id;
      }
      for (const candidates of instances.values()) {
        const rows = candidates.flatMap(({ row }) => profiles.find({ id: row }) ?? []);
        const values = share(rows.map(profileOf));
        for (const row of rows) {
          write(row, prefix, values);
          left.delete(row.id);
        }
        yield;
      }
      for (const id of left) {
        const row = profiles.find({ id });
        if (row) write(row, prefix, {});
        yield;
      }
    },
    /** Removes a group's attributes from all profiles. */
    clearGroup: (workspace: number, id: string): void => {
      const prefix = `${id}:`;
      db.transaction(() => {
        const marked = profiles.select(
          `WHERE workspace = ? AND EXISTS (
             SELECT 1 FROM json_each(document, '$.group_attributes') AS held WHERE substr(held.key, 1, length(?)) = ?
           )`,
          ...[workspace, prefix, prefix],
        );
        for (const row of marked) write(row, prefix, {});
      });
    },
  };
}

/** Adds a candidate, but keeps only the first `most`, ordered by `xpid`. */
function addCandidate(candidates: Candidate[], { id, xpid: digits }: ProfileRow, most: number): void {
  const xpid = BigInt(digits);
  const at = candidates.findIndex((other) => other.xpid > xpid);
  candidates.splice(at === -1 ? candidates.length : at, 0, { row: id, xpid });
  if (candidates.length > most) candidates.pop();
}
