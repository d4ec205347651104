// Identity types of seeding and intake bodies. A misspelled type would create profiles that no lookup finds.
import type { FieldIssue } from '../contract/explain.ts';
import { USER_IDENTITY_TYPES } from '../contract/identities.ts';
import type { NamesMap } from '../contract/names.ts';
import { hasControlCharacter } from '../contract/shared.ts';
import { didYouMean } from '../kernel/nearest.ts';
import { isRecord } from '../kernel/json.ts';
import { identityIssue, type NullWords } from './null-words.ts';

export interface IdentityTypes {
  /** All identity types, in neutral words. */
  readonly words: ReadonlySet<string>;
  /** Returns the problem with a type, in neutral words; undefined for a known type. */
  issue(type: string): string | undefined;
}

/** Combines the specification's types, the profile's `names` and `extra` (`--identity-type`, decision: D242). */
export function createIdentityTypes(names: NamesMap, extra: readonly string[]): IdentityTypes {
  const declared = Object.keys(names).filter((name) => name !== 'xpid' && !name.endsWith('*'));
  const words = new Set([...USER_IDENTITY_TYPES, ...declared, ...extra]);
  return {
    words,
    issue: (type) => {
      if (words.has(type)) return undefined;
      if (type === 'xpid') return '`xpid` is not an identity type; it has its own field';
      return `unknown identity type \`${type}\`${didYouMean(type, words) || ';'} --identity-type ${type} allows it`;
    },
  };
}

/** Returns the issues of a body's identities, in neutral words. Does not check the form of the identities. */
export function userIdentityIssues(identities: unknown, field: string, types: IdentityTypes, nulls?: NullWords) {
  if (!isRecord(identities)) return [];
  return Object.entries(identities).flatMap(([type, value]): FieldIssue[] => {
    const unknown = types.issue(type);
    const wrong = valueIssue(value, nulls);
    return [
      ...(unknown === undefined ? [] : [{ path: [field, type], message: unknown, at: 'key' as const }]),
      ...(wrong === undefined ? [] : [{ path: [field, type], message: wrong }]),
    ];
  });
}

function valueIssue(value: unknown, nulls: NullWords | undefined): string | undefined {
  if (typeof value === 'string')
    return hasControlCharacter(value) ? 'contains a control character' : identityIssue(value, nulls);
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return undefined;
  return 'is a floating-point number that cannot hold an id exactly; export the column as integers, DECIMAL or text';
}

/** True for zero-width and bidi control characters, which are often copied along with a value. */
export const isPartlyInvisible = (text: string): boolean => /[\p{Cf}\p{Default_Ignorable_Code_Point}]/u.test(text);

/** Returns advice on identities that would create or change another profile than the one that was meant. */
export function identityAdvice(identities: unknown, field: string): FieldIssue[] {
  const message = 'contains invisible characters; the platform compares exactly, so this may be another user';
  return Object.entries(isRecord(identities) ? identities : {}).flatMap(([type, value]) =>
    typeof value === 'string' && isPartlyInvisible(value) ? [{ path: [field, type], message }] : [],
  );
}
