// The program's commands, for tests that visit all of them.
import type { Command } from 'commander';
import { RunContext } from '../../src/lib/runtime/run-context.ts';
import { type CommandHelp, helpOf } from '../../src/lib/runtime/command-line/help.ts';
import { loadAll } from '../../src/program.ts';
import { createTestIo } from './cli.ts';

export type Walked = [path: string, command: Command];

/** Returns the root command of a new program. */
export function loadProgram(): Promise<Command> {
  return loadAll(new RunContext(createTestIo().io, new AbortController().signal));
}

/** Returns all descendants of a command, including groups, with their full names, such as `roles push`. */
export function commandsBelow(command: Command, path: readonly string[] = []): Walked[] {
  return command.commands.flatMap((child): Walked[] => {
    const own = [...path, child.name()];
    return [[own.join(' '), child], ...commandsBelow(child, own)];
  });
}

/** Returns the descendants that run something, excluding those that only group others. */
export function leavesBelow(command: Command): Walked[] {
  return commandsBelow(command).filter(([, one]) => one.commands.length === 0 || helpOf(one) !== undefined);
}

/** Returns the help of the command with this name. */
export function helpAt(program: Command, words: string): CommandHelp | undefined {
  const find = (command: Command | undefined, word: string) => command?.commands.find((child) => child.name() === word);
  const command = words.split(' ').reduce<Command | undefined>(find, program);
  return command && helpOf(command);
}
