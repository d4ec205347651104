// The flags that say how a file of users is read.
import type { Command } from 'commander';
import type { RuleFlags } from '../../lib/domain/seed/row-rules.ts';
import { collect } from '../../lib/runtime/command-line/global-flags.ts';

export interface ReadFlags extends RuleFlags {
  format?: string;
  mapFile?: string;
  cutoffDate?: string;
}

/** Adds the flags that say how a file of users is read. */
export function withReadFlags(command: Command): Command {
  return withIdentityTypes(command)
    .option('--null <word>', 'word that means an empty cell, in addition to \\N; may be repeated', collect)
    .option('--format <format>', 'ndjson, json, csv or parquet (default: what name and content tell)')
    .option('--map-file <file>', 'YAML or JSON: which column holds which field')
    .option('--cutoff-date <date>', 'the cutoff date of tables without such a column, yyyy-MM-dd');
}

/** Adds the flag that allows identity types which the specification does not show. */
export function withIdentityTypes(command: Command): Command {
  return command.option('--identity-type <type>', 'identity type of this deployment; may be repeated', collect);
}
