// Resumes runs that earlier releases started and `kill -9` stopped. test/data/journals contains the files that these
// runs left on disk.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createDsrHome } from '../helpers/dsr-home.ts';
import { basicAuth } from '../helpers/emulator.ts';
import { root } from '../helpers/root.ts';
import { type BulkJson, startSeeding } from '../helpers/seeding-home.ts';

const RELEASES = ['0.1.0', '0.2.0'];
const fixture = (release: string, name: string): string =>
  readFileSync(join(root, 'test/data/journals', release, name), 'utf8');

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

function writePrivately(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, text, { mode: 0o600 });
}

/** Writes a release's inputs to `folder`, and its journal to `path` under `name`. */
function restore(release: string, folder: string, journal: string, name: string, path: string): void {
  for (const file of ['people.csv', 'users.ndjson', 'users.ndjson.rejects.ndjson'])
    writeFileSync(join(folder, file), fixture(release, file), { mode: 0o600 });
  const modified = 1_795_708_202;
  utimesSync(join(folder, 'users.ndjson'), modified, modified);
  writePrivately(join(path, name), fixture(release, journal).replaceAll('@FOLDER@', folder));
}

it.each(RELEASES)('resumes a bulk submission that release %s started, with the same request ids', async (release) => {
  const home = await createDsrHome();
  onTestFinished(() => home.close());
  const { CDPADM_DSR_BASE_URL: address = '', CDPADM_STATE_DIR: state = '', CDPADM_WORKSPACE_ID: id = '' } = home.env;
  const digest = sha256(fixture(release, 'people.csv'));
  const name = `${sha256(JSON.stringify([digest, address, id])).slice(0, 32)}.ndjson`;
  restore(release, home.cwd, 'dsr.ndjson', name, join(state, 'dsr', 'bulk'));
  const [head, ...journal] = fixture(release, 'dsr.ndjson')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown) as [
    { submitted_time: string },
    ...{ p?: [number, string][]; d?: [number, string][] }[],
  ];
  const ids = journal.flatMap(({ p = [] }) => p.map(([, planned]) => planned));
  const completed = journal.flatMap(({ d = [] }) => d).length;
  // Two more requests arrived, but their outcomes were not recorded.
  const people = fixture(release, 'people.csv').split('\n');
  const credentials = basicAuth(`${home.env.CDPADM_WORKSPACE_KEY}:${home.env.CDPADM_WORKSPACE_SECRET}`);
  for (const [index, arrived] of ids.slice(0, completed + 2).entries()) {
    const email = people[index + 1]?.split(',')[0];
    const { status } = await home.platform.send('POST', '/v3/requests/', {
      headers: credentials,
      body: {
        regulation: 'gdpr',
        subject_request_id: arrived,
        subject_request_type: 'access',
        submitted_time: head.submitted_time,
        subject_identities: { email: { value: email, encoding: 'raw' } },
        group_id: 'g',
      },
    });
    expect(status).toBe(201);
  }
  const { code, data, stderr } = await home.json<{ submitted: number; skipped: number }>(
    'dsr submit --bulk people.csv --regulation gdpr --type access --yes --resume',
  );
  expect([code, data.submitted, data.skipped], stderr).toEqual([0, ids.length - completed, completed]);
  const listed = await home.json<{ subject_request_id: string }[]>('dsr list --group-id g');
  expect(listed.data.map((it) => it.subject_request_id).sort()).toEqual([...ids].sort());
  const results = home.read('people.csv.results.csv').trimEnd().split('\n').slice(1);
  expect(results.map((line) => line.split(',')[2])).toEqual(ids);
});

it.each(RELEASES)('resumes a seeding run that release %s started, from its last checkpoint', async (release) => {
  const seeding = await startSeeding();
  onTestFinished(() => seeding.close());
  const env = { CDPADM_WORKSPACE_ID: '3001', CDPADM_ENVIRONMENT: 'development' };
  const key = [seeding.sink.url, '3001', 'development', join(seeding.folder, 'users.ndjson'), ''];
  const name = `${sha256(JSON.stringify(key)).slice(0, 24)}.json`;
  restore(release, seeding.folder, 'seed.json', name, join(seeding.folder, '..', 'state', 'seed'));
  const { mark } = JSON.parse(fixture(release, 'seed.json')) as { mark: { position: number } };
  const { code, result, stderr } = await seeding.bulk(['users.ndjson', '--resume'], { env });
  expect(code, stderr).toBe(3);
  expect(result).toMatchObject({ rows: 40, accepted: 39, rejected: 1 } satisfies Partial<BulkJson>);
  const rest = Array.from({ length: 40 - mark.position }, (_, index) => mark.position + index + 1);
  expect(seeding.users().map(({ xpid }) => xpid)).toEqual(rest);
  expect(readFileSync(result.rejects ?? '', 'utf8')).toBe(fixture(release, 'users.ndjson.rejects.ndjson'));
});
