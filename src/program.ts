// The command tree. The root contains only names and summaries; only the requested group is loaded and built.
import { Command } from 'commander';
import { PROGRAM, VERSION } from './lib/kernel/version.ts';
import type { Context } from './lib/runtime/context.ts';
import { defineGlobalFlags, lenientFlags, preferredFormat } from './lib/runtime/command-line/global-flags.ts';
import { helpSettings } from './lib/runtime/command-line/help-screen.ts';
import { refuseUnknownWord, usageFailure, usageIn } from './lib/runtime/command-line/usage-failure.ts';

/** Summaries of groups and single commands, by heading, in the order of the help. */
const SUMMARIES = {
  'Access:': { roles: 'custom access roles: pull, edit, diff, push' },
  'Identity:': { groups: 'group identities, such as households, and the attributes that members share' },
  'Warehouse:': {
    warehouse: 'connections, data models and pipelines as a folder of files: export, diff, apply',
    connections: 'warehouse addresses and credentials',
    'data-models': 'SQL queries that pipelines run',
    pipelines: 'syncs from a warehouse: trigger, watch, diagnose',
  },
  'Seeding:': {
    seed: 'calculated-attribute seeds: check, preview, send millions of users',
    intake: "one user's events, or identities and attributes",
  },
  'Privacy:': { dsr: 'data subject requests: submit, follow, cancel, verify callbacks' },
  'Setup:': {
    profile: 'profiles: addresses, ids and references to secrets',
    auth: 'credentials: log in, log out, test',
    doctor: 'check this installation and suggest fixes',
    completion: 'shell completion for bash, zsh, fish and PowerShell',
  },
  'Embedded platform:': {
    emulator: 'the embedded platform: start it, advance its clock, inject faults',
    tour: 'guided tour of the main tasks on a temporary platform',
  },
  'More:': {
    log: 'every write from this machine: when, who, what, and how to undo it',
    mcp: 'serve an assistant over the Model Context Protocol',
    api: 'call any endpoint with the right address and credentials',
    schema: 'the JSON Schema of a document, for editors',
    help: 'help on a command or a topic: exit-codes, environment, formatting, files, recipes, flags',
    version: 'print the version; with --verbose, also the commit and its date',
  },
};

const LOADERS: Readonly<Record<string, () => Promise<{ command: { build(ctx: Context): Command } }>>> = {
  roles: () => import('./commands/roles/index.ts'),
  groups: () => import('./commands/groups/index.ts'),
  warehouse: () => import('./commands/warehouse/index.ts'),
  connections: () => import('./commands/connections/index.ts'),
  'data-models': () => import('./commands/data-models/index.ts'),
  pipelines: () => import('./commands/pipelines/index.ts'),
  seed: () => import('./commands/seed/index.ts'),
  intake: () => import('./commands/intake/index.ts'),
  dsr: () => import('./commands/dsr/index.ts'),
  profile: () => import('./commands/profile/index.ts'),
  auth: () => import('./commands/auth/index.ts'),
  doctor: () => import('./commands/doctor/index.ts'),
  completion: () => import('./commands/completion/index.ts'),
  emulator: () => import('./commands/emulator/index.ts'),
  tour: () => import('./commands/tour/index.ts'),
  log: () => import('./commands/log/index.ts'),
  mcp: () => import('./commands/mcp/index.ts'),
  api: () => import('./commands/api/index.ts'),
  schema: () => import('./commands/schema/index.ts'),
  help: () => import('./commands/help/index.ts'),
  version: () => import('./commands/version/index.ts'),
};

/** Commands that accept target flags, in groups where only some do. Hints add the flags to these commands. */
const ASKING: Readonly<Record<string, readonly string[]>> = {
  ...{ profile: ['show'], auth: ['login', 'logout', 'test'] },
  ...{ log: [], completion: [], emulator: [], tour: [], schema: [], help: [], version: [] },
};

export const entries = Object.entries(SUMMARIES).flatMap(([heading, summaries]) =>
  Object.entries(summaries).map(([name, summary]) => ({ name, summary, heading })),
);

export async function load(name: string, ctx: Context): Promise<Command | undefined> {
  const loaded = Object.hasOwn(LOADERS, name) ? await LOADERS[name]?.() : undefined;
  return loaded?.command.build(ctx);
}

/** First words of commands that accept target flags: `roles`, `auth test`. */
export const asking: readonly string[] = entries.flatMap(
  ({ name }) => ASKING[name]?.map((child) => `${name} ${child}`) ?? name,
);

/** Returns the root command. Builds the entries that `wants` selects. All others get only a name and a summary. */
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
    const wanted = wants(entry.name) ? await load(entry.name, ctx) : undefined;
    root.addCommand((wanted ?? new Command(entry.name)).summary(entry.summary).helpGroup(entry.heading));
    if (wanted) adopt(root, wanted, ctx);
  }
  return root;
}

export function loadAll(ctx: Context): Promise<Command> {
  return createProgram(ctx, () => true);
}

/** Returns the first word of a command line that is not a flag. */
export function commandNameOf(argv: readonly string[]): string | undefined {
  const [first] = argv;
  return first === undefined || first.startsWith('-') ? operandsOf(argv)[0] : first;
}

/** Returns a command line's words, starting with the command, without global flags and their values. */
export function operandsOf(argv: readonly string[]): string[] {
  const isFlag = (word: string): boolean => word.startsWith('-');
  // Without arguments, or with only flags, there is nothing to parse.
  if (!argv.some(isFlag) || argv.every(isFlag)) return argv.filter((word) => !isFlag(word));
  // Commander parses the global flags on a separate root, because it knows which of them take a value.
  const probe = new Command().exitOverride().configureOutput({ writeErr: () => undefined });
  defineGlobalFlags(probe);
  try {
    return probe.parseOptions([...argv]).operands;
  } catch {
    // The real root will report the error.
    return [];
  }
}

/** Rewrites `--version` with other flags to the `version` command, so that `--verbose` and `-o json` take effect. */
export function wantedVersion(argv: readonly string[]): string[] | undefined {
  const others = argv.filter((word) => word !== '--version' && word !== '-V');
  return others.length < argv.length && operandsOf(argv).length === 0 ? ['version', ...others] : undefined;
}

/** Copies the parent's settings to a command and its subcommands: Commander copies them only to commands it creates. */
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
    .addHelpText('before', ({ command: of, error }) => {
      refuseUnknownWord(of);
      // A program that reads standard error expects an error document, not help.
      const { output } = lenientFlags(of.optsWithGlobals(), ctx.io.env, preferredFormat(ctx.io));
      if (error && output.endsWith('json')) throw usageIn(of, 'missing command');
      return '';
    });
}
