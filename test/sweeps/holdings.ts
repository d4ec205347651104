// Reads the state of a platform without faults. Each thing that a command can change is one cell, so that two states
// can be compared cell by cell.
import type { ProxiedRequest } from '../helpers/fault-proxy.ts';
import { basicAuth } from '../helpers/emulator.ts';
import { FIXTURES } from './stage.ts';
import type { World } from './world.ts';

/** Canonical JSON, keyed by resource, such as `connection 3001/crm`, `request <id>` or `role analyst`. */
export type Holdings = ReadonlyMap<string, string>;

type Json = Record<string, unknown>;

const WORKSPACES = FIXTURES.workspaces;
/** Fields that the platform adds, and fields that change with time. */
const ADDED = /^(created_|last_modified_|status$|errors$|next_|started_on$|ended_on$)/;
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g;

const PATHS = { connection: 'connections', data_model: 'data-models', pipeline: 'inputs/data-pipelines' } as const;

/** Reads the state. Request ids also come from `mentioned`, the text that the program printed and wrote. */
export async function readHoldings(
  world: World,
  requests: readonly ProxiedRequest[],
  mentioned: readonly string[] = [],
): Promise<Holdings> {
  const cells = new Map<string, string>();
  const put = (name: string, value: unknown): unknown => cells.set(name, canonical(value));
  const { platform } = world;
  // Removes faults that the command may have added, because they would affect these reads.
  await platform.api.clearFaults();
  // Requests a new token, because a reset revokes all tokens.
  const headers = { authorization: `Bearer ${await platform.token()}` };
  const read = async (path: string): Promise<unknown> => {
    const reply = await platform.send('GET', path, { headers });
    if (reply.status !== 200) throw new Error(`${path}: ${reply.status} ${reply.text}`);
    return reply.json;
  };

  const manifest = (await read(`${platform.accountPath}/roles`)) as { roles: Json[] };
  for (const role of manifest.roles) put(`role ${String(role['role_id'])}`, role);
  for (const { id: workspace } of WORKSPACES) {
    const groups = (await read(`/platform/workspaces/${workspace}/groups/`)) as Json[];
    for (const group of groups) put(`group ${workspace}/${String(group['id'])}`, bare(group));
    for (const [type, path] of Object.entries(PATHS)) {
      const base = `/platform/v2/workspaces/${workspace}/${path}`;
      for (const resource of (await read(base)) as Json[]) {
        const name = `${type} ${workspace}/${String(resource['id'])}`;
        put(name, { ...bare(resource), secrets: secretsOf(`${base}/${String(resource['id'])}`, requests) });
        if (type !== 'pipeline') continue;
        const runs = (await read(`${base}/${String(resource['id'])}/runs?pageSize=100`)) as { items: Json[] };
        for (const run of runs.items) put(`run ${String(resource['id'])}/${String(run['id'])}`, { type: run['type'] });
      }
    }
  }
  for (const [id, request] of await readRequests(world, requests, mentioned)) put(`request ${id}`, request);
  await readControl(world, requests, put);
  return cells;
}

/** Reads the requests, and adds each one's person from the fixtures or from the accepted body. */
async function readRequests(
  { platform }: World,
  requests: readonly ProxiedRequest[],
  mentioned: readonly string[],
): Promise<Map<string, Json>> {
  const accepted = requests.filter(
    ({ answered, method, target }) => method === 'POST' && /^\/v3\/requests\/?$/.test(target) && answered?.status === 201,
  );
  const bodies: Json[] = [...FIXTURES.requests, ...accepted.map(({ body }) => JSON.parse(body) as Json)];
  const subjects = new Map(bodies.map((body) => [String(body['subject_request_id']), body]));
  const ids = new Set([...subjects.keys(), ...mentioned.flatMap((text) => text.match(UUID) ?? [])]);
  const held = new Map<string, Json>();
  const { workspace_key: key, workspace_secret: secret } = platform.ready;
  for (const id of ids) {
    const reply = await platform.send('GET', `/v3/requests/${id}`, { headers: basicAuth(`${key}:${secret}`) });
    if (reply.status === 404) continue;
    if (reply.status !== 200) throw new Error(`request ${id}: ${reply.status} ${reply.text}`);
    const { request_status: status } = reply.json as Json;
    const { subject_identities, subject_request_type, extensions } = subjects.get(id) ?? {};
    const isCancelled = status === 'cancelled';
    held.set(id, { isCancelled, subject_identities, subject_request_type, ...(extensions !== undefined && { extensions }) });
  }
  return held;
} // prettier-ignore

/** Reads profiles and other state that only the control address returns. */
async function readControl(
  { clock, platform }: World,
  requests: readonly ProxiedRequest[],
  put: (name: string, value: unknown) => unknown,
): Promise<void> {
  const ask = async (path: string): Promise<unknown> => (await platform.send('GET', `/_control${path}`)).json;
  const subjects = ['xpid=1', 'xpid=2', 'xpid=3', 'xpid=4', 'xpid=5', 'xpid=7', 'email=ada@people.example'];
  for (const subject of subjects) {
    for (const profile of (await ask(`/profiles?${subject}`)) as Json[]) put(`profile ${subject}`, undated(profile));
  }
  put('faults', await ask('/faults'));
  const offset = Date.parse(await platform.api.now()) - clock.now();
  put('clock', { hours: Math.round(offset / 3_600_000) + 0 });
  const assigned = requests.filter(
    ({ answered, method, target }) => method === 'POST' && target.endsWith('/role-assignments') && (answered?.status ?? 999) < 300,
  );
  put('assigned', assigned.map(({ body }) => body));
} // prettier-ignore

/**
 * Returns the secrets that the platform has. The platform never returns secrets, so these come from the last accepted
 * body.
 */
function secretsOf(path: string, requests: readonly ProxiedRequest[]): unknown {
  const list = path.replace(/\/[^/]*$/, '');
  const id = path.slice(list.length + 1);
  const isOf = ({ answered, body, method, target }: ProxiedRequest): boolean => {
    if ((answered?.status ?? 999) >= 300) return false;
    const at = (target.split('?')[0] ?? '').replace(/\/$/, '');
    return (method === 'PUT' && at === path) || (method === 'POST' && at === list && body.includes(`"id":"${id}"`));
  };
  const last = requests.findLast(isOf);
  const config = last && ((JSON.parse(last.body) as Json)['config'] as Json | undefined);
  return config && [config['password'], config['service_account_key']];
}

function bare(resource: Json): Json {
  return Object.fromEntries(Object.entries(resource).filter(([key]) => !ADDED.test(key)));
}

function undated(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(undated);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => !/_on$|_at$|^at$|time|^xpid$|^id$/.test(key));
  return Object.fromEntries(kept.map(([key, item]) => [key, undated(item)]));
}

/** Serializes with sorted keys, so that equal values are equal strings. */
export function canonical(value: unknown): string {
  const sorted = (item: unknown): unknown => {
    if (Array.isArray(item)) return item.map(sorted);
    if (typeof item !== 'object' || item === null) return item;
    const entries = Object.entries(item).sort(([one], [other]) => (one < other ? -1 : 1));
    return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
  };
  return JSON.stringify(sorted(value));
}

/** Returns the cells that differ between two states, ignoring generated ids. */
export function differences(one: Holdings, other: Holdings): string[] {
  const [left, right] = [withoutMadeUp(one), withoutMadeUp(other)];
  const names = new Set([...left.keys(), ...right.keys()]);
  return [...names].filter((name) => left.get(name) !== right.get(name));
}

/** Names a request with a generated id after its person, and a new run after its position. */
function withoutMadeUp(cells: Holdings): Map<string, string> {
  const known = new Set(FIXTURES.requests.map(({ subject_request_id: id }) => `request ${id}`));
  const counts = new Map<string, number>();
  const nameOf = (name: string, value: string): string => {
    if (name.startsWith('request ') && !known.has(name)) return `request about ${value}`;
    return name.startsWith('run ') && !name.endsWith('/1001') ? `run of ${name.slice(4).replace(/\/.*/, '')}` : name;
  };
  return new Map(
    [...cells].map(([name, value]) => {
      const plain = nameOf(name, value);
      if (plain === name) return [name, value];
      const count = (counts.get(plain) ?? 0) + 1;
      counts.set(plain, count);
      return [`${plain} #${count}`, value];
    }),
  );
}
