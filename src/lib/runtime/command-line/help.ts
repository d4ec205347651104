// What the help of one command says besides its flags; kept beside the command, so that tests can run every example.
import { EXIT } from '../exit-codes.ts';
import type { Command } from 'commander';
import type { ZodMiniType } from 'zod/mini';
import { usageError } from '../../kernel/errors.ts';
import type { ExitName } from '../../errors/entry.ts';
import { chooseColumns } from '../../render/delimited.ts';
import type { GlobalFlags, OutputFormat } from '../context.ts';

/** What `--fields` may name: a view's columns, or the fields of a result that has no view of its own. */
export type Columns = readonly { key: string }[];

/** The fields of a document as `columns`: `asColumns('name current')`. */
export function asColumns(keys: string): Columns {
  return keys.split(' ').map((key) => ({ key }));
}

/** What a command leans on; see `USUAL_EXITS`. */
type Callee = 'platform' | 'emulator' | 'settings' | 'nobody';

/** How it ends -> when the command ends with it. */
export type Exits = Readonly<Partial<Record<ExitName, string>>>;

/** How every command can end that leans on the same, a word for each code: `cdpadm help exit-codes` has the rest. */
const USUAL_EXITS: Readonly<Record<Callee, Exits>> = {
  platform: { failed: 'refused', usage: 'usage', auth: 'access', unavailable: 'unavailable', network: 'network' },
  emulator: { failed: 'refused', usage: 'usage', notFound: 'none running', network: 'no answer' },
  settings: { failed: 'failed', usage: 'usage', invalidInput: 'invalid settings' },
  nobody: { failed: 'failed', usage: 'usage' },
};

/** Where a value is wanted. */
interface WantedValue {
  /** What there is of it. */
  typed: string;
  /** The last value already given to this flag, of one that takes several. */
  before: string | undefined;
  /** The arguments before it. */
  operands: readonly string[];
}

export type OfferedValues = (wanted: WantedValue) => readonly string[];

/** For values such as `column=field`: none before the sign, these behind it. */
export function behindEquals(typed: string, values: readonly string[]): string[] {
  const end = typed.indexOf('=') + 1;
  return end === 0 ? [] : values.map((value) => typed.slice(0, end) + value);
}

export interface CommandHelp {
  /** What it does to the platform, or that it stays on this machine. */
  effect: 'read' | 'write' | 'local';
  /** Whom it calls, or whether it opens the settings; one that calls the platform opens them too. */
  calls: Callee;
  /** It reads from a platform or a profile, changes nothing anywhere and comes to an end: `--profile` may be repeated. */
  reads?: boolean;
  /** A command that writes: whether `--profile` may be repeated with these flags. */
  severalProfiles?(flags: Record<string, unknown>): boolean;
  /** The file of `--out` is the command's own and not its result: its name says nothing about the format. */
  ownsOut?: true;
  /** The formats that the result has, where not all but html. Checked before the command does anything. */
  formats?: readonly OutputFormat[];
  /**
   * The columns that `--fields` may name, where they are not the fields of `output`, and of every command that writes or
   * looks around for long; by its flags where these say what comes out. Checked before the command does anything.
   */
  columns?: Columns | ((flags: Record<string, unknown>, args: readonly string[]) => Columns | undefined);
  /**
   * What Tab offers for a flag (`--state`) or an argument, by its name, where the command itself knows it and commander
   * is not to hold anybody to it.
   */
  values?: Readonly<Record<string, OfferedValues>>;
  /** Whole command lines that can be run as they stand, beginning with `cdpadm`; at least two. */
  examples: string[];
  /** The schema of what `-o json` prints, built on first use; without one it prints nothing. */
  output?: () => ZodMiniType;
  /** The exit codes that mean something of its own here: `{ 6: 'somebody changed it meanwhile' }`. */
  exits?: Exits;
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

/** The whole name of a command, `cdpadm roles push`. */
export function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
}

/** What `withHelp` was given; undefined for a command without. */
export function helpOf(command: Command): CommandHelp | undefined {
  return registry.get(command);
}

/** The line that says how to type a command: `cdpadm roles push [file] [flags]`. */
export function usageOf(command: Command): string {
  const words = command.registeredArguments.map((one) => {
    const name = `${one.name()}${one.variadic ? '…' : ''}`;
    return one.required ? `<${name}>` : `[${name}]`;
  });
  // Only a command that does something by itself has help of its own.
  const below = command.commands.length === 0 ? [] : [helpOf(command) ? '[command]' : '<command>'];
  return [pathOf(command), ...below, ...words, '[flags]'].join(' ');
}

/** The codes that a command shares with all of its kind, without those that it has words of its own for. */
export function usualExits({ calls, exits = {} }: CommandHelp): [code: number, word: string][] {
  return byCode(USUAL_EXITS[calls]).filter(([code]) => !byCode(exits).some(([own]) => own === code));
}

/** The exit codes, in their order, each with its meaning. */
export function byCode(exits: Exits): [code: number, meaning: string][] {
  return (Object.entries(exits) as [ExitName, string][])
    .map(([name, meaning]): [number, string] => [EXIT[name], meaning])
    .sort(([one], [other]) => one - other);
}

/** The formats that the command's result has. */
export function formatsOf(command: Command): readonly OutputFormat[] {
  return helpOf(command)?.formats ?? COMMON_FORMATS;
}

type Asked = Pick<GlobalFlags, 'output' | 'out' | 'formatOfFile' | 'fields' | 'dryRun' | 'query' | 'profiles'>;

/** Throws KnownError usage (2) for a format or a column that the command's result does not have. */
export function checkFormat(asked: Asked, command: Command): void {
  const { output, fields, dryRun, query, profiles } = asked;
  const { columns } = helpOf(command) ?? {};
  const formats = formatsOf(command);
  if (!formats.includes(output)) {
    if (!asked.formatOfFile)
      throw usageError(`The result of this command has no ${output} form.`, `It has ${formats.join(', ')}.`);
    throw usageError(
      `--out ${asked.out}: the extension means ${output}, and the result of this command has no ${output} form.`,
      `Choose an extension for one of its formats, such as .txt: ${formats.join(', ')}.`,
    );
  }
  // A dry run has a result of its own, and comes too late for nothing; a query finds columns of its own.
  if (dryRun || query !== undefined) return;
  const known = typeof columns === 'function' ? columns(command.opts(), command.args) : columns;
  const labels = profiles.length > 1 ? asColumns('profile') : [];
  if (known) chooseColumns([...labels, ...known], fields);
}
