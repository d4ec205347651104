// A profile's row in the database, and its content.
import { isoMillis } from '../../kernel/timestamps.ts';
import type { Table } from '../base/db.ts';
import type { StoredProfile } from '../base/embedding.ts';
import type { AttributeSeed } from '../../contract/seeding.ts';

/** Workspace and environment. The same identity in another scope identifies a different person. */
export interface Scope {
  workspace: number;
  environment: StoredProfile['environment'];
}

export type Identity = readonly [type: string, value: string];

export interface ProfileDocument {
  /** All values of each internal identity type, oldest first, so that an erasure also finds older values. */
  identities: Record<string, string[]>;
  user_attributes: Record<string, unknown>;
  /** `<group_id>:<attribute_id>` -> value. */
  group_attributes: Record<string, unknown>;
  /** Seeds, by the name of their attribute. */
  calculated_attributes: Record<string, Omit<AttributeSeed, 'attribute_name'>>;
}

/** New values that a change sets, without the change's subject. */
export interface ProfileContent {
  user_attributes?: Readonly<Record<string, unknown>> | undefined;
  calculated_attributes?: readonly AttributeSeed[] | undefined;
}

/** Sets attributes and seeds, and adds identities. Modifies `document`. */
export function writeInto(document: ProfileDocument, content: ProfileContent, added: readonly Identity[]): void {
  const { identities, user_attributes, calculated_attributes } = document;
  for (const [type, value] of added) {
    identities[type] = Object.hasOwn(identities, type) ? [...(identities[type] ?? []), value] : [value];
  }
  for (const [name, value] of Object.entries(content.user_attributes ?? {})) put(user_attributes, name, value);
  for (const { attribute_name, ...seed } of content.calculated_attributes ?? []) {
    put(calculated_attributes, attribute_name, seed);
  }
}

/** Omits an attribute named `__proto__`, which `parseJson` would not return. */
function put<T>(record: Record<string, T>, name: string, value: T): void {
  if (name !== '__proto__') record[name] = value;
}

/** All data of one person. `xpid` is a number if it is a safe integer, otherwise a bigint. */
export type Profile = Omit<StoredProfile, 'xpid'> & { xpid: number | bigint };

export interface ProfileRow {
  id: number;
  workspace: number;
  environment: StoredProfile['environment'];
  xpid: string;
  created_at: number;
  changed_at: number;
  document: ProfileDocument;
  /** Source and time of each `user_attributes.<name>` and `calculated_attributes.<name>`. */
  sources: Record<string, string>;
}

export type ProfileTable = Table<ProfileRow>;

export function profileOf(row: ProfileRow): Omit<Profile, 'events'> {
  return {
    xpid: integerOf(row.xpid),
    workspace_id: row.workspace,
    environment: row.environment,
    created_on: isoMillis(row.created_at),
    last_modified_on: isoMillis(row.changed_at),
    ...row.document,
  };
}

export function integerOf(digits: string): number | bigint {
  const value = Number(digits);
  return Number.isSafeInteger(value) ? value : BigInt(digits);
}
