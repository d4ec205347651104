// One run of the claims sweep: replaces a command's responses and compares its claims with the state of the platform.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { basicAuth, send } from '../helpers/emulator.ts';
import type { FaultPlan, PlatformAnswer, ProxiedRequest } from '../helpers/fault-proxy.ts';
import { CASES, type CommandCase } from './cases.ts';
import { type Evidence, falseClaims, isBulk } from './claims-judge.ts';
import { type Holdings, readHoldings } from './holdings.ts';
import { alteredForms, formsFor, LOSSES, readForms, type Strangers, writes } from './replaced.ts';
import { FIXTURES, PENDING, PENDING_TOO } from './stage.ts';
import type { World } from './world.ts';

export const FLAGS = ['-o', 'json', '--request-timeout', '20s', '--retries', '1', '--timeout', '5m'];

/** Every command line that sends something and finishes. A run shows which command lines write. */
export const SENDING: readonly CommandCase[] = CASES.filter(
  ({ elsewhere, local, serves }) => elsewhere === undefined && local !== true && !serves,
);

export interface CleanClaims {
  before: Holdings;
  after: Holdings;
  requests: readonly ProxiedRequest[];
  /** The problems that the judge finds; a correct judge finds none. */
  problems: readonly string[];
}

/** Runs the command with genuine responses. */
export async function cleanClaims(world: World, wanted: CommandCase): Promise<CleanClaims> {
  await world.prepare(wanted);
  const before = await readHoldings(world, []);
  const files = filesOf(world.folder);
  const outcome = await world.run(wanted, ['-o', 'json']);
  const { requests } = world.proxy;
  const after = await readHoldings(world, requests, [outcome.stdout]);
  const evidence = { wanted, outcome, requests, before, after, clean: after };
  const problems = falseClaims({ ...evidence, files: { before: files, after: filesOf(world.folder) } });
  if (!(wanted.exits ?? [0]).includes(outcome.code)) problems.push(`exit ${outcome.code}: ${outcome.stderr}`);
  return { before, after, requests, problems };
}

/**
 * Returns all fault plans for a command: one for each replaced response, and one for each write whose outcome stays
 * unknown while its follow-up reads are replaced.
 */
export function plansFor({ requests }: CleanClaims, strangers: Strangers): FaultPlan[] {
  const alone = requests.flatMap((request, at) =>
    formsFor(request, request.answered, strangers).flatMap((fault) =>
      (writes(request) ? (['once', 'ever'] as const) : (['once'] as const)).map((mode) => ({ fault, at, mode })),
    ),
  );
  const altered = requests.flatMap((request, at) => {
    const forms = writes(request) ? alteredForms(request) : [];
    return forms.map((fault) => ({ fault, at, mode: 'once' as const }));
  });
  const open = requests.flatMap((request, at) => {
    if (!writes(request)) return [];
    return LOSSES.flatMap((fault) =>
      (['once', 'ever'] as const).flatMap((mode) =>
        [undefined, ...readForms(strangers)].map((reads) => ({ fault, at, mode, ...(reads && { reads }) })),
      ),
    );
  });
  return [...alone, ...altered, ...open];
}

/** Runs the command with a plan, resumes it if rows are left, and returns the false claims of both runs. */
export async function claimsOf(
  world: World,
  wanted: CommandCase,
  clean: CleanClaims,
  plan: FaultPlan,
): Promise<string[]> {
  await world.prepare(wanted);
  const first = filesOf(world.folder);
  const outcome = await world.run(wanted, FLAGS, plan);
  const requests = [...world.proxy.requests];
  const judged = async (
    run: Evidence['outcome'],
    made: readonly ProxiedRequest[],
    all: readonly ProxiedRequest[],
  ): Promise<string[]> => {
    const files = { before: first, after: filesOf(world.folder) };
    const mentioned = [run.stdout, run.stderr, ...files.after.values()];
    const after = await readHoldings(world, all, mentioned);
    const evidence = { wanted, outcome: run, requests: made, before: clean.before, clean: clean.after, after, files };
    return [...falseClaims(evidence), ...(await falseLedger(world, wanted, after))];
  };
  const problems = await judged(outcome, requests, requests);
  // A journal that trusted a false response would never send the row.
  if (isBulk(wanted) && outcome.code !== 0 && outcome.code !== 3) {
    const resumed = await world.run(wanted, ['--resume', ...FLAGS]);
    const all = [...requests, ...world.proxy.requests];
    problems.push(...(await judged(resumed, all, all)).map((problem) => `resumed (exit ${resumed.code}): ${problem}`));
  }
  return problems.map((problem) => `exit ${outcome.code}: ${problem}`);
}

/** Returns the ledger's false claims: each of its states must match the platform. */
async function falseLedger(world: World, { command }: CommandCase, after: Holdings): Promise<string[]> {
  if (!command.startsWith('dsr')) return [];
  const { stdout } = await world.runOk('dsr ledger export -o json');
  return (JSON.parse(stdout) as { id: string; status?: string }[]).flatMap(({ id, status }) => {
    const held = after.get(`request ${id}`);
    const says = `the ledger says ${id} is ${status ?? 'sent'}`;
    if (status === undefined) return [];
    if (status === 'refused') return held === undefined ? [] : [`${says}, and the platform has it`];
    if (held === undefined) return [`${says}, and the platform does not have it`];
    return (status === 'cancelled') === held.includes('"isCancelled":true') ? [] : [`${says}, and it is ${held}`];
  });
}

/** Returns the contents of the files directly in a folder, by name. */
export function filesOf(folder: string): Map<string, string> {
  const names = readdirSync(folder).filter((name) => statSync(join(folder, name)).isFile());
  return new Map(names.map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
}

/** Returns valid responses about resources that no command in the sweep uses. */
export async function strangersOf({ platform }: World): Promise<Strangers> {
  const { workspace_key: key, workspace_secret: secret } = platform.ready;
  const body = {
    regulation: 'gdpr',
    subject_request_id: PENDING.replace('8c11', '8c66'),
    subject_request_type: 'access',
    submitted_time: '2026-01-05T09:00:00Z',
    subject_identities: { email: { value: 'stranger@people.example', encoding: 'raw' } },
  };
  const headers = basicAuth(`${key}:${secret}`);
  const created = await send('POST', `${platform.url}/v3/requests`, { body, headers });
  if (created.status !== 201) throw new Error(created.text);
  const signed: PlatformAnswer = { status: 201, headers: created.headers, body: Buffer.from(created.text) };
  const byPath = new Map<string, unknown>();
  byPath.set('/v3/requests', (await send('GET', `${platform.url}/v3/requests/${PENDING_TOO}`, { headers })).json);
  byPath.set('/v3/requests', { ...(byPath.get('/v3/requests') as object), subject_request_id: body.subject_request_id });
  const first = FIXTURES.workspaces[0]?.id ?? 0;
  for (const { id } of FIXTURES.workspaces) {
    const read = async (path: string): Promise<unknown> => (await platform.call('GET', path)).json;
    const base = `/platform/v2/workspaces/${id}`;
    const from = `/platform/v2/workspaces/${first}`;
    const renamed = (value: unknown): unknown => ({ ...(value as object), id: 'someone-elses' });
    byPath.set(`${base}/connections`, renamed(await read(`${from}/connections/unused`)));
    byPath.set(`${base}/data-models`, renamed(await read(`${from}/data-models/unused`)));
    byPath.set(`${base}/inputs/data-pipelines`, renamed(await read(`${from}/inputs/data-pipelines/paused`)));
    byPath.set(`/platform/workspaces/${id}/groups`, renamed(await read(`/platform/workspaces/${first}/groups/household`)));
  }
  await platform.reset();
  return { signed, byPath };
} // prettier-ignore
