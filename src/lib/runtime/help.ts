// What the help of one command says besides its flags; kept beside the command, so that tests can run every example.
import type { Command } from 'commander';

export interface CommandHelp {
  /** Whole command lines that can be run as they stand, beginning with `cdpadm`; at least two. */
  examples: string[];
  /** The shape of `-o json`. */
  json?: string;
  /** Exit codes that a reader would not guess: `6  the platform changed meanwhile`. */
  errors?: string[];
  /** Sentences, each a paragraph. */
  notes?: string[];
}

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
