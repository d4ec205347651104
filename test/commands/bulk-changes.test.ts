// Inputs that change during a bulk run: at the prompt or between two requests. Only rows that were checked are sent,
// and no result is paired with the wrong row.
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDsrHome } from '../helpers/dsr-home.ts';
import { type FaultProxy, startFaultProxy } from '../helpers/fault-proxy.ts';
import { opened } from '../helpers/opened.ts';
import type { CliOptions } from '../helpers/cli.ts';
import type { PlatformHome } from '../helpers/platform-home.ts';
import { type Seeding, startSeeding, userRows } from '../helpers/seeding-home.ts';

/** Returns options that answer `question` with yes, after a call to `change`. */
function answering(question: string, change: () => void): CliOptions {
  const stdin = new PassThrough();
  let isAsked = false;
  const onOutput = (_stdout: string, stderr: string): void => {
    if (isAsked || !stderr.includes(question)) return;
    isAsked = true;
    change();
    setImmediate(() => stdin.write('y\n'));
  };
  return { stdin, tty: { stdin: true, stderr: true }, env: { CDPADM_ACCESSIBLE: '1' }, onOutput };
}

describe('dsr submit --bulk', () => {
  let home: PlatformHome;
  let proxy: FaultProxy;
  beforeEach(async () => {
    home = await opened(createDsrHome());
    const direct = new URL(home.env['CDPADM_DSR_BASE_URL'] ?? '');
    proxy = await opened(startFaultProxy(Number(direct.port)));
    home.env['CDPADM_DSR_BASE_URL'] = proxy.url + direct.pathname;
  });

  const FLAGS = '--regulation gdpr --type access --map pad=- --concurrency 2';
  const people = (name: string, count = 3, pad = 1): string =>
    `email,pad\n${Array.from({ length: count }, (_, row) => `${name}${row}@example.com,${'x'.repeat(pad)}\n`).join('')}`;
  const path = (name: string): string => join(home.cwd, name);

  /** Calls `change` just before the response to the POST with this number (counted from 1) is forwarded. */
  async function atPost(number: number, change: () => void): Promise<void> {
    let posts = 0;
    const answer = <A>(response: A, { method }: { method: string }): A => {
      if (method === 'POST' && ++posts === number) change();
      return response;
    };
    await proxy.begin({ fault: { name: 'none', delivered: true, answer }, at: 0, mode: 'ever' });
  }
  const posts = () => home.received('POST', '/v3');

  it.each<[string, string, (path: string) => void]>([
    ['replaced', 'people.csv', (file) => writeFileSync(file, people('other'))],
    ['appended to', 'people.csv', (file) => appendFileSync(file, 'other@example.com,x\n')],
    ['shortened', 'people.csv', (file) => writeFileSync(file, people('person', 2))],
    ['replaced in a folder', 'parts/b.csv', (file) => writeFileSync(file, people('other'))],
    ['replaced and compressed', 'people.csv.gz', (file) => writeFileSync(file, gzipSync(people('other')))],
  ])('sends nothing if a file is %s while the prompt is shown', async (_what, name, change) => {
    mkdirSync(path('parts'));
    writeFileSync(path('parts/a.csv'), people('first'));
    const text = people('person');
    writeFileSync(path(name), name.endsWith('.gz') ? gzipSync(text) : text);
    const line = `dsr submit --bulk ${name.startsWith('parts/') ? 'parts' : name} ${FLAGS}`;
    const question = answering('Submit these', () => change(path(name)));
    const { code, stderr } = await home.run(line, question);
    expect([code, stderr]).toEqual([
      6,
      expect.stringMatching(/changed while the command was running\. Nothing was sent/),
    ]);
    expect(await posts()).toBe(0);
    expect(readdirSync(home.cwd, { recursive: true }).filter((file) => String(file).includes('results'))).toEqual([]);
    // The file has new content, so this is a new run.
    const again = await home.run(
      line,
      answering('Submit these', () => undefined),
    );
    expect([again.code, again.stderr]).toEqual([0, expect.anything()]);
  });

  it('stops before the first changed row, and resumes once the file is restored', async () => {
    const text = people('person', 300, 12_000);
    home.write('people.csv', text);
    await atPost(1, () => home.write('people.csv', text.replaceAll(/person(?=[12]\d\d)/g, 'other')));
    const { code, error } = await home.json(`dsr submit --bulk people.csv ${FLAGS} --yes`);
    expect([code, error.code]).toEqual([6, 'input.changed']);
    const sent = await posts();
    expect(sent).toBeGreaterThan(0);
    expect(error.message).toContain(`${sent} of 300 rows are complete.`);
    expect(existsSync(path('people.csv.results.csv'))).toBe(false);
    home.write('people.csv', text);
    const rest = await home.json(`dsr submit --bulk people.csv ${FLAGS} --yes --resume`);
    expect(rest.data).toMatchObject({ rows: 300, skipped: sent, submitted: 300 - sent });
    expect(await posts()).toBe(300);
    expect(home.read('people.csv.results.csv').match(/^person\d+@.*,submitted,$/gm)).toHaveLength(300);
  });

  it('never pairs an id with the wrong person if the file is replaced after its rows were read', async () => {
    home.write('people.csv', people('person'));
    await atPost(3, () => home.write('people.csv', people('other')));
    const { code, error } = await home.json(`dsr submit --bulk people.csv ${FLAGS} --yes`);
    expect([code, error.code]).toEqual([6, 'input.changed']);
    expect(error.message).toContain('3 of 3 rows are complete.');
    expect(error.hint).toMatch(/\.ndjson contains the id and outcome of each row\..*Restore people\.csv/);
    expect(error).toMatchObject({ progress: { rows: 3, submitted: 3, left: 0 } });
    expect(existsSync(path('people.csv.results.csv'))).toBe(false);
    home.write('people.csv', people('person'));
    const resumed = await home.json(`dsr submit --bulk people.csv ${FLAGS} --yes --resume`);
    expect(resumed.data).toMatchObject({ skipped: 3, requests: 0 });
    expect(home.read('people.csv.results.csv')).toMatch(/^person0@example\.com,x,.{36},submitted,$/m);
    expect(await posts()).toBe(3);
  });

  it.each([
    ['its folder does not exist', 'gone/r.csv', /the folder does not exist/],
    ['its name is too long', `${'r'.repeat(300)}.csv`, /the name is too long/],
    ['its folder is a file', 'people.csv/r.csv', /not a folder/],
  ])('sends nothing if the results file cannot be created because %s', async (_what, results, reason) => {
    home.write('people.csv', people('person'));
    const { error } = await home.json(`dsr submit --bulk people.csv ${FLAGS} --yes --results ${results}`);
    expect([error.code, error.message]).toEqual(['files.write', expect.stringMatching(reason)]);
    expect(await posts()).toBe(0);
  });

  it('reports what was sent if another process creates the results file, and keeps that file', async () => {
    home.write('people.csv', people('person'));
    await atPost(3, () => home.write('r.csv', 'theirs\n'));
    const { code, error } = await home.json(`dsr submit --bulk people.csv ${FLAGS} --yes --results r.csv`);
    expect([code, error.code]).toEqual([1, 'files.write']);
    expect(error.message).toMatch(/r\.csv: another process created it\. 3 of 3 rows are complete\./);
    expect(error).toMatchObject({ progress: { submitted: 3, requests: 3 } });
    expect(home.read('r.csv')).toBe('theirs\n');
    // A resumed run keeps r.csv, which another process created, but replaces s.csv, which an earlier run wrote.
    for (const [asked, written] of [
      ['r.csv', 'r-2.csv'],
      ['s.csv', 's.csv'],
      ['s.csv', 's.csv'],
    ] as const) {
      const resumed = await home.json(`dsr submit --bulk people.csv ${FLAGS} --yes --resume --results ${asked}`);
      expect(resumed.data).toMatchObject({ skipped: 3, requests: 0, results: path(written) });
      expect(home.read(written)).toMatch(/^person0@/m);
    }
    expect(home.read('r.csv')).toBe('theirs\n');
  });
});

describe('seed bulk', () => {
  let seeding: Seeding;
  let change: (() => void) | undefined;
  /** Number of requests that the platform accepts before it responds with 503. */
  let accepted: number;
  beforeEach(async () => {
    accepted = Infinity;
    seeding = await startSeeding((_body, request) => {
      change?.();
      change = undefined;
      return request > accepted ? { status: 503 } : undefined;
    });
  });
  afterEach(() => seeding.close());

  it.each<[string, (path: string) => void]>([
    ['rewritten', (path) => writeFileSync(path, userRows(2000).replaceAll('Orders', 'Visits'))],
    [
      'replaced by another file',
      (path) => {
        writeFileSync(`${path}.new`, userRows(10));
        renameSync(`${path}.new`, path);
      },
    ],
    ['appended to', (path) => appendFileSync(path, userRows(1))],
    ['shortened', (path) => writeFileSync(path, userRows(10))],
    ['moved away', (path) => renameSync(path, `${path}.old`)],
  ])(
    'sends nothing if a file is %s while the prompt is shown, and stops if this happens during the run',
    async (_what, edit) => {
      const rows = userRows(20_000);
      const path = join(seeding.folder, seeding.write('users.ndjson', rows));
      const asked = await seeding.run(
        ['seed', 'bulk', 'users.ndjson'],
        answering('Seed about', () => edit(path)),
      );
      expect([asked.code, asked.stderr]).toEqual([6, expect.stringContaining('Nothing was sent.')]);
      expect(seeding.sink.requests).toBe(0);
      seeding.write('users.ndjson', rows);
      change = () => edit(path);
      const during = await seeding.bulk(['users.ndjson', '--concurrency', '1', '--batch-size', '10']);
      expect([during.code, during.stderr]).toEqual([6, expect.stringMatching(/users\.ndjson changed.*--restart/s)]);
      expect(seeding.sink.rows).toBeLessThan(20_000);
      // On a busy machine, the last response may arrive after the grace period, so its 10 rows are missing from the
      // reported count.
      const [, accepted] = /So far, ([\d,]+) rows accepted/.exec(during.stderr) ?? [];
      expect([0, 10]).toContain(seeding.sink.rows - Number(accepted?.replaceAll(',', '')));
    },
  );

  it('continues if only the mode of a file changes', async () => {
    const path = join(seeding.folder, seeding.write('users.ndjson', userRows(20_000)));
    const { chmodSync } = await import('node:fs');
    change = () => chmodSync(path, 0o600);
    const { code, result } = await seeding.bulk(['users.ndjson']);
    expect([code, result.accepted]).toEqual([0, 20_000]);
  });

  /** Starts a run that stops after one accepted batch. From then on, the platform accepts every request. */
  async function half(flags: string[]): Promise<void> {
    accepted = 1;
    const { code } = await seeding.bulk([...flags, '--batch-size', '2', '--concurrency', '1', '--give-up-after', '0']);
    expect(code).toBe(7);
    accepted = Infinity;
  }

  it('resumes only with the row flags of the interrupted run', async () => {
    seeding.write('users.csv', `id,other,n,m\n${[1, 2, 3, 4].map((id) => `${id},9${id},3,5\n`).join('')}`);
    const map = (id: string, n = 'n'): string[] => ['--map', `${id}=xpid`, '--map', `${n}=attr:Orders:count`];
    const flags = ['users.csv', ...map('id'), '--cutoff-date', '2024-01-31'];
    await half(flags);
    const sent = seeding.sink.requests;
    for (const others of [
      ['users.csv', ...map('other'), '--cutoff-date', '2024-01-31'],
      ['users.csv', ...map('id', 'm'), '--cutoff-date', '2024-01-31'],
      [...flags.slice(0, -1), '2024-02-01'],
      [...flags, '--null', '3'],
    ]) {
      const { code, stderr } = await seeding.bulk([...others, '--resume']);
      expect([code, stderr]).toEqual([2, expect.stringContaining('The earlier run had different flags')]);
      const unresumed = await seeding.bulk(others);
      expect([unresumed.code, unresumed.stderr]).toEqual([
        12,
        expect.stringContaining('To continue, pass --resume and the same row flags as in that run.'),
      ]);
    }
    expect(seeding.sink.requests).toBe(sent);
    const { code, result } = await seeding.bulk([...flags, '--resume']);
    expect([code, result.accepted]).toEqual([0, 4]);
    expect(seeding.users().map(({ xpid }) => xpid)).toEqual([1, 2, 3, 4]);
  });

  it('resumes a run whose journal has no row flags because an older version wrote it', async () => {
    seeding.write('users.ndjson', userRows(4));
    await half(['users.ndjson']);
    const [journal = ''] = readdirSync(join(seeding.stateFolder, 'seed')).filter((name) => name.endsWith('.json'));
    const path = join(seeding.stateFolder, 'seed', journal);
    const { digest: _digest, settings, ...old } = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
    expect(settings).toMatch(/^[0-9a-f]{64}$/);
    writeFileSync(path, JSON.stringify(old));
    expect((await seeding.bulk(['users.ndjson', '--resume', '--null', 'x'])).result.accepted).toBe(4);
  });

  it.each<[string, (text: string) => string | undefined]>([
    ['corrected and extended', (text) => `${text.replace('many', '3')}${userRows(1)}`],
    ['shortened', () => '{}\n'],
    ['moved away', () => undefined],
  ])('does not overwrite a rejects file that was %s before the run is resumed or restarted', async (_what, edit) => {
    const rows = userRows(6).split('\n');
    for (const row of [0, 4]) rows[row] = String(rows[row]).replace('"3"', '"many"');
    seeding.write('users.ndjson', rows.join('\n'));
    await half(['users.ndjson']);
    const path = join(seeding.folder, 'users.ndjson.rejects.ndjson');
    const edited = edit(readFileSync(path, 'utf8'));
    if (edited === undefined) renameSync(path, `${path}.old`);
    else writeFileSync(path, edited);
    const { code, result, stderr } = await seeding.bulk(['users.ndjson', '--resume']);
    expect([code, result.rejected]).toEqual([3, 2]);
    expect(stderr).toContain(edited === undefined ? 'no longer exists' : 'was changed after the run, so it is kept.');
    expect(result.rejects).toBe(edited === undefined ? path : path.replace('.ndjson.rejects', '.ndjson.rejects-2'));
    const added = readFileSync(result.rejects ?? '', 'utf8')
      .trimEnd()
      .split('\n');
    expect(added).toEqual([expect.stringContaining('"line":5')]);
    if (edited === undefined) return;
    expect(readFileSync(path, 'utf8')).toBe(edited);
    expect((await seeding.bulk(['users.ndjson', '--restart'])).code).toBe(2);
    expect(readFileSync(path, 'utf8')).toBe(edited);
  });

  it.each([
    ['its folder does not exist', 'gone/r.ndjson', 1, /the folder does not exist/],
    ['its name is too long', `${'r'.repeat(300)}.ndjson`, 1, /the name is too long/],
    ['it already exists', 'users.ndjson', 2, /already exists.*--rejects FILE/s],
  ])('sends nothing if the --rejects file cannot be created because %s', async (_what, rejects, exit, reason) => {
    seeding.write('users.ndjson', userRows(3));
    const { code, stderr } = await seeding.run(['seed', 'bulk', 'users.ndjson', '--rejects', rejects, '--yes']);
    expect([code, stderr]).toEqual([exit, expect.stringMatching(reason)]);
    expect(seeding.sink.requests).toBe(0);
  });

  it('can be resumed with another rejects file if the first one cannot be written', async () => {
    const rows = userRows(6).replace('"3"', '"many"');
    seeding.write('users.ndjson', rows);
    mkdirSync(join(seeding.folder, 'gone'));
    change = () => rmdirSync(join(seeding.folder, 'gone'));
    const failed = await seeding.run(['seed', 'bulk', 'users.ndjson', '--rejects', 'gone/r.ndjson', '--yes']);
    expect([failed.code, failed.stderr]).toEqual([1, expect.stringContaining('pass another file: --rejects FILE.')]);
    const moved = await seeding.bulk(['users.ndjson', '--rejects', 'r.ndjson', '--resume']);
    expect([moved.code, moved.result]).toMatchObject([3, { accepted: 5, rejected: 1 }]);
    expect(moved.result.rejects).toBe(join(seeding.folder, 'r.ndjson'));
    expect(readFileSync(join(seeding.folder, 'r.ndjson'), 'utf8')).toMatch(/^\{"rejected".*"many".*\n$/);
  });

  it('shows in a dry run what the same command would send after an earlier run, and sends nothing', async () => {
    seeding.write('users.ndjson', userRows(6));
    await half(['users.ndjson']);
    const requests = seeding.sink.requests;
    const dryRun = (...flags: string[]) => seeding.run(['seed', 'bulk', 'users.ndjson', ...flags, '-n']);
    const blocked = await dryRun();
    expect([blocked.code, blocked.stderr]).toEqual([12, expect.stringContaining('did not finish (2 rows accepted')]);
    const resumed = await dryRun('--resume');
    expect([resumed.code, resumed.stdout]).toEqual([
      0,
      expect.stringMatching(
        /^2 rows are already complete\.\n4 rows: 4 to send in 1 request, 0 rejected\.\nThe request /,
      ),
    ]);
    expect((await dryRun('--restart')).stdout).toContain('6 rows: 6 to send in 1 request');
    expect(seeding.sink.requests).toBe(requests);
    expect((await seeding.bulk(['users.ndjson', '--resume'])).result.accepted).toBe(6);
    expect((await dryRun()).code).toBe(12);
    expect((await dryRun('--resume')).stdout).toContain('0 rows: 0 to send in 0 requests');
    appendFileSync(join(seeding.folder, 'users.ndjson'), userRows(1));
    const changed = await dryRun('--resume');
    expect([changed.code, changed.stderr]).toEqual([6, expect.stringContaining('A file changed after it was sent.')]);
  });

  it('exits with 3 for rejected rows even if standard output has no reader', async () => {
    seeding.write('users.ndjson', userRows(2).replace('"3"', '"many"'));
    const { code } = await seeding.run(['seed', 'bulk', 'users.ndjson', '--yes'], { brokenPipe: true });
    expect(code).toBe(3);
  });
});
