// Running pipelines: trigger, wait, exit codes, reset, runs, doctor.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Clock } from '../../../src/lib/kernel/clock.ts';
import { interrupted } from '../../../src/lib/runtime/interrupt.ts';
import type { CliOptions } from '../../helpers/cli.ts';
import { json as reply, startFaultServer } from '../../helpers/fault-server.ts';
import { opened } from '../../helpers/opened.ts';
import { openPlatformHome, type PlatformHome } from '../../helpers/platform-home.ts';
import { makeSmallSample } from '../../helpers/warehouse.ts';
import {
  CONNECTION,
  CREATIONS,
  DEFINITIONS,
  MODEL,
  PIPELINE,
  SECRET_ENV,
  SQL,
  writeAll,
} from '../../helpers/warehouse-files.ts';

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cdpadm-test-'));
  await makeSmallSample(folder);
});
afterAll(() => rmSync(folder, { recursive: true }));

let home: PlatformHome;
let clock: Clock;
let onSleep: () => void;
beforeEach(async () => {
  home = await openPlatformHome({ clock: 'manual', warehouse: join(folder, 'sample.db') });
  let now = Date.parse(await home.platform.api.now());
  onSleep = () => undefined;
  // Waiting advances the platform's clock, so that runs finish.
  clock = {
    now: () => now,
    sleep: async (ms, signal) => {
      onSleep();
      signal?.throwIfAborted();
      now = Date.parse(await home.platform.api.advance(`${ms}ms`));
    },
  };
  writeAll(home.cwd, DEFINITIONS);
  for (const line of CREATIONS) await run(line);
});
afterEach(() => home.close());

const run = (line: string, options: CliOptions = {}) =>
  home.run(`${line} --yes`, { env: SECRET_ENV, clock, ...options });
const json = <T>(line: string, options: CliOptions = {}) =>
  home.json<T>(`${line} --yes`, { env: SECRET_ENV, clock, ...options });
const triggers = async (): Promise<number> =>
  (await home.writes()).filter((line) => line.endsWith('/data-pipelines/trigger')).length;

describe('pipelines trigger', () => {
  it('waits for success and prints the run', async () => {
    const { code, data } = await json<{ pipeline_run_id: number }>('pipelines trigger customers --yes --wait');
    expect({ code, data }).toMatchObject({ code: 0, data: { pipeline_id: 'customers', status: 'success' } });
    expect(await json(`pipelines run customers ${data.pipeline_run_id}`)).toMatchObject({
      data: { status: 'success', successful_records: expect.any(Number), failed_records: 0 },
    });
    expect(await json('pipelines runs customers')).toMatchObject({ data: [{ status: 'success', type: 'manual' }] });
    expect(await run('pipelines doctor customers')).toMatchObject({ code: 0 });
  });

  it('prints the run id before the first pause if lines cannot be redrawn', async () => {
    const tty = { stdin: false, stdout: true, stderr: true };
    const env = { ...SECRET_ENV, CDPADM_ACCESSIBLE: '1' };
    let printed = '';
    let atFirstPause: string | undefined;
    onSleep = () => (atFirstPause ??= printed);
    const onOutput = (_stdout: string, stderr: string): void => void (printed = stderr);
    expect(await run('pipelines trigger customers --yes --wait', { tty, env, onOutput })).toMatchObject({ code: 0 });
    expect(atFirstPause).toMatch(/^Triggered run \d+\. Waiting for it to finish\.$/m);
  });

  it('does not wait unless --wait is set, and exits with 6 for a busy pipeline', async () => {
    const first = await json<{ pipeline_run_id: number }>('pipelines trigger customers --yes');
    expect(first).toMatchObject({ code: 0, data: { status: 'attempt_requested' } });
    const second = await run('pipelines trigger customers --yes');
    expect(second.code).toBe(6);
    expect(second.stderr).toContain(`run ${first.data.pipeline_run_id} (manual) is`);
    expect(await run('pipelines trigger customers --yes --dry-run')).toMatchObject({ code: 6 });
    const { stderr } = await run('pipelines trigger customers --yes -o json');
    const { error } = JSON.parse(stderr) as { error: object };
    // In an error, `status` is always the numeric HTTP status of a response.
    expect(error).toMatchObject({ pipeline_run_id: String(first.data.pipeline_run_id), run_status: 'running' });
    expect(error).not.toHaveProperty('status');
    expect(await triggers()).toBe(1);
    expect(await json('pipelines trigger customers --yes --wait-idle --wait')).toMatchObject({ code: 0 });
    expect(await triggers()).toBe(2);
  });

  it.each(['after', 'before'] as const)(
    'sends its request once if the response is lost (%s the request was processed)',
    async (drop) => {
      await home.platform.api.addFault({ method: 'POST', path: '/platform/v2/*/trigger', drop, times: 5 });
      const result = await json('pipelines trigger customers --yes --wait');
      if (drop === 'after') expect(result).toMatchObject({ code: 0, data: { status: 'success' } });
      else expect(result).toMatchObject({ code: 8, stderr: expect.stringMatching(/not sent a second time/) });
      expect(await json<object[]>('pipelines runs customers')).toMatchObject({
        data: { length: drop === 'after' ? 1 : 0 },
      });
      expect(await triggers()).toBe(1);
    },
  );

  it('exits with 1 if the run failed, and doctor names the root cause', async () => {
    home.write('active-customers.sql', 'SELECT customer_id FROM crm.public.no_such_table');
    expect(await run('data-models update active-customers -f model.yaml')).toMatchObject({ code: 0 });
    const failed = await run('pipelines trigger customers --yes --wait');
    expect(failed).toMatchObject({ code: 1, stderr: expect.stringMatching(/finished as failed: .*no_such_table/) });
    const { code, data } = await json('pipelines doctor customers');
    expect({ code, data }).toMatchObject({
      code: 1,
      data: {
        healthy: false,
        findings: [{ about: 'data model active-customers', level: 'problem' }, { about: 'pipeline customers' }, {}],
      },
    });
    home.write('active-customers.sql', SQL);
    await run('data-models update active-customers -f model.yaml');
    expect(await run('pipelines trigger customers --yes --wait')).toMatchObject({ code: 0 });
  });

  it('fails until an update, which may change nothing, clears the fault of the data model', async () => {
    home.write('active-customers.sql', 'SELECT customer_id FROM crm.public.no_such_table');
    const update = () => run('data-models update active-customers -f model.yaml');
    await update();
    await run('pipelines trigger customers --wait');
    expect(await update()).toMatchObject({ code: 0, stderr: expect.stringMatching(/The update clears the fault\./) });
    expect(await json('data-models get active-customers')).toMatchObject({ data: { status: 'valid' } });
    expect(await update()).toMatchObject({ code: 0, stderr: expect.stringMatching(/Nothing to do/) });
  });

  it('lets doctor finish if the platform no longer has the last successful run', async () => {
    await run('pipelines trigger customers --wait');
    await home.platform.api.addFault({ path: '*/runs/*', status: 404 });
    expect(await json('pipelines doctor customers')).toMatchObject({ code: 0, data: { last_success: null } });
  });

  it('leads doctor to suggest an identity column if the query returns no identity', async () => {
    home.write('active-customers.sql', 'SELECT email AS e_mail, city, updated_at FROM crm.public.customers');
    expect(await run('data-models update active-customers -f model.yaml')).toMatchObject({ code: 0 });
    await run('pipelines trigger customers --yes --wait');
    const { code, data } = await json('pipelines doctor customers');
    expect({ code, data }).toMatchObject({
      code: 1,
      data: {
        findings: [
          {
            about: 'data model active-customers',
            problem: 'Its query returns no identity, so no row belongs to a user.',
            next: expect.stringContaining('e_mail AS email') as unknown,
          },
          { about: 'pipeline customers' },
          {},
        ],
      },
    });
  });

  it.each([
    ['syntax', 'doc:id::string AS customer_id FROM crm.public.customers QUALIFY 1 = 1', 'notice', 'syntax error'],
    ['a clause', 'id AS customer_id FROM crm.public.customers QUALIFY 1 = 1', 'notice', 'syntax error'],
    ['a function', "IFF(1 = 1, id, '') AS customer_id FROM crm.public.customers", undefined, 'no such function: IFF'],
  ])('fails for SQL with %s from another dialect, and doctor explains why', async (_what, sql, level, complaint) => {
    writeAll(home.cwd, {
      'sync/connections/crm.yaml': CONNECTION,
      'sync/data-models/active-customers.yaml': MODEL,
      'sync/data-models/active-customers.sql': `SELECT ${sql}`,
      'sync/pipelines/customers.yaml': PIPELINE,
    });
    expect(await run('warehouse apply sync')).toMatchObject({ code: 0 });
    const finding = {
      about: 'data model active-customers',
      problem: expect.stringMatching(
        `because the embedded platform runs SQLite: .*${complaint}.*was not checked`,
      ) as string,
      next: expect.not.stringMatching(/Fix the SQL/) as string,
    };
    const before = await json('pipelines doctor customers');
    expect(before).toMatchObject({ code: 0, data: { findings: level ? [{ ...finding, level }] : [] } });
    const failed = await run('pipelines trigger customers --wait');
    expect(failed).toMatchObject({ code: 1, stderr: expect.stringMatching(`finished as failed: .*${complaint}`) });
    const after = await json('pipelines doctor customers');
    expect(after).toMatchObject({ code: 1, data: { findings: [{ ...finding, level: 'problem' }, {}, {}] } });
    expect(await run('warehouse diff sync --exit-code')).toMatchObject({ code: 0 });
  });

  it('prints, if it is interrupted, the command that continues to watch the run', async () => {
    const stop = new AbortController();
    onSleep = () => stop.abort(interrupted());
    const result = await run('pipelines trigger customers --yes --wait', { stop });
    expect(result).toMatchObject({ code: 130, stderr: expect.stringMatching(/pipelines watch customers \d+/) });
    onSleep = () => undefined;
    expect(await run('pipelines watch customers')).toMatchObject({ code: 0, stdout: expect.stringMatching(/success/) });
  });

  it('reports that nothing was triggered if it is interrupted before the pipeline is idle', async () => {
    await run('pipelines trigger customers --yes');
    const stop = new AbortController();
    onSleep = () => stop.abort(interrupted());
    expect(await run('pipelines trigger customers --yes --wait-idle', { stop })).toMatchObject({
      code: 130,
      stderr: expect.stringMatching(/Nothing was triggered\. The current run continues: .*pipelines watch customers/),
    });
    expect(await triggers()).toBe(1);
  });

  it('waits up to a minute for a listed pipeline that still returns 404, and prints the reason for the delay', async () => {
    const report = {
      method: 'GET',
      path: '/platform/v2/workspaces/*/inputs/data-pipelines/customers/report',
      status: 404,
    };
    await home.platform.api.addFault(report);
    const stop = new AbortController();
    onSleep = () => stop.abort(interrupted());
    const { code, stderr } = await run('pipelines trigger customers --yes --wait', { stop });
    expect(code).toBe(130);
    expect(stderr).toMatch(
      /^Target: .*\nThe platform does not show pipeline customers yet\. A new pipeline may take a minute/,
    );
    expect(stderr).toMatch(/Nothing was triggered\. To check the id: cdpadm pipelines list/);
    expect(stderr).not.toContain('continues');
    onSleep = () => undefined;
    const before = clock.now();
    expect(await run('pipelines trigger customers --yes --wait')).toMatchObject({ code: 5 });
    expect(clock.now() - before).toBe(60_000);
    await home.platform.api.clearFaults();
    await home.platform.api.addFault({ ...report, times: 1 });
    expect(await run('pipelines trigger customers --yes --wait')).toMatchObject({ code: 0 });
  });

  it('lets watch wait for a listed pipeline that still returns 404', async () => {
    await run('pipelines trigger customers --yes --wait');
    const [{ id } = { id: 0 }] = (await json<{ id: number }[]>('pipelines runs customers')).data;
    const missing = { method: 'GET', status: 404, times: 1 };
    for (const path of [`customers/runs/${id}`, 'customers'])
      await home.platform.api.addFault({ ...missing, path: `/platform/v2/workspaces/*/inputs/data-pipelines/${path}` });
    const { code, stderr } = await run(`pipelines watch customers ${id}`);
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('does not show run') });
  });

  it.each([
    ['custmers', 'Did you mean customers'],
    ['orders', 'pipelines list'],
  ])('fails immediately for an id that is not listed: %s', async (id, hint) => {
    const before = clock.now();
    const { code, stderr } = await run(`pipelines trigger ${id} --yes --wait`);
    expect([code, stderr]).toEqual([5, expect.stringContaining(hint)]);
    expect(clock.now()).toBe(before);
  });

  it('requires --yes, or --confirm NAME for a protected profile', async () => {
    const bare = (line: string) => home.run(line, { env: SECRET_ENV, clock });
    expect(await bare('pipelines trigger customers')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/--yes/),
    });
    expect(await triggers()).toBe(0);
    expect(await bare('pipelines trigger customers --yes --wait')).toMatchObject({ code: 0 });
    home.write('.cdpadm.yaml', 'protected: true\n');
    expect(await bare('pipelines trigger customers --yes --wait --profile local')).toMatchObject({ code: 12 });
    expect(await triggers()).toBe(1);
  });

  it('reports the number of records while it waits', async () => {
    const { stderr } = await run('pipelines trigger customers --yes --wait --progress json -o json');
    // All lines on standard error are JSON, so that programs can parse them.
    const events = stderr
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { progress?: { event: string; done: number; text: string } })
      .flatMap(({ progress }) => (progress?.event === 'progress' ? [progress] : []));
    const { data } = await json<{ successful_records: number }[]>('pipelines runs customers');
    expect(data[0]?.successful_records).toBeGreaterThan(0);
    expect(events.at(-1)).toMatchObject({
      done: data[0]?.successful_records,
      text: expect.stringMatching(/^run \d+ is success$/),
      status: 'success',
    });
  });

  it('sends nothing in a dry run', async () => {
    expect(await json('pipelines trigger customers --yes --dry-run')).toMatchObject({
      data: { requests: [{ method: 'POST', body: { pipeline_id: 'customers' } }] },
    });
    expect(await triggers()).toBe(0);
  });
});

describe('pipelines reset', () => {
  it('requires --confirm with the id, and prints which data will be read again', async () => {
    await run('pipelines trigger customers --yes --wait');
    const position = 'data.current_iterator_position';
    expect(await json('pipelines report customers')).toHaveProperty(position, expect.any(String));
    expect(await run('pipelines reset customers')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/reads data model active-customers again from 2024-01-01T00:00:00Z on/),
    });
    // --confirm alone is enough; --yes is not needed.
    const line = 'pipelines reset customers --confirm customers';
    expect(await home.run(line, { env: SECRET_ENV, clock })).toMatchObject({ code: 0 });
    expect(await json('pipelines report customers')).not.toHaveProperty(position, expect.any(String));
  });

  it('sends its request once if the response is lost', async () => {
    await home.platform.api.addFault({ method: 'POST', path: '/platform/v2/*/reset', drop: 'after', times: 5 });
    const result = await run('pipelines reset customers --confirm customers');
    expect(result).toMatchObject({
      code: 8,
      stderr: expect.stringMatching(/is unknown.*sync position is now/s),
    });
    expect((await home.writes()).filter((line) => line.endsWith('/reset'))).toHaveLength(1);
  });
});

describe('pipelines runs', () => {
  it('reads single pages, filters runs, and exits with 1 if the data is stale', async () => {
    const today = (): string => new Date(clock.now()).toISOString().slice(0, 10);
    const firstDay = today();
    for (let index = 0; index < 3; index++) await run('pipelines trigger customers --yes --wait');
    expect(await json('pipelines runs customers --page-size 2')).toMatchObject({ data: { length: 2 } });
    expect(await json('pipelines runs customers --page-size 2 --page 2')).toMatchObject({ data: { length: 1 } });
    expect(await json('pipelines runs customers --page-size 2 --all')).toMatchObject({ data: { length: 3 } });
    expect(await json('pipelines runs customers --all --status failed')).toMatchObject({ data: [] });
    // The third run is on the second page: a filter reads all pages, unless --page selects one.
    expect(await json('pipelines runs customers --page-size 2 --status success')).toMatchObject({
      data: { length: 3 },
    });
    expect(await json('pipelines runs customers --page-size 2 --page 2 --status success')).toMatchObject({
      data: { length: 1 },
    });
    expect(await json('pipelines runs customers --since 1d')).toMatchObject({ data: { length: 3 } });
    expect(await json('pipelines runs customers --to 2020-01-01T00:00:00Z')).toMatchObject({ data: [] });
    // The range covers two days in case the test runs at midnight.
    expect(await json(`pipelines runs customers --from ${firstDay} --to ${today()}`)).toMatchObject({
      data: { length: 3 },
    });
    expect(await run('pipelines runs customers --fail-if-stale 1h')).toMatchObject({ code: 0 });
    await clock.sleep(2 * 3_600_000);
    expect(await run('pipelines runs customers --fail-if-stale 1h')).toMatchObject({ code: 1 });
  });

  it('lists the runs with a warning if the age of the last success cannot be read', async () => {
    await run('pipelines trigger customers --yes --wait');
    await home.platform.api.addFault({ path: '*/report', status: 400 });
    const { code, stderr, stdout } = await run('pipelines runs customers -o json');
    expect({ code, runs: JSON.parse(stdout) as unknown }).toMatchObject({ code: 0, runs: [{ status: 'success' }] });
    expect(stderr).toContain('The age of the last success is unknown.');
    expect(await run('pipelines runs customers --fail-if-stale 1h')).toMatchObject({ code: 1 });
  });

  it('does not report that no run has succeeded if the time of the last success is unknown', async () => {
    const server = await opened(startFaultServer());
    server.next(reply({ items: [] }), reply({ latest_successful_pipeline_run_id: 7 }));
    server.otherwise(reply({ id: 7, status: 'success', ended_on: '2026-01-01 08:00:00' }));
    const at = { ...SECRET_ENV, CDPADM_BASE_URL: server.url, CDPADM_ACCESS_TOKEN: 'token' };
    const { stderr } = await run('pipelines runs customers', { env: at });
    expect(stderr).toContain('It is unknown when run 7, the last success, ended.');
  });

  it("computes the age of the last success from the platform's clock, not the local clock", async () => {
    await run('pipelines trigger customers --yes --wait');
    const here = Date.parse(await home.platform.api.now());
    // Add an hour to the 3 days: the platform reports whole seconds, so its clock may appear up to a second slow.
    await home.platform.api.advance('73h');
    const withLocalClock = { clock: { ...clock, now: () => here } };
    const stale = await run('pipelines runs customers --fail-if-stale 2h', withLocalClock);
    expect(stale).toMatchObject({ code: 1, stderr: expect.stringMatching(/Last success 3d.* ago/) });
  });
});

it.each([
  ['csv', /^id,type,status,.*\n\d+,\w+,success,[^\n]*\n$/],
  ['markdown', /^\| ID \| TYPE \| STATUS \|.*\n\| --- .*\n\| \d+ \| \w+ \| success \|[^\n]*\n$/],
  ['yaml', /^---\nid: \d+\n[^]*\nstatus: success\n/],
  ['name', /^\d+\n$/],
])('prints the status of a finished run with `pipelines watch -o %s`', async (format, expected) => {
  await run('pipelines trigger customers --yes --wait');
  expect(await run(`pipelines watch customers -o ${format}`)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(expected),
  });
});

it('waits for a run that is not visible yet, but not for an unknown pipeline', async () => {
  expect(await run('pipelines watch customers 77')).toMatchObject({
    code: 5,
    stderr: expect.stringMatching(/does not show run 77 of customers yet.*Waiting/),
  });
  const before = clock.now();
  expect(await run('pipelines watch customer 77')).toMatchObject({ code: 5, stderr: expect.stringMatching(/mean/) });
  expect(clock.now()).toBe(before);
});

describe('the chart of recent runs', () => {
  const tty = { stdin: false, stdout: true, stderr: true };
  const utf8 = { ...SECRET_ENV, LANG: 'en_US.UTF-8' };

  it.each(['runs', 'report'])(
    'is printed by %s on a terminal, in ASCII on a dumb terminal, but not in a pipe or with -o json, -o csv or -q',
    async (verb) => {
      await run('pipelines trigger customers --yes --wait');
      const { stderr } = await run(`pipelines ${verb} customers`, { tty, env: utf8 });
      expect(stderr).toMatch(/Last run: █ {2}1 success; \d+ records$/m);
      const dumb = await run(`pipelines ${verb} customers`, { tty, env: { ...utf8, TERM: 'dumb' } });
      expect(dumb.stderr).toMatch(/Last run: # {2}1 success/);
      const pipe = { stdin: false, stdout: false, stderr: false };
      for (const [more, where] of [
        ['', pipe],
        [' -o json', tty],
        [' -o csv', tty],
        [' -q', tty],
      ] as const) {
        const {
          code,
          stdout,
          stderr: printed,
        } = await run(`pipelines ${verb} customers${more}`, {
          tty: where,
          env: utf8,
        });
        expect([code, stdout]).toEqual([0, expect.stringContaining('success')]);
        expect(`${stdout}${printed}`).not.toContain('Last run');
      }
    },
  );
});
