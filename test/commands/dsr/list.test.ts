// `dsr list`: selection and order of requests, their deadlines, and the message about omitted requests. Also tests
// `dsr mark`.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { deadlineFrom } from '../../../src/lib/domain/dsr/deadlines.ts';
import { createFastClock } from '../../helpers/fast-clock.ts';
import { createDsrHome } from '../../helpers/dsr-home.ts';
import type { PlatformHome } from '../../helpers/platform-home.ts';

interface Due extends Listed {
  due: boolean;
  days_left: number | null;
  overdue: boolean;
  stale: boolean;
  answered_at: string | null;
}

interface Listed {
  subject_request_id: string;
  request_status: string;
  group_id: string | null;
  deadline: string;
}

const DAY_MS = 86_400_000;

let home: PlatformHome;
beforeEach(async () => {
  home = await createDsrHome();
});
afterEach(() => home.close());

const day = (ago: number): string => new Date(Date.now() - ago * DAY_MS).toISOString().replace(/\.\d+Z/, 'Z');

/** Submits one request for each row, which has a group, a type and an age in days. */
async function submit(
  file: string,
  rows: readonly (readonly [group: string, type: string, ago: number])[],
  ...flags: string[]
) {
  const lines = rows.map(
    ([group, type, ago], index) =>
      // The platform allows at most 150 requests per group.
      `gdpr,${type},${file}${index}@example.com,${index < 140 ? group : `${group}${Math.floor(index / 140)}`},${day(ago)}`,
  );
  home.write(file, `regulation,subject_request_type,email,group_id,submitted_time\n${lines.join('\n')}\n`);
  const { code, stderr } = await home.run(['dsr', 'submit', '--bulk', file, '--yes', ...flags]);
  expect(code, stderr).toBe(0);
}

const many = (count: number, group: string, type = 'erasure') =>
  Array.from({ length: count }, () => [group, type, 1] as const);

describe('dsr list --due', () => {
  it('selects the most urgent requests from the whole ledger, not only from the newest requests', async () => {
    home.defaults.clock = createFastClock(100);
    await submit('old.csv', [['urgent', 'erasure', 25]]);
    await submit('new.csv', many(120, 'new'));
    // Use a separate run, because the rows of a run are recorded in the order of their responses.
    await submit('second.csv', [['second', 'erasure', 20]]);
    const { code, data, stderr } = await home.json<Listed[]>('dsr list --due');
    expect([code, data.length]).toEqual([0, 100]);
    expect(data.slice(0, 3).map(({ group_id: group }) => group)).toEqual(['urgent', 'second', 'new']);
    expect(stderr).toContain('The list contains only the most urgent requests (--limit 100); 22 more may be due.');
    const first = await home.json<Listed[]>('dsr list --due --limit 1');
    expect(first.data.map(({ group_id: group }) => group)).toEqual(['urgent']);
    expect(first.stderr).toContain('only the most urgent requests (--limit 1); 121 more may be due.');
    const all = await home.json<Listed[]>('dsr list --due --limit 122');
    expect([all.data.length, all.stderr]).toEqual([122, '']);
    // Without --due, the newest requests come first.
    const newest = await home.json<Listed[]>('dsr list --limit 2');
    expect(newest.data.map(({ group_id: group }) => group)).toEqual(['second', 'new']);
    expect(newest.stderr).toContain('The list contains only the newest requests (--limit 2).');
  });

  it('skips requests that finished on the platform', async () => {
    await submit('a.csv', many(7, 'ended'), '--skip-waiting-period');
    await submit('b.csv', [['open', 'erasure', 0]]);
    await home.platform.api.advance('4d');
    const { data, stderr } = await home.json<Listed[]>('dsr list --due --limit 1');
    expect([data.map(({ group_id: group }) => group), stderr]).toEqual([['open'], '']);
    expect((await home.json<Listed[]>('dsr list')).data).toHaveLength(8);
    expect((await home.run(`dsr cancel --yes ${data[0]?.subject_request_id ?? ''}`)).code).toBe(0);
    expect((await home.json<Listed[]>('dsr list --due')).data).toEqual([]);
  });

  it('reads at most 1,000 requests from the platform, and reads the rest in the next run', async () => {
    home.defaults.clock = createFastClock(100);
    await submit('a.csv', [['last', 'erasure', 0]]);
    await submit('b.csv', many(1005, 'ended'), '--skip-waiting-period');
    await home.platform.api.advance('4d');
    const reads = (): Promise<number> => home.received('GET', '/v3/requests');
    const before = await reads();
    const first = await home.json<Listed[]>('dsr list --due --limit 1');
    expect([first.data, (await reads()) - before]).toEqual([[], 1000]);
    expect(first.stderr).toContain(
      'Checked the 1000 most urgent open requests in the ledger: 0 are still open. 6 more were not checked.',
    );
    const second = await home.json<Listed[]>('dsr list --due --limit 1');
    expect([second.data.map(({ group_id: group }) => group), (await reads()) - before]).toEqual([['last'], 1006]);
  });

  it('lists requests from another machine, whose deadlines are unknown, and exits with 10 for --fail-if-due and --fail-if-overdue', async () => {
    await submit('a.csv', [['g', 'erasure', 40]]);
    home.env.CDPADM_STATE_DIR = join(home.cwd, 'another-machine');
    for (const [line, code] of [
      ['--within 7d', 0],
      ['--within 7d --fail-if-due', 10],
      ['--within 7d --fail-if-overdue', 10],
    ] as const) {
      const run = await home.json<Due[]>(`dsr list --group-id g --due ${line}`);
      expect([run.code, run.data.map(({ deadline, overdue }) => [deadline, overdue])]).toEqual([code, [[null, false]]]);
      expect(run.stderr).toContain('1 request has no known deadline');
      expect(run.stderr.includes('so --fail-if-overdue fails')).toBe(line.includes('overdue'));
    }
    const page = await home.run('dsr list --group-id g --due -o html');
    expect(page.stdout).toContain('<h2>Deadline unknown (submitted elsewhere)</h2>');
    expect((await home.run('dsr list --group-id g --due --fail-if-empty')).code).toBe(0);
    expect((await home.run('dsr list --group-id none --due --fail-if-empty')).code).toBe(10);
  });

  it('prints the days left and OVERDUE, filters by --within, and exits with 10 if a --fail-if condition is met', async () => {
    await submit('a.csv', [
      ['late', 'erasure', 40],
      ['soon', 'erasure', 27],
      ['later', 'erasure', 1],
    ]);
    const { data } = await home.json<Due[]>('dsr list --due');
    expect(data.map(({ group_id, overdue }) => [group_id, overdue])).toEqual([
      ['late', true],
      ['soon', false],
      ['later', false],
    ]);
    expect(data[0]?.days_left).toBeLessThan(0);
    expect(data[1]?.days_left).toBeGreaterThanOrEqual(0);
    const table = await home.run('dsr list --due --within 7d');
    expect([table.code, table.stdout.match(/OVERDUE/g)?.length, table.stdout.split('\n').length - 2]).toEqual([
      0, 2, 2,
    ]);
    expect(table.stderr).toContain('1 request overdue.');
    for (const [line, code] of [
      ['--fail-if-overdue', 10],
      ['--fail-if-due --within 7d', 10],
      ['--fail-if-due --limit 1', 10],
    ] as const)
      expect([line, (await home.run(`dsr list --due ${line}`)).code]).toEqual([line, code]);
    for (const { subject_request_id: id } of data.slice(0, 2)) await home.run(`dsr cancel ${id} --yes`);
    for (const [line, code] of [
      ['--fail-if-overdue', 0],
      ['--fail-if-due --within 7d', 0],
      ['--fail-if-due', 10],
    ] as const)
      expect([line, (await home.run(`dsr list --due ${line}`)).code]).toEqual([line, code]);
    expect((await home.run('dsr list --within 7d')).code).toBe(2);
    expect((await home.run('dsr list --due --within soon')).code).toBe(2);
  });

  it('writes a Markdown summary and one annotation per overdue request in GitHub Actions', async () => {
    await submit('a.csv', [['late', 'erasure', 40]]);
    home.write('summary.md', '');
    const env = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: 'summary.md' };
    const { code, stderr } = await home.run('dsr list --due --fail-if-overdue --summary', { env });
    expect([code, home.read('summary.md')]).toEqual([10, expect.stringMatching(/\| OVERDUE \|/)]);
    expect(stderr).toMatch(/^::error ::The erasure request [0-9a-f-]+ is overdue: its deadline was [0-9TZ:-]+\.$/m);
    // The same job writes a page, which must not repeat the annotations.
    expect((await home.run('dsr list --due -o html --out due.html', { env })).stderr).not.toContain('::error');
  });

  it('shows the type and the day of the deadline on a terminal with 100 columns', async () => {
    await submit('a.csv', [
      ['late', 'portability', 40],
      ['soon', 'erasure', 27],
    ]);
    const { stdout } = await home.run('dsr list --due', { tty: true, columns: 100, env: { NO_COLOR: '1' } });
    expect(stdout).toMatch(
      /^ID +STATUS +TYPE +DEADLINE +DAYS LEFT +OVERDUE\n.* portability +\d{4}-\d\d-\d\d +-\d+ +OVERDUE$/m,
    );
  });

  it('lists completed access and portability requests without results until they are marked as answered', async () => {
    await submit('a.csv', [
      ['one', 'access', 3],
      ['two', 'portability', 2],
    ]);
    await home.platform.api.advance('4d');
    const due = async () => (await home.json<Due[]>('dsr list --due')).data;
    const [first, second] = await due();
    expect([first, second].map((it) => [it?.request_status, it?.due, it?.answered_at])).toEqual([
      ['completed', true, null],
      ['completed', true, null],
    ]);
    const results = await home.run(`dsr results ${first?.subject_request_id ?? ''}`);
    expect([results.code, results.stderr]).toEqual([5, expect.stringContaining('--answered')]);
    expect(await due()).toHaveLength(2);
    await home.run(`dsr mark ${first?.subject_request_id ?? ''} --answered --reason told`);
    expect((await due()).map(({ group_id }) => group_id)).toEqual(['two']);
    await home.run(`dsr mark ${first?.subject_request_id ?? ''} --unanswered`);
    expect(await due()).toHaveLength(2);
  });

  it('does not list requests as due if an earlier version recorded them as completed', async () => {
    await submit('a.csv', [['old', 'access', 40]]);
    await home.platform.api.advance('4d');
    expect((await home.json<Due[]>('dsr list')).data[0]?.request_status).toBe('completed');
    const path = join(home.env['CDPADM_STATE_DIR'] ?? '', 'dsr', 'ledger.ndjson');
    // Remove the fields that earlier versions did not write.
    writeFileSync(path, readFileSync(path, 'utf8').replace(/,"host":"[^"]*","entry":\d+,"chain":"\w+"/g, ''));
    rmSync(`${path}.head`);
    expect((await home.json<Due[]>('dsr list --due')).data).toEqual([]);
    expect((await home.json<Due[]>('dsr list')).data).toMatchObject([{ due: false, answered_at: null }]);
  });

  it('prints each report, then fails if the ledger was changed or its head is missing', async () => {
    await submit('a.csv', [['late', 'erasure', 40]]);
    expect((await home.run('dsr list --due')).stderr).not.toContain('was changed');
    const reports = ['list', 'list --due', 'list --due -o html', 'list --due --within 7d -o markdown', 'ledger export'];
    const path = join(home.env['CDPADM_STATE_DIR'] ?? '', 'dsr', 'ledger.ndjson');
    const text = readFileSync(path, 'utf8');
    const damages: (() => void)[] = [
      () => writeFileSync(path, text.replace('"regulation":"gdpr"', '"regulation":"ccpa"')),
      () => rmSync(`${path}.head`),
    ];
    for (const damage of damages) {
      damage();
      for (const command of reports)
        expect(await home.run(`dsr ${command}`)).toMatchObject({
          ...{ code: 1, stdout: expect.stringContaining('erasure') as string },
          stderr: expect.stringContaining('The ledger was changed outside') as string,
        });
      // The exit code of --fail-if-due takes precedence.
      expect(await home.run('dsr list --due --fail-if-due')).toMatchObject({
        ...{ code: 10, stderr: expect.stringContaining('The ledger was changed outside') as string },
      });
      writeFileSync(path, text);
    }
  });

  it('prints a page with -o html, even without requests', async () => {
    expect((await home.run('dsr list --due -o html')).stdout).toContain('There are no requests.');
    await submit('a.csv', [
      ['late', 'erasure', 40],
      ['soon', 'erasure', 27],
      ['<later>', 'erasure', 1],
    ]);
    const { stdout } = await home.run('dsr list -o html');
    expect([...stdout.matchAll(/<h2>(.*?)<\/h2>/g)].map(([, title]) => title)).toEqual([
      'Overdue',
      'Due (or results expire) within 7 days',
      'Due later',
    ]);
    expect(stdout).toMatch(/<b>\d+ days? late<\/b>/);
    expect(stdout).toContain('&lt;later&gt;');
    expect(stdout).not.toMatch(/<script|https?:\/\/(?!127|localhost)/);
    expect(stdout).toContain('<dt>Not due</dt>');
    expect((await home.run('dsr list --due -o html')).stdout).not.toMatch(/Not due|Answered/);
  });

  it('prints how late a request was answered', async () => {
    await submit('a.csv', [['late', 'access', 40]]);
    const [request] = (await home.json<Due[]>('dsr list')).data;
    await home.run(['dsr', 'mark', request?.subject_request_id ?? '', '--answered']);
    expect((await home.run('dsr list -o html')).stdout).toMatch(/Not due<\/h2>[^]*<b>\d+ days late<\/b>/);
    const { stdout } = await home.run('dsr ledger export -o csv');
    expect(stdout).toMatch(/ marked as answered, by .+ valid/);
  });
});

describe('dsr list with dates before the deadline', () => {
  it('applies --within to the expiry date of results, even if the ledger does not list the request as completed', async () => {
    await submit('a.csv', [
      ['later', 'erasure', 0],
      ['open', 'access', 1],
      ['done', 'access', 2],
    ]);
    expect((await home.json<Due[]>('dsr list --due --within 12d')).data).toEqual([]);
    // The platform's clock moves four days ahead, and the expiry date with it.
    await home.platform.api.advance('4d');
    const groups = async () =>
      (await home.json<Due[]>('dsr list --due --within 12d')).data.map(({ group_id: group }) => group);
    expect(await groups()).toEqual(['done', 'open']);
    const [done] = (await home.json<Due[]>('dsr list --due --within 12d')).data;
    const page = (await home.run('dsr list --due -o html')).stdout;
    expect(page).toMatch(/results expire\) within 7 days<\/h2>[^]*results not downloaded<\/small>/);
    expect(page).toMatch(/data-label="Results expire"><time title="20/);
    await home.run(['dsr', 'mark', done?.subject_request_id ?? '', '--answered']);
    expect(await groups()).toEqual(['open']);
  });

  it('prints the end of the cancellation period on the page', async () => {
    await submit('a.csv', [['a', 'erasure', 1]]);
    expect((await home.run('dsr list -o html')).stdout).toMatch(/data-label="Cancellable until"><time title="20/);
  });
});

describe('dsr list while requests cannot be read', () => {
  beforeEach(async () => {
    await submit('a.csv', [
      ['late', 'erasure', 40],
      ['soon', 'erasure', 28],
    ]);
    home.defaults.clock = createFastClock(1000);
  });

  it.each([
    [500, 7],
    [503, 7],
    [401, 4],
  ])(
    'prints the states from the ledger if every read returns %i, and exits with %i (10 if overdue)',
    async (status, exit) => {
      const ids = (await home.json<Listed[]>('dsr list')).data.map(({ subject_request_id: id }) => id);
      await home.platform.api.addFault({ method: 'GET', path: '/v3/requests/*', status });
      for (const [line, code] of [
        ['dsr list', exit],
        ['dsr list --due --within 7d', exit],
        ['dsr list --due --fail-if-overdue', 10],
      ] as const) {
        const { code: found, data, stderr } = await home.json<Listed[]>(line);
        expect([found, data.map((it) => it.request_status)], line).toEqual([code, ['pending', 'pending']]);
        expect(stderr).toContain('2 requests could not be read from the platform and may have changed:');
        for (const id of ids) expect(stderr).toContain(id);
      }
      const page = await home.run('dsr list -o html --out page.html');
      expect([page.code, home.read('page.html').match(/could not be read/g)?.length]).toEqual([exit, 2]);
    },
  );

  it('prints the current states of the other requests if one cannot be read', async () => {
    const [first] = (await home.json<Listed[]>('dsr list --due')).data;
    const path = `/v3/requests/${first?.subject_request_id ?? ''}`;
    await home.platform.api.addFault({ method: 'GET', path, status: 500 });
    const { code, data, stderr } = await home.json<Due[]>('dsr list --due --within 7d --fail-if-overdue');
    expect([code, data.map(({ overdue, stale }) => [overdue, stale])]).toEqual([
      10,
      [
        [true, true],
        [false, false],
      ],
    ]);
    const { stdout } = await home.run('dsr list', { tty: { stdout: true }, columns: 160 });
    expect(stdout.split('\n').filter((line) => line.includes('pending (not refreshed)'))).toEqual([
      expect.stringContaining(first?.subject_request_id ?? ''),
    ]);
    expect(stderr).toContain(`1 request could not be read from the platform and may have changed: ${path.slice(13)}`);
  });

  it('stops reading requests after several failures in a row', async () => {
    await submit('b.csv', many(30, 'more'));
    await home.platform.api.addFault({ method: 'GET', path: '/v3/requests/*', status: 401 });
    const before = await home.received('GET', '/v3/requests/');
    const { code, data, stderr } = await home.json<Listed[]>('dsr list --due');
    expect([code, data.length]).toEqual([4, 32]);
    expect((await home.received('GET', '/v3/requests/')) - before).toBeLessThan(10);
    expect(stderr).toMatch(/32 requests could not be read [^]* and 27 more/);
  });
});

describe('dsr list --due with no requests for the workspace in the ledger', () => {
  it('prints a warning, and exits with 10 if --fail-if-empty is set', async () => {
    const due = 'dsr list --due --fail-if-due --fail-if-overdue';
    const { code, stderr } = await home.run(due);
    expect([code, stderr]).toEqual([0, expect.stringContaining('has no requests for workspace 3001')]);
    expect((await home.run(`${due} --fail-if-empty`)).code).toBe(10);
    expect((await home.run('dsr ledger verify')).stderr).toContain('is empty');
    await submit('a.csv', [['a', 'erasure', 0]]);
    expect(await home.run(`${due} --within 1d --fail-if-empty`)).toMatchObject({
      code: 0,
      stderr: 'Nothing is due within 1d.\n',
    });
    const other = { env: { CDPADM_STATE_DIR: `${home.cwd}/elsewhere` } };
    expect((await home.run(`${due} --fail-if-empty`, other)).code).toBe(10);
  });
});

describe('dsr mark', () => {
  const only = async () => (await home.json<Due[]>('dsr list --due')).data[0];

  it('extends the deadline, and requires --yes if the law does not allow the extension', async () => {
    await submit('a.csv', [['a', 'erasure', 0]]);
    const id = (await only())?.subject_request_id ?? '';
    const extended = day(-70).slice(0, 10);
    expect((await home.run(`dsr mark ${id} --extended ${extended}`)).code).toBe(2);
    expect((await home.run(['dsr', 'mark', id, '--extended', day(-3), '--reason', 'x'])).stderr).toContain(
      'must be after',
    );
    const dry = await home.run(['dsr', 'mark', id, '--extended', extended, '--reason', 'x', '--dry-run']);
    expect([dry.code, (await only())?.deadline]).not.toEqual([0, `${extended}T23:59:59Z`]);
    const { code, stderr } = await home.run(['dsr', 'mark', id, '--extended', extended, '--reason', 'many systems']);
    expect([code, stderr, (await only())?.deadline]).toEqual([0, '', `${extended}T23:59:59Z`]);
    const farDay = day(-200);
    const mark = ['dsr', 'mark', id, '--extended', farDay, '--reason', 'x'];
    for (const [more, exit] of [
      [[], 2],
      [['--dry-run'], 0],
      [['--yes'], 0],
    ] as const) {
      const far = await home.run([...mark, ...more]);
      expect([far.code, far.stderr]).toEqual([
        exit,
        expect.stringMatching(/GDPR allows an extension until \S+ at the latest/),
      ]);
    }
    const { data } = await home.json<{ marks: unknown[]; deadline: string }[]>('dsr ledger export');
    expect(data[0]?.deadline).toBe(farDay);
    expect(data[0]?.marks).toEqual([
      expect.objectContaining({ extended: `${extended}T23:59:59Z`, reason: 'many systems', host: hostname() }),
      expect.objectContaining({ reason: 'x' }),
    ]);
  });

  it('accepts the last day that the law allows', async () => {
    await submit('a.csv', [['a', 'access', 0]]);
    const [request] = (await home.json<{ submitted_time: string; subject_request_id: string }[]>('dsr list')).data;
    const last = deadlineFrom('gdpr', request?.submitted_time, true) ?? 0;
    const lastDay = new Date(last).toISOString().slice(0, 10);
    const mark = ['dsr', 'mark', request?.subject_request_id ?? '', '--reason', 'x', '--extended'];
    await home.run([...mark.slice(0, 3), '--answered']);
    const { code, data, stderr } = await home.json([...mark, lastDay]);
    expect([code, stderr, data]).toEqual([
      0,
      '',
      [expect.objectContaining({ answered: true, deadline: `${lastDay}T23:59:59Z` })],
    ]);
    expect((await home.run([...mark, new Date(last + DAY_MS).toISOString().slice(0, 10)])).code).toBe(2);
  });

  it('warns about an extension after the deadline, and still reports the request as late', async () => {
    await submit('a.csv', [['a', 'access', 40]]);
    const before = await only();
    const id = before?.subject_request_id ?? '';
    const { data, stderr } = await home.json<{ deadline: string }[]>([
      ...['dsr', 'mark', id, '--extended', day(-20), '--reason', 'many systems'],
    ]);
    expect(stderr).toMatch(
      /The deadline of request .* passed \d+ days ago\. The extension is recorded but does not count/,
    );
    expect(data[0]?.deadline).toBe(before?.deadline);
    expect(await only()).toMatchObject({ deadline: before?.deadline, overdue: true });
  });

  it('rejects --answered for an erasure', async () => {
    await submit('a.csv', [['a', 'erasure', 40]]);
    const id = (await only())?.subject_request_id ?? '';
    const { code, error } = await home.json(`dsr mark ${id} --answered`);
    expect([code, error.message]).toEqual([2, expect.stringContaining('is an erasure')]);
    expect(await only()).toMatchObject({ due: true });
  });

  it('makes dsr list sort requests by their extended deadlines', async () => {
    await submit('a.csv', [
      ['first', 'erasure', 5],
      ['second', 'erasure', 1],
    ]);
    const id = (await only())?.subject_request_id ?? '';
    await home.run(['dsr', 'mark', id, '--extended', day(-60), '--reason', 'x']);
    expect((await home.json<Due[]>('dsr list --due')).data.map(({ group_id }) => group_id)).toEqual([
      'second',
      'first',
    ]);
    expect((await home.json<Due[]>('dsr list --due --limit 1')).data[0]?.group_id).toBe('second');
  });

  it.each([
    ['00000000-0000-4000-8000-000000000000 --answered', 5],
    ['00000000-0000-4000-8000-000000000000', 2],
    ['00000000-0000-4000-8000-000000000000 --answered --unanswered', 2],
    ['x --answered', 2],
  ])('rejects %s with exit code %i', async (line, code) => {
    expect((await home.run(`dsr mark ${line}`)).code).toBe(code);
  });
});
