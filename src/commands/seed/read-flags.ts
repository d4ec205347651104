// The flags that say how a file of users is read.
import type { Command } from 'commander';

export interface ReadFlags {
  format?: string;
  mapFile?: string;
  cutoffDate?: string;
}

/** Adds the flags that say how a file of users is read. */
export function withReadFlags(command: Command): Command {
  return command
    .option('--format <format>', 'ndjson, json, csv or parquet (default: what name and content tell)')
    .option('--map-file <file>', 'YAML or JSON: which column holds which field')
    .option('--cutoff-date <date>', 'the cutoff date of tables without such a column, yyyy-MM-dd');
}
