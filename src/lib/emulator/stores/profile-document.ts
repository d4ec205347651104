// Attributes, seeds and identities of one profile, as a JSON document. Events are in another table.
import type { AttributeSeed } from '../../contract/seeding.ts';
import type { Identity } from './profile-identities.ts';

/** A seed as stored under its attribute's name. */
export type StoredSeed = Omit<AttributeSeed, 'attribute_name'>;

export interface ProfileDocument {
  /** Internal identity type -> all values, in order: an erasure finds older ones too. */
  identities: Record<string, string[]>;
  user_attributes: Record<string, unknown>;
  /** `<group_id>:<attribute_id>` -> value. */
  group_attributes: Record<string, unknown>;
  calculated_attributes: Record<string, StoredSeed>;
}

/** The new values of a change, without its subject. */
export interface ProfileContent {
  user_attributes?: Readonly<Record<string, unknown>> | undefined;
  calculated_attributes?: readonly AttributeSeed[] | undefined;
}

export function emptyDocument(): ProfileDocument {
  return { identities: {}, user_attributes: {}, group_attributes: {}, calculated_attributes: {} };
}

/** Sets attributes and seeds and adds identities. Changes `document`. */
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
