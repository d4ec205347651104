// Finds candidates in the command tree for the word at the cursor.
import type { Argument, Command, Option } from 'commander';
import { flagSpecs } from '../command-line/define-command.ts';

export interface Candidate {
  value: string;
  description?: string;
}

export interface Completion {
  /** The shell itself completes `files` and `folders`. */
  kind: 'values' | 'files' | 'folders';
  candidates: Candidate[];
}

export interface CompletionPoint {
  command: Command;
  /** Path of the command, such as `roles push`; empty for the root. */
  path: string;
  operands: string[];
  /** Values of the flags before the cursor, by long name: `--profile`. */
  flags: ReadonlyMap<string, string>;
  typed: string;
  tree: Tree;
}

export interface Tree {
  root: Command;
  /** Returns the root's group or command with this name, fully built. */
  load: (name: string) => Promise<Command | undefined>;
}

/** Returns the values of an argument or a flag; undefined if any text is accepted. */
export type Values = (subject: Argument | Option, point: CompletionPoint) => Promise<Completion | undefined>;

/** Parses `words` as the program would, and completes `current`, the typed part of the next word. */
export async function complete(words: string[], current: string, tree: Tree, values: Values): Promise<Completion> {
  const state = await walk(words, tree);
  const { chain, waiting, literal, isHelp } = state;
  const point: CompletionPoint = { ...state.point, typed: current, tree };
  if (waiting && !endsList(waiting, current)) return without(await values(waiting, point), repeatable(waiting, state));
  const [, flag, typed] = /^(--[^=]+)=(.*)$/s.exec(literal ? '' : current) ?? [];
  if (flag !== undefined && typed !== undefined) {
    const option = findOption(chain, flag);
    const found = option?.required ? await values(option, { ...point, typed }) : undefined;
    const { kind, candidates } = without(found, option && repeatable(option, state));
    return { kind, candidates: candidates.map((one) => ({ ...one, value: `${flag}=${one.value}` })) };
  }
  if (!literal && current.startsWith('-')) return { kind: 'values', candidates: isHelp ? [] : flagsOf(state) };
  const below = point.command.commands.filter((command) => command.name() !== 'help' || chain.length === 1);
  const commands = below.map((command) => ({
    value: command.name(),
    description: command.summary() || command.description(),
  }));
  if (isHelp && point.path === '') {
    const help = await tree.load('help');
    const [topic] = help?.registeredArguments ?? [];
    const topics = help && topic && (await values(topic, { ...point, command: help }));
    const isFirst = point.operands.length === 0;
    return { kind: 'values', candidates: [...(isFirst ? commands : []), ...(topics?.candidates ?? [])] };
  }
  if (isHelp || (below.length > 0 && point.operands.length === 0)) return { kind: 'values', candidates: commands };
  const { registeredArguments } = point.command;
  const last = registeredArguments.at(-1);
  const argument = registeredArguments[point.operands.length] ?? (last?.variadic ? last : undefined);
  return without(argument && (await values(argument, point)), point.operands);
}

/** Returns a completion without the values that were already typed. */
function without(found: Completion | undefined, typed: readonly string[] = []): Completion {
  const { kind, candidates } = found ?? { kind: 'values', candidates: [] };
  return { kind, candidates: candidates.filter(({ value }) => !typed.includes(value)) };
}

/** Returns the values that a repeatable flag already has. */
function repeatable(option: Option, { given }: State): readonly string[] | undefined {
  return flagSpecs.get(option)?.many ? given.get(option.long ?? '') : undefined;
}

/** True if the word starts a new flag, so it is not a value of a flag that accepts several words. */
function endsList({ variadic }: Option, word: string): boolean {
  return variadic && word.startsWith('-');
}

type State = Awaited<ReturnType<typeof walk>>;

async function walk(words: string[], tree: Tree) {
  /** The command at the cursor and its parents, starting at the root. */
  const chain = [tree.root];
  const names: string[] = [];
  let operands: string[] = [];
  const flags = new Map<string, string>();
  /** All values of each flag, because `flags` contains only the last one. */
  const given = new Map<string, string[]>();
  const note = (long: string, value: string): void => {
    flags.set(long, value);
    given.set(long, [...(given.get(long) ?? []), value]);
  };
  let waiting: Option | undefined;
  /** After `--`, a hyphen does not start a flag. */
  let literal = false;
  /** True for `help roles …`, where the words name a command. */
  let isHelp = false;

  for (const word of words) {
    if (waiting && !endsList(waiting, word)) {
      note(waiting.long ?? '', word);
      if (!waiting.variadic) waiting = undefined;
      continue;
    }
    waiting = undefined;
    if (!literal && word === '--') literal = true;
    else if (!literal && word.startsWith('-') && word !== '-') waiting = takeFlag(word);
    else {
      const command: Command | undefined = chain.at(-1);
      const child =
        command === tree.root ? await tree.load(word) : command?.commands.find((one) => one.name() === word);
      if (command === tree.root && word === 'help' && !isHelp) isHelp = true;
      else if (child) {
        chain.push(child);
        names.push(word);
        operands = [];
      } else operands.push(word);
    }
  }
  const command = chain.at(-1) ?? tree.root;
  return { point: { command, path: names.join(' '), operands, flags }, given, chain, waiting, literal, isHelp };

  /** Records a flag with its value. Returns the flag if its value is the next word. */
  function takeFlag(word: string): Option | undefined {
    const [, long, value] = /^(--[^=]+)(?:=(.*))?$/s.exec(word) ?? [];
    if (long !== undefined) {
      const option = findOption(chain, long);
      if (option?.required && value === undefined) {
        // The last value wins.
        flags.delete(option.long ?? '');
        return option;
      }
      note(option?.long ?? long, value ?? '');
      return undefined;
    }
    // In `-qojson`, `json` is the value of `-o`.
    for (let index = 1; index < word.length; index++) {
      const option = findOption(chain, `-${word.charAt(index)}`);
      if (option?.required) {
        if (index === word.length - 1) return option;
        note(option.long ?? '', word.slice(index + 1));
        return undefined;
      }
      if (option) note(option.long ?? '', '');
    }
    return undefined;
  }
}

function findOption(chain: readonly Command[], flag: string): Option | undefined {
  return chain.flatMap((command) => command.options).find(({ long, short }) => long === flag || short === flag);
}

/** Returns the command's own flags, then the global ones. Omits flags that were given and cannot be repeated. */
function flagsOf({ chain, point }: State): Candidate[] {
  const options = chain.toReversed().flatMap((command) => command.options.filter(({ hidden }) => !hidden));
  const help = { value: '--help', description: 'show help' };
  return [
    ...options
      .filter((option) => flagSpecs.get(option)?.many ?? !point.flags.has(option.long ?? ''))
      .map(({ long, short, description }) => ({ value: long ?? short ?? '', description })),
    help,
  ];
}
