// The flags that say how a file of users is read.
import type { RuleFlags } from '../../lib/domain/seed/row-rules.ts';
import type { FlagSpec } from '../../lib/runtime/command-line/define-command.ts';
import { identityTypeFlag } from '../identity-type-flag.ts';

export interface ReadFlags extends RuleFlags {
  format?: string;
  mapFile?: string;
  cutoffDate?: string;
}

export const readFlags = {
  identityType: identityTypeFlag,
  null: { value: 'word', many: true, help: 'word that means an empty cell, in addition to \\N; may be repeated' },
  format: { value: 'format', help: 'ndjson, json, csv or parquet (default: what name and content tell)' },
  mapFile: { value: 'file', help: 'YAML or JSON: which column holds which field' },
  cutoffDate: { value: 'date', help: 'the cutoff date of tables without such a column, yyyy-MM-dd' },
} as const satisfies Record<string, FlagSpec>;
