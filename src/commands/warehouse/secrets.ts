// The secrets that a plan over a folder sends: had right before they are sent, asked for where a mask stands.
import { type Definition, withValue } from '../../lib/domain/warehouse/definition.ts';
import type { WarehousePlan } from '../../lib/domain/warehouse/plan.ts';
import { isReference, maskIssue, secretUses, type SecretUse, withSecrets } from '../../lib/domain/warehouse/secrets.ts';
import { placeIssues } from '../../lib/files/load.ts';
import type { Issue } from '../../lib/kernel/errors.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { checkFileSecret, resolveFileSecret } from '../../lib/runtime/file-secrets.ts';
import { type ReferenceRules, refuseOwnSecrets } from '../../lib/runtime/reference-rules.ts';
import { secretKey } from '../../lib/runtime/memory/secrets.ts';
import { askSecret, secretName } from '../ask-secret.ts';
import { type DirectoryEntry, invalidFolder } from './directory.ts';

/** What somebody typed in the place of masks, by `secretKeyOf`: secrets and references. */
export type TypedSecrets = ReadonlyMap<string, string>;

/** A secret of an entry, resolved now. `given`: its reference was typed and is not in the file. */
export async function secretOf(
  ctx: Context,
  { type, definition, folder }: Pick<DirectoryEntry, 'type' | 'definition' | 'folder'>,
  { path, reference }: SecretUse,
  { rules, given = false }: { rules: ReferenceRules; given?: boolean },
): Promise<string> {
  const what = secretName(type, path, definition.id);
  return await resolveFileSecret(ctx, { reference, folder, given }, { rules, field: path.at(-1) ?? '', what });
}

/** Where the memory keeps the hash of a secret. */
export function secretKeyOf(
  { type, definition }: Pick<DirectoryEntry, 'type' | 'definition'>,
  path: readonly string[],
): string {
  return secretKey(type, definition.id, path.join('.'));
}

/** The masks that stand where a step would have to send a secret, with their places. */
export function masksInTheWay({ steps }: WarehousePlan, entries: readonly DirectoryEntry[]): Issue[] {
  return sending(steps, entries).flatMap(({ file, masked }) => placeIssues(file.document, masked.map(maskIssue)));
}

/** Throws invalid input (9) for masks that stand in the way where nobody can be asked for the secrets. */
export function checkMasks(ctx: Context, dir: string, plan: WarehousePlan, entries: readonly DirectoryEntry[]): void {
  const issues = ctx.prompt.possible ? [] : masksInTheWay(plan, entries);
  if (issues.length > 0) throw invalidFolder(dir, issues);
}

/** Asks for the secrets in whose place a mask stands, of what is sent; nothing is asked for the others. */
export async function askForMasked(
  ctx: Context,
  { steps }: WarehousePlan,
  entries: readonly DirectoryEntry[],
  rules: ReferenceRules,
): Promise<TypedSecrets> {
  const typed = new Map<string, string>();
  for (const entry of sending(steps, entries)) {
    for (const path of entry.masked) {
      const answer = await askSecret(ctx, entry.type, path, entry.definition.id);
      const issue = (message: string): Issue => ({ path: path.join('.'), message });
      refuseOwnSecrets(rules, [{ reference: answer, folder: entry.folder, given: true, issue }]);
      typed.set(secretKeyOf(entry, path), answer);
    }
  }
  return typed;
}

/**
 * Checks that the variables and files that steps refer to can be read, before the first step is sent: a missing one must
 * not stop a plan halfway. Throws KnownError auth (4).
 */
export async function checkSecretsAtHand(
  ctx: Context,
  { steps }: WarehousePlan,
  entries: readonly DirectoryEntry[],
  rules: ReferenceRules,
): Promise<void> {
  for (const entry of sending(steps, entries)) {
    for (const use of secretUses(entry.type, entry.definition)) {
      const { folder, type, definition } = entry;
      const what = secretName(type, use.path, definition.id);
      await checkFileSecret(ctx, { ...use, folder, given: false }, { rules, what, field: use.path.at(-1) ?? '' });
    }
  }
}

/** The definition as it is sent. `onSecret` learns of each secret and its place. */
export async function bodyOf(
  ctx: Context,
  entry: DirectoryEntry,
  definition: Definition,
  { typed, rules }: { typed: TypedSecrets; rules: ReferenceRules },
  onSecret: (key: string, secret: string) => void,
): Promise<Definition> {
  let body = definition;
  for (const path of entry.masked) {
    const key = secretKeyOf(entry, path);
    const answer = typed.get(key);
    // Without an answer nothing stands there: a mask is never sent.
    body = withValue(body, path, answer);
    if (answer !== undefined && !isReference(answer)) onSecret(key, answer);
  }
  return await withSecrets(entry.type, body, async (use) => {
    const key = secretKeyOf(entry, use.path);
    const secret = await secretOf(ctx, entry, use, { rules, given: typed.has(key) });
    onSecret(key, secret);
    return secret;
  });
}

function sending(steps: WarehousePlan['steps'], entries: readonly DirectoryEntry[]): DirectoryEntry[] {
  return steps.flatMap(({ type, id }) => entries.filter((it) => it.type === type && it.definition.id === id));
}
