// The whole program's commands, for tests that walk all of them.
import type { Command } from 'commander';
import { createContext } from '../../src/lib/runtime/create-context.ts';
import { type CommandHelp, helpOf } from '../../src/lib/runtime/command-line/help.ts';
import { loadAll } from '../../src/program.ts';
import { createTestIo } from './cli.ts';

export type Walked = [path: string, command: Command];

/** The root of a program of its own. */
export function loadProgram(): Promise<Command> {
  return loadAll(createContext(createTestIo().io, new AbortController().signal));
}

/** Every command below, groups too, by the words that lead to it: `roles push`. */
export function commandsBelow(command: Command, path: readonly string[] = []): Walked[] {
  return command.commands.flatMap((child): Walked[] => {
    const own = [...path, child.name()];
    return [[own.join(' '), child], ...commandsBelow(child, own)];
  });
}

/** Those of them that have none below. */
export function leavesBelow(command: Command): Walked[] {
  return commandsBelow(command).filter(([, { commands }]) => commands.length === 0);
}

/** The help of the command that these words lead to. */
export function helpAt(program: Command, words: string): CommandHelp | undefined {
  const find = (command: Command | undefined, word: string) => command?.commands.find((child) => child.name() === word);
  const command = words.split(' ').reduce<Command | undefined>(find, program);
  return command && helpOf(command);
}
