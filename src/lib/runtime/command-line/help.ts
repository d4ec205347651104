// The part of a command's record that help, completion and checks use in addition to its arguments and flags.
import { EXIT, type ExitName } from '../../errors/entry.ts';
import type { Command } from 'commander';
import type * as z from 'zod/mini';
import { usageError } from '../../kernel/errors.ts';
import { chooseColumns } from '../../render/delimited.ts';
import type { GlobalFlags, OutputFormat } from '../context.ts';

/** Names that `--fields` accepts: the view's columns or, without a view, the result's fields. */
export type Columns = readonly { key: string }[];

/** Returns the fields of a document as `columns`: `asColumns('name current')`. */
export function asColumns(keys: string): Columns {
  return keys.split(' ').map((key) => ({ key }));
}

type Callee = 'platform' | 'emulator' | 'settings' | 'none';

export type Exits = Readonly<Partial<Record<ExitName, string>>>;

/** Exit codes shared by all commands that call the same service. `cdpadm help exit-codes` explains them in full. */
const USUAL_EXITS: Readonly<Record<Callee, Exits>> = {
  platform: { failed: 'rejected', usage: 'usage', auth: 'access', unavailable: 'unavailable', network: 'network' },
  emulator: { failed: 'rejected', usage: 'usage', notFound: 'no platform is running', network: 'no response' },
  settings: { failed: 'failed', usage: 'usage', invalidInput: 'invalid settings' },
  none: { failed: 'failed', usage: 'usage' },
};

interface WantedValue {
  typed: string;
  /** Previous value of a flag that accepts several values. */
  before: string | undefined;
  operands: readonly string[];
}

export type OfferedValues = (wanted: WantedValue) => readonly string[];

/** Prefixes each value with the typed `column=`. Returns no values if no equals sign was typed. */
export function behindEquals(typed: string, values: readonly string[]): string[] {
  const end = typed.indexOf('=') + 1;
  return end === 0 ? [] : values.map((value) => typed.slice(0, end) + value);
}

export interface CommandHelp {
  /** Whether the command reads from the platform, writes to it, or works only on this machine. */
  effect: 'read' | 'write' | 'local';
  /** Service that the command calls, or `settings` if it only opens the settings. */
  calls: Callee;
  /** True if the command only reads and exits by itself, so `--profile` may be repeated. */
  reads?: boolean;
  /** For a write that accepts several `--profile` flags: the flags that limit it to one profile. */
  severalProfiles?: readonly string[];
  /** True if the command writes its own file to `--out`, so the extension does not set the result's format. */
  ownsOut?: true;
  /** Formats of the result. Default: all except html. Checked before the command does anything. */
  formats?: readonly OutputFormat[];
  /** Columns that `--fields` accepts (default: the fields of `output`). A function if they depend on the flags. */
  columns?: Columns | ((flags: Record<string, unknown>, args: readonly string[]) => Columns | undefined);
  /** Values that completion offers, by flag (`--state`) or argument name. Other values are also accepted. */
  values?: Readonly<Record<string, OfferedValues>>;
  /** At least two complete command lines that start with `cdpadm` and run unchanged. */
  examples: string[];
  /** Returns the schema of the `-o json` result, built on first use. Without a schema, a command prints no result. */
  output?: () => z.ZodMiniType;
  /** Exit codes with a special meaning in this command, such as `{ conflict: 'another admin changed it' }`. */
  exits?: Exits;
  /** Why no command can undo this write; recorded in the log. */
  undoNote?: string;
  notes?: string[];
}

export const COMMON_FORMATS = [
  'table',
  'json',
  'ndjson',
  'yaml',
  'csv',
  'markdown',
  'name',
] as const satisfies OutputFormat[];

/** The record's part of each command; groups have none. */
export const commandHelp = new WeakMap<Command, CommandHelp>();

/** Returns the full name of a command, such as `cdpadm roles push`. */
export function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
}

export function helpOf(command: Command): CommandHelp | undefined {
  return commandHelp.get(command);
}

/** Returns the command that these words name under `root`, or undefined if a word is unknown. */
export function commandAt(root: Command | undefined, words: readonly string[]): Command | undefined {
  return words.reduce((command, word) => command?.commands.find((child) => child.name() === word), root);
}

/** Returns the usage line of a command, such as `cdpadm roles push [file] [flags]`. */
export function usageOf(command: Command): string {
  const words = command.registeredArguments.map((one) => {
    const name = `${one.name()}${one.variadic ? '…' : ''}`;
    return one.required ? `<${name}>` : `[${name}]`;
  });
  // Among the commands with subcommands, only those that can run without one have a record.
  const below = command.commands.length === 0 ? [] : [helpOf(command) ? '[command]' : '<command>'];
  return [pathOf(command), ...below, ...words, '[flags]'].join(' ');
}

/** Returns the exit codes that a command shares with similar commands, except codes that its record explains. */
export function usualExits({ calls, exits = {} }: CommandHelp): [code: number, word: string][] {
  return byCode(USUAL_EXITS[calls]).filter(([code]) => !byCode(exits).some(([own]) => own === code));
}

export function byCode(exits: Exits): [code: number, meaning: string][] {
  return (Object.entries(exits) as [ExitName, string][])
    .map(([name, meaning]): [number, string] => [EXIT[name], meaning])
    .sort(([one], [other]) => one - other);
}

export function formatsOf(command: Command): readonly OutputFormat[] {
  return helpOf(command)?.formats ?? COMMON_FORMATS;
}

/** Returns the fields of a result; undefined for a list, or if the result may have more fields. */
function keysOf(schema: z.ZodMiniType | undefined): Columns | undefined {
  const { catchall, shape } = (schema?._zod.def ?? {}) as { catchall?: unknown; shape?: object };
  return shape && catchall === undefined ? asColumns(Object.keys(shape).join(' ')) : undefined;
}

type Asked = Pick<GlobalFlags, 'output' | 'out' | 'formatOfFile' | 'fields' | 'dryRun' | 'query' | 'profiles' | 'curl'>;

/** Throws KnownError usage (2) for a format or column that the command does not support, and for a useless --curl. */
export function checkOutput(asked: Asked, command: Command): void {
  const { output, fields, dryRun, query, profiles } = asked;
  const { calls, columns, effect, output: resultOf } = helpOf(command) ?? {};
  if (asked.curl && effect === 'local' && (calls === 'none' || calls === 'settings'))
    throw usageError('This command sends no request, so --curl cannot print one.', 'To change nothing, use --dry-run.');
  const formats = formatsOf(command);
  if (!formats.includes(output)) {
    if (!asked.formatOfFile)
      throw usageError(
        `This command does not support the ${output} format.`,
        `It supports ${formats.join(', ').replace('table', 'table, wide')}.`,
      );
    throw usageError(
      `--out ${asked.out}: the extension selects ${output}, which this command does not support.`,
      `Use the extension of a supported format, such as .txt. Formats: ${formats.join(', ')}.`,
    );
  }
  // Dry runs and queries have their own columns. In a dry run, a late error does no harm.
  if (dryRun || query !== undefined || fields === undefined) return;
  const known =
    typeof columns === 'function' ? columns(command.opts(), command.args) : (columns ?? keysOf(resultOf?.()));
  const labels = profiles.length > 1 ? asColumns('profile') : [];
  if (known) chooseColumns([...labels, ...known], fields);
}
