// One request id in two workspaces and at two addresses: no command reads or changes the ledger entry of another
// destination.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { environmentOf } from '../../../src/lib/runtime/emulator/environment.ts';
import { type CallbackReceiver, startCallbackReceiver } from '../../helpers/callback-receiver.ts';
import { createDsrHome } from '../../helpers/dsr-home.ts';
import { startTestEmulator, type TestEmulator } from '../../helpers/emulator.ts';
import { type Listener, listenForCallbacks } from '../../helpers/listener.ts';
import type { PlatformHome } from '../../helpers/platform-home.ts';

const ID = '6f1c5a52-3a4c-4f0e-9d55-3d2f6a1f8c11';

let home: PlatformHome;
/** Another platform whose workspaces have the same ids. */
let other: TestEmulator;
let envs: { a: Record<string, string>; b: Record<string, string>; c: Record<string, string> };
type Place = keyof typeof envs;
const PLACES: readonly Place[] = ['a', 'b', 'c'];
const NAMED: readonly [name: string, Place][] = [
  ['this workspace', 'a'],
  ['another workspace', 'b'],
  ['another platform', 'c'],
];

beforeEach(async () => {
  home = await createDsrHome();
  other = await startTestEmulator({ clock: 'manual' });
  envs = {
    a: {},
    b: {
      CDPADM_WORKSPACE_ID: '3002',
      CDPADM_WORKSPACE_KEY: 'second-workspace-key',
      CDPADM_WORKSPACE_SECRET: 'second-workspace-secret',
    },
    c: environmentOf(other.ready),
  };
});
const listeners: Listener[] = [];
const receivers: CallbackReceiver[] = [];
afterEach(async () => {
  for (const listener of listeners.splice(0)) await listener.stop();
  for (const receiver of receivers.splice(0)) await receiver.close();
  await other.close();
  await home.close();
});

const run = async (place: Place, line: string): Promise<string> => {
  const { code, stderr, stdout } = await home.run(line.trim().replace(/ +/g, ' '), { env: envs[place] });
  expect(code, stderr).toBe(0);
  return stdout;
};
const submit = (place: Place, more = '', id = ID): Promise<string> =>
  run(
    place,
    `dsr submit --regulation gdpr --type erasure --identity email=a@b.example --request-id ${id} --yes ${more}`,
  );

interface Entry {
  id: string;
  address: string;
  workspace_id: string;
  states: { status: string }[];
}

/** Returns the states of each ledger entry, by place. */
async function states(): Promise<Partial<Record<Place, string>>> {
  const { data } = await home.json<Entry[]>('dsr ledger export');
  const all = data.map((entry) => {
    const place = entry.address === other.ready.dsr_base_url ? 'c' : entry.workspace_id === '3001' ? 'a' : 'b';
    return [place, entry.states.map(({ status }) => status).join()] as const;
  });
  expect(new Set(all.map(([place]) => place)).size).toBe(all.length);
  return Object.fromEntries(all);
}

async function listen(...flags: string[]): Promise<Listener> {
  const listener = await listenForCallbacks(home, flags);
  listeners.push(listener);
  return listener;
}

async function startReceiver(): Promise<CallbackReceiver> {
  const receiver = await startCallbackReceiver();
  receivers.push(receiver);
  return receiver;
}

async function advance(duration: string): Promise<void> {
  for (const { api } of [home.platform, other]) {
    await api.advance(duration);
    await api.flushCallbacks();
  }
}

const PENDING = { a: 'pending', b: 'pending', c: 'pending' };

it.each(NAMED)('updates only the ledger entry for %s in `status`, `wait` and `list`', async (_name, place) => {
  for (const each of PLACES) await submit(each);
  expect(await states()).toEqual(PENDING);
  await advance('8d');
  await run(place, `dsr status ${ID}`);
  expect(await states()).toEqual({ ...PENDING, [place]: 'pending,in_progress' });
  await advance('3d');
  for (const line of [`dsr wait ${ID}`, 'dsr list', 'dsr list --due', `dsr status ${ID} --watch`])
    await run(place, line);
  expect(await states()).toEqual({ ...PENDING, [place]: 'pending,in_progress,completed' });
  expect(JSON.parse(await run(place, 'dsr list --due -o json'))).toEqual([]);
  for (const each of PLACES.filter((it) => it !== place))
    expect(JSON.parse(await run(each, 'dsr list -o json'))).toMatchObject([{ regulation: 'gdpr' }]);
});

it.each(NAMED)('cancels only the request of %s', async (_name, place) => {
  for (const each of PLACES) await submit(each, '--group-id g');
  await run(place, `dsr cancel ${place === 'b' ? '--group-id g' : ID} --yes`);
  expect(await states()).toEqual({ ...PENDING, [place]: 'pending,cancelled' });
  for (const each of PLACES)
    expect(JSON.parse(await run(each, 'dsr list --due -o json'))).toHaveLength(each === place ? 0 : 1);
});

it('submits a bulk row whose id is used by a request in another workspace or at another address', async () => {
  await submit('a');
  home.write('rows.csv', `regulation,subject_request_type,email,subject_request_id\ngdpr,erasure,a@b.example,${ID}\n`);
  for (const place of ['b', 'c'] as const) {
    const result = JSON.parse(await run(place, `dsr submit --bulk rows.csv --results ${place}.csv --yes -o json`));
    expect(result).toMatchObject({ submitted: 1, existing: 0 });
  }
  expect(await states()).toEqual(PENDING);
  // A row for another workspace does not prevent a cancellation in this one.
  await run('a', `dsr cancel ${ID} --yes`);
  expect(await states()).toEqual({ ...PENDING, a: 'pending,cancelled' });
});

it("does not name another workspace's request in a conflict", async () => {
  await submit('a');
  await run('b', `dsr submit --regulation gdpr --type erasure --identity email=a@b.example --yes`);
  const flags = `--regulation gdpr --type erasure --identity email=a@b.example --yes --allow-duplicates`;
  const { code, error } = await home.json(`dsr submit ${flags}`, { env: envs.b });
  expect([code, error.hint?.includes(ID)]).toEqual([6, false]);
  // The request's own workspace already has a request with the same id and content.
  expect((await home.run(`dsr submit ${flags} --request-id ${ID}`)).code).toBe(0);
});

it('rejects a valid callback for another workspace, and changes nothing', async () => {
  const receiver = await startReceiver();
  const { lines, url } = await listen('--forward-to', receiver.url, '--on', 'any', 'touch ran');
  await submit('a');
  await submit('b', `--callback-url ${url}`);
  await advance('20m');
  // The platform retries a rejected callback.
  expect(new Set(lines().map(({ status, valid, new: isNew }) => [status, valid, isNew].join(' ')))).toEqual(
    new Set(['401 true false']),
  );
  expect(lines()[0]?.detail).toBe('controller: the callback is for workspace 3002; only workspace 3001 is accepted');
  expect([await states(), receiver.received.length, existsSync(join(home.cwd, 'ran'))]).toEqual([
    { a: 'pending', b: 'pending' },
    0,
    false,
  ]);
});

it('stores a callback for another workspace under that workspace if --any-controller is set', async () => {
  const { lines, url } = await listen('--any-controller');
  await submit('a');
  await submit('b', `--callback-url ${url} --skip-waiting-period`);
  await advance('20m');
  expect(lines().map(({ status, detail }) => [status, detail])).toEqual([
    [202, 'nothing new'],
    [202, 'stored'],
  ]);
  expect(await states()).toEqual({ a: 'pending', b: 'pending,in_progress' });
});

it('warns, if there is no profile, that it accepts callbacks for every workspace, and stores each under its workspace', async () => {
  const { CDPADM_WORKSPACE_ID: _id, CDPADM_VENDOR_DOMAIN: _domain, ...env } = home.env;
  const before = { ...home.env };
  for (const name of Object.keys(home.env)) delete home.env[name];
  Object.assign(home.env, env);
  const free = await listen('--allow', `opendsr.${home.platform.ready.vendor_domain}`);
  const discovered = await listen();
  Object.assign(home.env, before);
  for (const [index, { url }] of [free, discovered].entries()) {
    const id = ID.replace(/1$/, String(index));
    await submit('a', `--callback-url ${url} --identity controller_customer_id=${index} --allow-duplicates`, id);
  }
  await submit('b', `--callback-url ${free.url} --skip-waiting-period`);
  await advance('20m');
  for (const { lines } of [free, discovered])
    expect(new Set(lines().map(({ status }) => status))).toEqual(new Set([202]));
  for (const { stop } of listeners.splice(0))
    expect((await stop()).stderr).toContain('The workspace is unknown, so callbacks for every workspace are accepted.');
  const { data } = await home.json<Entry[]>('dsr ledger export');
  expect(data.map(({ states: seen, workspace_id }) => [workspace_id, seen.at(-1)?.status])).toEqual([
    ['3001', 'pending'],
    ['3001', 'pending'],
    ['3002', 'in_progress'],
  ]);
});

it.each(['dsr list', `dsr status ${ID}`, `dsr cancel ${ID} --yes`, `dsr wait ${ID}`, `dsr results ${ID}`])(
  'requires a workspace for `%s` before sending anything',
  async (line) => {
    const { code, error } = await home.json(line, { env: { CDPADM_WORKSPACE_ID: '' } });
    expect([code, error.message]).toEqual([2, expect.stringContaining('workspace')]);
    expect(await home.received('GET', '/v3')).toBe(0);
  },
);
