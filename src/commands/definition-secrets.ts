// Secrets in definitions: their references, the prompt for masked ones, and the body that is sent.
import { isMask } from '../lib/contract/masks.ts';
import {
  type Definition,
  NOUNS,
  type ResourceType,
  withValue,
  isReference,
  type SecretUse,
  secretUses,
} from '../lib/domain/warehouse/definition.ts';
import type { FieldIssue } from '../lib/contract/explain.ts';
import type { Issue } from '../lib/kernel/errors.ts';
import type { Context } from '../lib/runtime/context.ts';
import type { JudgedReference, ReferenceRules } from '../lib/runtime/reference-rules.ts';
import { flagOf } from './definition-flags.ts';

/** A checked definition whose secrets have not yet been read. */
export interface SourcedDefinition {
  readonly type: ResourceType;
  readonly definition: Definition;
  /** Returns the folder that paths in this field are relative to. */
  folderFor(path: readonly string[]): string;
  /** Paths of masked secrets, which the command prompts for on a terminal. A mask is never sent. */
  readonly masked: readonly (readonly string[])[];
  /** Answers to the prompts for masked secrets, by dotted path: each is a secret or a reference. */
  readonly answers: Map<string, string>;
  readonly rules: ReferenceRules;
  /** True if a flag set this field: a reference on the command line needs no permission. */
  isGiven(path: readonly string[]): boolean;
  /** Returns issues about fields with their positions in a file, or with the flags of the fields. */
  place(issues: readonly FieldIssue[]): Issue[];
}

type PlacedUse = SecretUse & JudgedReference;

export function referencesOf(source: SourcedDefinition): PlacedUse[] {
  return usesOf(source)
    .filter(({ reference }) => isReference(reference))
    .map((use) => ({
      ...use,
      given: source.isGiven(use.path) || source.answers.has(use.path.join('.')),
      folder: source.folderFor(use.path),
      issue: (message) => source.place([{ path: [...use.path], message }])[0] ?? { path: use.path.join('.'), message },
    }));
}

/** Returns the path and the reference of every secret that a write sends, for its plan. */
export function usesOf({ type, definition, answers }: SourcedDefinition): SecretUse[] {
  const answered = [...answers].map(([path, answer]) => {
    return { path: path.split('.'), reference: isReference(answer) ? answer : 'typed at the prompt' };
  });
  return [...secretUses(type, definition), ...answered];
}

/** Asks for the masked secrets. Throws usage (2) if there is no terminal. */
export async function askForSecrets(ctx: Context, source: SourcedDefinition): Promise<void> {
  for (const path of source.masked.filter((one) => !source.answers.has(one.join('.')))) {
    const check = (text: string): string | undefined => {
      if (text.trim() === '') return 'The secret is empty.';
      return isMask(text) ? 'This is a mask, not a secret.' : undefined;
    };
    const question = `${nameOf(source, path)} (or env:NAME, file:PATH, keychain:NAME, command:LINE):`;
    const answer = await ctx.prompt.secret(question, { flag: flagOf(source.type, path) ?? '-f', check });
    if (!isReference(answer)) ctx.redactor.add(answer);
    source.answers.set(path.join('.'), answer);
  }
  source.rules.refuseOwnSecrets(referencesOf(source));
}

/** Throws auth (4) if a secret cannot be read. Skips commands and keychains, which may prompt the user. */
export async function checkSecrets(source: SourcedDefinition): Promise<void> {
  for (const use of referencesOf(source)) if (/^(?:env|file):/.test(use.reference)) await secretOf(source, use);
}

export async function secretOf(source: SourcedDefinition, use: PlacedUse): Promise<string> {
  return await source.rules.read(use, { field: use.path.at(-1) ?? '', what: nameOf(source, use.path) });
}

/** Returns `definition` with its secrets, to be sent. `onSecret` gets each secret with its path. */
export async function bodyWithSecrets(
  source: SourcedDefinition,
  definition: Definition,
  onSecret: (path: string, secret: string) => void,
): Promise<Definition> {
  let body = definition;
  const put = (path: readonly string[], secret: string): void => {
    body = withValue(body, path, secret);
    onSecret(path.join('.'), secret);
  };
  for (const path of source.masked) {
    const answer = source.answers.get(path.join('.'));
    if (answer === undefined || isReference(answer)) body = withValue(body, path, undefined);
    else put(path, answer);
  }
  for (const use of referencesOf(source)) put(use.path, await secretOf(source, use));
  return body;
}

/** Returns a name for messages, such as `password of connection crm`. */
function nameOf({ type, definition }: SourcedDefinition, path: readonly string[]): string {
  return `${path.at(-1) ?? ''} of ${NOUNS[type]} ${definition.id}`;
}
