// Checks the sweeps' judge: its list of calls matches the contract, and it finds each kind of violation.
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { allEndpoints } from '../../src/lib/contract/index.ts';
import { SERVICE_PATHS } from '../../src/lib/emulator/wire/service-paths.ts';
import { type ProxiedRequest, PROXY_FAULTS } from '../helpers/fault-proxy.ts';
import { CASES } from './cases.ts';
import { afterLossOf, mayRepeat, WRITES } from './operations.ts';
import { cleanOf, judge } from './judge.ts';
import { nameOf } from './program.ts';
import { createWorld, type World } from './world.ts';

const targetOf = ({ path, service }: (typeof allEndpoints)[number]): string =>
  SERVICE_PATHS[service] + path.replace(/\{\w+\}/g, 'x');

describe('the list of calls that may be sent again after a lost response', () => {
  test('covers every call that writes, and matches the contract', () => {
    const writing = allEndpoints.filter(({ method }) => method !== 'GET');
    expect(writing.map((endpoint) => [endpoint.id, afterLossOf(endpoint.method, targetOf(endpoint))])).toEqual(
      writing.map(({ id, safety }) => [id, safety]),
    );
    expect(writing).toHaveLength(WRITES.length);
  });

  test('includes every read', () => {
    const reading = allEndpoints.filter(({ method }) => method === 'GET');
    expect(reading.filter(({ safety }) => safety !== 'repeat')).toEqual([]);
  });
});

describe('a run that fails after a write without a response', () => {
  const path = '/v2/events';
  const sent: ProxiedRequest = {
    method: 'POST',
    target: path,
    headers: {},
    body: '{}',
    answered: { status: 202, headers: {}, body: Buffer.alloc(0) },
    faulted: true,
  };
  const request = { id: 'x', method: 'POST', path };
  const reported = {
    code: 'http.outcome_unknown',
    message: 'The outcome of the write is unknown.',
    hint: 'Look.',
    request,
  };
  const judged = (error: Partial<typeof reported>): string[] => {
    const stderr = JSON.stringify({ error });
    return judge({ command: 'x', args: '' }, { code: 8, stderr, stdout: '', hangs: false }, [sent], cleanOf([sent]));
  };

  it('is accepted if it reports the unknown outcome and names the request', () => expect(judged(reported)).toEqual([]));
  it.each([
    [
      'that nothing was done',
      { ...reported, message: 'Nothing was sent.' },
      /not known.*\n.*says that nothing was done/,
    ],
    [
      'the unknown outcome and that nothing was done',
      { ...reported, hint: 'Nothing was changed.' },
      /^says that nothing was done/,
    ],
    ['a read as the request', { ...reported, request: { ...request, method: 'GET' } }, /which request/],
    [
      'no request',
      { ...reported, message: 'It is not known whether it was done.', request: undefined },
      /which request/,
    ],
    ['nothing about the write', { ...reported, code: 'network.reset', message: 'It was closed.' }, /not spoken of/],
  ])('is a violation if it reports %s', (_what, error, problem) => expect(judged(error).join('\n')).toMatch(problem));
});

describe('a write that is sent again after its response was lost', () => {
  const request = (method: string, target: string, id: string, faulted: boolean): ProxiedRequest => ({
    method,
    target,
    headers: {},
    body: method === 'GET' ? '' : JSON.stringify({ subject_request_id: id, email: 'a@people.example' }),
    answered: { status: method === 'GET' ? 404 : 201, headers: {}, body: Buffer.alloc(0) },
    faulted,
  });
  const post = (id: string, faulted = false): ProxiedRequest => request('POST', '/v3/requests/', id, faulted);
  const read = (id: string, faulted = false): ProxiedRequest => request('GET', `/v3/requests/${id}`, id, faulted);
  const judged = (...requests: ProxiedRequest[]): string[] =>
    judge({ command: 'x', args: '' }, { code: 0, stderr: '', stdout: '', hangs: false }, requests, cleanOf(requests));

  it('is accepted after a read', () => expect(judged(post('a', true), read('a'), post('a'))).toEqual([]));
  it('is accepted if the first request did not arrive', () => {
    expect(judged({ ...post('a', true), answered: undefined }, post('a'))).toEqual([]);
  });
  it('counts as a different write if its id differs', () => expect(judged(post('a', true), post('b'))).toEqual([]));
  it.each([
    ['without a read', [post('a', true), post('a')]],
    ['after a read of another request', [post('a', true), read('b'), post('a')]],
    ['after a read without a response', [post('a', true), read('a', true), post('a')]],
    ['before the read', [post('a', true), post('a'), read('a')]],
  ])('is a violation %s', (_how, requests) => {
    expect(judged(...requests)).toEqual(['sent again without a look: POST /v3/requests/ a']);
  });
});

describe('a write whose response is lost', () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld();
  });
  afterAll(() => world.close());

  const OPERATIONS =
    /^(dsr cancel [0-9a-f]|pipelines (reset|trigger customers$)|roles delete|connections delete|intake event|dsr submit --reg)/;
  const [fault] = PROXY_FAULTS.filter(({ name }) => name === 'reset after delivery');
  const operations = CASES.filter((one) => OPERATIONS.test(nameOf(one)));

  it.each(operations.map((one) => [nameOf(one), one] as const))(
    'is reported as unknown by %s, which cannot read its result',
    async (_name, wanted) => {
      await world.prepare(wanted);
      await world.run(wanted, ['-o', 'json']);
      const clean = cleanOf(world.proxy.requests);
      const at = world.proxy.requests.findIndex(({ method, target }) => !mayRepeat(method, target));
      await world.prepare(wanted);
      if (!fault) throw new Error('there is no such fault');
      const outcome = await world.run(wanted, ['-o', 'json', '--retries', '0'], { fault, at, mode: 'ever' });
      expect(judge(wanted, outcome, world.proxy.requests, clean)).toEqual([]);
      expect(outcome).toMatchObject({ code: 8, stderr: expect.stringMatching(/"code":"http.outcome_unknown"/) });
    },
  );

  it('has no result to read for exactly seven commands', () => expect(operations).toHaveLength(7));

  const CONFIRMED =
    /^(dsr submit --bulk people|roles push|groups create|connections create -f connection-2|pipelines create)/;
  const confirmed = CASES.filter((one) => CONFIRMED.test(nameOf(one)));
  it.each(confirmed.map((one) => [nameOf(one), one] as const))(
    'is sent again by %s only after a read',
    async (_name, wanted) => {
      await world.prepare(wanted);
      await world.run(wanted, ['-o', 'json']);
      const clean = cleanOf(world.proxy.requests);
      const at = world.proxy.requests.findIndex(({ method, target }) => afterLossOf(method, target) === 'confirm');
      await world.prepare(wanted);
      if (!fault) throw new Error('there is no such fault');
      const outcome = await world.run(wanted, ['-o', 'json'], { fault, at, mode: 'once' });
      expect(at).toBeGreaterThanOrEqual(0);
      expect(world.proxy.requests[at]).toMatchObject({ faulted: true });
      expect(judge(wanted, outcome, world.proxy.requests, clean)).toEqual([]);
    },
  );
});
