// The exact check: parses one user's body and checks it, in neutral words, against the contract and a run's own rules. It
// is slower than the fast check, but finds the issues.
import { type FieldIssue, parseWith } from '../../contract/explain.ts';
import { createWireNames, NameCollision, type NamesMap, pathAsWritten, type WireNames } from '../../contract/names.ts';
import { SEED_NAMES, SingleSeed } from '../../contract/seeding.ts';
import { holdsEachKey, isRecord, JsonError, parseJson, stringifyJson } from '../../kernel/json.ts';
import { createIdentityTypes, type IdentityTypes, userIdentityIssues } from '../identity-types.ts';
import type { Dialect } from '../csv/dialect.ts';
import { createNullWords, type NullWords } from '../null-words.ts';

export type ReadRow = { text: string } | { issues: FieldIssue[] };

export interface RowIssue {
  /** Path in a body, or column of a table; empty if the issue is about the whole row. */
  path: string;
  message: string;
}

/** For a line of a rejects file, `text` is the row inside it, so that an invalid row is not wrapped again. */
export function readRecord(
  text: string,
): { text: string } & ({ value: unknown } | { message: string; isTableRecord?: boolean }) {
  try {
    const value = parseJson(text, Infinity, true);
    // If a key appears twice, the last value would silently win, and a seed could reach the wrong user.
    if (!holdsEachKey(text)) return { text, message: 'a field is duplicated or not allowed' };
    if (!isRecord(value) || !('rejected' in value)) return { text, value };
    if ('row' in value) return { text: stringifyJson(value['row']), value: value['row'] };
    if (typeof value['text'] === 'string') return readRecord(value['text']);
    const { record } = value;
    return typeof record === 'string' ? { text: record, message: IS_RECORD, isTableRecord: true } : { text, value };
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    return { text, message: `${error.message}${error.offset === undefined ? '' : ` (character ${error.offset + 1})`}` };
  }
}

const IS_RECORD = 'this row came from a table: correct it in a copy of the table, and submit the copy';

export function checkRow(value: unknown, rules: RowRules): ReadRow {
  const { names } = rules;
  try {
    const checked = checkSeed(names.decode(value, SEED_NAMES), rules);
    if ('seed' in checked) return { text: stringifyJson(names.encode(checked.seed, SEED_NAMES)) };
    return { issues: checked.issues.map((issue) => ({ ...issue, path: pathAsWritten(value, issue.path, names) })) };
  } catch (error) {
    if (!(error instanceof NameCollision)) throw error;
    return { issues: [error.issue] };
  }
}

/** Checks a body in neutral words against the contract and the rules. */
export function checkSeed(
  neutral: unknown,
  { identityTypes, nulls, workspace: target }: RowRules,
): { seed: SingleSeed } | { issues: FieldIssue[] } {
  const { data: seed, issues } = parseWith(SingleSeed, neutral);
  const identities = (neutral as { identities?: unknown } | null)?.identities;
  const own = userIdentityIssues(identities, 'identities', identityTypes, nulls);
  for (const field of ['calculated_attributes', 'user_attributes'] as const)
    for (const workspace of Object.keys(seed?.[field] ?? {}))
      if (workspace !== (target ?? workspace))
        own.push({ path: [field, workspace], message: `is not the target workspace ${target}` });
  if (seed && own.length === 0) return { seed };
  const places = new Set(own.map(({ path }) => path.join('\n')));
  const others = issues.filter(({ path }) => !places.has(path.join('\n')));
  return { issues: [...others, ...own] };
}

export interface RowRules {
  names: WireNames;
  identityTypes: IdentityTypes;
  nulls: NullWords;
  ignoresUnnamed: boolean;
  /** The only workspace that rows may name; undefined if any is allowed. */
  workspace: string | undefined;
}

/** `--identity-type`, `--null` and the target workspace. */
export interface RuleFlags {
  identityType?: readonly string[] | undefined;
  null?: readonly string[] | undefined;
  workspace?: string | undefined;
}

export function createRowRules(names: NamesMap, flags: RuleFlags = {}, dialect: Dialect = {}): RowRules {
  return {
    names: createWireNames(names),
    identityTypes: createIdentityTypes(names, flags.identityType ?? []),
    nulls: createNullWords(flags.null ?? [], dialect),
    ignoresUnnamed: dialect.ignoresUnnamed === true,
    workspace: flags.workspace,
  };
}
