// Converts commander's errors to our own, with our exit code.
import { asSentence } from '../../kernel/words.ts';
import type { Command, CommanderError } from 'commander';
import { usageError, type KnownError } from '../../kernel/errors.ts';
import { nearest, suggest } from '../../kernel/nearest.ts';
import { recordOf } from './define-command.ts';
import { pathOf } from './help.ts';

/** Thrown after help or the version is printed. `wanted` is false if help appears because a subcommand is missing. */
export class HelpShown extends Error {
  readonly wanted: boolean;
  constructor(wanted: boolean) {
    super('help was shown');
    this.wanted = wanted;
  }
}

export function usageFailure(error: CommanderError, command: Command): Error {
  switch (error.code) {
    case 'commander.helpDisplayed':
    case 'commander.version':
    case 'commander.help':
      return new HelpShown(error.code !== 'commander.help');
    case 'commander.unknownCommand':
      return unknownWord('command', quoted(error), command);
    case 'commander.unknownOption':
      return unknownWord('flag', quoted(error), command);
    case 'commander.missingArgument':
      return missingArgument(error, command);
    case 'commander.excessArguments':
      return excessArguments(command);
    case 'commander.missingMandatoryOptionValue': {
      // The flag may just be mistyped: commander reports missing flags before unknown ones.
      const [flag] = command.args.flatMap((word) => /^--?[a-z][^=]*/i.exec(word)?.[0] ?? []);
      return flag === undefined ? usageIn(command, error.message) : unknownWord('flag', flag, command);
    }
    default:
      return usageIn(command, error.message);
  }
}

/** Throws usage (2) for `--help` after an unknown command (`roles lst --help`), just as without `--help`. */
export function refuseUnknownWord(command: Command): void {
  const [word] = command.args;
  if (command.commands.length === 0 || word === undefined || word.startsWith('-')) return;
  throw unknownWord('command', word, command);
}

export function usageIn(command: Command, message: string): KnownError {
  return usageError(sentence(message), seeHelp(command));
}

/** Returns the error, which suggests a similar command if one fits: `pipelines runs ID` for `pipelines run ID`. */
function missingArgument(error: CommanderError, command: Command): KnownError {
  const message = sentence(error.message);
  const choices = command.registeredArguments[command.args.length]?.argChoices;
  if (choices) return usageError(message, `Choose from ${choices.join(', ')}. ${seeHelp(command)}`);
  const siblings = command.parent?.commands.filter(
    (one) => one !== command && one.commands.length === 0 && one.registeredArguments.length === command.args.length,
  );
  const guess = command.args.length > 0 && nearest(command.name(), siblings?.map((one) => one.name()) ?? []);
  const picked = Object.values(recordOf(command)?.args ?? {})[command.args.length]?.pick;
  if (!guess || !command.parent)
    return usageError(message, picked ? { text: 'To list them:', command: picked.list } : seeHelp(command));
  const line = [pathOf(command.parent), guess, ...command.args].join(' ');
  return usageError(message, `Did you mean \`${line}\`? ${seeHelp(command)}`);
}

function excessArguments(command: Command): KnownError {
  const [word = ''] = command.args.slice(command.registeredArguments.length);
  if (command.commands.length > 0) return unknownWord('command', word, command);
  const count = command.registeredArguments.length;
  const most = ['no arguments', 'one argument'][count] ?? `${count} arguments`;
  return usageError(`Unexpected argument \`${word}\`: \`${pathOf(command)}\` accepts ${most}.`, seeHelp(command));
}

function unknownWord(kind: 'command' | 'flag', word: string, command: Command): KnownError {
  const known = kind === 'command' ? command.commands.map((child) => child.name()) : flagNames(command);
  // There are few commands, so two leading letters identify one.
  const hint = suggest(word, known, seeHelp(command), kind === 'command' ? 2 : undefined);
  const where = command.parent || kind === 'command' ? ` for \`${pathOf(command)}\`` : '';
  return usageError(`Unknown ${kind} \`${word}\`${where}.`, hint);
}

function flagNames(command: Command | null): string[] {
  if (!command) return [];
  return [...command.options.map(({ long, short }) => long ?? short ?? ''), '--help', ...flagNames(command.parent)];
}

function seeHelp(command: Command): string {
  return `See \`${pathOf(command)} --help\`.`;
}

function quoted(error: CommanderError): string {
  return /'(.*)'/s.exec(error.message)?.[1] ?? '';
}

function sentence(message: string): string {
  return asSentence(message.replace(/^error: /, '').replaceAll(/'([^']*)'/g, '`$1`'));
}
