// Seeding and intake commands require a protected profile's name before they send anything, even if `--yes` is set.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Seeding, startSeeding, userRow, userRows } from '../../helpers/seeding-home.ts';

let seeding: Seeding;
beforeEach(async () => {
  seeding = await startSeeding();
  seeding.write('.cdpadm.yaml', 'protected: true\n');
  seeding.write('users.ndjson', userRows(3));
  seeding.write('user.json', userRow(1));
  seeding.write(
    'event.json',
    '{"environment":"production","user_identities":{"email":"a@b.c"},"events":[{"event_type":"screen_view","data":{}}]}',
  );
  seeding.write('identify.json', '{"environment":"production","user_identities":{"email":"a@b.c"}}');
});
afterEach(() => seeding.close());

const run = (line: string) => seeding.run(line.split(' '), { env: { CDPADM_PROFILE: 'local' } });

test.each([
  'seed bulk users.ndjson',
  'seed set -f user.json',
  'intake event -f event.json',
  'intake identify -f identify.json',
])('exits with 12 and sends nothing unless --confirm names the profile: %s', async (line) => {
  for (const answer of ['', ' --yes', ' --no-input', ' --confirm remote', ' --yes --confirm remote']) {
    const { code, stderr } = await run(line + answer);
    expect(code, answer).toBe(12);
    expect(stderr).toContain('local (protected)');
    expect(stderr).toContain('--confirm local');
  }
  expect(seeding.sink.requests).toBe(0);
  expect((await run(`${line} --dry-run`)).code).toBe(0);
  expect(seeding.sink.requests).toBe(0);
  expect((await run(`${line} --confirm local`)).code).toBe(0);
  expect(seeding.sink.requests).toBe(1);
});

test('reports an invalid header before it prompts for the name', async () => {
  seeding.write('users.csv', 'xpid,Orders\n1,2\n');
  const { code, stderr } = await run('seed bulk users.ndjson users.csv --no-input');
  expect(code).toBe(9);
  expect(stderr).toContain('users.csv:1: Orders: ');
  expect(stderr).not.toContain('protected');
});

test('does not prompt for a run that will be rejected, and keeps the journal and the rejects file until a new run is confirmed', async () => {
  seeding.write('users.ndjson', `${userRow(1)}\n${userRow('"x"')}\n`);
  expect((await run('seed bulk users.ndjson --confirm local')).code).toBe(3);
  const rejects = join(seeding.folder, 'users.ndjson.rejects.ndjson');
  const kept = readFileSync(rejects, 'utf8');

  const again = await run('seed bulk users.ndjson');
  expect(again.stderr).toContain('These files have already been sent (1 row accepted, 1 rejected)');
  expect(again.stderr).not.toContain('type its name');

  const restarted = await run('seed bulk users.ndjson --restart');
  expect([restarted.code, readFileSync(rejects, 'utf8')]).toEqual([12, kept]);
  expect((await run('seed bulk users.ndjson')).stderr).toContain('These files have already been sent');
  // Every row is already complete, so there is nothing to confirm.
  expect((await run('seed bulk users.ndjson --resume')).code).toBe(3);

  expect((await run('seed bulk users.ndjson --restart --confirm local')).code).toBe(3);
  expect([existsSync(rejects), seeding.sink.rows]).toEqual([true, 2]);
});
