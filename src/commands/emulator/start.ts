// `emulator start`: serves the embedded platform until a signal.
import { exitOf } from '../../lib/errors/exit.ts';
import { resolve } from 'node:path';
import { number, object, string } from 'zod/mini';
import type { FieldIssue } from '../../lib/contract/explain.ts';
import { namesIssues } from '../../lib/contract/neutral-words.ts';
import { invalidDocument, type LoadedDocument, loadDocument } from '../../lib/files/load.ts';
import { readInput } from '../../lib/files/read-input.ts';
import { KnownError, invalidInput, usageError } from '../../lib/kernel/errors.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { defineCommand, type FlagSpec, type FlagValues } from '../../lib/runtime/command-line/define-command.ts';
import { readIdentity, rehearsalFolder } from '../../lib/runtime/emulator/identity.ts';
import { serveEmulator } from '../../lib/runtime/emulator/serve.ts';
import { readPort } from '../flag-values.ts';

const startFlags = {
  host: {
    value: 'address',
    help: 'where it listens; anything but loopback lets others in',
    default: '127.0.0.1',
  },
  port: { value: 'n', help: 'the port; 0 takes a free one', default: '4010' },
  data: {
    value: 'dir',
    help: 'keep the state there (default: the state of profile `local`)',
    conflicts: ['memory'],
  },
  memory: { help: 'keep no state' },
  fixtures: {
    value: 'file',
    help: "what the platform begins with, YAML or JSON (default: the specification's samples)",
  },
  warehouse: { value: 'file', help: 'the warehouse file that pipelines read (default: a sample)' },
  clock: {
    value: 'mode',
    help: 'real goes with the machine, manual stands until it is moved (default: real)',
    choices: ['real', 'manual'],
  },
  names: {
    value: 'file',
    help: "the words a deployment uses on the wire, YAML or JSON (default: the specification's)",
  },
  as: {
    value: 'profile',
    help: 'stand in for the platform of this profile: its ids, domains and names; any secret is accepted',
  },
  vendorDomain: { value: 'domain', help: 'the vendor domain (default: platform.example)' },
  audience: { value: 'url', help: "the audience of tokens, besides the platform's own address" },
  publicUrl: { value: 'url', help: 'the address that it tells of itself (default: where it listens)' },
  tlsCert: { value: 'file', help: 'PEM certificate; it then speaks https' },
  tlsKey: { value: 'file', help: 'PEM key of that certificate' },
} as const satisfies Record<string, FlagSpec>;

export const startPlatform = defineCommand({
  path: 'emulator start',
  summary: 'serve the embedded platform until Ctrl-C',
  effect: 'local',
  endless: true,
  calls: 'nobody',
  flags: startFlags,
  output: readyResult,
  notes: [
    'It speaks every service of the specification on one port, and it is not the real platform: nothing leaves this machine. In another shell, `eval "$(cdpadm emulator env)"` points every command to it.',
    'With --as, a copy of the profile works once its addresses are replaced. The secrets of the profile are not read. --org, --account and --workspace set the first of each.',
  ],
  examples: [
    'cdpadm emulator start',
    'cdpadm emulator start --memory --port 0 -o json',
    'cdpadm emulator start --as prod',
    'cdpadm emulator start --memory --vendor-domain cdp.example --workspace 4711',
  ],
  exits: {
    conflict: 'the port or the state is taken by another process',
    invalidInput: 'a file is invalid',
    interrupted: 'ended by Ctrl-C',
  },
  run: (ctx, { flags }) => start(ctx, flags),
});

function readyResult() {
  return object({
    base_url: string(),
    auth_url: string(),
    dsr_base_url: string(),
    seeding_url: string(),
    identity_url: string(),
    vendor_domain: string(),
    org_id: number(),
    account_id: number(),
    workspace_id: number(),
    client_id: string(),
    client_secret: string(),
    workspace_key: string(),
    workspace_secret: string(),
    control_url: string(),
    ca_file: string(),
  });
}

async function start(ctx: Context, flags: FlagValues<typeof startFlags>): Promise<void> {
  const { identity, names } = await readIdentity(ctx, flags);
  const tls = await loadTls(ctx, flags);
  const fixtures = flags.fixtures === undefined ? undefined : await loadDocument(flags.fixtures, ctx);
  const ownNames = flags.names === undefined ? names : await loadNames(ctx, flags.names);
  const data = flags.data ?? (flags.as === undefined ? undefined : rehearsalFolder(ctx.paths, flags.as));
  const serving = serveEmulator(ctx, {
    host: flags.host,
    port: readPort(flags.port),
    data: flags.memory ? null : data === undefined ? undefined : resolve(ctx.io.cwd, data),
    identity,
    ...(fixtures && { fixtures: fixtures.value }),
    ...(flags.warehouse !== undefined && { warehouse: resolve(ctx.io.cwd, flags.warehouse) }),
    ...(flags.clock && { clock: flags.clock }),
    ...(ownNames && { names: ownNames }),
    ...(flags.publicUrl !== undefined && { publicUrl: flags.publicUrl }),
    ...(tls && { tls }),
  });
  await serving.catch((error: unknown) => {
    throw fixtures && error instanceof KnownError ? placed(fixtures, error) : error;
  });
}

/** The platform tells what is wrong with fixtures by paths, `roles[0].name`; only here it is known where that stands. */
function placed(fixtures: LoadedDocument, error: KnownError): KnownError {
  if (exitOf(error) !== 'invalidInput' || error.issues.some(({ file }) => file !== undefined)) return error;
  const issues = error.issues.map(({ path, message, at }) => {
    const steps = path.split(/[.[\]]+/).filter((step) => step !== '');
    const value = steps.map((step) => (/^\d+$/.test(step) ? Number(step) : step));
    const place = fixtures.locate(value, at);
    return { file: fixtures.name, ...place, path, message };
  });
  return invalidInput(error.message, issues, error.hints, error.issuesOmitted);
}

async function loadTls(ctx: Context, { tlsCert, tlsKey }: FlagValues<typeof startFlags>) {
  if (tlsCert === undefined && tlsKey === undefined) return undefined;
  if (tlsCert === undefined || tlsKey === undefined) throw usageError('--tls-cert and --tls-key belong together.');
  const [{ text: cert }, { text: key }] = [await readInput(tlsCert, ctx), await readInput(tlsKey, ctx)];
  return { cert, key };
}

async function loadNames(ctx: Context, path: string): Promise<Record<string, string>> {
  const document = await loadDocument(path, ctx);
  const { value } = document;
  const entries = typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
  const wrong =
    entries.length === 0 ? [[]] : entries.flatMap(([name, word]) => (typeof word === 'string' ? [] : [[name]]));
  const message = 'must say for a neutral word which one is on the wire: `xpid: abc_id`';
  const names = Object.fromEntries(entries) as Record<string, string>;
  const issues: FieldIssue[] =
    wrong.length > 0
      ? wrong.map((at) => ({ path: at, message }))
      : namesIssues(names).map((issue) => ({ path: [issue.name], message: issue.message, at: 'key' }));
  if (issues.length > 0) throw invalidDocument(document, 'map of names', issues);
  return names;
}
