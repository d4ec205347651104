// A profile's row in the database, and its content.
import { parseJson } from '../../kernel/json.ts';
import { isoMillis } from '../../kernel/timestamps.ts';
import type { Database } from '../base/db.ts';
import type { ProfileDocument } from './profile-document.ts';
import type { Environment } from './profile-identities.ts';

/** All data of one person. Dates are ISO 8601. */
export interface Profile extends ProfileDocument {
  /** 64 bits, exact: a number if a double can hold it. */
  xpid: number | bigint;
  workspace_id: number;
  environment: Environment;
  created_on: string;
  last_modified_on: string;
  events: { received_on: string; event: unknown }[];
}

export interface ProfileRow {
  id: number;
  workspace: number;
  environment: Environment;
  xpid: string;
  created_at: number;
  changed_at: number;
  document: string;
}

export const PROFILE_COLUMNS = 'id, workspace, environment, xpid, created_at, changed_at, document';

export function readProfileRow(db: Database, id: number): ProfileRow | undefined {
  return db.get<ProfileRow>(`SELECT ${PROFILE_COLUMNS} FROM profiles WHERE id = ?`, id);
}

export function documentOf({ document }: ProfileRow): ProfileDocument {
  return parseJson(document) as ProfileDocument;
}

export function profileOf(row: ProfileRow): Omit<Profile, 'events'> {
  return {
    xpid: integerOf(row.xpid),
    workspace_id: row.workspace,
    environment: row.environment,
    created_on: isoMillis(row.created_at),
    last_modified_on: isoMillis(row.changed_at),
    ...documentOf(row),
  };
}

export function integerOf(digits: string): number | bigint {
  const value = Number(digits);
  return Number.isSafeInteger(value) ? value : BigInt(digits);
}
