// How help screens are laid out.
import type { Command, Help, Option } from 'commander';

/** Lines longer than this are hard to read however wide the terminal is. */
const MAX_WIDTH = 100;

/** Settings for commander's `configureHelp`. */
export function helpSettings(columns: () => number): Partial<Help> {
  return {
    prepareContext() {
      (this as Help).helpWidth = Math.min(columns(), MAX_WIDTH);
    },
    commandUsage,
    subcommandTerm: (command) => command.name(),
    visibleOptions,
  };
}

function commandUsage(command: Command): string {
  const path: string[] = [];
  for (let step: Command | null = command; step; step = step.parent) path.unshift(step.name());
  return `${path.join(' ')} ${command.parent ? command.usage() : '<command> [flags]'}`.trimEnd();
}

/** The root's flags have a page of their own; here they would bury the commands. */
function visibleOptions(command: Command): Option[] {
  const own = command.options.filter((option) => !option.hidden);
  return command.parent ? own : own.filter((option) => ['--version'].includes(option.long ?? ''));
}
