// `dsr submit --bulk` and `dsr prepare`: valid and invalid files, platform faults, interrupted and resumed runs.
import { existsSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { interrupted } from '../../../src/lib/runtime/interrupt.ts';
import { opened } from '../../helpers/opened.ts';
import { json, startFaultServer } from '../../helpers/fault-server.ts';
import { createFastClock } from '../../helpers/fast-clock.ts';
import { createDsrHome } from '../../helpers/dsr-home.ts';
import type { PlatformHome } from '../../helpers/platform-home.ts';
import { shellWords } from '../../helpers/shell-words.ts';

interface BulkResult {
  rows: number;
  submitted: number;
  existing: number;
  failed: number;
  unknown: number;
  skipped: number;
  requests: number;
  journal: string;
}

let home: PlatformHome;
beforeEach(async () => {
  home = await createDsrHome();
});
afterEach(() => home.close());

const BULK = 'dsr submit --bulk people.csv --regulation gdpr --type access --yes';

function people(count: number, group = 'g'): string {
  const rows = Array.from(
    { length: count },
    (_, index) => `person${index}@example.com,${group}${Math.floor(index / 150)}`,
  );
  return `email,group_id\n${rows.join('\n')}\n`;
}

/** Returns the ids in the results file. */
function ids(file = 'people.csv.results.csv'): string[] {
  const lines = home.read(file).trimEnd().split('\n').slice(1);
  return lines.map((line) => line.split(',')[2] ?? '');
}

/** Returns the contents of all state files. */
function stateTexts(): string {
  const folder = home.env.CDPADM_STATE_DIR ?? '';
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, 'latin1'))
    .join('');
}

/** Returns the number of requests on the platform in the groups for `count` rows, with up to 150 requests per group. */
async function countOnPlatform(count: number, group = 'g'): Promise<number> {
  let sum = 0;
  for (let index = 0; index <= Math.floor((count - 1) / 150); index++) {
    sum += (await home.json<unknown[]>(`dsr list --group-id ${group}${index}`)).data.length;
  }
  return sum;
}

describe('dsr submit --bulk', () => {
  it('submits each row once, even if --resume is set or the results file is the input', async () => {
    home.write('people.csv', people(40));
    const first = await home.json<BulkResult>(BULK);
    expect(first.code, first.stderr).toBe(0);
    expect(first.data).toMatchObject({ rows: 40, submitted: 40, failed: 0, requests: 40 });
    expect(new Set(ids()).size).toBe(40);
    expect(statSync(join(home.cwd, 'people.csv.results.csv')).mode & 0o777).toBe(0o600);
    expect((await home.run(BULK)).code).toBe(12);
    expect((await home.json<BulkResult>(`${BULK} --resume`)).data).toMatchObject({
      submitted: 0,
      skipped: 40,
      requests: 0,
    });
    const again = await home.json<BulkResult>(BULK.replace('people.csv', 'people.csv.results.csv'));
    expect(again.data).toMatchObject({ skipped: 40, requests: 0 });
    expect(await countOnPlatform(40)).toBe(40);
  });

  it.each([
    [
      'plans a row that does not exist',
      '{"p":[[9,"6f1c5a52-3a4c-4f0e-9d55-3d2f6a1f8c11"]]}',
      'row 9, but the file has 3',
    ],
    ['completes a row that does not exist', '{"d":[[4,"submitted"]]}', 'row 4, but the file has 3'],
    ['withdraws row 0', '{"u":[0]}', 'row 0, but the file has 3'],
    ['is about another number of rows', undefined, '2 rows, but the file has 3'],
  ])('sends nothing if the journal %s', async (_what, line, evidence) => {
    home.write('people.csv', people(3));
    const { data } = await home.json<BulkResult>(BULK);
    const journal = readFileSync(data.journal, 'utf8');
    // Earlier versions wrote no digest.
    const damaged =
      line === undefined ? journal.replace(/"rows":3(.*),"digest":.*/, '"rows":2$1}') : `${journal}${line}\n`;
    writeFileSync(data.journal, damaged);
    const { code, error } = await home.json(`${BULK} --resume`);
    expect([code, error.code]).toEqual([1, 'dsr.journal']);
    expect(error.message).toContain(`${data.journal} does not belong to this file, or it is damaged`);
    expect(error.message).toContain(evidence);
    expect(error.hint).toContain('move the journal to another folder');
    expect(readFileSync(data.journal, 'utf8')).toBe(damaged);
    expect(await home.received('POST', '/v3')).toBe(3);
    renameSync(data.journal, join(home.cwd, 'damaged.ndjson'));
    const again = await home.json<BulkResult>(`${BULK} --results again.csv`);
    expect([again.code, again.data.failed, again.data.submitted]).toEqual([3, 3, 0]);
    expect(await home.received('POST', '/v3')).toBe(3);
  });

  it("submits the rows of another program's export, even if their status is `submitted`", async () => {
    const id = '6f1c5a52-3a4c-4f0e-9d55-3d2f6a1f8c11';
    home.write('people.csv', `subject_request_id,status,email\n${id},submitted,a@b.example\n`);
    expect((await home.json<BulkResult>(BULK)).data).toMatchObject({ rows: 1, submitted: 1, skipped: 0 });
  });

  it('does not write identities to the journal or the ledger', async () => {
    home.write('people.csv', people(20));
    const { data } = await home.json<BulkResult>(BULK);
    expect(stateTexts()).toContain(ids()[0]);
    expect(stateTexts()).not.toMatch(/person\d|encoded_request/);
    expect(statSync(data.journal).mode & 0o777).toBe(0o600);
  });

  it.each([
    ['an invalid last row', 'regulation,email\ngdpr,a@b.c\nfoo,d@e.f\n', 3, 1],
    ['an extra cell', 'regulation,email\ngdpr,a@b.c\ngdpr,d@e.f,x\n', 3, 12],
    ['a duplicate row', 'email\na@b.c\nd@e.f\na@b.c\n', 4, 1],
    [
      'a duplicate id',
      'subject_request_id,email\n6f1c5a52-3a4c-4f0e-9d55-3d2f6a1f8c11,a@b.c\n6f1c5a52-3a4c-4f0e-9d55-3d2f6a1f8c11,b@b.c\n',
      3,
      1,
    ],
    ['an unclosed quote', 'email\na@b.c\n"d@e.f\n', 3, 1],
    ['an unknown column', 'emial\na@b.c\n', 1, 1],
    [
      'an invalid value after a cell with newlines',
      'error,email,group_id\n"x\ny",a@b.c,g\n"x\nz",d@e.f,"g\u0007"\n',
      5,
      10,
    ],
    ['an xpid if other rows have other identity types', 'email,xpid\na@b.c,\nb@b.c,5\n', 3, 7],
  ])('rejects the whole file because of %s', async (_what, text, line, column) => {
    home.write('people.csv', `\ufeff${text}`);
    const { code, error } = await home.json(BULK);
    expect(code).toBe(9);
    expect(error.issues[0]).toMatchObject({ line, column });
    expect(await home.received('POST', '/v3')).toBe(0);
    expect(existsSync(join(home.cwd, 'people.csv.results.csv'))).toBe(false);
  });

  it('reports each missing column once, not once per row', async () => {
    home.write('people.csv', 'email,subject_request_type\na@b.c,access\nd@e.f,access\n');
    const { code, error } = await home.json('dsr submit --bulk people.csv --yes');
    expect([code, error.issues.length]).toEqual([9, 1]);
    expect(error.issues[0]).toMatchObject({ line: 1, column: 1, path: 'regulation' });
    expect(error.issues[0]?.message).toContain('--regulation');
    home.write('people.csv', 'group_id\ng\n');
    const bare = await home.run('dsr submit --bulk people.csv --yes');
    expect(bare.stderr).toMatch(/1:1: regulation: .*--regulation.*1:1: subject_request_type: .*--type.*identity type/s);
    home.write('people.csv', 'email,regulation,subject_request_type\na@b.c,gdpr,access\nd@e.f,,access\n');
    const empty = await home.json('dsr submit --bulk people.csv --yes');
    expect(empty.error.issues).toMatchObject([{ line: 3, column: 7, path: 'regulation', message: 'is missing' }]);
    home.write('a.ndjson', '{"email":"a@b.c","regulation":"gdpr"}\n');
    const flat = await home.json('dsr submit --bulk a.ndjson --yes');
    expect(flat.error.issues).toMatchObject([{ line: 1, column: 1, path: 'subject_request_type' }]);
    expect(await home.received('POST', '/v3')).toBe(0);
  });

  it.each([
    ['--submitted-time', 'yesterday'],
    ['--callback-url', 'http://example.com/x'],
    ['--group-id', 'a\u0007'],
  ])('reports %s, not the file, if the flag has an invalid value', async (flag, value) => {
    home.write('people.csv', people(3));
    for (const command of [BULK.split(' '), 'dsr prepare people.csv --out x.csv'.split(' ')]) {
      expect(await home.run([...command, flag, value])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(flag),
      });
    }
  });

  it('reports invalid rows even if later rows are unreadable', async () => {
    home.write('people.csv', 'email\na@b.c\nb@b.c,x\nc@b.c\n"d@b.c\n');
    const { code, error } = await home.json(BULK);
    expect(code).toBe(9);
    expect(error.issues).toMatchObject([{ line: 3 }, { line: 5, column: 1 }]);
  });

  it('maps columns with --map', async () => {
    home.write('people.csv', 'E-mail;note\na@b.c;"x;y"\n');
    expect((await home.run([...BULK.split(' '), '--map', 'E-mail=email', '--map', 'note=-'])).code).toBe(0);
    expect(home.read('people.csv.results.csv')).toMatch(/^E-mail;note;subject_request_id;status;error\na@b\.c;"x;y";/);
  });

  it.each([
    ['- mail\n', 1, 1, ''],
    ['mail: email\nnote: 7\n', 2, 7, 'note'],
    ['mail: email\nnote:\n  - a\n', 3, 3, 'note'],
    ['mail: email\nmail: phone\n', 2, 1, 'mail'],
  ])('reports the line and column of the invalid mapping %j', async (text, line, column, path) => {
    home.write('people.csv', 'mail;note\na@b.c;x\n');
    home.write('map.yaml', text);
    const { code, error } = await home.json(`${BULK} --map-file map.yaml`);
    expect([code, error.issues]).toMatchObject([9, [{ file: 'map.yaml', line, column, path }]]);
    expect(() => home.read('people.csv.results.csv')).toThrow('ENOENT');
  });

  it('accepts NDJSON with rows or bodies, and JSON', async () => {
    home.write(
      'a.ndjson',
      '{"email":"a@b.c"}\n\n{"subject_identities":{"email":{"value":"d@e.f","encoding":"raw"}}}\n',
    );
    home.write('b.json', '[{"xpid": 9007199254740993}]');
    const flags = '--regulation gdpr --type access --yes';
    expect((await home.json<BulkResult>(`dsr submit --bulk a.ndjson ${flags}`)).data).toMatchObject({ submitted: 2 });
    expect((await home.json<BulkResult>(`dsr submit --bulk b.json ${flags}`)).data).toMatchObject({ submitted: 1 });
    expect(home.read('b.json.results.csv')).toContain('9007199254740993');
    home.write('twice.ndjson', '{"email":"a@b.c"}\n{"email":"d@e.f","email":"g@h.i"}\n');
    const twice = await home.run(`dsr submit --bulk twice.ndjson ${flags}`);
    expect([twice.code, twice.stderr.includes('twice.ndjson:2:18')]).toEqual([9, true]);
    home.write(
      'lists.ndjson',
      '{"email":["a@b.c"],"status_callback_urls":["https://a.b/1","https://a.b/2"]}\n{"email":["a@b.c","d@e.f"]}\n',
    );
    const lists = await home.json(`dsr submit --bulk lists.ndjson ${flags}`);
    expect(lists.error.issues).toMatchObject([
      { line: 2, column: 2, path: 'email', message: expect.stringMatching(/^must be a single value/) as string },
    ]);
    home.write('c.ndjson', '{"email":"a@b.c"}\n{"email":"d@e.f","regulation":"x"}\n{oops}\n');
    const bad = await home.json(`dsr submit --bulk c.ndjson ${flags}`);
    expect(bad.error.issues).toMatchObject([
      { line: 2, column: 31 },
      { line: 3, column: 2 },
    ]);
  });

  it('shows the first 100 requests in a dry run, and counts the others', async () => {
    home.write('people.csv', people(120));
    const { code, data } = await home.json<{
      dry_run: boolean;
      requests: { method: string; url: string; body: { subject_identities: { email: { value: string } } } }[];
      plan: Record<string, unknown>;
    }>(`${BULK} --dry-run`);
    expect([code, data.dry_run, data.requests.length]).toEqual([0, true, 100]);
    expect(data.requests[0]).toMatchObject({ method: 'POST', body: { regulation: 'gdpr', group_id: 'g0' } });
    expect(data.requests[0]?.url).toMatch(/\/v3\/requests\/$/);
    expect(data.plan).toMatchObject({ rows: 120, requests: 120, shown: 100, kinds: { 'gdpr access': 120 } });
    expect(JSON.stringify(data)).not.toContain('person0@');
    const shown = (await home.run(`${BULK} --dry-run`)).stdout;
    expect(shown).toContain('The first 100 of 120 requests, by row:\n');
    expect(shown.match(/^ +\d+ {2}gdpr access {2}email=.*$/gm)).toHaveLength(100);
    expect(shown).not.toContain('person0@');
    expect((await home.run(`${BULK} --dry-run --show-identities`)).stdout).toMatch(/^ +100 .*=person99@example\.com/m);
    expect((await home.run(`${BULK} --dry-run --show-identities -o json`)).stdout).toContain('person99@example.com');
    const { stdout } = await home.run(`${BULK} --curl`);
    expect(stdout).toMatch(/^curl .*\/v3\/requests\//s);
    expect(stdout).not.toContain('person0@');
    expect(await home.received('POST', '/v3')).toBe(0);
    expect((await home.run(BULK)).code).toBe(0);
    expect((await home.run(`${BULK} --dry-run`)).code).toBe(12);
    const rest = await home.json<{ requests: unknown[]; plan: unknown }>(`${BULK} --resume --dry-run`);
    expect([rest.code, rest.data.requests]).toEqual([0, []]);
    expect(rest.data.plan).toMatchObject({ rows: 120, requests: 0, shown: 0 });
  });

  it.each([
    [1, /^1 valid row:\n[^]*\nThe request for row 1:\n +1 {2}gdpr[^]*\nThe request would be a POST to http\S+\.\n$/],
    [2, /^2 rows, all valid:\n[^]*\nThe 2 requests, by row:\n[^]*\nEach request would be a POST to http\S+\.\n$/],
  ])('shows a dry run of %i rows in full sentences', async (count, text) => {
    home.write('people.csv', people(count));
    expect((await home.run(`${BULK} --dry-run`)).stdout).toMatch(text);
  });

  it('reports at most one progress event per second, and the last one, with --progress json', async () => {
    home.write('people.csv', people(100));
    const begun = Date.now();
    const { stderr } = await home.run(`${BULK} --progress json`);
    const events = [...stderr.matchAll(/"event":"progress".*"done":(\d+),/g)].map(([, done]) => done);
    expect(events.length).toBeLessThanOrEqual((Date.now() - begun) / 1000 + 2);
    expect(events.at(-1)).toBe('100');
  });

  it('accepts CSV, NDJSON and JSON on standard input, and does not keep a copy', async () => {
    const flags = 'dsr submit --bulk - --regulation gdpr --type access --yes';
    const csv = { stdin: people(3) };
    expect((await home.run(flags, csv)).code).toBe(2);
    expect((await home.json<BulkResult>(`${flags} --results a.csv`, csv)).data).toMatchObject({ submitted: 3 });
    expect((await home.run(`${flags} --results b.csv`, csv)).code).toBe(12);
    expect((await home.json<BulkResult>(`${flags} --results b.csv --resume`, csv)).data).toMatchObject({ skipped: 3 });
    const lines = { stdin: '{"email":"x@b.c"}\n{"email":"y@b.c"}\n' };
    expect((await home.json<BulkResult>(`${flags} --results c.csv`, lines)).data).toMatchObject({ submitted: 2 });
    const list = { stdin: '[\n {"email":"z@b.c"}\n]' };
    expect((await home.json<BulkResult>(`${flags} --results d.csv`, list)).data).toMatchObject({ submitted: 1 });
    const prepared = await home.run('dsr prepare - --regulation gdpr --type access --out p.csv', csv);
    expect(prepared.code).toBe(0);
    const bad = await home.json(`${flags} --results e.csv`, { stdin: 'email,group_id\nperson9@example.com\n' });
    expect([bad.code, bad.error.issues[0]?.line]).toEqual([9, 2]);
    expect(stateTexts()).not.toMatch(/person\d|[xyz]@b\.c/);
  });

  it("lists the platform's rejections in the results file, and does not print identities", async () => {
    home.write('people.csv', 'email\nperson0@example.com\nperson1@example.com\n');
    await home.run('dsr submit --regulation gdpr --type access --identity email=person1@example.com --yes');
    const { code, data, stderr } = await home.json<BulkResult>(`${BULK} --allow-duplicates`);
    expect([code, data.submitted, data.failed]).toEqual([3, 1, 1]);
    expect(home.read('people.csv.results.csv')).toMatch(/person1@example.com,[0-9a-f-]{36},failed,.*409/);
    expect(stderr).not.toContain('person1');
  });

  it.each([
    ['a table', 'E-mail;Kind\nPERSON;access\n', '--map E-mail=email --map Kind=subject_request_type --regulation gdpr'],
    ['a table without a header', 'PERSON|g\n', '--delimiter pipe --headerless --columns email,group_id'],
    ['a table with escapes', 'mail,note\nPERSON,a\\\\b\n', '--source snowflake --map mail=email --map note=-'],
    ['flat NDJSON', '{"mail":"PERSON"}\n', '--map mail=email --format ndjson'],
  ])('prints the command that submits the corrected results of %s', async (_what, text, flags) => {
    await home.run('dsr submit --regulation gdpr --type access --identity email=person1@example.com --yes');
    home.write('list', text.replace('PERSON', 'person1@example.com'));
    const values = flags.includes('Kind') ? '' : '--regulation gdpr --type access';
    const run = await home.run(
      `dsr submit --bulk list ${flags} ${values} --allow-duplicates --yes`.replace(/ +/g, ' '),
    );
    expect(run.code, run.stderr).toBe(3);
    const results = home.read('list.results.csv');
    home.write('list.results.csv', results.replace('person1', 'person2'));
    const [, command = ''] = /\(completed rows are skipped\): (.*)/.exec(run.stderr) ?? [];
    const corrected = await home.json<BulkResult>(shellWords(command).slice(1));
    expect([corrected.code, corrected.data], corrected.stderr).toMatchObject([0, { submitted: 1 }]);
  });

  it('does not submit the rows of a prepared file twice, even from another machine', async () => {
    home.write('people.csv', people(10));
    expect((await home.run('dsr prepare people.csv --regulation gdpr --type access --out ready.csv')).code).toBe(0);
    const submit = BULK.replace('people.csv', 'ready.csv');
    expect((await home.json<BulkResult>(submit)).data).toMatchObject({ submitted: 10 });
    const elsewhere = { env: { CDPADM_STATE_DIR: join(home.cwd, 'elsewhere') } };
    const again = await home.json<BulkResult>(`${submit} --results other.csv`, elsewhere);
    // Without the ledger, nothing proves that the requests with these ids are ours.
    expect(again.data).toMatchObject({ submitted: 0, existing: 0, failed: 0, unknown: 10 });
    const copy = submit.replace('ready.csv', 'copy.csv');
    home.write('copy.csv', `${home.read('ready.csv')}\n`);
    expect((await home.json<BulkResult>(copy)).data).toMatchObject({ submitted: 0, existing: 10, failed: 0 });
    expect(await countOnPlatform(10)).toBe(10);
  });
});

describe('dsr submit --bulk with faults', () => {
  it.each([422, 401])('neither shows nor stores an identity that a %i response quotes', async (status) => {
    home.write('people.csv', 'regulation,email\ngdpr,Jane.Roe@Example.org\n');
    const server = await opened(startFaultServer());
    const message = 'no Jane.Roe@Example.org, jane.roe@example.org or JANE.ROE%40example.org';
    server.otherwise(json({ code: status, message }, { status, headers: { 'x-reason': message } }));
    home.env.CDPADM_DSR_BASE_URL = server.url;
    const bulk = 'dsr submit --bulk people.csv --type access --yes --trace-file trace.ndjson --debug';
    const { code, stderr, stdout } = await home.run(bulk);
    expect(code).not.toBe(0);
    const texts = [stderr, stdout, home.read('trace.ndjson'), stateTexts()].join('');
    expect(texts).toContain('no ********');
    expect(texts).not.toMatch(/roe/i);
  });

  it('submits every row exactly once even if more than a quarter of the requests fail', async () => {
    home.write('people.csv', people(200));
    home.defaults.clock = createFastClock(1000);
    const fault = { method: 'POST', path: '/v3/requests/' };
    for (const more of [{ drop: 'after' as const }, { drop: 'before' as const }, { status: 503 }]) {
      await home.platform.api.addFault({ ...fault, ...more, probability: 0.1 });
    }
    const run = await home.json<BulkResult>(BULK);
    await home.platform.api.clearFaults();
    // In about one run in forty, all five attempts to submit a row fail. The row is then unknown until `--resume`
    // confirms it.
    if (run.data.unknown > 0) {
      expect([run.code, run.data.failed], run.stderr).toEqual([3, 0]);
      expect((await home.run(`${BULK} --resume`)).code).toBe(0);
    } else {
      expect(run.code, run.stderr).toBe(0);
    }
    expect(await countOnPlatform(200)).toBe(200);
    expect(new Set(ids()).size).toBe(200);
  });

  it('stops in an outage after the time set by --give-up-after, and can be resumed', async () => {
    home.write('people.csv', people(300));
    await home.platform.api.addFault({ method: 'POST', path: '/v3/requests/', drop: 'before' });
    await home.platform.api.addFault({ method: 'GET', path: '/v3/requests/*', drop: 'before' });
    home.defaults.clock = createFastClock(1000);
    const down = await home.run(`${BULK} --give-up-after 1m`);
    expect([7, 8]).toContain(down.code);
    expect(down.stderr).toMatch(/No request succeeded for .*; --give-up-after .*\n.* --give-up-after 1m .*--resume/);
    const sent = (await home.platform.api.requests()).filter(({ path }) => path.startsWith('/v3/requests')).length;
    expect(sent).toBeLessThanOrEqual(30);
    await home.platform.api.clearFaults();
    const { code, data } = await home.json<BulkResult>(`${BULK} --resume`);
    expect([code, data.submitted]).toEqual([0, 300]);
    expect(await countOnPlatform(300)).toBe(300);
  });

  it.each(['0', '1s', '1m'])(
    'names the rows with an unknown outcome if responses are lost and --give-up-after is %s',
    async (limit) => {
      home.write('people.csv', people(3));
      await home.platform.api.addFault({ method: 'POST', path: '/v3/requests/', drop: 'after' });
      await home.platform.api.addFault({ method: 'GET', path: '/v3/requests/*', status: 503 });
      home.defaults.clock = createFastClock(1000);
      const { code, error } = await home.json(`${BULK} --concurrency 1 --give-up-after ${limit}`);
      expect([code, error.message]).toEqual([8, expect.stringMatching(/outcome of 2 rows is unknown: rows 1, 2\.$/)]);
      expect(error.hint).toContain(`--give-up-after ${limit} --yes --resume`);
      expect(error).toMatchObject({ progress: { left: 1, unknown: 2, resume: expect.any(String) as string } });
      expect((await home.json<unknown[]>('dsr ledger export')).data).toHaveLength(2);
      await home.platform.api.clearFaults();
      expect((await home.json<BulkResult>(`${BULK} --resume`)).data).toMatchObject({ submitted: 3 });
      expect(await countOnPlatform(3)).toBe(3);
    },
  );

  it('counts the requests of a run that ends before any row is complete', async () => {
    home.write('people.csv', people(3));
    await home.platform.api.addFault({ method: 'POST', path: '/v3/requests/', status: 403 });
    const { code, error } = await home.json(`${BULK} --concurrency 1`);
    expect([code, error]).toEqual([4, expect.objectContaining({ code: 'http.forbidden' })]);
    expect(error).toMatchObject({ progress: { submitted: 0, left: 3, requests: 1, retries: 0 } });
  });

  it('reports no unknown outcome if no request could reach the platform', async () => {
    home.write('people.csv', people(3));
    home.env.CDPADM_DSR_BASE_URL = 'http://127.0.0.1:9/v3';
    home.defaults.clock = createFastClock(1000);
    const { code, error } = await home.json(`${BULK} --give-up-after 0`);
    expect([code, error.message]).toEqual([8, expect.stringMatching(/ 0 of 3 rows are complete\.$/)]);
  });

  it.each(['--type erasure', '--regulation ccpa', '--null none'])(
    'does not resume a run with a different row flag: %s',
    async (flag) => {
      home.write('people.csv', 'email\na@example.com\n');
      await home.platform.api.addFault({ method: 'POST', path: '/v3/requests/', drop: 'after', times: 1 });
      await home.platform.api.addFault({ method: 'GET', path: '/v3/requests/*', drop: 'before' });
      const fast = { clock: createFastClock(100) };
      expect(await home.run(`${BULK} --give-up-after 0`, fast)).toMatchObject({ code: 8 });
      await home.platform.api.clearFaults();
      const sent = (await home.writes()).length;
      const other = BULK.replace(new RegExp(`${flag.split(' ')[0] ?? ''} \\w+ `), '');
      const { code, error } = await home.json(`${other} ${flag} --resume`);
      expect([code, error.message]).toEqual([2, expect.stringContaining('The earlier run had different flags')]);
      const unresumed = await home.json(`${other} ${flag}`);
      expect([unresumed.code, unresumed.error.hint]).toEqual([
        12,
        expect.stringContaining('pass --resume and the same row flags as in that run.'),
      ]);
      expect(await home.writes()).toHaveLength(sent);
    },
  );

  describe.each([
    ['more', '--map id=other2', '--headerless --columns other2'],
    ['fewer', '--headerless --columns other2', '--map id=other2'],
  ])('if other flags read %s rows from the same content', (_what, first, second) => {
    const line = 'dsr submit --bulk people.csv --regulation gdpr --type access --yes';
    beforeEach(() => home.write('people.csv', 'id\na1\na2\n'));

    it('does not continue a run that sent rows', async () => {
      const { data } = await home.json<BulkResult>(`${line} ${first}`);
      const again = await home.json(`${line} ${second}`);
      expect([again.code, again.error.code]).toEqual([12, 'dsr.bulk_again']);
      const resumed = await home.json(`${line} ${second} --resume`);
      expect([resumed.code, resumed.error.message]).toEqual([2, expect.stringContaining('had different flags')]);
      expect(await home.received('POST', '/v3')).toBe(data.rows);
    });

    it('discards a run that sent nothing', async () => {
      await home.platform.api.addFault({ method: 'POST', path: '/v3/requests/', status: 401 });
      expect(await home.run(`${line} ${first}`)).toMatchObject({ code: 4 });
      await home.platform.api.clearFaults();
      const { code, data } = await home.json<BulkResult>(`${line} ${second}`);
      expect([code, data.submitted]).toEqual([0, data.rows]);
    });
  });

  it('prints, on Ctrl-C, the command that resumes the run and submits the remaining rows', async () => {
    home.write('people.csv', people(300));
    const stop = new AbortController();
    const interruptedRun = await home.run([...BULK.split(' '), '--progress', 'json'], {
      stop,
      onOutput: (_stdout, stderr) => {
        if (/"done":\d/.test(stderr)) stop.abort(interrupted());
      },
    });
    expect(interruptedRun.code).toBe(130);
    expect(interruptedRun.stderr).toContain(
      'To continue: cdpadm dsr submit --regulation gdpr --type access --bulk people.csv --yes --resume\n',
    );
    const { code, data } = await home.json<BulkResult>(`${BULK} --resume`);
    expect(code).toBe(0);
    expect(data.skipped).toBeGreaterThan(0);
    expect(data.skipped + data.submitted).toBe(300);
    expect(await countOnPlatform(300)).toBe(300);
  });
});
