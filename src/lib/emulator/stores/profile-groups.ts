// Writes a group's attributes to the documents of its members, in small steps.
import { groupBy } from '../../kernel/group-by.ts';
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

export function createProfileGroups(db: Database, profiles: ProfileTable) {
  function write({ id, document }: ProfileRow, prefix: string, values: Values): void {
    const others = Object.entries(document.group_attributes).filter(([name]) => !name.startsWith(prefix));
    const own = Object.entries(values).map(([name, value]) => [prefix + name, value] as const);
    const group_attributes = Object.fromEntries([...others, ...own]);
    if (stringifyJson(group_attributes) === stringifyJson(document.group_attributes)) return;
    profiles.update({ id }, { document: { ...document, group_attributes } });
  }

  /** Removes a group's attributes from all profiles, except from the rows with these ids. */
  function* clear(workspace: number, id: string, except: readonly number[] = []): Generator<undefined, void> {
    const prefix = `${id}:`;
    const marked = profiles.select(
      `WHERE workspace = ? AND id NOT IN (SELECT value FROM json_each(?)) AND EXISTS (
         SELECT 1 FROM json_each(document, '$.group_attributes') AS held WHERE substr(held.key, 1, length(?)) = ?
       )`,
      ...[workspace, stringifyJson(except), prefix, prefix],
    );
    for (const { id: row } of marked) {
      const found = profiles.find({ id: row });
      if (found) write(found, prefix, {});
      yield;
    }
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
      const candidates = db.all<{ row: number; instance: string }>(
        `SELECT profiles.id AS row, json_array(environment, type, value) AS instance
         FROM profiles, json_each(document, '$.user_attributes')
         WHERE workspace = ? AND key = ? ->> 0 AND type <> 'null' ORDER BY CAST(xpid AS INTEGER)`,
        // As JSON, because the driver rejects text with a NUL.
        ...[workspace, stringifyJson([attribute])],
      );
      yield;
      const kept: number[] = [];
      for (const instance of groupBy(candidates, (one) => one.instance).values()) {
        const members = instance.slice(0, most).flatMap(({ row }) => profiles.find({ id: row }) ?? []);
        const values = share(members.map(profileOf));
        for (const member of members) write(member, `${id}:`, values);
        kept.push(...members.map((member) => member.id));
        yield;
      }
      yield* clear(workspace, id, kept);
    },
    clearGroup: (workspace: number, id: string): void => {
      for (const _step of clear(workspace, id));
    },
  };
}
