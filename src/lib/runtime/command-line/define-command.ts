// A command as a record: what it accepts, prints and changes. Help, completion, schemas and tests read the same record.
import { Argument, Command, Option } from 'commander';
import { usageError } from '../../kernel/errors.ts';
import type { View } from '../../render/view.ts';
import type { Choice, Context } from '../context.ts';
import { type Columns, commandHelp, type CommandHelp, helpOf, type OfferedValues } from './help.ts';
import { readerOf, readWord } from './read-word.ts';

/** An argument. Help and messages show its `name` or, by default, its key. */
export interface ArgSpec {
  readonly name?: string;
  readonly help: string;
  readonly optional?: true;
  readonly default?: string;
  readonly choices?: readonly string[];
  readonly many?: true;
  readonly offers?: OfferedValues;
  /** Prompts for a missing argument on a terminal. */
  readonly pick?: {
    readonly question: string;
    /** Command that lists the choices; `create` is the command that creates one. */
    readonly list: string;
    readonly create?: string;
    /** Maximum number of choices; the newest come first. Other ids can be typed. */
    readonly newest?: number;
    /** Returns undefined if these flags make the argument unnecessary. */
    readonly choices: (
      ctx: Context,
      args: Readonly<Record<string, unknown>>,
      flags: Readonly<Record<string, unknown>>,
    ) => Promise<readonly Choice[] | undefined>;
  };
}

/** The key `expectPlan` defines `--expect-plan`. A flag without `value` is boolean (`--no-…` if `default` is true). */
export interface FlagSpec {
  readonly short?: string;
  /** Placeholder for the value in help. `file` and `dir` are completed as paths. */
  readonly value?: string;
  readonly help: string;
  readonly choices?: readonly string[];
  /** Maximum value, for a flag that accepts a whole number. The minimum is 1. */
  readonly most?: number;
  /** True if the value is an output path, so it cannot be `-`. */
  readonly writes?: true;
  readonly many?: true;
  /** True if the values are all words up to the next flag. `any` also allows the flag without a value. */
  readonly words?: true | 'any';
  readonly required?: true;
  readonly default?: string | true;
  readonly conflicts?: readonly string[];
  /** Checks and converts the value. Throws KnownError usage (2). */
  readonly read?: (text: string, flag: string) => unknown;
  readonly heading?: string;
  /** True if the flag exists only to be rejected. Help omits the flag, and its value may be missing. */
  readonly hidden?: true;
  /** True for a flag that the parent command defines and this command reads. */
  readonly inherited?: true;
  /** Returns the value to record in an assistant's plan, so that the dry run can be repeated exactly. */
  readonly planned?: (now: number) => string;
  readonly offers?: OfferedValues;
}

type Word<S> = S extends { choices: readonly (infer W)[] } ? W : string;

export type ArgValue<S extends ArgSpec> = S extends { many: true }
  ? Word<S>[]
  : S extends { default: string }
    ? Word<S>
    : S extends { optional: true }
      ? Word<S> | undefined
      : Word<S>;

type FlagItem<S extends FlagSpec> = S extends { value: string }
  ? S extends { read: (text: string, flag: string) => infer R }
    ? R
    : S extends { most: number }
      ? number
      : Word<S>
  : boolean;

type FlagValue<S extends FlagSpec> = S extends { many: true } ? FlagItem<S>[] : FlagItem<S>;

/** Keys of the flags that always have a value. */
type Given<F> = { [K in keyof F]: F[K] extends { required: true } | { default: string | true } ? K : never }[keyof F];

type Specs<T> = Readonly<Record<string, T>>;
export type ArgValues<A extends Specs<ArgSpec>> = { [K in keyof A]: ArgValue<A[K]> };
export type FlagValues<F extends Specs<FlagSpec>> = { [K in Given<F>]: FlagValue<F[K]> } & {
  [K in Exclude<keyof F, Given<F>>]?: FlagValue<F[K]>;
};

export interface CommandRecord extends Omit<CommandHelp, 'reads' | 'values'> {
  readonly path: string;
  readonly summary: string;
  /** True if the command runs until it is stopped, so it accepts only one `--profile`. */
  readonly endless?: true;
  readonly args?: Specs<ArgSpec>;
  readonly flags?: Specs<FlagSpec>;
  /**
   * Flags that become arguments of the MCP tool, in addition to required flags; never guards, wait flags or output
   * paths. False means that the command is not a tool. A local command is a tool only if it has this list.
   */
  readonly tool?: readonly string[] | false;
  /** True if a person must type a value to confirm. An assistant can plan such a command but not run it. */
  readonly byPerson?: true;
  /** Subcommands of a command that can also run by itself, such as `emulator clock`. */
  readonly below?: readonly Definition[];
}

export interface Definition extends CommandRecord {
  build(ctx: Context): Command;
}

/** `run` returns the result, which `view` renders for humans, or undefined if there is nothing left to print. */
export function defineCommand<
  R,
  const A extends Specs<ArgSpec> = Specs<never>,
  const F extends Specs<FlagSpec> = Specs<never>,
>(
  record: CommandRecord & {
    readonly args?: A;
    readonly flags?: F;
    /** Renders the result and provides the default `columns`. Pass a function to load its code on demand. */
    readonly view?: View<NoInfer<Exclude<R, undefined>>> | (() => View<NoInfer<Exclude<R, undefined>>>);
    run(ctx: Context, input: { args: ArgValues<A>; flags: FlagValues<F> }): Promise<R>;
  },
): Definition {
  const { run, view, ...rest } = record;
  const columns = record.columns ?? (typeof view === 'function' ? () => columnsOf(view()) : view && columnsOf(view));
  const described = columns ? { ...rest, columns } : rest;
  return {
    ...described,
    build: (ctx) => {
      const command = commanderOf(described, async (given, flags, missing) => {
        const args = record.args ? await pickMissing(ctx, record.args, given, flags, missing) : given;
        const named = Object.entries(record.flags ?? {}).filter(([, { value }]) => value === 'file');
        const files = named.flatMap(([name]) => flags[name] ?? []);
        const { path, undoNote } = record;
        await ctx.logged({ path, undoNote, args: Object.values(args), files }, async () => {
          // Commander has already parsed the values using the same specifications.
          const result = await run(ctx, { args: args as ArgValues<A>, flags: flags as FlagValues<F> });
          if (result === undefined || !view) return;
          await ctx.out.emit(result as Exclude<R, undefined>, typeof view === 'function' ? view() : view);
        });
      });
      for (const child of record.below ?? []) command.addCommand(child.build(ctx));
      return command;
    },
  };
}

/** Returns a command's record; undefined for a group. */
export const recordOf = (command: Command): CommandRecord | undefined => helpOf(command) as CommandRecord | undefined;

const columnsOf = (view: View<never>): Columns | undefined => ('columns' in view ? view.columns : undefined);

export function group(name: string, summary: string, members: readonly Pick<Definition, 'build'>[]) {
  return {
    build: (ctx: Context): Command => {
      const command = new Command(name).description(summary);
      for (const member of members) command.addCommand(member.build(ctx));
      return command;
    },
  };
}

type Missing = (name: string) => void;
type Act = (args: Record<string, unknown>, flags: Record<string, unknown>, missing: Missing) => Promise<void>;

/** Prompts for missing values on a terminal. Without a terminal, `missing` throws the usage error. */
async function pickMissing(
  ctx: Context,
  specs: Specs<ArgSpec>,
  given: Record<string, unknown>,
  flags: Record<string, unknown>,
  missing: Missing,
): Promise<Record<string, unknown>> {
  const args = { ...given };
  for (const [key, { many, name = key, optional, pick }] of Object.entries(specs)) {
    const value = args[key];
    if (!pick || !(value === undefined || (Array.isArray(value) && value.length === 0))) continue;
    const isAsked = ctx.prompt.possible && !ctx.flags.curl && !(optional && ctx.flags.yes);
    const found = isAsked ? await pick.choices(ctx, args, flags) : undefined;
    const others = Object.keys(specs).filter((other) => specs[other]?.pick?.choices === pick.choices);
    const choices = found?.filter(({ value: id }) => !others.some((other) => args[other] === id));
    if (choices && choices.length > 0) {
      const open = pick.newest !== undefined && choices.length >= pick.newest;
      const question = `${pick.question}${open ? ` (the newest ${pick.newest}; type the id of an older one)` : ''}`;
      const options = { search: true, open, ...(optional && { initial: '' }) } as const;
      const chosen = await ctx.prompt.select(question, choices, options);
      args[key] = many ? [chosen] : chosen === '' ? undefined : chosen;
    } else if (choices) {
      const hint = { text: pick.create ? 'To create one:' : 'To check:', command: pick.create ?? pick.list };
      throw usageError(`Missing required argument \`${name}\`, and there is nothing to choose from.`, hint);
    } else if (!optional) missing(name);
  }
  return args;
}

function commanderOf(record: CommandRecord, act: Act): Command {
  const { args = {}, flags = {}, path, summary } = record;
  const command = new Command(path.slice(path.lastIndexOf(' ') + 1)).description(summary);
  const names = Object.keys(args);
  for (const [key, spec] of Object.entries(args)) command.addArgument(argumentOf(key, spec));
  const inherited = Object.keys(flags).filter((key) => flags[key]?.inherited);
  for (const [key, spec] of Object.entries(flags)) if (!spec.inherited) command.addOption(optionOf(key, spec));
  // Commander reports a missing argument before we know whether the user can choose a value.
  const checks = command as unknown as { missingArgument: Missing };
  const missing = checks.missingArgument.bind(command);
  const isPicked = (name: string): boolean =>
    Object.entries(args).some(([key, spec]) => spec.pick && (spec.name ?? key) === name);
  let first: string | undefined;
  checks.missingArgument = (name) => {
    first ??= name;
    if (!isPicked(name)) missing(first);
  };
  command.action(async (...values: unknown[]) => {
    const given = Object.fromEntries(names.map((name, index) => [name, values[index]]));
    const above = Object.fromEntries(inherited.map((key) => [key, command.parent?.getOptionValue(key) as unknown]));
    await act(given, { ...above, ...(values[names.length] as Record<string, unknown>) }, missing);
  });
  const reads = record.effect === 'read' && !record.endless;
  commandHelp.set(command, { ...record, reads, values: offersOf(record) });
  return command;
}

function argumentOf(key: string, spec: ArgSpec): Argument {
  const { choices, help, many, name = key, optional } = spec;
  const isOptional = optional ?? spec.default !== undefined;
  const word = many ? `${name}...` : name;
  const argument = new Argument(isOptional ? `[${word}]` : `<${word}>`, help);
  if (spec.default !== undefined) argument.default(spec.default);
  if (!choices) return argument;
  const read = (text: string) => readWord(`<${name}>`, text, choices);
  argument.choices(choices);
  if (!many) return argument.argParser(read);
  return argument.argParser((text, before: string[] | undefined) => [...(before ?? []), read(text)]);
}

export const flagSpecs = new WeakMap<Option, FlagSpec>();

export function optionOf(key: string, spec: FlagSpec): Option {
  const { choices, conflicts, heading, help, hidden, many, required, short, value, words } = spec;
  const name = flagName(key);
  const long = value === undefined && spec.default === true ? name.replace('--', '--no-') : name;
  const list = `${value}${words ? '...' : ''}`;
  const word = value === undefined ? '' : hidden || words === 'any' ? ` [${list}]` : ` <${list}>`;
  const option = new Option(`${short ? `-${short}, ` : ''}${long}${word}`, help);
  flagSpecs.set(option, spec);
  const item = readerOf(name, spec);
  if (choices) option.choices(choices);
  const read = (text: string) => (words === 'any' && text === '' ? [] : [item?.(text) ?? text]);
  if (words === 'any') option.preset('');
  if (many) option.argParser((text, before: unknown[] | undefined) => [...(before ?? []), ...read(text)]);
  else if (item) option.argParser(item);
  if (typeof spec.default === 'string') option.default(item?.(spec.default) ?? spec.default, spec.default);
  if (required) option.makeOptionMandatory();
  if (conflicts) option.conflicts([...conflicts]);
  if (heading !== undefined) option.helpGroup(heading);
  return hidden ? option.hideHelp() : option;
}

export function flagName(key: string): string {
  return `--${key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** Returns commander's key for a flag: `expectPlan` for `--expect-plan`. */
export function optionKey(flag: string): string {
  return flag.slice(2).replace(/-([a-z])/g, (_dash, letter: string) => letter.toUpperCase());
}

/** Returns the command line that runs the command with these values. Omits flags that have their default value. */
export function commandWords(
  { flags: specs = {}, path }: CommandRecord,
  args: readonly string[],
  values: Readonly<Record<string, string | number | readonly string[] | boolean | undefined>>,
  { yes }: { yes: boolean },
): string[] {
  const words = Object.entries(specs).flatMap(([key, spec]) => {
    const value = values[key];
    if (value === undefined || value === false || String(value) === spec.default) return [];
    const flag = flagName(key);
    if (typeof value === 'boolean') return [flag];
    // A separate word that starts with `-` would be parsed as a flag.
    return [value].flat().flatMap((one) => (/^-./.test(String(one)) ? [`${flag}=${one}`] : [flag, String(one)]));
  });
  return ['cdpadm', ...path.split(' '), ...args, ...words, ...(yes ? ['--yes'] : [])];
}

function offersOf({ args = {}, flags = {} }: CommandRecord): Record<string, OfferedValues> {
  const offers = [
    ...Object.entries(args).map(([key, { name = key, offers: of }]) => [name, of] as const),
    ...Object.entries(flags).map(([key, { offers: of }]) => [flagName(key), of] as const),
  ];
  return Object.fromEntries(offers.flatMap(([name, of]) => (of ? [[name, of]] : [])));
}
