// Damages the responses to a bulk run in random ways. Checks that the reported state of each row matches the platform
// and that no row is lost.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { basicAuth } from '../helpers/emulator.ts';
import { createDsrHome } from '../helpers/dsr-home.ts';
import { createFastClock } from '../helpers/fast-clock.ts';
import { type FaultProxy, type ProxiedRequest, startFaultProxy } from '../helpers/fault-proxy.ts';
import type { PlatformHome } from '../helpers/platform-home.ts';
import { pick } from '../helpers/random.ts';
import { isWhole } from '../helpers/size.ts';
import { filesOf } from '../sweeps/claims.ts';
import { falseRows } from '../sweeps/claimed-rows.ts';
import { formsFor, LOSSES, readForms, type Strangers } from '../sweeps/replaced.ts';
import { randomOf, SEED, printLine } from '../sweeps/sweep.ts';

const STORMS = isWhole ? 10 : 1;
const ROWS = isWhole ? 300 : 120;
/** Maximum number of requests in a group. */
const GROUP = 150;
const FAULTS = 0.3;
/** Maximum number of resumptions. A run may give up, and the responses to its resumptions are damaged too. */
const RESUMES = 60;
const LINE = 'dsr submit --bulk people.csv --regulation gdpr --type access --yes -o json';

let home: PlatformHome;
let proxy: FaultProxy;
beforeEach(async () => {
  home = await createDsrHome();
  proxy = await startFaultProxy(home.platform.port);
});
afterEach(async () => {
  await proxy.close();
  await home.close();
});

const isRequest = ({ target }: ProxiedRequest): boolean => target.startsWith('/v3/requests');

/** Returns the sent bodies whose requests the platform lists, each under the key `request ID`. */
async function heldRows(requests: readonly ProxiedRequest[]): Promise<Map<string, string>> {
  // `requests` covers all runs, because an earlier run may have created a request.
  const sent = requests.filter((one) => isRequest(one) && one.method === 'POST');
  const bodies = new Map(
    sent.map(({ body }) => [(JSON.parse(body) as { subject_request_id: string }).subject_request_id, body]),
  );
  const listed = new Set<string>();
  for (let group = 0; group * GROUP < ROWS; group++) {
    const { data } = await home.json<{ subject_request_id: string }[]>(`dsr list --group-id g${group}`);
    for (const { subject_request_id: id } of data) listed.add(id);
  }
  const known = [...bodies].filter(([id]) => listed.has(id));
  expect(known).toHaveLength(listed.size);
  return new Map(known.map(([id, body]) => [`request ${id}`, body]));
}

async function strangers(): Promise<Strangers> {
  const { workspace_key: key, workspace_secret: secret } = home.platform.ready;
  const body = {
    regulation: 'gdpr',
    subject_request_id: '6f1c5a52-3a4c-4f0e-9d55-3d2f6a1f8c66',
    subject_request_type: 'access',
    submitted_time: '2026-01-05T09:00:00Z',
    subject_identities: { email: { value: 'stranger@people.example', encoding: 'raw' } },
  };
  const headers = basicAuth(`${key}:${secret}`);
  const { status, text, headers: signed } = await home.platform.send('POST', '/v3/requests', { body, headers });
  const stored = (await home.platform.send('GET', `/v3/requests/${body.subject_request_id}`, { headers })).json;
  return { signed: { status, headers: signed, body: Buffer.from(text) }, byPath: new Map([['/v3/requests', stored]]) };
}

it.each(Array.from({ length: STORMS }, (_, storm) => storm))(
  `reports the true state of all ${ROWS} rows, and loses none, with faults in ${FAULTS * 100}% of the responses (round %i)`,
  async (storm) => {
    printLine(`seed ${SEED}`);
    const random = randomOf(storm);
    const clean = { status: 201, headers: {}, body: Buffer.from('{"subject_request_id":"x","controller_id":"y"}') };
    const known = await strangers();
    const posts = [...formsFor({ method: 'POST', target: '/v3/requests/' }, clean, known), ...LOSSES];
    const gets = readForms(known);
    const rows = Array.from({ length: ROWS }, (_, row) => `p${row}@example.com,g${Math.floor(row / GROUP)}`);
    home.write('people.csv', `email,group_id\n${rows.join('\n')}\n`);
    const requests: ProxiedRequest[] = [];
    const platform = String(home.platform.port);
    const env = { CDPADM_DSR_BASE_URL: home.env['CDPADM_DSR_BASE_URL']?.replace(platform, String(proxy.port)) ?? '' };
    const clock = createFastClock(200);
    const files = { before: filesOf(home.cwd), after: filesOf(home.cwd) };

    /** Runs a command; returns its exit code, its false claims and its standard error. */
    const run = async (line: string): Promise<{ code: number; problems: string[]; stderr: string }> => {
      const outcome = await home.run(line, { env, clock });
      requests.push(...proxy.requests);
      const after = await heldRows(requests);
      const evidence = { wanted: { command: 'dsr submit', args: '--bulk' }, requests, before: new Map(), clean: after };
      const judged = { ...evidence, after, files: { ...files, after: filesOf(home.cwd) }, outcome: { hangs: false, ...outcome } };
      return { ...outcome, problems: falseRows(judged) };
    };

    const stormy = async (line: string) => {
      await proxy.begin((_index, received) => {
        if (random() >= FAULTS) return undefined;
        return pick(received.method === 'GET' ? gets : posts, random);
      });
      return await run(line);
    };
    let { code, problems, stderr } = await stormy(LINE);
    let resumes = 0;
    for (; code !== 0 && problems.length === 0 && resumes < RESUMES; resumes++)
      ({ code, problems, stderr } = await stormy(`${LINE} --resume`));
    const faulted = requests.filter((one) => one.faulted).length;
    await proxy.begin();
    if (code !== 0 && problems.length === 0) ({ code, problems, stderr } = await run(`${LINE} --resume`));
    printLine(`storm ${storm}: ${requests.length} requests, ${faulted} responses replaced, ${resumes} resumes, exit ${code}`);
    expect({ code, problems }, stderr).toEqual({ code: 0, problems: [] });
    expect(faulted).toBeGreaterThan(ROWS * FAULTS * 0.8);
    expect((await heldRows(requests)).size).toBe(ROWS);
  },
  20 * 60_000,
); // prettier-ignore
