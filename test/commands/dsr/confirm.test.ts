// Compares the reported status of submissions with the platform's data, while a proxy replaces the responses.
import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { interrupted } from '../../../src/lib/runtime/interrupt.ts';
import { createFastClock } from '../../helpers/fast-clock.ts';
import { createDsrHome } from '../../helpers/dsr-home.ts';
import { answerBytes, type FaultProxy, type PlatformAnswer, startFaultProxy } from '../../helpers/fault-proxy.ts';
import { opened } from '../../helpers/opened.ts';
import type { PlatformHome } from '../../helpers/platform-home.ts';
import { sample } from '../../helpers/size.ts';

let home: PlatformHome;
let proxy: FaultProxy;
beforeEach(async () => {
  home = await opened(createDsrHome());
  home.defaults.clock = createFastClock(1000);
  const direct = new URL(home.env['CDPADM_DSR_BASE_URL'] ?? '');
  proxy = await opened(startFaultProxy(Number(direct.port)));
  home.env['CDPADM_DSR_BASE_URL'] = proxy.url + direct.pathname;
});

const FOREIGN = {
  subject_request_id: randomUUID(),
  request_status: 'pending',
  controller_id: '1',
  expected_completion_time: '2026-12-01T00:00:00Z',
};
const BODIES: Record<string, string> = {
  'an empty body': '',
  null: 'null',
  'a list': '[]',
  'unrelated JSON': '{"id":"crm","state":"active"}',
  'another request': JSON.stringify(FOREIGN),
  'an error document': '{"code":400,"message":"no","errors":[{"message":"no"}]}',
  'a truncated body': '{"subject_request_id":',
};
/** A status that the platform returns only for an injected fault. */
const INJECTED = 503;

interface Replaced {
  /** Replaces each 201 if `delivered` is true, otherwise each injected 503. */
  post?: { status: number; body: string; delivered: boolean };
  /** Replaces the response to each GET of a request if the response to its POST was replaced. */
  get?: { status: number; body: string };
}

async function replace({ get, post }: Replaced): Promise<void> {
  const replaced = new Set<string>();
  await proxy.begin({
    at: 0,
    mode: 'ever',
    fault: {
      name: 'replaced',
      delivered: true,
      act: (socket, response, _trap, { body, method, target }) => {
        const write = (change: Partial<PlatformAnswer> | undefined) =>
          socket.write(answerBytes({ ...response, ...change }));
        if (method === 'POST' && post && response.status === (post.delivered ? 201 : INJECTED)) {
          replaced.add((JSON.parse(body) as typeof FOREIGN).subject_request_id);
          write({ status: post.status, body: Buffer.from(post.status === 204 ? '' : post.body) });
        } else if (method === 'GET' && get && replaced.has(target.split('/').at(-1) ?? '')) {
          write({ status: get.status, body: Buffer.from(get.body) });
        } else write(undefined);
      },
    },
  });
}

interface BulkResult {
  submitted: number;
  existing: number;
  failed: number;
  unknown?: number;
}

const stored = async (): Promise<string[]> => {
  const all = await home.json<{ subject_request_id: string }[]>('dsr list --group-id g');
  return all.data.map(({ subject_request_id: id }) => id);
};
const BULK = 'dsr submit --bulk people.csv --regulation gdpr --type access --group-id g --yes';
const writePeople = (count: number): void =>
  home.write('people.csv', `email\n${Array.from({ length: count }, (_, row) => `p${row}@example.com`).join('\n')}\n`);

/** Returns the rows in a results file. */
function rowsOf(file: string): { id: string; status: string; error: string }[] {
  const lines = home.read(file).trimEnd().split('\n').slice(1);
  return lines.map((line) => {
    const [id = '', status = '', ...error] = line.split(',').slice(1);
    return { id, status, error: error.join(',').replaceAll('"', '') };
  });
}

/** Returns the rows whose reported status contradicts the platform. */
async function falseClaims(rows: ReturnType<typeof rowsOf>): Promise<string[]> {
  await proxy.begin();
  const ids = await stored();
  return rows
    .filter(({ id, status }) => (status === 'failed' ? ids.includes(id) : status !== 'unknown' && !ids.includes(id)))
    .map(({ id, status }) => `${id} ${status}`);
}

const CASES = Object.entries(BODIES).flatMap(([name, body]) =>
  [200, 201, 202, 204].map((status) => [name, status, body] as const),
);

describe('a bulk row', () => {
  it.each(sample(CASES, 7))(
    'is reported as unknown if it never arrived and the response is %s with status %i',
    async (_, status, body) => {
      writePeople(1);
      await home.platform.api.addFault({ method: 'POST', path: '/v3/requests/', status: INJECTED });
      await replace({ post: { status, body, delivered: false } });
      const { code, data } = await home.json<BulkResult>(BULK);
      expect([code, data.submitted, data.unknown]).toEqual([3, 0, 1]);
      const rows = rowsOf('people.csv.results.csv');
      expect(rows).toMatchObject([
        { status: 'unknown', error: expect.stringMatching(/^The outcome of request .* is unknown/) },
      ]);
      expect(await falseClaims(rows)).toEqual([]);
      // --resume submits the row again under the same id, and writes its own results file.
      await home.platform.api.clearFaults();
      const again = await home.json<BulkResult & { results: string }>(`${BULK} --resume`);
      expect([again.code, again.data.submitted, again.data.unknown]).toEqual([0, 1, undefined]);
      expect(again.data.results).toMatch(/people\.csv\.results-2\.csv$/);
      expect(rowsOf('people.csv.results-2.csv')).toEqual([{ id: rows[0]?.id, status: 'submitted', error: '' }]);
    },
  );

  it.each(sample(CASES, 7))(
    'is confirmed by a read if it arrived but the response is %s with status %i',
    async (_name, status, body) => {
      writePeople(3);
      await replace({ post: { status, body, delivered: true } });
      const { code, data } = await home.json<BulkResult>(BULK);
      expect([code, data.submitted, data.unknown]).toEqual([0, 3, undefined]);
      expect(await falseClaims(rowsOf('people.csv.results.csv'))).toEqual([]);
      expect(await home.received('POST', '/v3/requests')).toBe(3);
    },
  );

  it.each(sample(Object.entries(BODIES), 3))('is not confirmed by a read that returns %s', async (_name, body) => {
    writePeople(6);
    await home.platform.api.addFault({ method: 'POST', path: '/v3/requests/', status: INJECTED, times: 1 });
    await replace({ post: { status: INJECTED, body: '', delivered: false }, get: { status: 200, body } });
    const run = await home.json<BulkResult>(`${BULK} --concurrency 1`);
    expect([run.code, run.data.submitted, run.data.unknown]).toEqual([3, 5, 1]);
    await proxy.begin();
    const again = await home.json<BulkResult & { results: string }>(`${BULK} --resume`);
    expect(again.code, again.stderr).toBe(0);
    expect(await falseClaims(rowsOf(again.data.results.replace(/.*\//, '')))).toEqual([]);
    expect(await stored()).toHaveLength(6);
  });

  it.each(sample(Object.entries(BODIES), 3))('is reported as unknown if every read returns %s', async (_name, body) => {
    writePeople(5);
    await home.platform.api.addFault({ method: 'POST', path: '/v3/requests/', status: INJECTED });
    await replace({ post: { status: INJECTED, body: '', delivered: false }, get: { status: 200, body } });
    const { code, data } = await home.json<BulkResult>(BULK);
    expect([code, data.submitted, data.unknown]).toEqual([3, 0, 5]);
    expect(rowsOf('people.csv.results.csv').map(({ status }) => status)).toEqual(Array(5).fill('unknown'));
  });

  it.each(sample([429, 503, 500, 400, 409, 413, 422, 200], 3))(
    'is reported as submitted if it arrived despite status %i',
    async (status) => {
      writePeople(3);
      await replace({ post: { status, body: '{}', delivered: true } });
      const { code, data } = await home.json<BulkResult>(BULK);
      expect([code, data.submitted]).toEqual([0, 3]);
      expect(await falseClaims(rowsOf('people.csv.results.csv'))).toEqual([]);
    },
  );
});

it.each([
  ['the response to a retry', 200, ''],
  ['the first response', 400, '{"errors":[{"message":"The request already exists."}]}'],
])(
  'reports a request as unknown if it arrived, no read finds it, and %s rejects its id as existing',
  async (...reply) => {
    const [, status, body] = reply;
    const late = { post: { status, body, delivered: true }, get: { status: 404, body: '{}' } };
    writePeople(1);
    await replace(late);
    const bulk = await home.json<BulkResult>(BULK);
    expect([bulk.code, bulk.data.failed, bulk.data.unknown]).toEqual([3, 0, 1]);
    await replace(late);
    const one = await home.json(
      'dsr submit --regulation gdpr --type access --group-id g --yes --identity email=o@example.com',
    );
    expect([one.code, one.error.code]).toEqual([8, 'http.outcome_unknown']);
    expect(one.error.message).toContain('the request already exists');
    await proxy.begin();
    expect(await stored()).toHaveLength(2);
    const again = await home.json<BulkResult>(`${BULK} --resume`);
    expect([again.code, again.data.submitted, again.data.unknown]).toEqual([0, 1, undefined]);
  },
);

it.each([400, 409])('reports a request as unknown if its retry got status %i without a reason', async (status) => {
  let posts = 0;
  await proxy.begin((_index, { method }) => ({
    name: 'a late read',
    delivered: true,
    answer: (answer) => {
      if (method === 'POST') return { ...answer, status: ++posts === 1 ? 500 : status, body: Buffer.from('{}') };
      return { ...answer, status: 404, body: Buffer.from('{}') };
    },
  }));
  const { code, error } = await home.json('dsr submit --regulation gdpr --type access --yes --identity email=a@b.c');
  expect([code, error.code, posts]).toEqual([8, 'http.outcome_unknown', 2]);
});

describe('a signed 201 that contains a request for another person', () => {
  const ONE = 'dsr submit --regulation gdpr --type access --group-id g --yes --identity email=p9@example.com';
  const REASON = 'the request in the response differs from the one that was sent: subject_identities.email.value';

  /**
   * Replaces the person in each request before the platform receives it, so the platform signs its response to the
   * changed request.
   */
  beforeEach(() =>
    proxy.begin((_index, received) => {
      received.body = received.body.replace(/p\d@/, 'q0@');
      return undefined;
    }),
  );

  it('leaves the outcome unknown, is reported with the field that differs, and never counts as a submission', async () => {
    const { code, error, stderr } = await home.json(ONE);
    expect([code, error.code]).toEqual([8, 'http.outcome_unknown']);
    expect(error.message).toContain(REASON);
    expect(stderr).not.toContain('q0@');
    const id = /request (\S+) is unknown/.exec(error.message)?.[1];
    const again = await home.json(`${ONE} --request-id ${id} --allow-duplicates`);
    expect([again.code, again.error.code]).toEqual([6, 'dsr.id_taken']);
    expect((await home.json('dsr ledger export')).data).toMatchObject([
      { id, marks: [{ reason: expect.stringContaining(REASON) as string }] },
    ]);
  });

  it('leaves the outcome of a bulk row unknown, even after --resume', async () => {
    writePeople(1);
    const { code, data } = await home.json<BulkResult>(BULK);
    expect([code, data.submitted, data.unknown]).toEqual([3, 0, 1]);
    expect(rowsOf('people.csv.results.csv')).toMatchObject([
      { status: 'unknown', error: expect.stringContaining(REASON) },
    ]);
    await proxy.begin();
    const again = await home.json<BulkResult>(`${BULK} --resume`);
    expect([again.code, again.data.submitted, again.data.unknown]).toEqual([3, 0, 1]);
  });
});

it('accepts a 201 that contains the same request in a different notation', async () => {
  await proxy.begin((_index, { body, method }) =>
    method === 'POST'
      ? {
          name: 'notation',
          delivered: true,
          answer: (answer) => {
            const sent = JSON.parse(body) as Record<string, unknown>;
            const time = new Date(String(sent['submitted_time'])).toISOString().replace('Z', '+00:00');
            const echoed = {
              extensions: null,
              status_callback_urls: [],
              received_by: 'x',
              ...sent,
              submitted_time: time,
            };
            const encoded_request = Buffer.from(JSON.stringify(echoed)).toString('base64');
            const reply = { ...(JSON.parse(answer.body.toString()) as object), encoded_request };
            return { ...answer, body: Buffer.from(JSON.stringify(reply)) };
          },
        }
      : undefined,
  );
  writePeople(1);
  expect((await home.json<BulkResult>(BULK)).data.submitted).toBe(1);
});

describe('an id that the platform already has', () => {
  const ID = '6f1c5a52-3a4c-4f0e-9d55-3d2f6a1f8c99';
  const ONE = `dsr submit --regulation gdpr --type access --group-id g --yes --request-id ${ID} --identity`;
  const bulk = async (email: string, group: string, env: Record<string, string> = {}, regulation = 'gdpr') => {
    home.write('people.csv', `email,subject_request_id,group_id\n${email},${ID},${group}\n`);
    const { code, data } = await home.json<BulkResult>(BULK.replace(' --group-id g', '').replace('gdpr', regulation), {
      env,
    });
    const [, line = ''] = home.read('people.csv.results.csv').trimEnd().split('\n');
    return { code, data, line };
  };
  const elsewhere = () => ({ CDPADM_STATE_DIR: `${home.folder}/elsewhere` });

  it('counts as existing if the ledger has the same request', async () => {
    expect((await home.run(`${ONE} email=jane@example.com`)).code).toBe(0);
    expect(await bulk('jane@example.com', 'g')).toMatchObject({
      code: 0,
      data: { submitted: 0, existing: 1, failed: 0 },
    });
  });

  it.each([
    ['person', 'joe@example.com', 'gdpr'],
    ['regulation', 'jane@example.com', 'ccpa'],
  ])('counts as failed if the ledger lists it for a different %s', async (_field, email, regulation) => {
    expect((await home.run(`${ONE} email=jane@example.com`)).code).toBe(0);
    const { code, data, line } = await bulk(email, 'g', {}, regulation);
    expect([code, data.existing, data.failed]).toEqual([3, 0, 1]);
    expect(line).toContain('a different request');
  });

  it('counts as failed if the platform returns a different group', async () => {
    expect((await home.run(`${ONE} email=jane@example.com`)).code).toBe(0);
    expect(await bulk('jane@example.com', 'other', elsewhere())).toMatchObject({
      code: 3,
      data: { existing: 0, failed: 1 },
    });
  });

  it('is reported as unknown if nothing proves that the request is ours, even after a lost response', async () => {
    expect((await home.run(`${ONE} email=jane@example.com`)).code).toBe(0);
    await home.platform.api.addFault({ method: 'POST', path: '/v3/requests/', drop: 'before', times: 1 });
    const { code, data, line } = await bulk('joe@example.com', 'g', elsewhere());
    expect([code, data.existing, data.submitted, data.unknown]).toEqual([3, 0, 0, 1]);
    expect(line).toContain('there is no proof');
  });

  it('counts as submitted if it was created by the request whose response was lost', async () => {
    await home.platform.api.addFault({ method: 'POST', path: '/v3/requests/', drop: 'before', times: 1 });
    await home.platform.api.addFault({ method: 'POST', path: '/v3/requests/', drop: 'after', times: 1 });
    expect(await bulk('jane@example.com', 'g')).toMatchObject({ code: 0, data: { submitted: 1 } });
  });
});

describe('a single request', () => {
  const ACCESS = 'dsr submit --regulation gdpr --type access --group-id g --identity email=jane@example.com --yes';

  it.each(sample(CASES, 6))(
    'is reported as unknown if it never arrived and the response is %s with status %i',
    async (_, status, body) => {
      await home.platform.api.addFault({ method: 'POST', path: '/v3/requests/', status: INJECTED });
      await replace({ post: { status, body, delivered: false } });
      const { code, error } = await home.json(ACCESS);
      expect([code, error.code]).toEqual([8, 'http.outcome_unknown']);
      await proxy.begin();
      expect(await stored()).toEqual([]);
    },
  );

  it.each(sample(Object.entries(BODIES), 3))('is not confirmed by a read that returns %s', async (_name, body) => {
    await home.platform.api.addFault({ method: 'POST', path: '/v3/requests/', status: INJECTED });
    await replace({ post: { status: INJECTED, body: '', delivered: false }, get: { status: 200, body } });
    const { code, error } = await home.json(ACCESS);
    expect([code, error.code]).toEqual([8, 'http.outcome_unknown']);
  });

  it.each(sample([429, 503, 500, 400, 409, 413, 422, 200], 3))(
    'is reported as submitted if it arrived despite status %i',
    async (status) => {
      await replace({ post: { status, body: '{}', delivered: true } });
      const { code, data } = await home.json<{ subject_request_id: string }>(ACCESS);
      expect(code).toBe(0);
      await proxy.begin();
      expect(await stored()).toEqual([data.subject_request_id]);
    },
  );
});

describe('dsr cancel', () => {
  it('does not send a DELETE if the list of a group contains a request without that group id, or a request twice', async () => {
    writePeople(1);
    await home.run(BULK);
    const [id] = await stored();
    const listed = (group_id: string | null | undefined) => ({
      ...FOREIGN,
      subject_request_id: id,
      controller_id: '3001',
      group_id,
    });
    const lists = {
      other: [listed('g')],
      none: [listed(null)],
      absent: [listed(undefined)],
      twice: [listed('twice'), listed('twice')],
    };
    await proxy.begin({
      at: 0,
      mode: 'ever',
      fault: {
        name: 'another list',
        delivered: true,
        act: (socket, response, _trap, { target }) => {
          const list = lists[target.split('group_id=')[1] as keyof typeof lists];
          socket.write(answerBytes({ ...response, body: Buffer.from(JSON.stringify(list)) }));
        },
      },
    });
    for (const group of Object.keys(lists)) {
      const { code, error } = await home.json(`dsr cancel --group-id ${group} --yes`);
      const reason = group === 'twice' ? 'subject_request_id' : `${id}, which is not in this group`;
      expect([code, error.message]).toEqual([1, expect.stringContaining(reason)]);
    }
    expect(await home.received('DELETE', '/v3/requests')).toBe(0);
  });

  it.each([
    ['cancelled', 0],
    ['pending', 8],
  ])('reads the request if the response has a completion time: %s (exit %i)', async (status, exit) => {
    writePeople(1);
    await home.run(BULK);
    const [id] = await stored();
    const times = { expected_completion_time: '2026-12-01T00:00:00Z', received_time: '2026-11-27T00:00:00Z' };
    const reply = { ...FOREIGN, ...times, subject_request_id: id, controller_id: '3001', request_status: status };
    await proxy.begin((_index, { method }) =>
      method === 'DELETE' || proxy.requests.some((it) => it.method === 'DELETE')
        ? {
            name: 'time',
            delivered: true,
            answer: (it) => ({ ...it, status: 200, body: Buffer.from(JSON.stringify(reply)) }),
          }
        : undefined,
    );
    const { code, data, error } = await home.json(`dsr cancel ${id} --yes`);
    expect([code, data ?? error.code]).toMatchObject([
      exit,
      exit === 0 ? [{ subject_request_id: id, expected_completion_time: null }] : 'http.outcome_unknown',
    ]);
  });

  it('exits with 1 if the platform responds with 400 to the cancellation of a pending request', async () => {
    writePeople(1);
    await home.run(BULK);
    await home.platform.api.addFault({ method: 'DELETE', path: '/v3/requests/*', status: 400 });
    const { code, error } = await home.json('dsr cancel --group-id g --yes');
    expect([code, error.code]).toEqual([1, 'http.bad_request']);
  });
});

it.each([
  [200, '', 'are empty'],
  [202, '{"status":"in preparation"}', 'undocumented status 202'],
  [206, '{"part":1}', 'undocumented status 206'],
])('does not count results with status %i and the body `%s` as downloaded', async (status, text, message) => {
  const { data } = await home.json<{ subject_request_id: string }>(
    'dsr submit --regulation gdpr --type access --identity email=jane@example.com --yes',
  );
  const id = data.subject_request_id;
  const results = `${home.env['CDPADM_DSR_BASE_URL'] ?? ''}/requests/${id}/results`;
  const completed = { ...FOREIGN, subject_request_id: id, controller_id: '3001', request_status: 'completed' };
  await proxy.begin((_index, { target }) => {
    const isResults = target.endsWith('/results');
    const body = isResults ? text : JSON.stringify({ ...completed, results_url: results });
    const reply = { status: isResults ? status : 200, body: Buffer.from(body) };
    return { name: 'no results', delivered: true, answer: (it) => ({ ...it, ...reply }) };
  });
  const { code, error } = await home.json(`dsr results ${id} --dir results`);
  expect([code, error.message]).toEqual([1, expect.stringContaining(message)]);
  expect(readdirSync(join(home.cwd, 'results'))).toEqual([]);
  expect((await home.json('dsr ledger export')).data).toMatchObject([{ status: 'completed', answered_at: null }]);
});

it('reports a confirmed submission and cancellation even if the ledger can no longer be written', async () => {
  const ledger = join(home.env['CDPADM_STATE_DIR'] ?? '', 'dsr', 'ledger.ndjson');
  await proxy.begin((_index, { method }) =>
    method === 'GET'
      ? undefined
      : {
          name: 'unwritable ledger',
          delivered: true,
          act: (socket, response) => {
            rmSync(ledger, { recursive: true });
            mkdirSync(ledger);
            socket.write(answerBytes(response));
          },
        },
  );
  const { code, data, stderr } = await home.json<{ subject_request_id: string; request_status: string }>(
    'dsr submit --regulation gdpr --type erasure --identity email=jane@example.com --yes',
  );
  expect([code, data.request_status, stderr]).toEqual([0, 'pending', expect.stringContaining(ledger)]);
  rmSync(ledger, { recursive: true });
  writeFileSync(ledger, '', { mode: 0o600 });
  const cancelled = await home.json<unknown[]>(`dsr cancel --yes ${data.subject_request_id}`);
  expect([cancelled.code, cancelled.data]).toMatchObject([0, [{ subject_request_id: data.subject_request_id }]]);
  expect(cancelled.stderr).toContain(ledger);
});

it('records the outcomes of requests in flight if another row stops a bulk run', async () => {
  writePeople(2);
  const clock = home.defaults.clock as ReturnType<typeof createFastClock>;
  let rejected = (): void => undefined;
  const other = new Promise<void>((resolve) => (rejected = resolve));
  await proxy.begin((_index, { body, method }) =>
    method === 'POST'
      ? {
          name: 'one rejected',
          delivered: true,
          act: (socket, response) => {
            if (body.includes('p0@')) {
              socket.write(answerBytes({ ...response, status: 401, body: Buffer.from('{}') }), rejected);
              return;
            }
            void other.then(() => clock.sleep(5000)).then(() => socket.write(answerBytes(response)));
          },
        }
      : undefined,
  );
  const { code, error } = await home.json(BULK);
  expect(code).toBe(4);
  expect(error).toMatchObject({ progress: { submitted: 1, left: 1, requests: 2 } });
});

it('prints the command that resumes a bulk run that was interrupted during a request', async () => {
  writePeople(3);
  const stop = new AbortController();
  await proxy.begin((_index, { method }) =>
    method === 'POST' ? { name: 'hangs', delivered: true, act: () => stop.abort(interrupted()) } : undefined,
  );
  const { code, stderr } = await home.run(BULK, { stop });
  expect(code).toBe(130);
  expect(stderr).toMatch(/0 of 3 rows are complete\. The outcome of \d rows? is unknown: rows? 1/);
  expect(stderr).toContain('dsr submit --regulation gdpr --type access --group-id g --bulk people.csv --yes --resume');
});
