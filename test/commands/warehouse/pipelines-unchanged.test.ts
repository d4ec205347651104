// Pipeline commands in cases that change nothing: unknown ids, invalid flags, --curl, pages. The tests share one
// platform.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Clock } from '../../../src/lib/kernel/clock.ts';
import { openPlatformHome, type PlatformHome } from '../../helpers/platform-home.ts';
import { CREATIONS, DEFINITIONS, SECRET_ENV, writeAll } from '../../helpers/warehouse-files.ts';

let home: PlatformHome;
let clock: Clock;
beforeAll(async () => {
  home = await openPlatformHome({ clock: 'manual' });
  let now = Date.parse(await home.platform.api.now());
  clock = {
    now: () => now,
    sleep: async (ms) => {
      now = Date.parse(await home.platform.api.advance(`${ms}ms`));
    },
  };
  writeAll(home.cwd, DEFINITIONS);
  for (const line of CREATIONS) await run(line);
});
afterAll(() => home.close());

const run = (line: string) => home.run(`${line} --yes`, { env: SECRET_ENV, clock });

it('prints the pipeline, the target and the time in HTML output', async () => {
  const { stdout } = await run('pipelines runs customers -o html');
  const header = /<header>.*<\/header>/s.exec(stdout)?.[0].replace(/<[^>]*>/g, '') ?? '';
  expect(header).toMatch(
    /Runs of customers\s+Organization \d+ · workspace \d+ · \S.* · made \d{4}-\d\d-\d\d \d\d:\d\d UTC/,
  );
});

it.each(['--since 7', '--from yesterday', '--page 0', '--page-size 101', '--status odd'])(
  'rejects pipelines runs with %s',
  async (flags) => {
    const [flag = ''] = flags.split(' ');
    expect(await run(`pipelines runs customers ${flags}`)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(flag),
    });
  },
);

it.each([
  'watch customer',
  'watch customer 77',
  'run customer 77',
  'trigger customer -y',
  'trigger customer --wait -y',
  'trigger customer --wait-idle -y',
  'trigger customer --wait --wait-idle -y',
  'trigger customer --wait --wait-idle -n',
  'reset customer --confirm customer',
])('exits with 5 immediately if the pipeline does not exist: pipelines %s', async (line) => {
  const before = clock.now();
  expect(await run(`pipelines ${line}`)).toMatchObject({ code: 5, stderr: expect.stringMatching(/mean customers\?/) });
  expect(clock.now()).toBe(before);
});

it.each([
  ['pipelines trigger customers', 'POST', '/data-pipelines/trigger'],
  ['pipelines reset customers', 'POST', '/data-pipelines/reset'],
  ['pipelines delete customers', 'DELETE', '/data-pipelines/customers'],
  ['connections update crm -f connection.yaml', 'PUT', '/connections/crm'],
  ['pipelines report customers', 'GET', '/data-pipelines/customers/report'],
  ['pipelines runs customers', 'GET', '/data-pipelines/customers/runs'],
])('prints only the last request of `%s` if --curl is set', async (line, method, path) => {
  const before = await home.writes();
  const { code, stdout } = await run(`${line} --curl`);
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: expect.stringMatching(new RegExp(`^curl .*--request ${method} '[^']*${path}[?']`)) as string,
  });
  expect(stdout).not.toContain(SECRET_ENV.WAREHOUSE_PASSWORD);
  expect(await home.writes()).toEqual(before);
});

it('rejects a dry run that would create an existing pipeline', async () => {
  expect(await run('pipelines create -f pipeline.yaml --dry-run')).toMatchObject({ code: 6 });
});

it('suggests the nearest pipeline id', async () => {
  for (const verb of ['get', 'report', 'runs', 'doctor', 'watch', 'pause', 'reset']) {
    expect(await run(`pipelines ${verb} customer`)).toMatchObject({
      code: 5,
      stderr: expect.stringMatching(/mean customers\?/),
    });
  }
});
