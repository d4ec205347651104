// The command tree. The root has names and summaries; only the requested group is loaded and built.
import { Command } from 'commander';
import { PROGRAM, VERSION } from './lib/kernel/version.ts';
import type { Context } from './lib/runtime/context.ts';
import { defineGlobalFlags } from './lib/runtime/command-line/global-flags.ts';
import { helpSettings } from './lib/runtime/command-line/help-screen.ts';
import { refuseUnknownWord, usageFailure } from './lib/runtime/command-line/usage-failure.ts';

interface Entry {
  name: string;
  summary: string;
  heading: string;
  /** Its commands that take target flags (default: all). Hints add the flags to them. */
  asks?: readonly string[];
  load(ctx: Context): Promise<Command>;
}

const ACCESS = 'Access:';
const IDENTITY = 'Identity:';
const WAREHOUSE = 'Warehouse:';
const SEEDING = 'Seeding:';
const PRIVACY = 'Privacy:';
const SETUP = 'Setup:';
const PLATFORM = 'Embedded platform:';
const MORE = 'More:';

/** Every group and single command, in the order of the help. */
export const entries: readonly Entry[] = [
  {
    name: 'roles',
    summary: 'custom access roles: pull, edit, diff, push',
    heading: ACCESS,
    load: async (ctx) => (await import('./commands/roles/index.ts')).rolesGroup(ctx),
  },
  {
    name: 'groups',
    summary: 'group identities, such as households, and the attributes that members share',
    heading: IDENTITY,
    load: async (ctx) => (await import('./commands/groups/index.ts')).groupsGroup(ctx),
  },
  {
    name: 'warehouse',
    summary: 'connections, data models and pipelines as a folder of files: export, diff, apply',
    heading: WAREHOUSE,
    load: async (ctx) => (await import('./commands/warehouse/index.ts')).warehouseGroup(ctx),
  },
  {
    name: 'connections',
    summary: 'warehouse addresses and credentials',
    heading: WAREHOUSE,
    load: async (ctx) => (await import('./commands/connections/index.ts')).connectionsGroup(ctx),
  },
  {
    name: 'data-models',
    summary: 'SQL queries that pipelines read',
    heading: WAREHOUSE,
    load: async (ctx) => (await import('./commands/data-models/index.ts')).dataModelsGroup(ctx),
  },
  {
    name: 'pipelines',
    summary: 'syncs from a warehouse: trigger, watch, diagnose',
    heading: WAREHOUSE,
    load: async (ctx) => (await import('./commands/pipelines/index.ts')).pipelinesGroup(ctx),
  },
  {
    name: 'seed',
    summary: 'calculated-attribute seeds: check, preview, send millions of users',
    heading: SEEDING,
    load: async (ctx) => (await import('./commands/seed/index.ts')).seedGroup(ctx),
  },
  {
    name: 'intake',
    summary: 'events, or identities and attributes, of one user',
    heading: SEEDING,
    load: async (ctx) => (await import('./commands/intake/index.ts')).intakeGroup(ctx),
  },
  {
    name: 'dsr',
    summary: 'data subject requests: submit, follow, cancel, verify callbacks',
    heading: PRIVACY,
    load: async (ctx) => (await import('./commands/dsr/index.ts')).dsrGroup(ctx),
  },
  {
    name: 'profile',
    summary: 'profiles: addresses, ids and references to secrets',
    heading: SETUP,
    asks: ['show'],
    load: async (ctx) => (await import('./commands/profile/index.ts')).profileGroup(ctx),
  },
  {
    name: 'auth',
    summary: 'credentials: log in, log out, test',
    heading: SETUP,
    asks: ['login', 'logout', 'test'],
    load: async (ctx) => (await import('./commands/auth/index.ts')).authGroup(ctx),
  },
  {
    name: 'doctor',
    summary: 'check this installation and suggest fixes',
    heading: SETUP,
    load: async (ctx) => (await import('./commands/doctor/index.ts')).checkSetup.build(ctx),
  },
  {
    name: 'completion',
    summary: 'shell completion for bash, zsh, fish and PowerShell',
    heading: SETUP,
    asks: [],
    load: async (ctx) => (await import('./commands/completion/index.ts')).printScript.build(ctx),
  },
  {
    name: 'emulator',
    summary: 'the embedded platform: start it, move its clock, inject faults',
    heading: PLATFORM,
    asks: [],
    load: async (ctx) => (await import('./commands/emulator/index.ts')).emulatorGroup(ctx),
  },
  {
    name: 'tour',
    summary: 'guided tour: pull, edit, diff, push and roll back on a temporary platform',
    heading: PLATFORM,
    asks: [],
    load: async (ctx) => (await import('./commands/tour/index.ts')).takeTour.build(ctx),
  },
  {
    name: 'api',
    summary: 'call any endpoint with the right address and credentials',
    heading: MORE,
    load: async (ctx) => (await import('./commands/api/index.ts')).callAny.build(ctx),
  },
  {
    name: 'schema',
    summary: 'the JSON Schema of a document, for editors',
    heading: MORE,
    asks: [],
    load: async (ctx) => (await import('./commands/schema/index.ts')).showSchema.build(ctx),
  },
  {
    name: 'help',
    summary: 'help on a command or a topic: exit-codes, environment, formatting, files, recipes, flags',
    heading: MORE,
    asks: [],
    load: async (ctx) => (await import('./commands/help/index.ts')).showHelp.build(ctx),
  },
];

/** The first words of commands that take target flags: `roles`, `auth test`. */
export const asking: readonly string[] = entries.flatMap(
  ({ asks, name }) => asks?.map((child) => `${name} ${child}`) ?? name,
);

/** The root command. Builds the entries that `wants` selects; the others have only a name and a summary. */
export async function createProgram(ctx: Context, wants: (name: string) => boolean): Promise<Command> {
  const root = new Command(PROGRAM)
    .description('Administer a customer-data platform from a terminal.')
    .version(VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand(false)
    .showSuggestionAfterError(false);
  applySettings(root, ctx);
  defineGlobalFlags(root);
  for (const entry of entries) {
    const wanted = wants(entry.name);
    const command = wanted ? await entry.load(ctx) : new Command(entry.name);
    root.addCommand(command.summary(entry.summary).helpGroup(entry.heading));
    if (wanted) adopt(root, command, ctx);
  }
  return root;
}

/** The whole tree, for completion and for tests that walk it. */
export function loadAll(ctx: Context): Promise<Command> {
  return createProgram(ctx, () => true);
}

/** The first word of a command line that is not a flag. */
export function commandNameOf(argv: readonly string[]): string | undefined {
  const [first] = argv;
  return first === undefined || first.startsWith('-') ? operandsOf(argv)[0] : first;
}

/** The words of a command line without global flags and their values. The command's name comes first. */
export function operandsOf(argv: readonly string[]): string[] {
  const isFlag = (word: string): boolean => word.startsWith('-');
  // Without flags, or with flags alone, there is nothing to parse.
  if (!argv.some(isFlag) || argv.every(isFlag)) return argv.filter((word) => !isFlag(word));
  // Commander parses the global flags on a separate root, because it knows which of them take a value.
  const probe = new Command().exitOverride().configureOutput({ writeErr: () => undefined });
  defineGlobalFlags(probe);
  try {
    return probe.parseOptions([...argv]).operands;
  } catch {
    // The real root reports the error.
    return [];
  }
}

/** Copies the parent's settings to a command and all below it. Commander does so only for commands that it creates. */
function adopt(parent: Command, command: Command, ctx: Context): void {
  command.copyInheritedSettings(parent).helpCommand(false);
  applySettings(command, ctx);
  for (const child of command.commands) adopt(command, child, ctx);
}

function applySettings(command: Command, ctx: Context): void {
  command
    .exitOverride((error) => {
      throw usageFailure(error, command);
    })
    .configureOutput({
      writeOut: (text) => ctx.io.stdout.write(text),
      writeErr: (text) => ctx.io.stderr.write(text),
      getOutHelpWidth: ctx.io.columns,
      getErrHelpWidth: ctx.io.columns,
      getOutHasColors: () => true,
      getErrHasColors: () => true,
      // `showFailure` prints the error.
      outputError: () => undefined,
    })
    .configureHelp(helpSettings(ctx.io.columns))
    .addHelpText('before', ({ command: of }) => {
      refuseUnknownWord(of);
      return '';
    });
}
