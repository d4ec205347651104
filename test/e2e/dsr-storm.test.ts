// Counts the requests on the platform after lost responses, over many runs and rows.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFastClock } from '../helpers/fast-clock.ts';
import { createDsrHome } from '../helpers/dsr-home.ts';
import type { PlatformHome } from '../helpers/platform-home.ts';
import { sample, size } from '../helpers/size.ts';

/** All runs with `--mode whole`, otherwise a sample. */
const RUNS = size(200, 10);
const ROWS = size(1000, 200);
/** The maximum number of requests in a group. */
const GROUP = 150;

let home: PlatformHome;
beforeEach(async () => {
  home = await createDsrHome();
});
afterEach(() => home.close());

/** Returns the ids on the platform in groups `g0`, `g1` and so on. */
async function idsOnPlatform(count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let group = 0; group * GROUP < count; group++) {
    const { data } = await home.json<{ subject_request_id: string }[]>(`dsr list --group-id g${group}`);
    ids.push(...data.map(({ subject_request_id: id }) => id));
  }
  return ids;
}

describe('a request whose response is lost', () => {
  it(`is confirmed in ${RUNS} of ${RUNS} runs, with no duplicate, no loss and a correct report`, async () => {
    const submit = (run: number) =>
      home.json<{ subject_request_id: string; request_status: string }>(
        `dsr submit --regulation gdpr --type access --identity email=p${run}@example.com --group-id g${Math.floor(run / GROUP)} --yes`,
      );
    const reported: string[] = [];
    for (let run = 0; run < RUNS; run++) {
      await home.platform.api.addFault({ method: 'POST', path: '/v3/requests/', drop: 'after', times: 1 });
      const { code, data, stderr } = await submit(run);
      expect(code, stderr).toBe(0);
      expect(data.request_status).toBe('pending');
      reported.push(data.subject_request_id);
    }
    expect((await idsOnPlatform(RUNS)).sort()).toEqual([...reported].sort());
    expect(await home.received('POST', '/v3/requests')).toBe(RUNS);
    const ledger = (await home.json<{ id: string; status: string }[]>('dsr ledger export')).data;
    expect(ledger.map(({ id }) => id)).toEqual(reported);
    expect(ledger.every(({ status }) => status === 'pending')).toBe(true);
  });
});

describe(`a bulk run of ${ROWS} rows`, () => {
  const BULK = 'dsr submit --bulk people.csv --regulation gdpr --type access --yes';
  const writePeople = (): void => {
    const rows = Array.from({ length: ROWS }, (_, row) => `p${row}@example.com,g${Math.floor(row / GROUP)}`);
    home.write('people.csv', `email,group_id\n${rows.join('\n')}\n`);
  };
  /** Returns the ids in the results file, and its rows without the ids. */
  const results = (): { ids: string[]; rows: string[] } => {
    const lines = home.read('people.csv.results.csv').trimEnd().split('\n');
    const cells = lines.map((line) => line.split(','));
    return {
      ids: cells.slice(1).map((row) => row[2] ?? ''),
      rows: cells.map((row) => row.filter((_, column) => column !== 2).join(',')),
    };
  };

  it('submits each row once despite faults in about 30% of the requests, and reports it as submitted', async () => {
    writePeople();
    const post = { method: 'POST', path: '/v3/requests/' };
    const get = { method: 'GET', path: '/v3/requests/*' };
    for (const fault of [
      { ...post, drop: 'after' as const, probability: 0.1 },
      { ...post, drop: 'before' as const, probability: 0.1 },
      { ...post, status: 503, probability: 0.05 },
      { ...post, status: 500, probability: 0.05 },
      { ...post, status: 429, retry_after: 0, probability: 0.1 },
      { ...get, status: 502, probability: 0.15 },
      { ...get, drop: 'before' as const, probability: 0.15 },
    ]) {
      await home.platform.api.addFault(fault);
    }
    home.defaults.clock = createFastClock(200);
    const { code, stderr } = await home.run(BULK);
    expect(code, stderr).toBe(0);
    await home.platform.api.clearFaults();
    const { ids, rows } = results();
    expect((await idsOnPlatform(ROWS)).sort()).toEqual([...ids].sort());
    expect(new Set(ids).size).toBe(ROWS);
    // A run without faults reports `submitted` for every row and no error.
    const expected = Array.from(
      { length: ROWS },
      (_, row) => `p${row}@example.com,g${Math.floor(row / GROUP)},submitted,`,
    );
    expect(rows).toEqual(['email,group_id,status,error', ...expected]);
  });

  const outages = [
    ['no request gets a response', { drop: 'before' }],
    ['every response is 503', { status: 503 }],
    ['every response is 500', { status: 500 }],
  ] as const;
  it.each(sample(outages, 1))(
    'gives up after a minute and at most 30 requests when %s, and prints the command to resume the run',
    async (_how, fault) => {
      writePeople();
      await home.platform.api.addFault({ path: '/v3/requests*', ...fault });
      home.defaults.clock = createFastClock(200);
      const down = await home.run(`${BULK} --give-up-after 1m`);
      expect([7, 8]).toContain(down.code);
      expect(down.stderr).toContain('--resume');
      const sent = async () =>
        (await home.platform.api.requests()).filter(({ path }) => path.startsWith('/v3/requests')).length;
      const before = await sent();
      expect(before).toBeLessThanOrEqual(30);
      await home.platform.api.clearFaults();
      const { code, data } = await home.json<{ requests: number; submitted: number }>(`${BULK} --resume`);
      expect([code, data.submitted]).toEqual([0, ROWS]);
      expect(data.requests).toBeLessThanOrEqual(ROWS + before);
      expect(await idsOnPlatform(ROWS)).toHaveLength(ROWS);
    },
  );

  it('submits each row once if the Retry-After of three 429 responses is a number of seconds, a date or invalid', async () => {
    writePeople();
    home.defaults.clock = createFastClock(20);
    for (const retry_after of [1, new Date(Date.now() + 4000).toUTCString(), 'soon'])
      await home.platform.api.addFault({ method: 'POST', path: '/v3/requests/', status: 429, retry_after, times: 1 });
    const { code, data } = await home.json<{ submitted: number; retries: number }>(BULK);
    expect([code, data.submitted]).toEqual([0, ROWS]);
    const log = (await home.platform.api.requests()).filter(({ method }) => method === 'POST');
    expect(log.filter(({ status }) => status === 429)).toHaveLength(3);
    expect(log.filter(({ status }) => status === 201)).toHaveLength(ROWS);
  });
});
