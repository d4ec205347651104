// `dsr bulk-results`: bulk runs of several files, combined as if they had been one run.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createDsrHome } from '../../helpers/dsr-home.ts';
import type { PlatformHome } from '../../helpers/platform-home.ts';

let home: PlatformHome;
beforeEach(async () => {
  home = await createDsrHome();
});
afterEach(() => home.close());

/** Submits a file of `count` people, or of the given people, and saves the run's output. */
async function submit(part: string, people: number | string[]): Promise<number> {
  const rows =
    typeof people === 'number' ? Array.from({ length: people }, (_, index) => `${part}${index}@example.com`) : people;
  home.write(`${part}.csv`, `email\n${rows.join('\n')}\n`);
  const line = `dsr submit --bulk ${part}.csv --regulation gdpr --type access --yes -o json`;
  const { code, stderr, stdout } = await home.run(line);
  home.write(`${part}.json`, stdout + stderr);
  return code;
}

const JOIN = 'dsr bulk-results a.json b.json';

it('adds up the counts of all parts of a bulk submission', async () => {
  expect([await submit('a', 5), await submit('b', 3)]).toEqual([0, 0]);
  const { code, data } = await home.json(JOIN);
  expect(code).toBe(0);
  expect(data).toMatchObject({
    ...{ rows: 8, submitted: 8, failed: 0, unknown: 0, requests: 8, parts: 2, complete: 2 },
    ...{ missing_parts: [], failed_parts: [], again: [] },
    results: [expect.stringContaining('a.csv.results.csv'), expect.stringContaining('b.csv.results.csv')] as unknown[],
  });
});

it('lists the parts without a result, and prints the command that submits them', async () => {
  await submit('a', 2);
  home.write('b.json', '');
  home.write('b.csv', 'email\nb0@example.com\n');
  const { code, data } = await home.json<{ again: string[] }>([...JOIN.split(' '), '--parts', '?.csv']);
  expect(code).toBe(1);
  expect(data).toMatchObject({ parts: 2, complete: 1, missing_parts: ['b.csv'] });
  expect(data.again).toEqual(['cdpadm dsr submit --regulation gdpr --type access --bulk b.csv --yes --resume -o json']);
  const { stdout } = await home.run(`${data.again[0]?.slice('cdpadm '.length) ?? ''} -o json`);
  home.write('b.json', stdout);
  expect(await home.json(JOIN)).toMatchObject({ code: 0, data: { rows: 3, complete: 2 } });
});

it('exits with the exit code of a part that failed', async () => {
  await submit('a', 2);
  await home.platform.api.addFault({ method: 'POST', path: '/v3/requests/', status: 401 });
  expect(await submit('b', 2)).toBe(4);
  const { code, data } = await home.json<{ again: string[] }>(JOIN);
  expect(code).toBe(4);
  expect(data).toMatchObject({ rows: 4, submitted: 2, left: 2, complete: 1, failed_parts: ['b.csv'] });
  expect(data).toMatchObject({ errors: [{ part: 'b.csv', code: 'http.unauthorized', correct_first: false }] });
  expect(data.again).toEqual([expect.stringMatching(/--bulk b\.csv .*--yes --resume -o json$/)]);
});

it('reports an invalid part and its first issue until the corrected part is submitted', async () => {
  await submit('a', 2);
  expect(await submit('b', ['b0@example.com', 'NULL'])).toBe(9);
  const first = await home.json<{ errors: { message: string }[] }>([...JOIN.split(' '), '--parts', '?.csv']);
  expect(first.code).toBe(9);
  expect(first.data).toMatchObject({
    ...{ rows: 2, submitted: 2, parts: 2, complete: 1, missing_parts: [], failed_parts: ['b.csv'], again: [] },
    errors: [{ part: 'b.csv', code: 'input.invalid', correct_first: true }],
  });
  expect(first.data.errors[0]?.message).toMatch(/^b\.csv cannot be submitted: .*First issue: b\.csv:3:1: email: /);
  const { stderr } = await home.run(JOIN);
  expect(stderr).toContain('Part b.csv failed: b.csv cannot be submitted');
  expect(stderr).toMatch(/Correct the invalid input first\. .*\n\s+cdpadm dsr submit .*--bulk b\.csv/);

  const rejected = home.read('b.json');
  await submit('b', 1);
  home.write('c.json', rejected);
  const last = await home.run(`${JOIN} c.json`);
  expect(last.code).toBe(0);
  expect(last.stderr).toContain('c.json:1: this error for b.csv is ignored, because the input has another result');
});

it('prints the name of the file that contains the rejected rows', async () => {
  await submit('a', 1);
  expect(await submit('b', ['b0@example.com', 'a0@example.com'])).toBe(3);
  const { code, stderr } = await home.run(JOIN);
  expect([code, stderr]).toEqual([3, expect.stringMatching(/1 row was rejected; .*b\.csv\.results.*Fix it there/)]);
});
