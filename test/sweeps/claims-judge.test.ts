// Checks that the claims judge finds each kind of false claim and accepts true ones. The judge's list of calls that can
// only be accepted must match the contract.
import { describe, expect, it, test } from 'vitest';
import { allEndpoints } from '../../src/lib/contract/index.ts';
import { SERVICE_PATHS } from '../../src/lib/emulator/wire/service-paths.ts';
import type { PlatformAnswer, ProxiedRequest } from '../helpers/fault-proxy.ts';
import { type Evidence, falseClaims } from './claims-judge.ts';
import { acceptedStatus } from './operations.ts';
import type { Holdings } from './holdings.ts';
import { formsFor, LOSSES, readForms, type Strangers, writes } from './replaced.ts';

const ID = '6f1c5a52-3a4c-4f0e-9d55-3d2f6a1f8c99';
const cells = (held: Record<string, unknown>): Holdings =>
  new Map(Object.entries(held).map(([name, value]) => [name, JSON.stringify(value)]));
const answer = (status: number, body?: unknown): PlatformAnswer => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(body === undefined ? '' : JSON.stringify(body)),
});
const sent = (method: string, target: string, more: Partial<ProxiedRequest> = {}): ProxiedRequest => ({
  method,
  target,
  headers: {},
  body: '{}',
  answered: undefined,
  faulted: true,
  ...more,
});

const OLD = cells({ 'group 3001/household': { id: 'household', description: 'old' } });
const NEW = cells({ 'group 3001/household': { id: 'household', description: 'new' } });
const PUT = sent('PUT', '/platform/workspaces/3001/groups/household');

type Lie = Partial<Omit<Evidence, 'outcome'>> & { outcome?: Partial<Evidence['outcome']> };

function judged({ outcome, ...more }: Lie): string {
  const evidence: Evidence = {
    wanted: { command: 'groups update', args: '' },
    requests: [PUT],
    before: OLD,
    clean: NEW,
    after: OLD,
    files: { before: new Map(), after: new Map() },
    ...more,
    outcome: { code: 0, stdout: '', stderr: '', hangs: false, ...outcome },
  };
  return falseClaims(evidence).join('\n');
}

const failed = (message: string, more: object = {}): string =>
  JSON.stringify({ error: { code: 'x', message, hint: 'Check.', ...more } });

describe('a claim about a single write', () => {
  it.each<[string, Lie]>([
    ['it says done, and the platform has the write', { after: NEW }],
    ['it says unknown, and the platform has the write', { after: NEW, outcome: { code: 8, stderr: failed('It is not known whether it was done.') } }],
    ['it says unknown, and the platform does not have the write', { outcome: { code: 8, stderr: failed('It is not known whether it was done.') } }],
    ['it says rejected, and the platform does not have the write', { outcome: { code: 1, stderr: failed('The platform rejected it.') } }],
    ['it says not sent, and the platform does not have the write', { outcome: { code: 6, stderr: failed('Nothing was sent.') } }],
    ['it says rate limited, whatever the platform has', { after: NEW, requests: [{ ...PUT, returned: answer(429) }], outcome: { code: 7, stderr: failed('Too many requests.') } }],
  ])('is true if %s', (_what, lie) => expect(judged(lie)).toBe('')); // prettier-ignore

  it.each<[string, Lie, RegExp]>([
    ['it says done, and the platform does not have the write', {}, /^claims success.*household/],
    ['it says done, and the platform has a different write', { after: cells({ 'group 3001/household': 'else' }) }, /^claims success/],
    ['it says rejected, and the platform has the write', { after: NEW, outcome: { code: 1, stderr: failed('The answer is no JSON.') } }, /^exit 1 and does not say/],
    ['it says unavailable, and the platform has the write', { after: NEW, outcome: { code: 7, stderr: failed('Unavailable.') } }, /^exit 7 and does not say/],
    ['it says that nothing was sent, and the platform has the write', { after: NEW, outcome: { code: 8, stderr: failed('Nothing was sent.') } }, /^says that nothing was done/],
    ['the command hangs', { outcome: { hangs: true } }, /^hangs$/],
    ['it shows a different id', { after: NEW, outcome: { stdout: '{"id":"x","source_user_attribute":"y"}' } }, /^shows a group/],
    ['it shows other values', { after: NEW, outcome: { stdout: '{"id":"household","source_user_attribute":"y","description":"z"}' } }, /^shows a group/],
    ['it shows a request that does not exist', { after: NEW, outcome: { stdout: `{"subject_request_id":"${ID}"}` } }, /^shows request/],
    ['it shows a run that does not exist', { after: NEW, outcome: { stdout: '{"pipeline_id":"a","pipeline_run_id":7}' } }, /^shows run 7 of a/],
  ])('is false if %s', (_what, lie, problem) => expect(judged(lie)).toMatch(problem)); // prettier-ignore
});

describe('a claim about a call that can only be accepted', () => {
  const seed = (returned?: PlatformAnswer): ProxiedRequest =>
    sent('POST', '/v2/calculatedattributes', { ...(returned && { returned }) });
  const accepting = (stdout: string, ...requests: ProxiedRequest[]): string =>
    judged({ wanted: { command: 'seed set', args: '' }, requests, clean: OLD, outcome: { stdout } });

  it('is true after exactly the documented status, even if the platform did nothing', () =>
    expect(accepting('{"accepted":true}', seed(), seed(answer(202)))).toBe(''));
  it.each([
    ['after a different 2xx', '{"accepted":true}', seed(answer(200)), /without the documented status/],
    ['after an error document', '{"accepted":true}', seed(answer(202, { errors: [] })), /without the documented status/],
    ['without a response', '{"accepted":true}', seed(), /without the documented status/],
    ['if it says done', '{"seeded":true}', seed(answer(202)), /does not say accepted/],
    ['if it says both accepted and done', 'Accepted. It was stored.', seed(answer(202)), /says done/],
  ])('is false %s', (_when, stdout, request, problem) => expect(accepting(stdout, request)).toMatch(problem)); // prettier-ignore

  test('covers exactly the calls, except DELETE, that have no response body in the contract', () => {
    const targetOf = ({ path, service }: (typeof allEndpoints)[number]): string =>
      SERVICE_PATHS[service] + path.replace(/\{\w+\}/g, 'x');
    const silent = allEndpoints.filter(({ method, reply }) => method !== 'DELETE' && reply === undefined);
    const known = allEndpoints.filter((one) => acceptedStatus({ target: targetOf(one) }) !== undefined);
    expect(known.map(({ id, status }) => [id, status])).toEqual(silent.map(({ id, status }) => [id, status]));
    expect(known.map((one) => acceptedStatus({ target: targetOf(one) }))).toEqual(known.map(({ status }) => status));
  });
});

describe('claims about the rows of a bulk run', () => {
  const request = (email: string): unknown => ({ isCancelled: false, subject_identities: { email: { value: email } } });
  const held = (email: string): Holdings => cells({ [`request ${ID}`]: request(email) });
  const rows = (row: string, stdout: string, after: Holdings, code = 3): string =>
    judged({
      wanted: { command: 'dsr submit', args: '--bulk people.csv' },
      requests: [],
      before: cells({}),
      clean: after,
      after,
      files: {
        before: new Map(),
        after: new Map([['people.csv.results.csv', `email,subject_request_id,status,error\n${row}\n`]]),
      },
      outcome: { code, stdout },
    });

  it.each([
    ['submitted', '{"rows":1,"submitted":1}', held('a@x.example')],
    ['existing', '{"rows":1,"existing":1}', held('a@x.example')],
    ['unknown', '{"rows":1,"unknown":1}', held('a@x.example')],
    ['unknown', '{"rows":1,"unknown":1}', cells({})],
    ['failed', '{"rows":1,"failed":1}', cells({})],
  ])('are true if a row is listed as %s and the counts are %s', (status, stdout, after) => {
    expect(rows(`a@x.example,${ID},${status},`, stdout, after)).toBe('');
  });

  it.each([
    ['submitted but not on the platform', 'submitted', '{"rows":1,"submitted":1}', cells({}), /is submitted, and the platform does not have it/],
    ['existing for a different person', 'existing', '{"rows":1,"existing":1}', held('b@x.example'), /is existing, and/],
    ['failed but on the platform', 'failed', '{"rows":1,"failed":1}', held('a@x.example'), /failed \(\), and the platform has/],
    ['unknown but counted differently', 'unknown', '{"rows":1,"submitted":1}', held('a@x.example'), /counts 1 submitted, and its file has 0/],
  ])('are false when a row is listed as %s', (_what, status, stdout, after, problem) => {
    expect(rows(`a@x.example,${ID},${status},`, stdout, after)).toMatch(problem);
  }); // prettier-ignore

  it('are false when the run succeeds although the outcome of a row is unknown', () => {
    expect(rows(`a@x.example,${ID},unknown,`, '{"rows":1,"unknown":1}', cells({}), 0)).toMatch(/not every row is done/);
  });

  it('are false when one person is submitted twice', () => {
    const after = cells({ [`request ${ID}`]: request('a@x.example'), 'request 2': request('a@x.example') });
    expect(rows(`a@x.example,${ID},submitted,`, '{"rows":1,"submitted":1}', after)).toMatch(/^submitted twice/);
  });

  const batch = (status: number): ProxiedRequest =>
    sent('POST', '/v2/bulkcalculatedattributes', { body: '[{"xpid":1},{"xpid":2}]', returned: answer(status) });
  const seeds = (stdout: string, request: ProxiedRequest, rejects = ''): string =>
    judged({
      wanted: { command: 'seed bulk', args: '' },
      requests: [request],
      before: cells({}),
      clean: cells({}),
      after: cells({ 'profile xpid=2': {} }),
      files: { before: new Map(), after: new Map([['users.rejects.ndjson', rejects]]) },
      outcome: { code: 3, stdout },
    });

  it('are true for seeds that are accepted with the documented status, or are rejected and absent from the platform', () => {
    expect(seeds('{"rows":2,"accepted":2,"rejected":0}', batch(202))).toBe('');
    expect(seeds('{"rows":2,"accepted":1,"rejected":1}', batch(202), '{"row":{"xpid":1}}\n')).toBe('');
  });
  it.each([
    ['accepted with a different status', '{"rows":2,"accepted":2,"rejected":0}', batch(200), '', /counts 2 accepted/],
    ['rejected but on the platform', '{"rows":2,"accepted":1,"rejected":1}', batch(202), '{"row":{"xpid":2}}\n', /row 2 is rejected/],
    ['rejected but not listed', '{"rows":2,"accepted":1,"rejected":1}', batch(202), '', /and lists 0/],
  ])('are false for seeds that are %s', (_what, stdout, request, rejects, problem) => {
    expect(seeds(stdout, request, rejects)).toMatch(problem);
  }); // prettier-ignore
});

describe('a claim about a multi-step plan', () => {
  const connection = (name: string): Holdings => cells({ 'connection 3001/crm': name, 'data_model 3001/people': 'x' });
  const listed = (outcome: string, after: Holdings, type = 'connection', status = 200): string =>
    judged({
      requests: [sent('PUT', '/platform/v2/workspaces/3001/connections/crm', { returned: answer(status) })],
      before: connection('old'),
      clean: connection('new'),
      after,
      outcome: {
        code: 1,
        stdout: JSON.stringify({ steps: [{ type, id: 'crm', outcome }], target: { workspace_id: '3001' } }, null, 2),
        stderr: failed('1 of 2 steps was not completed.'),
      },
    });

  it('is true when the platform has only the completed steps', () => {
    expect(listed('done', connection('new'))).toBe('');
    for (const outcome of ['failed', 'skipped', 'unknown']) expect(listed(outcome, connection('old'))).toBe('');
    expect(listed('failed', connection('new'), 'connection', 429)).toBe('');
  });
  it('is false when the platform has other steps', () => {
    expect(listed('done', connection('old'))).toMatch(/claims that it is done/);
    for (const outcome of ['failed', 'skipped'])
      expect(listed(outcome, connection('new'))).toMatch(/claims that it is not done/);
    expect(listed('skipped', connection('new'), 'connection', 429)).toMatch(/claims that it is not done/);
  });
  it('is false when it neither lists a changed resource as done nor reports an unknown outcome', () => {
    const silent = /does not say that this may be done: connection 3001\/crm/;
    expect(listed('unknown', connection('new'))).toMatch(silent);
    expect(listed('done', connection('new'), 'pipeline')).toMatch(silent);
  });
});

describe("a claim about a user's file", () => {
  const file = (text: string): string =>
    judged({
      before: cells({}),
      clean: cells({ 'role a': { role_id: 'a', name: 'Role A' } }),
      after: cells({ 'role a': { role_id: 'a', name: 'Role A' } }),
      files: {
        before: new Map([['roles.yaml', '# keep\n- role_id: a\n  name: Role A\n']]),
        after: new Map([['roles.yaml', text]]),
      },
    });

  it("is true if the file is unchanged or has the platform's values", () => {
    expect(file('# keep\n- role_id: a\n  name: Role A\n')).toBe('');
    expect(file('# keep\nlast_modified_on: now\n- role_id: a\n  name: Role A\n')).toBe('');
  });
  it.each([
    ['lost a comment', '- role_id: a\n  name: Role A\n', /lost the comments # keep/],
    ['lost a role', '# keep\n', /has roles that the platform does not have/],
    ['has text that is in no resource', '# keep\n- role_id: a\n  name: Rol\n', /says Rol, which is not/],
  ])('is false if the file %s', (_what, text, problem) => expect(file(text)).toMatch(problem));
});

test('gives each replaced response a unique name', () => {
  const strangers: Strangers = { signed: answer(201, {}), byPath: new Map([['/v3/requests', {}]]) };
  const post = sent('POST', '/v3/requests/');
  const names = formsFor(post, answer(201, { subject_request_id: ID }), strangers).map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  const wanted = /^(empty|null|array|the same about another id|a resource of a different kind|another resource's body|an error with 200|a signed body with a different id|half of the body|cut off|204 without a body), /;
  const kinds = new Set(names.flatMap((name) => wanted.exec(name)?.[1] ?? []));
  expect(kinds.size).toBe(11);
  for (const kind of kinds) for (const how of ['delivered', 'not delivered']) expect(names).toContain(`${kind}, ${how}`);
  expect([LOSSES.length, readForms(strangers).length]).toEqual([8, 10]);
  expect([post, sent('GET', '/x'), sent('POST', '/oauth/token')].map(writes)).toEqual([true, false, false]);
}); // prettier-ignore
