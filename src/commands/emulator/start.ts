// `emulator start`: serves the embedded platform until a signal.
import { resolve } from 'node:path';
import { Command, Option } from 'commander';
import { invalidDocument, type LoadedDocument, loadDocument } from '../../lib/files/load.ts';
import { CliError, EXIT, invalidInput } from '../../lib/kernel/errors.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { serveEmulator } from '../../lib/runtime/emulator/serve.ts';
import { withHelp } from '../../lib/runtime/command-line/help.ts';
import { choiceOption, readPort } from '../flag-values.ts';

interface StartFlags {
  host: string;
  port: string;
  data?: string;
  memory?: boolean;
  fixtures?: string;
  warehouse?: string;
  clock?: 'real' | 'manual';
  names?: string;
}

export function startCommand(ctx: Context): Command {
  const command = new Command('start')
    .description('serve the embedded platform until Ctrl-C')
    .option('--host <address>', 'where it listens; anything but loopback lets others in', '127.0.0.1')
    .option('--port <n>', 'the port; 0 takes a free one', '4010')
    .addOption(
      new Option('--data <dir>', 'keep the state there (default: the state of profile `local`)').conflicts('memory'),
    )
    .option('--memory', 'keep no state')
    .option('--fixtures <file>', "what the platform begins with, YAML or JSON (default: the specification's samples)")
    .option('--warehouse <file>', 'the warehouse file that pipelines read (default: a sample)')
    .addOption(
      choiceOption('--clock <mode>', 'real goes with the machine, manual stands until it is moved (default: real)', [
        'real',
        'manual',
      ]),
    )
    .option('--names <file>', "the words a deployment uses on the wire, YAML or JSON (default: the specification's)")
    .action((flags: StartFlags) => start(ctx, flags));
  return withHelp(command, {
    calls: 'nobody',
    notes: [
      'It speaks every service of the specification on one port, and it is not the real platform: nothing leaves this machine. In another shell, `eval "$(cdpadm emulator env)"` points every command to it.',
    ],
    examples: ['cdpadm emulator start', 'cdpadm emulator start --memory --port 0 -o json'],
    json: '{"base_url","auth_url","dsr_base_url","seeding_url","identity_url","vendor_domain","org_id","account_id","workspace_id","client_id","client_secret","workspace_key","workspace_secret","control_url","ca_file"}',
    exits: { 6: 'the port or the state is taken by another process', 9: 'a file is invalid', 130: 'ended by Ctrl-C' },
  });
}

async function start(ctx: Context, flags: StartFlags): Promise<void> {
  const fixtures = flags.fixtures === undefined ? undefined : await loadDocument(flags.fixtures, ctx);
  const serving = serveEmulator(ctx, {
    host: flags.host,
    port: readPort(flags.port),
    data: flags.memory ? null : flags.data === undefined ? undefined : resolve(ctx.io.cwd, flags.data),
    ...(fixtures && { fixtures: fixtures.value }),
    ...(flags.warehouse !== undefined && { warehouse: resolve(ctx.io.cwd, flags.warehouse) }),
    ...(flags.clock && { clock: flags.clock }),
    ...(flags.names !== undefined && { names: await loadNames(ctx, flags.names) }),
  });
  await serving.catch((error: unknown) => {
    throw fixtures && error instanceof CliError ? placed(fixtures, error) : error;
  });
}

/** The platform tells what is wrong with fixtures by paths, `roles[0].name`; only here it is known where that stands. */
function placed(fixtures: LoadedDocument, error: CliError): CliError {
  if (error.exit !== EXIT.invalidInput || error.issues.some(({ file }) => file !== undefined)) return error;
  const issues = error.issues.map(({ path, message }) => {
    const steps = path.split(/[.[\]]+/).filter((step) => step !== '');
    const value = steps.map((step) => (/^\d+$/.test(step) ? Number(step) : step));
    const place = fixtures.locate(value, message.startsWith('unknown field') ? 'key' : undefined);
    return { file: fixtures.name, ...place, path, message };
  });
  return invalidInput(error.message, issues, error.hint, error.issuesOmitted);
}

async function loadNames(ctx: Context, path: string): Promise<Record<string, string>> {
  const document = await loadDocument(path, ctx);
  const { value } = document;
  const entries = typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
  const wrong =
    entries.length === 0 ? [[]] : entries.flatMap(([name, word]) => (typeof word === 'string' ? [] : [[name]]));
  const message = 'must say for a neutral word which one is on the wire: `xpid: abc_id`';
  if (wrong.length > 0) {
    throw invalidDocument(
      document,
      'map of names',
      wrong.map((at) => ({ path: at, message })),
    );
  }
  return Object.fromEntries(entries) as Record<string, string>;
}
