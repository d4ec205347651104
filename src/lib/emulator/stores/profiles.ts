// Seeding, intake, pipelines and groups write the platform's profiles; data subject requests read and erase them.
import { createHash } from 'node:crypto';
import { internalIdentityType } from '../../contract/identities.ts';
import { isoMillis } from '../../kernel/timestamps.ts';
import { type Database, openTable } from '../base/db.ts';
import type { StoredCounts } from '../base/embedding.ts';
import {
  type ProfileContent,
  type ProfileDocument,
  writeInto,
  integerOf,
  type Profile,
  profileOf,
  type ProfileRow,
  type Identity,
  type Scope,
} from './profile-rows.ts';
import { createProfileGroups } from './profile-groups.ts';

/** Identity type of a profile's own id. Its value is the integer as a decimal string. */
const XPID = 'xpid';

/** JSON separates the type from the value, and encodes NUL and lone surrogates. */
function keyOf({ workspace, environment }: Scope, identity: Identity): string {
  return `${workspace}${environment === 'production' ? 'p' : 'd'}${JSON.stringify(identity)}`;
}

export const profilesMigrations = [
  `CREATE TABLE profiles (
     id INTEGER PRIMARY KEY, workspace INTEGER NOT NULL, environment TEXT NOT NULL, xpid TEXT NOT NULL,
     created_at INTEGER NOT NULL, changed_at INTEGER NOT NULL, seeds INTEGER NOT NULL, document TEXT NOT NULL,
     sources TEXT NOT NULL DEFAULT '{}'
   );
   CREATE TABLE profile_events (
     id INTEGER PRIMARY KEY, profile INTEGER NOT NULL, at INTEGER NOT NULL, event TEXT NOT NULL
   );
   CREATE INDEX profile_events_of ON profile_events (profile);
   CREATE TABLE profile_identities (key TEXT PRIMARY KEY, profile INTEGER NOT NULL) WITHOUT ROWID`,
  "ALTER TABLE profiles ADD COLUMN sources TEXT NOT NULL DEFAULT '{}'",
];

/** A person: the platform's own id, identities in any spelling (decision: D27), or both. */
export interface Subject {
  xpid?: number | bigint | undefined;
  identities?: Readonly<Record<string, string>> | undefined;
}

/** A change to a profile, which is created if necessary. */
export interface ProfileChange extends Scope, Subject, ProfileContent {
  /** Events are stored unchanged, in order. */
  events?: readonly unknown[] | undefined;
}

export type ProfilesStore = ReturnType<typeof createProfiles>;

export function createProfiles(db: Database) {
  const owners = openTable<{ key: string; profile: number }>(db, 'profile_identities');
  /** Returns the row id of the profile that an identity belongs to, if any. */
  const ownerOf = (scope: Scope, identity: Identity): number | undefined =>
    owners.find({ key: keyOf(scope, identity) })?.profile;
  const sql = 'INSERT OR IGNORE INTO profile_identities (key, profile) VALUES (?, ?)';
  /** Assigns an identity to a profile. Returns false if a profile already has it. */
  const claim = (scope: Scope, identity: Identity, profile: number): boolean =>
    db.run(sql, keyOf(scope, identity), profile) === 1;
  const profiles = openTable<ProfileRow>(db, 'profiles', ['document', 'sources']);
  const events = openTable<{ profile: number; at: number; event: unknown }>(db, 'profile_events', ['event']);
  let revision = 0;

  /** Returns the profile that a change applies to (`fresh` for a new profile), and its new identities. */
  function identify(change: ProfileChange, fresh: number): { id: number; added: Identity[] } {
    const identities = identitiesOf(change);
    if (change.xpid !== undefined) {
      const own: Identity = [XPID, String(change.xpid)];
      const id = claim(change, own, fresh) ? fresh : (ownerOf(change, own) ?? fresh);
      return { id, added: identities.filter((identity) => claim(change, identity, id)) };
    }
    if (identities.length === 0) throw new TypeError('the change has no subject');
    const added = identities.filter((identity) => claim(change, identity, fresh));
    const known = identities.find((identity) => !added.includes(identity));
    const id = (known && ownerOf(change, known)) ?? fresh;
    if (id !== fresh) for (const identity of added) owners.update({ key: keyOf(change, identity) }, { profile: id });
    return { id, added };
  }

  function insert(id: number, change: ProfileChange, added: readonly Identity[], at: number, from: string): string {
    const xpid = change.xpid === undefined ? newXpid(change, added, id) : String(change.xpid);
    const document = { identities: {}, user_attributes: {}, group_attributes: {}, calculated_attributes: {} };
    writeInto(document, change, added);
    const { workspace, environment } = change;
    const row = { id, workspace, environment, xpid, created_at: at, changed_at: at };
    profiles.insert({ ...row, seeds: seedsOf(document), sources: sourcesOf(change, from), document });
    return xpid;
  }

  function update(id: number, change: ProfileChange, added: readonly Identity[], at: number, from: string): string {
    const row = profiles.find({ id });
    if (!row) throw new Error(`profile ${id} is missing`);
    const { document } = row;
    writeInto(document, change, added);
    const sources = { ...row.sources, ...sourcesOf(change, from) };
    profiles.update({ id }, { changed_at: at, seeds: seedsOf(document), sources, document });
    return row.xpid;
  }

  /** Returns an id that is the same for a person on every new platform, so that transcripts are comparable. */
  function newXpid(scope: Scope, [identity]: readonly Identity[], id: number): string {
    for (let attempt = 0; ; attempt++) {
      const text = JSON.stringify([scope.workspace, scope.environment, identity, attempt]);
      const xpid = String(createHash('sha256').update(text).digest().readBigInt64BE());
      if (claim(scope, [XPID, xpid], id)) return xpid;
    }
  }

  function rowsOf(workspace: number, subject: Subject): ProfileRow[] {
    const identities = [
      ...(subject.xpid === undefined ? [] : [[XPID, String(subject.xpid)] as const]),
      ...identitiesOf(subject),
    ];
    const ids = (['production', 'development'] as const).flatMap((environment) =>
      identities.map((identity) => ownerOf({ workspace, environment }, identity)),
    );
    return [...new Set(ids)].flatMap((id) => (id === undefined ? [] : (profiles.find({ id }) ?? [])));
  }

  function eventsOf(profile: number): Profile['events'] {
    return events.list({ profile }, 'ORDER BY id').map(({ at, event }) => ({ received_on: isoMillis(at), event }));
  }

  return {
    /**
     * Applies all changes or none, in order. Each change applies to the profile with its `xpid`, or else with its
     * first known identity. An identity of another profile is not moved (decision: D70). `at` is epoch milliseconds;
     * `source` names the sender. Returns the profiles' `xpid`s. Throws TypeError if a change has no subject.
     */
    apply: (changes: readonly ProfileChange[], at: number, source: string): (number | bigint)[] =>
      db.transaction(() => {
        const from = `${source}, ${isoMillis(at)}`;
        revision++;
        let next = (db.get<{ last: number | null }>('SELECT max(id) AS last FROM profiles')?.last ?? 0) + 1;
        return changes.map((change) => {
          const { id, added } = identify(change, next);
          const xpid = (id === next ? insert : update)(id, change, added, at, from);
          if (id === next) next++;
          for (const event of change.events ?? []) events.insert({ profile: id, at, event });
          return integerOf(xpid);
        });
      }),
    /** Returns the workspace's profiles with at least one of these identities, in either environment. */
    find: (workspace: number, subject: Subject): Profile[] =>
      rowsOf(workspace, subject).map((row) => ({ ...profileOf(row), events: eventsOf(row.id) })),
    /** Erases the profiles that `find` returns, with their events. Returns the number of erased profiles. */
    erase: (workspace: number, subject: Subject): number =>
      db.transaction(() => {
        revision++;
        const rows = rowsOf(workspace, subject);
        for (const row of rows) {
          owners.remove({ key: keyOf(row, [XPID, row.xpid]) });
          for (const [type, values] of Object.entries(row.document.identities)) {
            for (const value of values) owners.remove({ key: keyOf(row, [type, value]) });
          }
          events.remove({ profile: row.id });
          profiles.remove({ id: row.id });
        }
        return rows.length;
      }),
    ...createProfileGroups(db, profiles),
    /** Returns a number that increases with every change to profiles, except changes to group attributes. */
    revision: (): number => revision,
    counts: (): StoredCounts => {
      const sql = 'SELECT count(*) AS profiles, coalesce(sum(seeds), 0) AS seeds FROM profiles';
      return { profiles: 0, seeds: 0, ...db.get<Omit<StoredCounts, 'events'>>(sql), events: events.count({}) };
    },
    clear: (): void => {
      revision++;
      for (const table of [profiles, events, owners]) table.remove();
    },
  };
}

function identitiesOf({ identities }: Subject): Identity[] {
  return Object.entries(identities ?? {}).map(([type, value]) => [internalIdentityType(type), value]);
}

function sourcesOf({ user_attributes = {}, calculated_attributes = [] }: ProfileChange, from: string) {
  const names = [
    ...Object.keys(user_attributes).map((name) => `user_attributes.${name}`),
    ...calculated_attributes.map(({ attribute_name }) => `calculated_attributes.${attribute_name}`),
  ];
  return Object.fromEntries(names.map((name) => [name, from]));
}

function seedsOf({ calculated_attributes }: ProfileDocument): number {
  return Object.keys(calculated_attributes).length;
}
