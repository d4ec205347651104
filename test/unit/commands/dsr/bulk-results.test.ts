// `dsr bulk-results`: bulk runs of several files, joined as if they had been one run.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createDsrHome } from '../../../helpers/dsr-home.ts';
import type { PlatformHome } from '../../../helpers/platform-home.ts';

let home: PlatformHome;
beforeEach(async () => {
  home = await createDsrHome();
});
afterEach(() => home.close());

/** Submits a file of `count` people and keeps what the run printed. */
async function submit(part: string, count: number): Promise<number> {
  const rows = Array.from({ length: count }, (_, index) => `${part}${index}@example.com`);
  home.write(`${part}.csv`, `email\n${rows.join('\n')}\n`);
  const line = `dsr submit --bulk ${part}.csv --regulation gdpr --type access --yes -o json`;
  const { code, stderr, stdout } = await home.run(line);
  home.write(`${part}.json`, stdout + stderr);
  return code;
}

const JOIN = 'dsr bulk-results a.json b.json';

it('adds up the counts of all parts', async () => {
  expect([await submit('a', 5), await submit('b', 3)]).toEqual([0, 0]);
  const { code, data } = await home.json(JOIN);
  expect(code).toBe(0);
  expect(data).toMatchObject({
    ...{ rows: 8, submitted: 8, failed: 0, unknown: 0, requests: 8, parts: 2, complete: 2 },
    ...{ missing_parts: [], failed_parts: [], again: [] },
    results: [expect.stringContaining('a.csv.results.csv'), expect.stringContaining('b.csv.results.csv')] as unknown[],
  });
});

it('names the parts without a result, and the command that submits them', async () => {
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

it('exits with the code of the error that ended a part', async () => {
  await submit('a', 2);
  await home.platform.api.addFault({ method: 'POST', path: '/v3/requests/', status: 401 });
  expect(await submit('b', 2)).toBe(4);
  const { code, data } = await home.json<{ again: string[] }>(JOIN);
  expect(code).toBe(4);
  expect(data).toMatchObject({ rows: 4, submitted: 2, complete: 1, failed_parts: ['b.csv'] });
  expect(data.again).toEqual([expect.stringMatching(/--bulk b\.csv .*--yes --resume -o json$/)]);
});
