// Rules for rows in addition to the contract: the deployment's words, known identity types and null words.
import { createWireNames, type NamesMap, type WireNames } from '../../contract/names.ts';
import type { Dialect } from '../csv/dialect.ts';
import { createIdentityTypes, type IdentityTypes } from '../identity-types.ts';
import { createNullWords, type NullWords } from '../null-words.ts';

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
