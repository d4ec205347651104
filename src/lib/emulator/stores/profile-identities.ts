// Identity -> profile: one row for each identity of a workspace and environment.
import type { Database } from '../base/db.ts';

export const profileIdentitiesMigration =
  'CREATE TABLE profile_identities (key TEXT PRIMARY KEY, profile INTEGER NOT NULL) WITHOUT ROWID';

/** The identity type of the profile's own id; its value is the integer in digits. */
export const XPID = 'xpid';

export type Environment = 'production' | 'development';

/** Workspace and environment. The same identity in another scope is another person. */
export interface Scope {
  workspace: number;
  environment: Environment;
}

/** An internal identity type and a value. */
export type Identity = readonly [type: string, value: string];

export function createProfileIdentities(db: Database) {
  return {
    /** The profile (its row id) that an identity belongs to, or undefined. */
    owner: (scope: Scope, identity: Identity): number | undefined =>
      db.get<{ profile: number }>('SELECT profile FROM profile_identities WHERE key = ?', keyOf(scope, identity))
        ?.profile,
    /** Assigns a free identity to a profile. False when another profile has it. */
    claim: (scope: Scope, identity: Identity, profile: number): boolean =>
      db.run(
        'INSERT OR IGNORE INTO profile_identities (key, profile) VALUES (?, ?)',
        keyOf(scope, identity),
        profile,
      ) === 1,
    /** Assigns an identity to another profile. */
    move: (scope: Scope, identity: Identity, profile: number): void => {
      db.run('UPDATE profile_identities SET profile = ? WHERE key = ?', profile, keyOf(scope, identity));
    },
    release: (scope: Scope, identity: Identity): void => {
      db.run('DELETE FROM profile_identities WHERE key = ?', keyOf(scope, identity));
    },
    clear: (): void => {
      db.exec('DELETE FROM profile_identities');
    },
  };
}

/** JSON separates type and value and encodes NUL and lone surrogates. */
function keyOf({ workspace, environment }: Scope, identity: Identity): string {
  return `${workspace}${environment === 'production' ? 'p' : 'd'}${JSON.stringify(identity)}`;
}
