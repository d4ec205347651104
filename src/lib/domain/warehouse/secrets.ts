// Secrets in definitions are references: where they stand, and what may not stand in their place.
import type { FieldIssue } from '../../contract/explain.ts';
import { isMask } from '../../contract/masks.ts';
import { type Definition, findMasks, type ResourceType, SECRET_PATHS, valueAt, withValue } from './definition.ts';

/** A reference in a definition, and the field it stands in. */
export interface SecretUse {
  path: readonly string[];
  reference: string;
}

const REFERENCE = /^(?:env|file|keychain|command):\s*\S/;

/** Whether a text says where a secret is. */
export function isReference(text: string): boolean {
  return REFERENCE.test(text);
}

/** Masks anywhere, and secrets written out: neither is ever sent. The texts themselves are not repeated. */
export function secretIssues(type: ResourceType, value: unknown): FieldIssue[] {
  const masks = findMasks(value).map(maskIssue);
  const literals = SECRET_PATHS[type].flatMap((path) => {
    const text = valueAt(value, path);
    if (typeof text !== 'string' || text.trim() === '' || isMask(text) || REFERENCE.test(text)) return [];
    const message =
      'is a secret written out; write where it is instead: env:NAME, file:PATH, keychain:NAME or command:LINE';
    return [{ path: [...path], message }];
  });
  return [...masks, ...literals];
}

/** Where a mask stands in a secret's place: what the platform showed, come back. It is no difference and never sent. */
export function maskedSecrets(type: ResourceType, value: unknown): (readonly string[])[] {
  return SECRET_PATHS[type].filter((path) => isMask(valueAt(value, path)));
}

interface MaskIssue extends FieldIssue {
  isMask: true;
}

export function maskIssue(path: readonly (string | number)[]): MaskIssue {
  const message = 'is a mask and no secret; write where it is: env:NAME, file:PATH, keychain:NAME or command:LINE';
  return { path: [...path], message, isMask: true };
}

export function isMaskIssue(issue: FieldIssue): issue is MaskIssue {
  return 'isMask' in issue;
}

/** A copy in which nothing stands at these paths. */
export function withoutPaths(
  value: Record<string, unknown>,
  paths: readonly (readonly string[])[],
): Record<string, unknown> {
  return paths.reduce((copy, path) => withValue(copy, path, undefined), value);
}

/** The references of a checked definition. */
export function secretUses(type: ResourceType, definition: Definition): SecretUse[] {
  return SECRET_PATHS[type].flatMap((path) => {
    const reference = valueAt(definition, path);
    return typeof reference === 'string' && REFERENCE.test(reference) ? [{ path, reference }] : [];
  });
}

/** The definition as it is sent, with each reference replaced by what `resolve` gives for it. */
export async function withSecrets(
  type: ResourceType,
  definition: Definition,
  resolve: (use: SecretUse) => Promise<string>,
): Promise<Definition> {
  let result = definition;
  for (const use of secretUses(type, definition)) result = withValue(result, use.path, await resolve(use));
  return result;
}
