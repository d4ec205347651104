// The layout of every help screen.
import { groupBy } from '../../kernel/group-by.ts';
import { asSentence, largest } from '../../kernel/words.ts';
import type { Command, Help } from 'commander';
import { MAX_PAGE_WIDTH, wrapShape } from '../../render/page.ts';
import { shapeTextOf } from '../output/result-shape.ts';
import { byCode, type CommandHelp, helpOf, usageOf, usualExits } from './help.ts';

/** If fewer columns than this remain, a flag's description is printed below the flag. */
const LEAST_BESIDE = 24;

/** Represents a non-breaking space. After wrapping, a normal space replaces it. */
const GLUE = '\u2060';
/** Last line of the exit codes. It fits the narrowest terminal. */
const ALL_CODES = 'All exit codes and error codes: cdpadm help exit-codes';

const GLOBAL_FLAGS = [
  `-o json|yaml|csv…, --query, --out, --profile, -n${GLUE}(dry${GLUE}run), -y, -q, -v and more:`,
  'cdpadm help flags',
];

const LEARN_MORE = [
  ['cdpadm <command> --help', 'flags and examples for a command'],
  ['cdpadm help <topic>', 'exit-codes, environment, formatting, files, recipes, flags'],
] as const;

export function helpSettings(columns: () => number): Partial<Help> {
  return {
    prepareContext() {
      (this as Help).helpWidth = Math.min(columns(), MAX_PAGE_WIDTH);
    },
    minWidthToWrap: 20,
    subcommandTerm: (command) => command.name(),
    subcommandDescription: (command) => command.summary() || command.description(),
    // `help flags` lists the root's flags, which would crowd out the commands here.
    visibleOptions: (command) => (command.parent ? command.options.filter((option) => !option.hidden) : []),
    formatHelp,
  };
}

function formatHelp(command: Command, helper: Help): string {
  const width = helper.helpWidth ?? MAX_PAGE_WIDTH;
  const termWidth = helper.padWidth(command, helper);
  const isBeside = width - termWidth - 4 >= LEAST_BESIDE;
  const item = (term: string, description: string): string =>
    isBeside || description === ''
      ? helper.formatItem(term, termWidth, description, helper)
      : [`  ${term}`, ...helper.boxWrap(description, width - 6).split('\n')].join('\n      ');
  const section = (title: string, lines: string[]): string => (lines.length === 0 ? '' : [title, ...lines].join('\n'));
  const wrap = (text: string): string => helper.boxWrap(text, width);
  const indented = (text: string): string[] => indent(helper.boxWrap(text, width - 2).split('\n'));
  const help = helpOf(command);
  const shape = help && shapeTextOf(help);

  const args = helper
    .visibleArguments(command)
    .map((one) => item(one.name(), unquoted(one, helper.argumentDescription(one))));
  const column = largest(LEARN_MORE.map(([term]) => term.length));
  const more = LEARN_MORE.map(([term, description]) => helper.formatItem(term, column, description, helper));
  const parts = [wrap(asSentence(command.description())), section('Usage:', [`  ${usageOf(command)}`])];
  parts.push(section('Arguments:', args));
  for (const [title, options] of groupBy(helper.visibleOptions(command), (one) => one.helpGroupHeading ?? 'Flags:')) {
    const lines = options.map((one) => item(one.flags, unquoted(one, helper.optionDescription(one))));
    parts.push(section(title, lines));
  }
  for (const [title, commands] of groupBy(command.commands, (child) => child.helpGroup() || 'Commands:')) {
    const lines = commands.map((one) => item(one.name(), helper.subcommandDescription(one)));
    parts.push(section(title, lines));
  }
  for (const note of help?.notes ?? []) parts.push(wrap(note));
  if (help) parts.push(section('Examples:', indent(help.examples.map((example) => `$ ${example}`))));
  const shapeLines = shape?.split('\n').flatMap((line) => wrapShape(line, width)) ?? [];
  parts.push(section('JSON:', shapeLines));
  if (help) parts.push(section('Exit codes:', indent(exitCodeLines(help, helper, width - 2))));
  parts.push(command.parent ? section('Global flags:', GLOBAL_FLAGS.flatMap(indented)) : section('Learn more:', more));
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`.replaceAll(GLUE, ' ');
}

/** Removes the quotes that commander puts around the choices and defaults after `description`: `(choices: "a", "b")`. */
function unquoted({ description }: { description: string }, shown: string): string {
  return description + shown.slice(description.length).replace(' (preset: "")', '').replaceAll('"', '');
}

/** Returns the command's own codes with their meanings, then the usual codes as a paragraph. */
function exitCodeLines(help: CommandHelp, helper: Help, width: number): string[] {
  const own = byCode(help.exits ?? {}).map(([code, meaning]) => [String(code), meaning] as const);
  const column = largest(own.map(([code]) => code.length)) + 2;
  const lines = own.flatMap(([code, meaning]) =>
    helper
      .boxWrap(meaning, width - column)
      .split('\n')
      .map((line, index) => `${(index === 0 ? code : '').padEnd(column)}${line}`),
  );
  const usual = usualExits(help).map(([code, word]) => `${code} ${word}`.replaceAll(' ', GLUE));
  const rest = `${own.length === 0 ? `0${GLUE}done,` : 'Also'} ${usual.join(', ')}.`;
  return [...lines, ...helper.boxWrap(rest, width).split('\n'), ALL_CODES];
}

function indent(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`);
}
