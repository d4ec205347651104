// Inputs of both bulk commands: files, folders and lists of files. Messages about a row name its file.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gzipSync } from 'node:zlib';
import { writeFileSync } from 'node:fs';
import { createDsrHome } from '../helpers/dsr-home.ts';
import type { PlatformHome } from '../helpers/platform-home.ts';

let home: PlatformHome;
beforeAll(async () => {
  home = await createDsrHome();
});
afterAll(() => home.close());

const DSR = 'dsr submit --regulation gdpr --type access --yes --bulk';
const email = (name: string): string => `email\n${name}@example.com\n`;

function write(name: string, content: string | Uint8Array): void {
  mkdirSync(join(home.cwd, name, '..'), { recursive: true });
  writeFileSync(join(home.cwd, name), content);
}

describe('dsr submit --bulk', () => {
  it("keeps the input's byte order mark and line endings in the results file", async () => {
    write('excel.csv', '\ufeffE-Mail;Note;\r\nr1@example.com;"a;b";\r\n;;\r\n');
    const flags = ['--source', 'excel', '--map', 'E-Mail=email', '--map', 'Note=-'];
    expect((await home.run([...`${DSR} excel.csv`.split(' '), ...flags])).code).toBe(0);
    expect(home.read('excel.csv.results.csv')).toMatch(
      /^\ufeffE-Mail;Note;;subject_request_id;status;error\r\nr1@example\.com;"a;b";;[^\n]*;submitted;\r\n$/,
    );
    // The results file can be an input.
    const again = await home.json([...`${DSR} excel.csv.results.csv`.split(' '), ...flags]);
    expect([again.code, again.data], again.stderr).toMatchObject([0, { skipped: 1 }]);
  });

  it('reads a file without a header', async () => {
    write('bare', 'h1@example.com|g\nh2@example.com|g\n');
    const { code, data } = await home.json(`${DSR} bare --delimiter pipe --headerless --columns email,group_id`);
    expect([code, data]).toMatchObject([0, { submitted: 2 }]);
    expect(home.read('bare.results.csv')).toMatch(/^email\|group_id\|subject_request_id.*\nh1@example\.com\|g\|/);
    const usage = ['--headerless', '--delimiter :', '--source oracle'];
    for (const flags of usage) expect((await home.run(`${DSR} bare ${flags}`)).code, flags).toBe(2);
  });
});

it.each([DSR, 'seed bulk --yes', 'seed validate', 'seed inspect'])(
  'rejects the manifest of a Redshift UNLOAD as an input of `%s`, and suggests --files-from',
  async (line) => {
    write('manifest', '{"entries": [\n  {"url": "s3://bucket/part-0", "mandatory": true}]}');
    const { code, error } = await home.json(`${line} manifest`);
    expect([code, error]).toMatchObject([9, { hint: 'Pass it with --files-from.' }]);
  },
);

describe('an input without rows', () => {
  it.each<[string, string, string | Uint8Array]>([
    ['an empty CSV file', 'empty.csv', ''],
    ['a byte order mark', 'mark.csv', '\ufeff'],
    ['empty lines', 'lines.csv', '\n\r\n'],
    ['a header', 'header.csv', 'xpid\n'],
    ['an empty NDJSON file', 'empty.ndjson', ''],
    ['an empty array', 'empty.json', '[]'],
    ['an empty gzip file', 'empty.csv.gz', gzipSync('')],
    ['an empty file without an extension', 'empty', ''],
  ])('is not an error: %s', async (_what, name, content) => {
    write(name, content);
    const env = { CDPADM_ENVIRONMENT: 'development' };
    const warning = `Warning: ${name} has no rows.`;
    for (const line of [`${DSR} ${name}`, `seed bulk ${name} --yes`]) {
      // The second run is not rejected as a repeat of the first one.
      for (let run = 0; run < 2; run++) {
        const { code, stderr, stdout } = await home.run(`${line} -o json`, { env });
        // Nothing was sent, so there is no journal to show.
        const nothing = { rows: 0, requests: 0, journal: line.startsWith('seed') ? null : '' };
        expect([code, JSON.parse(stdout)], stderr).toMatchObject([0, nothing]);
      }
      const { stderr } = await home.run(line, { env });
      expect(stderr).toContain(warning);
    }
    const checked = await home.run(`seed validate ${name}`, { env });
    expect([checked.code, checked.stdout]).toEqual([0, `${name}: 0 rows, all valid.\n`]);
    const inspected = await home.run(`seed inspect ${name}`, { env });
    expect([inspected.code, inspected.stdout]).toEqual([0, expect.stringMatching(/, 0 rows\n/)]);
    const prepared = `dsr prepare ${name} --regulation gdpr --type access --out ${name}.ready`;
    expect((await home.run(prepared)).code).toBe(0);
  });

  it('does not change how the other inputs are read', async () => {
    for (const [at, names] of [
      ['x', 'none.csv some.csv'],
      ['y', 'some.csv none.csv'],
    ] as const) {
      write('none.csv', '');
      write('some.csv', email(at));
      const { code, data } = await home.json(`${DSR} ${names} --results ${at}.csv`);
      expect([code, data]).toMatchObject([0, { submitted: 1 }]);
      expect(home.read(`${at}.csv`)).toMatch(/^email,subject_request_id,status,error\n[xy]@/);
    }
  });
});

describe('dsr submit --bulk with several inputs', () => {
  it('submits them in one run and names the results file after the first input', async () => {
    write('several/a.csv', email('a'));
    write('several/b.csv.gz', gzipSync(email('b')));
    write('several/_SUCCESS', '');
    const run = await home.json<{ rows: number; submitted: number; results: string }>(`${DSR} several`);
    expect([run.code, run.data.rows, run.data.submitted], run.stderr).toEqual([0, 2, 2]);
    expect(run.data.results).toBe(join(home.cwd, 'several/a.csv.results.csv'));
    expect(home.read('several/a.csv.results.csv')).toMatch(/^email,subject_request_id,status,error\na@.*\nb@.*\n$/);
    // The same files are recognized as the same run, whether they are passed by name or as a folder.
    const again = await home.run(`${DSR} several/a.csv several/b.csv.gz`);
    expect([again.code, again.stderr]).toEqual([12, expect.stringContaining('a.csv and 1 other input')]);
  });

  it('accepts a file that lists the inputs, or several arguments after one flag', async () => {
    write('list/1.csv', email('l1'));
    write('list/2.csv', email('l2'));
    write('names', 'list/1.csv\nlist/2.csv\n');
    for (const line of [DSR, DSR.replace(' --bulk', '')]) {
      const { data } = await home.json(`${line} --files-from names -n`);
      expect(data).toMatchObject({ plan: { rows: 2 } });
    }
    const both = await home.json(`dsr submit --bulk list/1.csv list/2.csv --regulation gdpr --type access -n`);
    expect(both.data).toMatchObject({ plan: { rows: 2 } });
  });

  it('reports the file, line and column of an invalid row, and sends nothing', async () => {
    const sent = await home.received('POST', '/v3/requests/');
    write('fault/1.csv', email('f1'));
    write('fault/2.csv', 'email\nf2@example.com\nf3@example.com,x\n');
    write('fault/3.csv', 'mail\nf4@example.com\n');
    const invalid = await home.json(`${DSR} fault/1.csv fault/2.csv`);
    expect([invalid.code, invalid.error.issues]).toMatchObject([9, [{ file: 'fault/2.csv', line: 3, column: 16 }]]);
    const columns = await home.json(`${DSR} fault/1.csv fault/3.csv`);
    expect(columns.error.issues).toMatchObject([
      { file: 'fault/3.csv', line: 1, message: 'has `mail`; fault/1.csv has `email`' },
    ]);
    write('fault/4.ndjson', '{"email":"f5@example.com"}\n');
    expect((await home.json(`${DSR} fault/1.csv fault/4.ndjson`)).error.issues).toMatchObject([
      { file: 'fault/4.ndjson', message: 'has no columns (JSON); fault/1.csv has `email`' },
    ]);
    expect(await home.received('POST', '/v3/requests/')).toBe(sent);
  });

  it('stops when more rows are rejected than --max-errors allows', async () => {
    const people = Array.from({ length: 20 }, (_, index) => email(`x${index}`).split('\n')[1]);
    write('limit.csv', `email\n${people.join('\n')}\n`);
    await home.platform.api.addFault({ method: 'POST', path: '/v3/requests/', status: 400 });
    const { code, stderr } = await home.run(`${DSR} limit.csv --max-errors 3 --concurrency 1`);
    await home.platform.api.clearFaults();
    expect([code, stderr]).toEqual([3, expect.stringMatching(/Stopped: 4 of 4 rows were rejected.*--max-errors/s)]);
  });
});
