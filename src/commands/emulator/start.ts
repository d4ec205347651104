// `emulator start` serves the embedded platform; `emulator env` and `emulator ui` print the address of a running one.
import { exitOf } from '../../lib/errors/fail.ts';
import { resolve } from 'node:path';
import * as z from 'zod/mini';
import { parseWith, valueAt } from '../../lib/contract/explain.ts';
import { namesIssues } from '../../lib/contract/neutral-words.ts';
import { invalidDocument, type LoadedDocument, loadDocument } from '../../lib/files/load.ts';
import { readInput } from '../../lib/files/read-input.ts';
import { KnownError, invalidInput, usageError } from '../../lib/kernel/errors.ts';
import { shellQuoted } from '../../lib/kernel/words.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { defineCommand, type FlagSpec, type FlagValues } from '../../lib/runtime/command-line/define-command.ts';
import { readIdentity, serveEmulator } from '../../lib/runtime/emulator/serve.ts';
import { readPort } from '../flag-values.ts';
import { each } from '../results.ts';
import { findEmulator } from '../../lib/runtime/emulator/control.ts';
import { listEmulators, rehearsalFolder } from '../../lib/runtime/emulator/running.ts';
import { READY_TEXTS, shellEnvironment, VARIABLES } from '../../lib/runtime/emulator/environment.ts';

export const portFlag = {
  port: { value: 'n', help: 'port of the platform (default: the platform started last)' },
} as const satisfies Record<string, FlagSpec>;

/** Properties shared by the commands that use a running platform. */
export const onPlatform = { effect: 'local', calls: 'emulator', flags: portFlag } as const;

const startFlags = {
  host: {
    value: 'address',
    help: 'address to listen on; other machines can connect unless it is loopback',
    default: '127.0.0.1',
  },
  port: { value: 'n', help: 'port to listen on; 0 selects a free port', default: '4010' },
  data: {
    value: 'dir',
    writes: true,
    help: 'folder for the state (default: the state of profile `local`)',
    conflicts: ['memory'],
  },
  memory: { help: 'keep the state in memory' },
  fixtures: { value: 'file', help: "initial state, YAML or JSON (default: the specification's samples)" },
  warehouse: { value: 'file', help: 'warehouse file that pipelines read (default: a sample)' },
  clock: {
    value: 'mode',
    help: 'real follows the system clock; manual advances only on request (default: real)',
    choices: ['real', 'manual'],
  },
  names: { value: 'file', help: "wire names of a deployment, YAML or JSON (default: the specification's)" },
  as: { value: 'profile', help: "imitate this profile's platform (its ids, domains and names), but accept any secret" },
  fromLive: {
    value: 'profile',
    help: 'like --as, but also replace the state with the roles, groups and warehouse resources of that platform',
    conflicts: ['as', 'fixtures'],
  },
  vendorDomain: { value: 'domain', help: 'vendor domain (default: platform.example)' },
  audience: { value: 'text', help: "token audience to accept, in addition to the platform's own address" },
  publicUrl: { value: 'url', help: "the platform's address in responses (default: the request's Host header)" },
  tlsCert: { value: 'file', help: 'PEM certificate, to serve https' },
  tlsKey: { value: 'file', help: 'PEM key of that certificate' },
  ui: { help: "print the address of the platform's web console" },
} as const satisfies Record<string, FlagSpec>;

export const startPlatform = defineCommand({
  path: 'emulator start',
  summary: 'serve the embedded platform until Ctrl-C',
  effect: 'local',
  endless: true,
  calls: 'none',
  flags: startFlags,
  output: () => {
    const texts = Object.fromEntries(READY_TEXTS.map((name) => [name, z.string()]));
    return z.object({ ...texts, ...each(z.number(), 'org_id', 'account_id', 'workspace_id') });
  },
  notes: [
    'The embedded platform provides all services of the specification on one port. It is not the real platform: only status callbacks, and the reads of --from-live, leave this machine. In another shell, `eval "$(cdpadm emulator env)"` points every command at it.',
    'With --as, a copy of the profile works with this platform once you replace its addresses. The command does not read the secrets of the profile. --org, --account and --workspace set the ids of the first organization, account and workspace.',
    "--from-live reads the profile's platform once, at the start, and writes nothing to it. Secrets of connections are masked.",
  ],
  examples: [
    'cdpadm emulator start',
    'cdpadm emulator start --memory --port 0 -o json',
    'cdpadm emulator start --as prod',
    'cdpadm emulator start --from-live prod --memory',
    'cdpadm emulator start --memory --vendor-domain cdp.example --workspace 4711',
  ],
  exits: {
    conflict: 'another process uses the port or the state',
    invalidInput: 'a file is invalid',
    interrupted: 'Ctrl-C stopped the platform',
    terminated: 'SIGTERM stopped the platform',
  },
  run: (ctx, { flags }) => start(ctx, flags),
});

async function start(ctx: Context, flags: FlagValues<typeof startFlags>): Promise<void> {
  const as = flags.fromLive ?? flags.as;
  const { identity, names } = await readIdentity(ctx, { ...flags, as });
  const tls = await loadTls(ctx, flags);
  const fixtures = flags.fixtures === undefined ? undefined : await loadDocument(flags.fixtures, ctx);
  const ownNames = flags.names === undefined ? names && usableNames(ctx, names) : await loadNames(ctx, flags.names);
  const live = flags.fromLive === undefined ? undefined : await readLivePlatform(ctx, flags.fromLive, identity);
  const data = flags.data ?? (as === undefined ? undefined : rehearsalFolder(ctx.paths, as));
  const serving = serveEmulator(ctx, {
    host: flags.host,
    port: readPort(flags.port),
    data: flags.memory ? null : data === undefined ? undefined : resolve(ctx.io.cwd, data),
    identity,
    ...((fixtures ?? live) && { fixtures: fixtures?.value ?? live }),
    fresh: live !== undefined,
    ...(flags.warehouse !== undefined && { warehouse: resolve(ctx.io.cwd, flags.warehouse) }),
    ...(flags.clock && { clock: flags.clock }),
    ...(ownNames && { names: ownNames }),
    ...(flags.publicUrl !== undefined && { publicUrl: flags.publicUrl }),
    ...(tls && { tls }),
    ui: flags.ui,
    profile: (flags.names ?? valueAt(fixtures?.value, ['names'])) === undefined ? (as ?? 'local') : undefined,
  });
  await serving.catch((error: unknown) => {
    throw fixtures && error instanceof KnownError ? placed(fixtures, error) : error;
  });
}

/** Copies the profile's platform into fixtures with a single organization, account and workspace. */
async function readLivePlatform(
  ctx: Context,
  profile: string,
  { account, org, workspace }: Awaited<ReturnType<typeof readIdentity>>['identity'],
): Promise<object> {
  const [{ connect, resolveFor }, { readLiveFixtures }] = await Promise.all([
    import('../../lib/runtime/connect.ts'),
    import('../../lib/workflows/live-fixtures.ts'),
  ]);
  const api = connect(ctx, await resolveFor(ctx, profile, '--from-live'));
  const { fixtures, omitted } = await readLiveFixtures(api, ctx.signal);
  if (omitted.length > 0) ctx.out.warn(`Omitted (not supported by the embedded platform): ${omitted.join(', ')}.`);
  const counts = Object.entries(fixtures).map(([name, list]) => `${name.replace('_', ' ')} ${list.length}`);
  ctx.out.note(`Copied from profile ${profile}: ${counts.join(', ')}.`);
  // The platform accepts any key and secret for a profile's workspace.
  const credentials = { key: 'local-workspace-key', secret: 'local-workspace-secret' };
  return {
    organizations: [{ id: org }],
    accounts: [{ id: account }],
    workspaces: [{ id: workspace, ...credentials }],
    ...fixtures,
  };
}

/** Adds the file, line and column to the platform's fixture issues, which have only paths such as `roles[0].name`. */
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
  if (!tlsCert || !tlsKey) throw usageError('Pass both --tls-cert and --tls-key, or neither.');
  const [{ text: cert }, { text: key }] = [await readInput(tlsCert, ctx), await readInput(tlsKey, ctx)];
  return { cert, key };
}

/** Returns the profile's supported names. Warns about the others, which may come from a newer version. */
function usableNames(ctx: Context, names: Record<string, string>): Record<string, string> {
  const issues = namesIssues(names);
  for (const { name, message } of issues) ctx.out.warn(`Ignored the profile's \`names.${name}\`: ${message}.`);
  const isUsable = ([name]: [string, string]): boolean => !issues.some((issue) => issue.name === name);
  return Object.fromEntries(Object.entries(names).filter(isUsable));
}

async function loadNames(ctx: Context, path: string): Promise<Record<string, string>> {
  const document = await loadDocument(path, ctx);
  const { data, issues } = parseWith(z.record(z.string(), z.string()), document.value);
  const found = data
    ? namesIssues(data).map(({ name, message }) => ({ path: [name], message, at: 'key' as const }))
    : issues;
  if (found.length > 0) throw invalidDocument(document, 'names map', found, ' Nothing was started.');
  return data ?? {};
}

export const printEnvironment = defineCommand({
  path: 'emulator env',
  summary: 'print environment variables that point every command at a running platform',
  ...onPlatform,
  output: () =>
    z.object({
      CDPADM_PROFILE: z.optional(z.string()),
      ...Object.fromEntries(VARIABLES.map((name) => [name, z.string()])),
    }),
  notes: ['After `start --public-url`, the variables contain the public address. --port is the listening port.'],
  examples: ['eval "$(cdpadm emulator env)"', 'cdpadm emulator env --port 4010 -o json'],
  run: async (ctx, { flags }) => {
    const ready = await findEmulator(ctx, flags.port, { lasting: true });
    const entry = listEmulators(ctx.paths).find((one) => one.ready.control_url === ready.control_url);
    return shellEnvironment(ready, entry ? entry.profile : 'local');
  },
  view: {
    kind: 'document',
    text: (variables) =>
      Object.entries(variables)
        .map(([name, value]) => `export ${name}=${shellQuoted(value)}`)
        .join('\n'),
  },
});

export const showConsole = defineCommand({
  path: 'emulator ui',
  summary: "print the address of the running platform's web console",
  ...onPlatform,
  output: () => z.object({ console_url: z.string() }),
  notes: [
    'Open the address in a browser on this machine. The console shows the state, requests and callbacks of the platform, and controls its clock and faults.',
  ],
  examples: ['cdpadm emulator ui', 'cdpadm emulator ui --port 4010 -o json'],
  run: async (ctx, { flags }) => {
    const { console_url } = await findEmulator(ctx, flags.port, { lasting: true });
    return { console_url };
  },
  view: { kind: 'document', text: ({ console_url: url }) => url },
});
