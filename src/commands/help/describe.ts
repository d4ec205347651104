// Describes every command as data, for `help --json`, the pages in `docs/commands`, and the manual.
import type { Argument, Command, Option } from 'commander';
import * as z from 'zod/mini';
import { EXIT, type ErrorEntry } from '../../lib/errors/entry.ts';
import { ERRORS } from '../../lib/errors/registry.ts';
import { VERSION } from '../../lib/kernel/version.ts';
import { flagSpecs } from '../../lib/runtime/command-line/define-command.ts';
import {
  byCode,
  commandAt,
  type CommandHelp,
  helpOf,
  usageOf,
  usualExits,
} from '../../lib/runtime/command-line/help.ts';
import { resultSchema } from '../../lib/runtime/output/result-shape.ts';
import { topics } from './topics.ts';

export function commandsResult() {
  const value = {
    help: z.string(),
    required: z.boolean(),
    many: z.boolean(),
    default: z.optional(z.string()),
    choices: z.optional(z.array(z.string())),
  };
  return z.array(
    z.object({
      path: z.string(),
      summary: z.string(),
      usage: z.string(),
      effect: z.enum(['read', 'write', 'local']),
      args: z.array(z.object({ name: z.string(), ...value })),
      flags: z.array(
        z.object({
          flag: z.string(),
          short: z.optional(z.string()),
          value: z.nullable(z.string()),
          /** `boolean`, `integer` or `string`. */
          type: z.string(),
          heading: z.optional(z.string()),
          ...value,
        }),
      ),
      notes: z.array(z.string()),
      examples: z.array(z.string()),
      exits: z.record(z.string(), z.string()),
      /** JSON Schema (draft 7) of `-o json`; null for a command that prints no data. */
      output: z.nullable(z.record(z.string(), z.unknown())),
    }),
  );
}

type Described = z.infer<ReturnType<typeof commandsResult>>[number];

/** Returns the command that these words name, and all commands below it, or undefined if a word is unknown. */
export function describeCommands(root: Command, words: readonly string[]): Described[] | undefined {
  const found = commandAt(root, words);
  return found && actingFrom(found, words);
}

/** Omits plain groups, which do nothing themselves. `emulator clock` is a command although it has a subcommand. */
function actingFrom(command: Command, path: readonly string[]): Described[] {
  const below = command.commands.flatMap((child) => actingFrom(child, [...path, child.name()]));
  const help = helpOf(command);
  return help ? [describe(command, help, path.join(' ')), ...below] : below;
}

function describe(command: Command, help: CommandHelp, path: string): Described {
  return {
    path,
    summary: command.description(),
    usage: usageOf(command),
    effect: help.effect,
    args: command.registeredArguments.map((arg) => ({ name: arg.name(), ...valueOf(arg) })),
    flags: flagsOf(command),
    notes: help.notes ?? [],
    examples: help.examples,
    exits: Object.fromEntries([...usualExits(help), ...byCode(help.exits ?? {})]),
    output: resultSchema(command) ?? null,
  };
}

function flagsOf({ options }: Command) {
  return options
    .filter(({ hidden }) => !hidden)
    .map((flag) => ({
      flag: flag.long ?? flag.flags,
      ...(flag.short !== undefined && { short: flag.short }),
      value: flag.flags.split(/[<[]/)[1]?.slice(0, -1).replace('...', '') ?? null,
      type: !flag.required && !flag.optional ? 'boolean' : flagSpecs.get(flag)?.most ? 'integer' : 'string',
      ...(flag.helpGroupHeading !== undefined && { heading: flag.helpGroupHeading.replace(/:$/, '') }),
      ...valueOf(flag),
    }));
}

function valueOf(value: Argument | Option) {
  const { argChoices, description, variadic } = value;
  const standard: unknown = value.defaultValueDescription ?? value.defaultValue;
  return {
    help: description,
    required: 'mandatory' in value ? value.mandatory : value.required,
    many: 'mandatory' in value ? flagSpecs.get(value)?.many === true : variadic,
    ...(typeof standard === 'string' && { default: standard }),
    ...(argChoices && { choices: argChoices }),
  };
}

export type Reference = ReturnType<typeof describeProgram>;

/** Returns the content of the reference pages, which the build and `npm run docs` write. */
export function describeProgram(root: Command) {
  return {
    version: VERSION,
    summary: root.description(),
    groups: root.commands.map((child) => ({
      name: child.name(),
      heading: child.helpGroup().replace(/:$/, ''),
      summary: child.summary(),
      commands: actingFrom(child, [child.name()]),
    })),
    flags: flagsOf(root),
    topics,
    errors: Object.entries<ErrorEntry>(ERRORS).map(([code, entry]) => ({ code, ...entry, exit: EXIT[entry.exit] })),
  };
}
