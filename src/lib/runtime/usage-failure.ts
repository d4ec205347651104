// Mistakes of the command line as commander reports them, in our words and with our exit code.
import type { Command, CommanderError } from 'commander';
import { usageError, type CliError } from '../kernel/errors.ts';
import { nearest } from '../kernel/nearest.ts';

/** Help or the version was asked for and has been printed, or help took the place of a missing sub-command. */
export class HelpShown extends Error {
  readonly wanted: boolean;
  constructor(wanted: boolean) {
    super('help was shown');
    this.wanted = wanted;
  }
}

/** What to throw for an error that commander raised while it read `command`'s words. */
export function usageFailure(error: CommanderError, command: Command): Error {
  switch (error.code) {
    case 'commander.helpDisplayed':
    case 'commander.version':
      return new HelpShown(true);
    case 'commander.help':
      return new HelpShown(false);
    case 'commander.unknownCommand':
      return unknownWord('command', quoted(error), command, subcommandNames(command));
    case 'commander.unknownOption':
      return unknownWord('flag', quoted(error), command, flagNames(command));
    case 'commander.excessArguments':
      return excessArguments(command);
    default:
      return usageError(sentence(error.message), seeHelp(command));
  }
}

function excessArguments(command: Command): CliError {
  const [word = ''] = command.args.slice(command.registeredArguments.length);
  const count = command.registeredArguments.length;
  const takes = count === 0 ? 'takes no argument' : count === 1 ? 'takes one argument' : `takes ${count} arguments`;
  return usageError(`\`${pathOf(command)}\` ${takes}; \`${word}\` is one too many.`, seeHelp(command));
}

function unknownWord(kind: 'command' | 'flag', word: string, command: Command, known: string[]): CliError {
  const guess = nearest(word, known);
  const where = command.parent || kind === 'command' ? ` of \`${pathOf(command)}\`` : '';
  const hint = guess === undefined ? seeHelp(command) : `Did you mean \`${guess}\`? ${seeHelp(command)}`;
  return usageError(`\`${word}\` is no ${kind}${where}.`, hint);
}

function subcommandNames(command: Command): string[] {
  return command.commands.flatMap((child) => [child.name(), ...child.aliases()]);
}

function flagNames(command: Command | null): string[] {
  if (!command) return [];
  return [...command.options.map(({ long, short }) => long ?? short ?? ''), '--help', ...flagNames(command.parent)];
}

function seeHelp(command: Command): string {
  return `See \`${pathOf(command)} --help\`.`;
}

/** `cdpadm roles push`. */
function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
}

function quoted(error: CommanderError): string {
  return /'(.*)'/s.exec(error.message)?.[1] ?? '';
}

function sentence(message: string): string {
  const text = message.replace(/^error: /, '').replaceAll(/'([^']*)'/g, '`$1`');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
}
