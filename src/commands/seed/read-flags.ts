// The flags about files of users.
import type { FlagSpec, FlagValues } from '../../lib/runtime/command-line/define-command.ts';
import { inputFlags } from '../bulk-flags.ts';
import { identityTypeFlag } from '../identity-type-flag.ts';

export const readFlags = {
  ...inputFlags,
  identityType: identityTypeFlag,
  cutoffDate: { value: 'date', help: 'cutoff date for tables without a cutoff_date column, yyyy-MM-dd' },
} as const satisfies Record<string, FlagSpec>;

export type ReadFlags = FlagValues<typeof readFlags>;
