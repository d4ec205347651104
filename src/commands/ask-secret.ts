// Asks at a terminal for a secret of a definition, or for where it is.
import { isMask } from '../lib/contract/masks.ts';
import { NOUNS, type ResourceType } from '../lib/domain/warehouse/definition.ts';
import { isReference } from '../lib/domain/warehouse/secrets.ts';
import type { Context } from '../lib/runtime/context.ts';
import { flagOf } from './definition-flags.ts';

/** `password of connection crm`: a secret as messages name it. */
export function secretName(type: ResourceType, path: readonly string[], id: string): string {
  return `${path.at(-1) ?? ''} of ${NOUNS[type]} ${id}`;
}

/** The secret, known to the redactor from then on, or a reference to it. Throws usage (2) where nobody can be asked. */
export async function askSecret(
  ctx: Context,
  type: ResourceType,
  path: readonly string[],
  id: string,
): Promise<string> {
  const flag = flagOf(type, path) ?? '-f';
  const complaint = (text: string): string | undefined => {
    if (text.trim() === '') return 'It is empty.';
    return isMask(text) ? 'That is a mask and no secret.' : undefined;
  };
  const question = `${secretName(type, path, id)} (or env:NAME, file:PATH, keychain:NAME, command:LINE):`;
  const answer = await ctx.prompt.secret(question, { flag, check: complaint });
  if (isReference(answer)) return answer;
  ctx.redactor.add(answer);
  return answer;
}
