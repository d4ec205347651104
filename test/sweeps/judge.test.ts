// The judge of the sweeps is judged: what it holds of each call is complete and agrees with the contract, and a run that
// is not as promised is seen.
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

describe('what may be sent again after a lost response', () => {
  test('is known of every call that writes, as in the contract', () => {
    const writing = allEndpoints.filter(({ method }) => method !== 'GET');
    expect(writing.map((endpoint) => [endpoint.id, afterLossOf(endpoint.method, targetOf(endpoint))])).toEqual(
      writing.map(({ id, safety }) => [id, safety]),
    );
    expect(writing).toHaveLength(WRITES.length);
  });

  test('is every read', () => {
    const reading = allEndpoints.filter(({ method }) => method === 'GET');
    expect(reading.filter(({ safety }) => safety !== 'repeat')).toEqual([]);
  });
});

describe('a run that ends after a write without a response', () => {
  const path = '/v2/events';
  const sent: ProxiedRequest = {
    method: 'POST',
    target: path,
    headers: {},
    body: '{}',
    answered: { status: 202, headers: {}, body: Buffer.alloc(0) },
    struck: true,
  };
  const request = { id: 'x', method: 'POST', path };
  const told = {
    code: 'http.outcome_unknown',
    message: 'The outcome of the write is unknown.',
    hint: 'Look.',
    request,
  };
  const judged = (error: Partial<typeof told>): string[] => {
    const stderr = JSON.stringify({ error });
    return judge({ command: 'x', args: '' }, { code: 8, stderr, stdout: '', hangs: false }, [sent], cleanOf([sent]));
  };

  it('is well when it says so, and of which request', () => expect(judged(told)).toEqual([]));
  it.each([
    ['that nothing was done', { ...told, message: 'Nothing was sent.' }, /not known.*\n.*says that nothing was done/],
    ['so and also that nothing was done', { ...told, hint: 'Nothing was changed.' }, /^says that nothing was done/],
    ['of a question', { ...told, request: { ...request, method: 'GET' } }, /which request/],
    ['of none', { ...told, message: 'It is not known whether it was done.', request: undefined }, /which request/],
    ['nothing of it', { ...told, code: 'network.reset', message: 'It was closed.' }, /not spoken of/],
  ])('is ill when it says %s', (_what, error, problem) => expect(judged(error).join('\n')).toMatch(problem));
});

describe('a write that is sent again after its response was lost', () => {
  const request = (method: string, target: string, id: string, struck: boolean): ProxiedRequest => ({
    method,
    target,
    headers: {},
    body: method === 'GET' ? '' : JSON.stringify({ subject_request_id: id, email: 'a@people.example' }),
    answered: { status: method === 'GET' ? 404 : 201, headers: {}, body: Buffer.alloc(0) },
    struck,
  });
  const post = (id: string, struck = false): ProxiedRequest => request('POST', '/v3/requests/', id, struck);
  const look = (id: string, struck = false): ProxiedRequest => request('GET', `/v3/requests/${id}`, id, struck);
  const judged = (...requests: ProxiedRequest[]): string[] =>
    judge({ command: 'x', args: '' }, { code: 0, stderr: '', stdout: '', hangs: false }, requests, cleanOf(requests));

  it('is correct after a read', () => expect(judged(post('a', true), look('a'), post('a'))).toEqual([]));
  it('is correct when the first did not arrive', () => {
    expect(judged({ ...post('a', true), answered: undefined }, post('a'))).toEqual([]);
  });
  it('is another one with another id', () => expect(judged(post('a', true), post('b'))).toEqual([]));
  it.each([
    ['without a look', [post('a', true), post('a')]],
    ['after a read of another one', [post('a', true), look('b'), post('a')]],
    ['after a read without a response', [post('a', true), look('a', true), post('a')]],
    ['before the look', [post('a', true), post('a'), look('a')]],
  ])('is ill %s', (_how, requests) => {
    expect(judged(...requests)).toEqual(['sent again without a look: POST /v3/requests/ a']);
  });
});

describe('a write whose response is lost and that cannot be read either', () => {
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
    'is reported as unknown by %s',
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

  it('are seven kinds', () => expect(operations).toHaveLength(7));

  const CONFIRMED =
    /^(dsr submit --bulk people|roles apply|groups create|connections create -f connection-2|pipelines (apply|create))/;
  const confirmed = CASES.filter((one) => CONFIRMED.test(nameOf(one)));
  it.each(confirmed.map((one) => [nameOf(one), one] as const))(
    '%s is only sent again after a read',
    async (_name, wanted) => {
      await world.prepare(wanted);
      await world.run(wanted, ['-o', 'json']);
      const clean = cleanOf(world.proxy.requests);
      const at = world.proxy.requests.findIndex(({ method, target }) => afterLossOf(method, target) === 'confirm');
      await world.prepare(wanted);
      if (!fault) throw new Error('there is no such fault');
      const outcome = await world.run(wanted, ['-o', 'json'], { fault, at, mode: 'once' });
      expect(at).toBeGreaterThanOrEqual(0);
      expect(world.proxy.requests[at]).toMatchObject({ struck: true });
      expect(judge(wanted, outcome, world.proxy.requests, clean)).toEqual([]);
    },
  );
});
