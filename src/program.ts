// The command tree. The root knows names and summaries; only the group that is asked for is loaded and built.
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
  /** Its commands that mean a platform, or tell of the settings in use; all, unless given. Hints say with them where to. */
  asks?: readonly string[];
  load(ctx: Context): Promise<Command>;
}

const ACCESS = 'Access:';
const IDENTITY = 'Identity:';
const WAREHOUSE = 'Warehouse:';
const SEEDING = 'Seeding:';
const PRIVACY = 'Privacy:';
const SETUP = 'Set-up:';
const PLATFORM = 'Rehearsal:';
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
    summary: 'group identities: households and the like, and what their members share',
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
    summary: 'where warehouses are and how they are entered',
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
    summary: 'syncs from a warehouse: trigger, watch, find out what is wrong',
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
    summary: "one user's events, or identities and attributes",
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
    summary: 'profiles: addresses, ids and where the secrets are',
    heading: SETUP,
    asks: ['show'],
    load: async (ctx) => (await import('./commands/profile/index.ts')).profileGroup(ctx),
  },
  {
    name: 'auth',
    summary: 'credentials: what works with them',
    heading: SETUP,
    asks: ['login', 'logout', 'test'],
    load: async (ctx) => (await import('./commands/auth/index.ts')).authGroup(ctx),
  },
  {
    name: 'doctor',
    summary: 'what is wrong with this set-up, and how to mend it',
    heading: SETUP,
    load: async (ctx) => (await import('./commands/doctor/index.ts')).checkSetup.build(ctx),
  },
  {
    name: 'completion',
    summary: 'Tab in bash, zsh, fish and PowerShell: commands, flags, values, profiles, ids',
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
    summary: 'a first lesson: pull, edit, diff, push, roll back, on a throw-away platform',
    heading: PLATFORM,
    asks: [],
    load: async (ctx) => (await import('./commands/tour/index.ts')).takeTour.build(ctx),
  },
  {
    name: 'api',
    summary: 'any call of the platform, with the right address and credentials',
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

/** How the command lines begin that mean a platform, or tell of the settings in use: `roles`, `auth test`. */
export const asking: readonly string[] = entries.flatMap(
  ({ asks, name }) => asks?.map((child) => `${name} ${child}`) ?? name,
);

/** The root command. Of its entries those that `wants` says are built, the others are names with a summary. */
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

/** The first word of a command line that is no flag. Only one that begins with a flag has to be read for it. */
export function commandNameOf(argv: readonly string[]): string | undefined {
  const [first] = argv;
  return first === undefined || first.startsWith('-') ? operandsOf(argv)[0] : first;
}

/** The words of a command line that are no global flag and no such flag's value: the command's name comes first. */
export function operandsOf(argv: readonly string[]): string[] {
  const isFlag = (word: string): boolean => word.startsWith('-');
  // Without a flag every word is one, and with flags alone none is: no need to build the flags twice.
  if (!argv.some(isFlag) || argv.every(isFlag)) return argv.filter((word) => !isFlag(word));
  // Commander's own reading of the global flags, on a root of its own: it knows which of them take a value.
  const probe = new Command().exitOverride().configureOutput({ writeErr: () => undefined });
  defineGlobalFlags(probe);
  try {
    return probe.parseOptions([...argv]).operands;
  } catch {
    // The real root will say what is wrong.
    return [];
  }
}

/** Gives a command built apart, and all below it, the settings that commander copies only to what it builds itself. */
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
      // Commander would open `process.stdout` to find out, which takes a fifth of the time that a help screen takes;
      // and where there are colours it need not look for any to take away.
      getOutHelpWidth: ctx.io.columns,
      getErrHelpWidth: ctx.io.columns,
      getOutHasColors: () => true,
      getErrHasColors: () => true,
      // What is wrong is told by the failure's own screen.
      outputError: () => undefined,
    })
    .configureHelp(helpSettings(ctx.io.columns))
    .addHelpText('before', ({ command: of }) => {
      refuseUnknownWord(of);
      return '';
    });
}
