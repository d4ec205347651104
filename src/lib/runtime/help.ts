// What the help of one command says besides its flags; kept beside the command, so that tests can run every example.
import type { Command } from 'commander';
import { usageError } from '../kernel/errors.ts';
import { chooseColumns } from '../render/cells.ts';
import type { GlobalFlags, OutputFormat } from './context.ts';

/** What `--fields` may name: a view's columns, or the fields of a result that has no view of its own. */
export type Columns = readonly { key: string }[];

/** The fields of a document as `columns`: `asColumns('name current')`. */
export function asColumns(keys: string): Columns {
  return keys.split(' ').map((key) => ({ key }));
}

export interface CommandHelp {
  /** It reads from a platform or a profile, changes nothing anywhere and comes to an end: `--profile` may be repeated. */
  reads?: true;
  /** The formats that the result has, where not all but html. Checked before the command does anything. */
  formats?: readonly OutputFormat[];
  /**
   * The columns that `--fields` may name, of a command that writes or looks around for long; by its flags where these say what comes out.
   * Checked before the command does anything.
   */
  columns?: Columns | ((flags: Record<string, unknown>, args: readonly string[]) => Columns | undefined);
  /** Whole command lines that can be run as they stand, beginning with `cdpadm`; at least two. */
  examples: string[];
  /** The shape of `-o json`. */
  json?: string;
  /** Exit codes that a reader would not guess: `6  the platform changed meanwhile`. */
  errors?: string[];
  /** Sentences, each a paragraph. */
  notes?: string[];
}

/** The formats that every result has. */
export const COMMON_FORMATS = [
  'table',
  'json',
  'ndjson',
  'yaml',
  'csv',
  'markdown',
  'name',
] as const satisfies OutputFormat[];

const registry = new WeakMap<Command, CommandHelp>();

/** Adds the help's further sections to a command and returns it. */
export function withHelp(command: Command, help: CommandHelp): Command {
  registry.set(command, help);
  return command;
}

/** What `withHelp` was given; undefined for a command without. */
export function helpOf(command: Command): CommandHelp | undefined {
  return registry.get(command);
}

type Asked = Pick<GlobalFlags, 'output' | 'fields' | 'dryRun' | 'query' | 'profiles'>;

/** Throws CliError usage (2) for a format or a column that the command's result does not have. */
export function checkFormat({ output, fields, dryRun, query, profiles }: Asked, command: Command): void {
  const { columns, formats = COMMON_FORMATS } = helpOf(command) ?? {};
  if (!formats.includes(output)) {
    throw usageError(`The result of this command has no ${output} form.`, `It has ${formats.join(', ')}.`);
  }
  // A dry run has a result of its own, and comes too late for nothing; a query finds columns of its own.
  if (dryRun || query !== undefined) return;
  const known = typeof columns === 'function' ? columns(command.opts(), command.args) : columns;
  const labels = profiles.length > 1 ? asColumns('profile') : [];
  if (known) chooseColumns([...labels, ...known], fields);
}
