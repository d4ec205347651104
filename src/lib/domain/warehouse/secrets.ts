// Secrets in definitions are references: where they are, and which other values are not allowed.
import type { FieldIssue } from '../../contract/explain.ts';
import { isMask } from '../../contract/masks.ts';
import { type Definition, findMasks, type ResourceType, SECRET_PATHS, valueAt, withValue } from './definition.ts';

/** A reference and its field. */
export interface SecretUse {
  path: readonly string[];
  reference: string;
}

const REFERENCE = /^(?:env|file|keychain|command):\s*\S/;

/** Whether a text is a reference to a secret. */
export function isReference(text: string): boolean {
  return REFERENCE.test(text);
}

/** Masks and literal secrets, which are never sent. The messages do not repeat the secrets. */
export function secretIssues(type: ResourceType, value: unknown): FieldIssue[] {
  const masks = findMasks(value).map(maskIssue);
  const literals = SECRET_PATHS[type].flatMap((path) => {
    const text = valueAt(value, path);
    if (typeof text !== 'string' || text.trim() === '' || isMask(text) || REFERENCE.test(text)) return [];
    const message = 'must be a reference, not the secret itself: env:NAME, file:PATH, keychain:NAME or command:LINE';
    return [{ path: [...path], message }];
  });
  return [...masks, ...literals];
}

/** Secrets that are masks, as the platform returns them. A mask is not a difference. */
export function maskedSecrets(type: ResourceType, value: unknown): (readonly string[])[] {
  return SECRET_PATHS[type].filter((path) => isMask(valueAt(value, path)));
}

interface MaskIssue extends FieldIssue {
  isMask: true;
}

export function maskIssue(path: readonly (string | number)[]): MaskIssue {
  const message = 'is a mask; write a reference to the secret: env:NAME, file:PATH, keychain:NAME or command:LINE';
  return { path: [...path], message, isMask: true };
}

export function isMaskIssue(issue: FieldIssue): issue is MaskIssue {
  return 'isMask' in issue;
}

/** A copy without these fields. */
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
