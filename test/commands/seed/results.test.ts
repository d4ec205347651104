// `seed results`: the shards of a run, combined as if they had been one run.
import { appendFileSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { type Seeding, startSeeding, userRow, userRows } from '../../helpers/seeding-home.ts';
import type { Answer } from '../../helpers/seed-sink.ts';

interface Joined {
  rows: number;
  accepted: number;
  rejected: number;
  shards: number;
  complete: number;
  missing: number[];
  failed: number[];
  again: string[];
  rejects: string[];
}

let seeding: Seeding | undefined;
afterEach(async () => {
  await seeding?.close();
  seeding = undefined;
});

/** Runs these shards and stores the output of each in `results`. */
async function shards(numbers: readonly number[], count: number, file: string, answer?: Answer, flags: string[] = []) {
  const it = (seeding ??= await startSeeding(answer));
  mkdirSync(join(it.folder, 'results'), { recursive: true });
  const codes: number[] = [];
  for (const number of numbers) {
    const shard = `${number}/${count}`;
    const { code, stdout, stderr } = await it.run([
      'seed',
      'bulk',
      file,
      '--shard',
      shard,
      '--yes',
      '-o',
      'json',
      ...flags,
    ]);
    writeFileSync(join(it.folder, 'results', `${number}.json`), stdout);
    writeFileSync(join(it.folder, 'results', `${number}.err.json`), stderr);
    codes.push(code);
  }
  return { it, codes };
}

async function joined(it: Seeding, ...args: string[]) {
  const { code, stdout, stderr } = await it.run(['seed', 'results', 'results', '-o', 'json', ...args]);
  return { code, stderr, result: (stdout === '' ? {} : JSON.parse(stdout)) as Joined };
}

async function startWith(content: string, answer?: Answer): Promise<string> {
  seeding = await startSeeding(answer);
  return seeding.write('users.ndjson', content);
}

test('adds up the counts of complete shards and exits with 0', async () => {
  const { it } = await shards([1, 2, 3], 3, await startWith(userRows(1000)));
  const { code, result } = await joined(it);
  expect(code).toBe(0);
  expect(result).toMatchObject({ rows: 1000, accepted: 1000, rejected: 0, shards: 3, complete: 3 });
  expect([result.missing, result.failed, result.again, result.rejects]).toEqual([[], [], [], []]);
  expect(result).toHaveProperty('target.workspace_id', '5001');
});

test('prints the missing shards and the commands that complete the run', async () => {
  const { it } = await shards([1, 4], 4, await startWith(userRows(1000)), undefined, ['--rejects', 'mine.ndjson']);
  const { code, result } = await joined(it);
  expect([code, result.missing, result.complete]).toEqual([1, [2, 3], 2]);
  expect(result.again).toEqual([
    'cdpadm seed bulk users.ndjson --shard 2/4 --yes --resume -o json',
    'cdpadm seed bulk users.ndjson --shard 3/4 --yes --resume -o json',
  ]);
  for (const [index, command] of result.again.entries()) {
    const { stdout } = await it.run([...command.split(' ').slice(1), '-o', 'json']);
    it.write(`results/more-${index}.json`, stdout);
  }
  expect(await joined(it)).toMatchObject({ code: 0, result: { rows: 1000, accepted: 1000, complete: 4, missing: [] } });
  expect(it.sink.rows).toBe(1000);
});

test("includes the rows that a failed shard sent, and exits with that shard's exit code", async () => {
  let isDown = false;
  const answer: Answer = () => (isDown ? { status: 401 } : { status: 202 });
  const file = await startWith(userRows(1000), answer);
  const { it } = await shards([1], 2, file);
  isDown = true;
  expect((await shards([2], 2, file)).codes).toEqual([4]);
  const { code, result } = await joined(it);
  expect([code, result.complete, result.failed, result.missing]).toEqual([4, 1, [2], []]);
  expect(result.again).toEqual(['cdpadm seed bulk users.ndjson --shard 2/2 --yes --resume -o json']);
  // A later result of a shard replaces the shard's earlier error.
  isDown = false;
  const { stdout } = await it.run(['seed', 'bulk', file, '--shard', '2/2', '--yes', '--resume', '-o', 'json']);
  it.write('results/2-again.json', stdout);
  expect(await joined(it)).toMatchObject({ code: 0, result: { rows: 1000, failed: [], again: [] } });
});

test('merges the rejects files into one private file, even if they were moved next to the results', async () => {
  const rows = [userRow(1), '{"bad": 1}', userRow(2), userRow(3), '{"bad": 2}'].map((row) => `${row.padEnd(250)}\n`);
  const { it, codes } = await shards([1, 2], 2, await startWith(rows.join('')));
  expect(codes).toEqual([3, 3]);
  const { code, result } = await joined(it, '--rejects', 'all.ndjson');
  expect([code, result.rejected, result.rejects.length]).toEqual([3, 2, 2]);
  const text = readFileSync(join(it.folder, 'all.ndjson'), 'utf8');
  expect(text.match(/"bad": \d/g)).toEqual(['"bad": 1', '"bad": 2']);
  expect(statSync(join(it.folder, 'all.ndjson')).mode & 0o777).toBe(0o600);
  expect(await joined(it, '--rejects', 'all.ndjson')).toMatchObject({ code: 2 });

  for (const shard of [1, 2]) {
    const name = `users.ndjson.${shard}-of-2.rejects.ndjson`;
    renameSync(join(it.folder, name), join(it.folder, 'results', name));
  }
  expect((await joined(it, '--rejects', 'moved.ndjson')).code).toBe(3);
  expect(readFileSync(join(it.folder, 'moved.ndjson'), 'utf8')).toBe(text);
});

test('merges a rejects file that was changed before its shard was resumed', async () => {
  const file = await startWith(`${userRow(1)}\n{"bad": 1}\n`);
  const { it } = await shards([1], 1, file);
  appendFileSync(join(it.folder, 'users.ndjson.1-of-1.rejects.ndjson'), '{"bad": 2}\n');
  await shards([1], 1, file, undefined, ['--resume']);
  expect(await joined(it, '--rejects', 'all.ndjson')).toMatchObject({ code: 3, result: { rejected: 1 } });
  expect(readFileSync(join(it.folder, 'all.ndjson'), 'utf8').match(/"bad": \d/g)).toEqual(['"bad": 1', '"bad": 2']);
});

test('ignores lines that are not results, but rejects a file without any result, and results of different runs', async () => {
  const file = await startWith(userRows(100));
  const { it } = await shards([1], 2, file);
  it.write('results/other.json', '{"rows": 1}\n{"error": {"message": "it failed before it began"}}\n{\n"rows":');
  const other = await joined(it);
  expect([other.code, other.result.missing]).toEqual([1, [2]]);
  expect(other.stderr).toContain('results/other.json: it failed before it began');
  await shards([2], 3, file);
  const mixed = await joined(it);
  expect(mixed.code).toBe(9);
  expect(mixed.stderr).toContain('belongs to a run of users.ndjson with 3 shards in workspace 5001 (production)');
  // Run one of two shards of this file, and the other shard of another file.
  await shards([2], 2, file);
  const again = await it.run([
    'seed',
    'bulk',
    it.write('more.ndjson', userRows(50)),
    '--shard',
    '1/2',
    '--yes',
    '-o',
    'json',
  ]);
  it.write('results/later.json', again.stdout);
  const foreign = await joined(it);
  expect(foreign.code).toBe(9);
  expect(foreign.stderr).toMatch(
    /belongs to a run of (users|more)\.ndjson with 2 shards .* belongs to a run of (users|more)\.ndjson with/,
  );
  it.write('empty.json', '');
  expect((await it.run(['seed', 'results', 'empty.json'])).code).toBe(9);
  expect((await it.run(['seed', 'results'])).code).toBe(2);
});

test('prints why a shard failed, includes its counts, and does not print a command if the input is invalid', async () => {
  const it = (seeding = await startSeeding());
  const file = it.write('users.csv', 'xpid,oops\n1,2\n');
  const { codes } = await shards([1, 2], 2, file);
  expect(codes).toEqual([9, 9]);
  const { code, result } = await joined(it);
  expect([code, result.failed, result.missing, result.again]).toEqual([9, [1, 2], [], []]);
  expect(result).toMatchObject({
    errors: [
      { shard: 1, correct_first: true },
      { shard: 2, correct_first: true },
    ],
  });
  const { stderr } = await it.run(['seed', 'results', 'results']);
  expect(stderr).toMatch(/^Shards 1, 2 failed: The header of users\.csv cannot be used\. First issue: users\.csv:1/m);

  const rows = Array.from({ length: 4 }, (_, index) => `{"bad": ${index}}\n`);
  await shards([1], 1, it.write('bad.ndjson', rows.join('')), undefined, ['--max-errors', '1']);
  const stopped = await it.run(['seed', 'results', 'results/1.err.json', '-o', 'json']);
  expect(stopped.code).toBe(3);
  // The suggested command omits the limit, which would stop the run again.
  expect(JSON.parse(stopped.stdout)).toMatchObject({
    ...{ rejected: 4, failed: [1], errors: [{ code: 'bulk.too_many_errors' }] },
    again: ['cdpadm seed bulk bad.ndjson --shard 1/1 --yes --resume -o json'],
  });
  // An error before the first row, such as a changed file, does not replace the counts of rows already sent.
  const log = readFileSync(join(it.folder, 'results/1.err.json'), 'utf8');
  it.write('bad.ndjson', '{"bad": 5}\n');
  const changed = await it.run(['seed', 'bulk', 'bad.ndjson', '--shard', '1/1', '--yes', '--resume', '-o', 'json']);
  it.write('log.json', log + changed.stderr);
  const both = await it.run(['seed', 'results', 'log.json', '-o', 'json']);
  expect(JSON.parse(both.stdout)).toMatchObject({
    ...{ rejected: 4, again: [], errors: [{ code: 'seed.changed', correct_first: true }] },
  });
});

test('prints what to do about rejected rows', async () => {
  const { it } = await shards([1, 2], 2, await startWith(`${userRow(1).padEnd(250)}\n{"bad": 1}\n{"bad": 2}\n`));
  const one = await it.run(['seed', 'results', 'results']);
  expect(one.stderr).toMatch(/^Correct the rejected rows in .*, then send them: cdpadm seed bulk .*rejects\.ndjson$/m);
  const joinedAll = await it.run(['seed', 'results', 'results', '--rejects', 'all.ndjson']);
  expect(joinedAll.stderr).toContain('rejected rows in all.ndjson, then send them: cdpadm seed bulk all.ndjson');
});

test('warns about results of shards that cannot be used', async () => {
  const { it } = await shards([1, 2, 3, 4], 4, await startWith(userRows(100)));
  const whole = readFileSync(join(it.folder, 'results/2.json'), 'utf8');
  it.write('results/2.json', whole.slice(0, 100));
  it.write('results/3.json', whole.replace('"input"', '"inputs"'));
  const text = await it.run(['seed', 'bulk', 'users.ndjson', '--shard', '4/4', '--yes', '--resume']);
  it.write('results/4.json', text.stdout);
  const { code, stderr } = await it.run(['seed', 'results', 'results']);
  expect(code).toBe(1);
  expect(stderr).toMatch(/results\/2\.json:1:1: is not a complete JSON result\. .*-o json/);
  expect(stderr).toMatch(/results\/3\.json:1:1: cannot be joined, because its `input` is missing or invalid\. /);
  expect(stderr).toMatch(/results\/4\.json:1:1: is not a complete JSON result\. .*-o json/);
  expect(stderr).toMatch(/^Run these parts, .*:\n\s+cdpadm seed bulk users\.ndjson --shard 2\/4 /m);
});
