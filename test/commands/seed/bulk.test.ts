// `seed bulk` from the command line to the sink: files, rejections, outages, second runs, shards.
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/lib/kernel/clock.ts';
import { KnownError } from '../../../src/lib/kernel/errors.ts';
import { EXIT } from '../../../src/lib/errors/entry.ts';
import { interrupted } from '../../../src/lib/runtime/interrupt.ts';
import type { Answer, Reply } from '../../helpers/seed-sink.ts';
import { createHurriedClock, type Seeding, startSeeding, userRow, userRows } from '../../helpers/seeding-home.ts';
import { shellWords } from '../../helpers/shell-words.ts';

let seeding: Seeding | undefined;
afterEach(async () => {
  await seeding?.close();
  seeding = undefined;
});

async function start(answer?: Answer): Promise<Seeding> {
  return (seeding = await startSeeding(answer));
}

const rejection = (message: string): Reply => ({
  status: 400,
  body: JSON.stringify({ errors: [{ code: 'BAD_REQUEST', message }] }),
});

describe('seed bulk', () => {
  test('sends every row once, in batches of 100', async () => {
    const it = await start();
    const file = it.write('users.ndjson', userRows(1000));
    const { code, result } = await it.bulk([file]);
    expect(code).toBe(0);
    expect(result).toMatchObject({
      rows: 1000,
      accepted: 1000,
      rejected: 0,
      batches: 10,
      requests: 10,
      retries: 0,
      rejects: null,
    });
    expect(it.sink.bodies.map((body) => body.slice(1, -1).split(',{"environment"').length)).toEqual(
      Array(10).fill(100),
    );
    expect(new Set(it.users().map(({ xpid }) => xpid)).size).toBe(1000);
  });

  test('accepts LF and CRLF, a byte order mark and empty lines, and rejects a truncated last line', async () => {
    const it = await start();
    const good = [userRow(1), userRow(2), userRow(3)];
    const file = it.write(
      'users.ndjson',
      `\ufeff${good[0]}\r\n\r\n \n${good[1]}\n${good[2]}\r\n${userRow(4).slice(0, 80)}`,
    );
    const { code, result } = await it.bulk([file]);
    expect(code).toBe(3);
    expect(result).toMatchObject({ rows: 4, accepted: 3, rejected: 1 });
    expect(it.sink.bodies).toEqual([`[${good.join(',')}]`]);
    const [line] = readFileSync(result.rejects ?? '', 'utf8').split('\n');
    expect(JSON.parse(line ?? '')).toMatchObject({ rejected: { file: 'users.ndjson', line: 6 } });
    expect(statSync(result.rejects ?? '').mode & 0o777).toBe(0o600);
  });

  test('rejects each row with a workspace that is not the target, even if it also contains the target', async () => {
    const it = await start();
    const row = (...workspaces: string[]): string => {
      const byWorkspace = Object.fromEntries(workspaces.map((workspace) => [workspace, []]));
      return JSON.stringify({ environment: 'production', xpid: 1, calculated_attributes: byWorkspace });
    };
    const user = { ...(JSON.parse(row('7002')) as object), user_attributes: { '7001': [] } };
    const rows = [row('7001'), row('7002'), row('7001', '7002'), JSON.stringify(user)];
    const { code, result } = await it.bulk([it.write('users.ndjson', rows.join('\n')), '--workspace', '7002']);
    expect([code, result.accepted, result.rejected]).toEqual([3, 1, 3]);
    expect(it.sink.bodies).toEqual([`[${row('7002')}]`]);
    const rejects = readFileSync(result.rejects ?? '', 'utf8');
    expect(rejects.match(/\.7001: is not the target workspace 7002/g)).toHaveLength(3);
  });

  test('rejects only the row with invalid UTF-8', async () => {
    const it = await start();
    const bad = Buffer.from(userRow(2, 'x'));
    bad[bad.indexOf('"x"') + 1] = 0xff;
    const file = it.write(
      'users.ndjson',
      Buffer.concat([Buffer.from(`${userRow(1)}\n`), bad, Buffer.from(`\n${userRow(3)}\n`)]),
    );
    const { result } = await it.bulk([file]);
    expect(result).toMatchObject({ accepted: 2, rejected: 1 });
    expect(it.users().map(({ xpid }) => xpid)).toEqual([1, 3]);
  });

  test('accepts a 10 MB row', async () => {
    const it = await start();
    const file = it.write('users.ndjson', `${userRow(1)}\n${userRow(2, 'x'.repeat(10_000_000))}\n${userRow(3)}\n`);
    const { result } = await it.bulk([file]);
    expect(result).toMatchObject({ accepted: 3, requests: 3 });
  });

  test('accepts standard input, but does not resume it or split it into shards', async () => {
    const it = await start();
    const { result } = await it.bulk(['-'], { stdin: userRows(250) });
    expect(result).toMatchObject({ accepted: 250, requests: 3, journal: null });
    expect((await it.run(['seed', 'bulk', '-', '--resume', '--yes'], { stdin: '' })).code).toBe(2);
    expect((await it.run(['seed', 'bulk', '-', '--shard', '1/2', '--yes'], { stdin: userRows(1) })).code).toBe(2);
  });

  test('reports the rows that were sent if standard input is interrupted', async () => {
    const stop = new AbortController();
    const it = await start((_body, request) => {
      // When the command is stopped, both requests are in flight and can still finish.
      if (request === 2) stop.abort(interrupted());
      return undefined;
    });
    const stdin = new Readable({ read: () => undefined });
    stdin.push(userRows(250));
    const { code, stderr } = await it.run(['seed', 'bulk', '-', '--yes'], { stdin, stop, clock: systemClock });
    expect(code).toBe(130);
    expect(stderr).toContain('So far, 200 rows accepted, 0 rejected.\nStandard input cannot be resumed.');
  });

  test('sends corrected rejects', async () => {
    const it = await start();
    const file = it.write('users.ndjson', `${userRow(1)}\n${userRow(2).replace('production', 'prod')}\n`);
    const first = await it.bulk([file, '--rejects', 'refused.ndjson']);
    const path = join(it.folder, 'refused.ndjson');
    expect(first.result.rejects).toBe(path);
    it.write('refused.ndjson', readFileSync(path, 'utf8').replace('"prod"', '"production"'));
    expect((await it.bulk(['refused.ndjson'])).result).toMatchObject({ rows: 1, accepted: 1 });
    expect(it.sink.bodies.at(-1)).toBe(`[${userRow(2)}]`);
  });

  test('does not nest a reject in another reject if its row is rejected again', async () => {
    const it = await start();
    const rows = [userRow(2).replace('production', 'prod'), '{"xpid":3'];
    const first = await it.bulk([it.write('users.ndjson', rows.join('\n'))]);
    const second = await it.bulk([first.result.rejects ?? '']);
    const read = (path: string | null) =>
      readFileSync(path ?? '', 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => ({ ...(JSON.parse(line) as object), rejected: undefined }));
    expect(read(second.result.rejects)).toEqual(read(first.result.rejects));
    expect(read(second.result.rejects)).toEqual([{ row: JSON.parse(rows[0] ?? '') as unknown }, { text: rows[1] }]);
  });

  test('does not suggest sending rejects that are records of a table', async () => {
    const it = await start();
    const header = 'xpid,attr:Orders:count,cutoff_date\n';
    it.write('users.csv', `${header}1,3,2024-01-31\n78\n`);
    const { stderr } = await it.run(['seed', 'bulk', 'users.csv', '--yes']);
    const reject = readFileSync(join(it.folder, 'users.csv.rejects.ndjson'), 'utf8');
    expect(JSON.parse(reject)).toMatchObject({ record: '78' });
    expect(stderr).toContain('correct these rows in a copy of the input');
    expect(stderr).not.toContain('then send them');
    const again = await it.bulk([it.write('again.ndjson', reject)]);
    expect(again.result).toMatchObject({ rows: 1, rejected: 1 });
    expect(JSON.parse(readFileSync(again.result.rejects ?? '', 'utf8'))).toMatchObject({
      rejected: { reason: expect.stringContaining('came from a table') as string },
      record: '78',
    });
  });

  test('sends a corrected file from the beginning if --restart is set', async () => {
    const it = await start();
    const header = 'xpid,attr:Orders:count,cutoff_date\n';
    const rows = (count: number) => Array.from({ length: count }, (_, index) => `${index + 1},3,2024-01-31\n`).join('');
    const { code, stderr } = await it.bulk([it.write('users.csv', `${header}${rows(250)}251,"3`)]);
    expect([code, stderr]).toEqual([
      EXIT.invalidInput,
      expect.stringMatching(/Correct the file, then send it from the beginning:.*users\.csv --yes --restart/s),
    ]);
    const corrected = await it.bulk([it.write('users.csv', header + rows(251)), '--restart']);
    expect([corrected.code, corrected.result.accepted]).toEqual([0, 251]);
  });
});

describe('64-bit ids', () => {
  const ids = ['9223372036854775807', '-7201284209016359738', '-9223372036854775808'];

  test.each([
    ['NDJSON', 'users.ndjson', ids.map((id) => userRow(id)).join('\n')],
    ['NDJSON with quoted numbers', 'users.ndjson', ids.map((id) => userRow(`"${id}"`)).join('\n')],
    ['JSON', 'users.json', `[\n  ${ids.map((id) => userRow(id).replaceAll(',', ',\n ')).join(',\n')}\n]\n`],
    ['gzip', 'users.ndjson.gz', gzipSync(ids.map((id) => userRow(id)).join('\n'))],
    ['CSV', 'users.csv', `xpid,attr:Orders:count,cutoff_date\n${ids.map((id) => `${id},3,2024-01-31\n`).join('')}`],
  ])('keep every digit from %s', async (_what, name, content) => {
    const it = await start();
    const { result } = await it.bulk([it.write(name, content)]);
    expect(result).toMatchObject({ accepted: 3 });
    for (const id of ids) expect(it.sink.bodies.join('')).toContain(`"xpid":${id},`);
  });
});

describe('a rejection by the platform', () => {
  test('causes only one more request if it names an attribute of one row', async () => {
    const it = await start((body) =>
      body.includes('"Bad one"') ? rejection('Bad one: no such attribute') : undefined,
    );
    const file = it.write(
      'users.ndjson',
      userRows(100, (index) => (index === 41 ? 'Bad one' : 'Orders')),
    );
    const { code, result } = await it.bulk([file]);
    expect(code).toBe(3);
    expect(result).toMatchObject({ accepted: 99, rejected: 1, requests: 2 });
    const reject = JSON.parse(readFileSync(result.rejects ?? '', 'utf8')) as { rejected: object; row: unknown };
    expect(reject.rejected).toEqual({
      file: 'users.ndjson',
      line: 42,
      reason: 'the platform rejected it (400): Bad one: no such attribute',
    });
    expect(reject.row).toEqual(JSON.parse(userRow(42, 'Bad one')));
  });

  test('causes few more requests if it names an attribute of every row', async () => {
    const it = await start((body) => (body.includes('"Orders"') ? rejection('Orders: no such attribute') : undefined));
    const { result } = await it.bulk([it.write('users.ndjson', userRows(10_000)), '--concurrency', '4']);
    expect(result).toMatchObject({ accepted: 0, rejected: 10_000 });
    expect(result.requests).toBeLessThan(200);
  });

  test('is traced to its row by bisecting the batch if it names no attribute', async () => {
    const it = await start((body) => (body.includes('"xpid":77,') ? rejection('something is wrong') : undefined));
    const { result } = await it.bulk([it.write('users.ndjson', userRows(200))]);
    expect(result).toMatchObject({ accepted: 199, rejected: 1 });
    expect(result.requests).toBeLessThanOrEqual(2 + 14);
  });

  test('rejects no row if the batches are only too long, and shortens them for the rest of the run', async () => {
    const it = await start((body) =>
      (JSON.parse(body.toString()) as unknown[]).length > 40 ? rejection('too many users in the request') : undefined,
    );
    const { code, result } = await it.bulk([it.write('users.ndjson', userRows(2000)), '--concurrency', '1']);
    expect([code, result.accepted, it.sink.rows]).toEqual([0, 2000, 2000]);
    expect(result.requests).toBeLessThan(120);
  });

  test('of one batch only, which a proxy may cause, rejects no row and shortens no later batch', async () => {
    const it = await start((_body, request) => (request === 2 ? rejection('Bad Request') : undefined));
    const { code, result } = await it.bulk([it.write('users.ndjson', userRows(1000)), '--concurrency', '1']);
    expect([code, result.accepted, it.sink.rows]).toEqual([0, 1000, 1000]);
    expect(result.requests).toBeLessThan(20);
  });

  test('excludes only the rows with a rejected value of a rare attribute', async () => {
    const named = (index: number): string => (index === 0 || index === 30 || index >= 60 ? 'Rare' : 'Orders');
    const bad = new Set([1, 31, 61]);
    const it = await start((body) => {
      const users = JSON.parse(body.toString()) as { xpid: number }[];
      return users.some(({ xpid }) => bad.has(xpid)) ? rejection('Rare: the value does not fit') : undefined;
    });
    const flags = ['--concurrency', '1', '--batch-size', '30'];
    const { result } = await it.bulk([it.write('users.ndjson', userRows(70, named)), ...flags]);
    expect(result).toMatchObject({ accepted: 67, rejected: 3 });
  });

  test('excludes only the rows with a rejected value of the attribute', async () => {
    const bad = new Set([5, 6, 7, 50, 99]);
    const it = await start((body) => {
      const users = JSON.parse(body.toString()) as { xpid: number }[];
      return users.some(({ xpid }) => bad.has(xpid)) ? rejection('Orders: the value does not fit') : undefined;
    });
    const { result } = await it.bulk([it.write('users.ndjson', userRows(300))]);
    expect(result).toMatchObject({ accepted: 295, rejected: 5 });
    expect(it.users().some(({ xpid }) => bad.has(xpid as number))).toBe(false);
  });

  test('makes bodies smaller for the rest of the run if it reports that they are too large', async () => {
    const it = await start((body) => (body.length > 4000 ? { status: 413 } : undefined));
    const { result } = await it.bulk([it.write('users.ndjson', userRows(2000)), '--concurrency', '1']);
    expect(result).toMatchObject({ accepted: 2000, rejected: 0 });
    const needed = Math.ceil(userRows(2000).length / 4000);
    expect(result.requests).toBeLessThan(needed * 2.5);
  });

  test.each([
    ['202 with an error document', 202, '{"errors":[{"code":"BAD_REQUEST","message":"Orders: row 2 was skipped"}]}'],
    ['207', 207, '[{"status":202},{"status":400}]'],
    ['200', 200, '{"accepted":1,"rejected":1}'],
  ])(
    'of a part of a batch, which the specification excludes, is never counted as accepted: %s',
    async (_what, status, body) => {
      const it = await start(() => ({ status, body }));
      const file = it.write('a.ndjson', userRows(2));
      const { code, result, stderr } = await it.bulk([file, '--give-up-after', '0']);
      expect([code, result.accepted], stderr).toEqual([8, undefined]);
      expect(stderr).toContain('"accepted":0,');
      expect(stderr).toContain('--resume');
      expect(it.sink.requests).toBeGreaterThan(1);
    },
  );

  test('stops the run immediately if the credentials are invalid', async () => {
    const it = await start(() => ({ status: 403 }));
    const { code, stderr } = await it.bulk([it.write('users.ndjson', userRows(1000)), '--concurrency', '1']);
    expect(code).toBe(EXIT.auth);
    expect(it.sink.requests).toBe(1);
    expect(stderr).toContain('--resume');
  });

  test.each([401, 403])('with status %i stops the run until it is resumed with valid credentials', async (status) => {
    let invalid = true;
    const it = await start((_body, request) => (invalid && request > 3 ? { status } : undefined));
    const file = it.write('users.ndjson', userRows(1000));
    expect((await it.bulk([file, '--concurrency', '1'])).code).toBe(EXIT.auth);
    invalid = false;
    const { code, result } = await it.bulk([file, '--resume']);
    expect([code, result.rows, result.accepted, result.rejected]).toEqual([0, 1000, 1000, 0]);
    expect(new Set(it.users().map(({ xpid }) => xpid)).size).toBe(1000);
  });

  test('cannot occur if the run stops at --max-errors before sending anything', async () => {
    const it = await start();
    const file = it.write('users.ndjson', userRows(10).replaceAll('production', 'prod'));
    const { code, stderr } = await it.bulk([file, '--max-errors', '5']);
    expect([code, it.sink.requests]).toEqual([EXIT.partial, 0]);
    expect(stderr).toContain('Stopped: 10 of 10 rows were rejected, more than --max-errors allows.');
  });
});

test('reports progress as the share of rows completed, not read, across all files', async () => {
  // Each response takes longer than the interval between two progress events.
  let waited = 0;
  const it = await start(() => {
    waited += 1500;
    return undefined;
  });
  const now = (): number => systemClock.now() + waited;
  const clock = { ...systemClock, now, steady: now };
  const files = [it.write('a.ndjson', userRows(3000)), it.write('b.ndjson', userRows(3000))];
  const { stderr } = await it.bulk([...files, '--concurrency', '1', '--progress', 'json'], { clock });
  const events = stderr
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { progress: { event: string; rows: number; share: number } }).progress)
    .filter(({ event }) => event === 'progress');
  expect(events).toHaveLength(60);
  for (const { rows, share } of events) {
    expect(Math.abs(share * 100 - rows / 60)).toBeLessThanOrEqual(2);
  }
});

test('emits few progress events for a short run, and counts all rows in the last progress event', async () => {
  const it = await start();
  const clock = { ...systemClock, now: () => 1_800_000_000_000, steady: () => 0 };
  const { stderr } = await it.bulk([it.write('a.ndjson', userRows(3000)), '--progress', 'json'], { clock });
  const rows = stderr
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { progress: { event: string; rows?: number } }).progress);
  expect(rows.map(({ event }) => event)).toEqual(['start', 'progress', 'progress', 'end']);
  expect(rows[2]?.rows).toBe(3000);
});

describe('an unreliable platform', () => {
  test('delays the run if it sends Retry-After, and the delay does not count as a retry', async () => {
    const it = await start((_body, request) =>
      request % 3 === 0 ? { status: request % 2 ? 429 : 503, headers: { 'retry-after': '20' } } : undefined,
    );
    const clock = createHurriedClock();
    const { code, result } = await it.bulk([it.write('users.ndjson', userRows(2000))], { clock });
    expect(code).toBe(0);
    expect(result).toMatchObject({ accepted: 2000, retries: 0 });
    expect(clock.sleptMs).toBeGreaterThanOrEqual(20_000);
  });

  test('receives every row even if it returns 429 ten times without Retry-After', async () => {
    const it = await start((_body, request) => (request > 3 && request < 14 ? { status: 429 } : undefined));
    const { code, result } = await it.bulk([it.write('users.ndjson', userRows(1000))]);
    expect([code, result.accepted]).toEqual([0, 1000]);
  });

  test.each([
    ['returns 500', { status: 500 }, EXIT.unavailable],
    ['closes connections', { status: 202, drop: true }, EXIT.network],
  ])(
    'receives at most 30 requests if it %s after the third one, and a run that gave up after a minute can be resumed',
    async (_what, reply, exit) => {
      let isDown = true;
      const it = await start((_body, request) => (isDown && request > 3 ? reply : undefined));
      const file = it.write('users.ndjson', userRows(1000));
      const { code, stderr } = await it.bulk([file, '--give-up-after', '1m'], { clock: createHurriedClock() });
      expect(code).toBe(exit);
      expect(it.sink.requests).toBeLessThanOrEqual(30);
      const error = JSON.parse(stderr.slice(stderr.indexOf('{"error"'))) as {
        error: { hint: string; progress: { accepted: number } };
      };
      expect(error.error.hint).toContain('cdpadm seed bulk users.ndjson --give-up-after 1m --yes --resume');
      expect(error.error.progress.accepted).toBe(it.sink.rows);
      isDown = false;
      const resumed = await it.bulk([file, '--resume']);
      expect([resumed.code, resumed.result.rows, resumed.result.accepted]).toEqual([0, 1000, 1000]);
      expect(it.sink.rows).toBe(1000);
    },
  );

  test('receives every row even if it is down for five minutes', async () => {
    const clock = createHurriedClock();
    const until = clock.now() + 5 * 60_000;
    const it = await start((_body, request) => (request > 3 && clock.now() < until ? { status: 503 } : undefined));
    const { code, result } = await it.bulk([it.write('users.ndjson', userRows(1000))], { clock });
    expect([code, result.accepted, it.sink.rows]).toEqual([0, 1000, 1000]);
    expect(result.retries).toBeLessThan(40);
  });

  test('receives every row even if it responds to every third request with 503', async () => {
    const it = await start((_body, request) => (request % 3 === 0 ? { status: 503 } : undefined));
    const file = it.write('users.ndjson', userRows(10_000));
    const { code, result } = await it.bulk([file], { clock: createHurriedClock() });
    expect([code, result.accepted, it.sink.rows]).toEqual([0, 10_000, 10_000]);
  });

  test('receives every row even if it drops every fifteenth connection', async () => {
    const it = await start((_body, request) => (request % 15 === 0 ? { status: 202, drop: true } : undefined));
    const { code, result } = await it.bulk([it.write('users.ndjson', userRows(10_000))]);
    expect([code, result.accepted, it.sink.rows]).toEqual([0, 10_000, 10_000]);
    expect(result.retries).toBeGreaterThan(0);
  });
});

describe('a second run', () => {
  test('requires --resume or --restart for the same file, and cannot resume a changed file', async () => {
    const it = await start();
    const file = it.write('users.ndjson', userRows(100));
    const first = await it.bulk([file]);
    expect((await it.bulk([file])).code).toBe(EXIT.guard);
    const resumed = await it.bulk([file, '--resume']);
    expect([resumed.code, resumed.result]).toEqual([0, first.result]);
    expect(it.sink.rows).toBe(100);
    expect((await it.bulk([file, '--restart'])).code).toBe(0);
    expect(it.sink.rows).toBe(200);
    it.write('users.ndjson', userRows(100).replace('"3"', '"4"'));
    expect((await it.bulk([file, '--resume'])).code).toBe(EXIT.conflict);
    expect((await it.bulk([file])).code).toBe(0);
  });

  test('sends every row to another target, even with --resume, and requires a flag only for the same target', async () => {
    const it = await start();
    const file = it.write('users.csv', 'xpid,attr:Orders:count,cutoff_date\n7,3,2024-01-31\n');
    expect((await it.bulk([file])).code).toBe(0);
    expect((await it.bulk([file, '--resume', '--workspace', '5002'])).code).toBe(0);
    expect((await it.bulk([file, '--resume'], { env: { CDPADM_ENVIRONMENT: 'development' } })).code).toBe(0);
    expect(it.users().map(({ environment }) => environment)).toEqual(['production', 'production', 'development']);
    const onLocal = { env: it.withoutPlatform };
    expect((await it.bulk([file, '--profile', 'local'], onLocal)).code).toBe(0);
    expect((await it.bulk([file, '--profile', 'local'], onLocal)).code).toBe(EXIT.guard);
  });

  test('sends the remaining rows after Ctrl-C, and counts all rows in its result', async () => {
    const stop = new AbortController();
    const it = await start((_body, request) => {
      if (request === 20) stop.abort(new KnownError({ code: 'interrupted', message: 'Interrupted.' }));
      return undefined;
    });
    const rows = userRows(5000).replace('"xpid":4,', '"xpid":"four",');
    const file = it.write('users.ndjson', rows);
    const { code } = await it.bulk([file, '--concurrency', '2'], { stop });
    expect(code).toBe(EXIT.interrupted);
    const resumed = await it.bulk([file, '--resume']);
    expect(resumed.result).toMatchObject({ rows: 5000, accepted: 4999, rejected: 1 });
    expect(new Set(it.users().map(({ xpid }) => xpid)).size).toBe(4999);
    expect(
      readFileSync(resumed.result.rejects ?? '', 'utf8')
        .trim()
        .split('\n'),
    ).toHaveLength(1);
  });
});

describe('the hint after a failed run', () => {
  test('contains the command that resumes with the same file and flags', async () => {
    const it = await start(() => ({ status: 403 }));
    it.write('my map.yaml', 'Customer: xpid\nBought: attr:Orders:count\n');
    const file = it.write('their users.csv', 'Customer,Bought\n1,2\n');
    const args = [file, '--map-file', 'my map.yaml', '--cutoff-date', '2024-01-31', '--shard', '1/1'];
    const { code, stderr } = await it.bulk(args);
    expect(code).toBe(EXIT.auth);
    expect((JSON.parse(stderr.slice(stderr.indexOf('{"error"'))) as { error: { hint: string } }).error.hint).toContain(
      "cdpadm seed bulk 'their users.csv' --map-file 'my map.yaml' --cutoff-date 2024-01-31 --shard 1/1 --yes --resume",
    );
  });

  test('repeats --max-errors, unless that limit stopped the run', async () => {
    const it = await start(() => ({ status: 403 }));
    const file = it.write('users.ndjson', userRows(1));
    expect((await it.run(['seed', 'bulk', file, '--max-errors', '5 %', '--yes'])).stderr).toContain(
      'cdpadm seed bulk users.ndjson --max-errors 5% --yes --resume',
    );
    const invalid = it.write('wrong.ndjson', `${userRow('"x"')}\n`);
    expect((await it.run(['seed', 'bulk', invalid, '--max-errors', '0', '--yes'])).stderr).toContain(
      'cdpadm seed bulk wrong.ndjson --yes --resume',
    );
    const { stderr } = await it.bulk([invalid, '--max-errors', '0', '--restart']);
    const { error } = JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '') as {
      error: { progress: { argv: string[]; resume: string } };
    };
    expect(error.progress.argv.join(' ')).toBe('cdpadm seed bulk wrong.ndjson --max-errors 0 --yes --resume -o json');
    expect(error.progress.resume).toBe('cdpadm seed bulk wrong.ndjson --yes --resume -o json');
  });

  test('prints commands that work for a file whose name starts with a hyphen', async () => {
    const it = await start();
    it.write('-x.ndjson', userRows(1).replace('"3"', '"many"') + userRows(1));
    const first = await it.run(['seed', 'bulk', '--null=-9', '--yes', '--', '-x.ndjson']);
    const [, correct = ''] = /cdpadm (seed bulk .*rejects\.ndjson.*)/.exec(first.stderr) ?? [];
    expect((await it.run(shellWords(correct))).stderr).not.toContain('Unknown');
    const second = await it.run(['seed', 'bulk', '--null=-9', '--yes', '--', '-x.ndjson']);
    const [, again = ''] = /cdpadm (seed bulk .*--restart)/.exec(second.stderr) ?? [];
    expect(again).toBe('seed bulk ./-x.ndjson --null=-9 --yes --restart');
    expect((await it.run(shellWords(again))).code).toBe(3);
  });

  test('reports that another process is sending the same file', async () => {
    let second: Promise<{ code: number; stderr: string }> | undefined;
    // The first run receives no response before the second run ends.
    const it = await start(async (_body, request) => {
      if (request === 1) await (second = it.bulk([file, '--resume']));
      return undefined;
    });
    const file = it.write('users.ndjson', userRows(500));
    expect((await it.bulk([file, '--concurrency', '1'])).code).toBe(0);
    const { code, stderr } = (await second) ?? { code: 0, stderr: '' };
    expect([code, stderr]).toEqual([
      EXIT.guard,
      expect.stringContaining('This bulk run is already in progress in another process'),
    ]);
  });
});

describe('shards', () => {
  test.each([
    ['NDJSON', 'users.ndjson', userRows(5003)],
    ['NDJSON without a final line break', 'users.ndjson', userRows(1001).trimEnd()],
    ['NDJSON with fewer rows than shards', 'users.ndjson', userRows(2)],
    [
      'CSV',
      'users.csv',
      `xpid,attr:Orders:count,user:note,cutoff_date\n${Array.from({ length: 5003 }, (_, i) => `${i + 1},3,"a\n""b""",2024-01-31\n`).join('')}`,
    ],
  ])('together contain every row exactly once: %s', async (_what, name, content) => {
    const it = await start();
    const file = it.write(name, content);
    const results = await Promise.all(['1/4', '2/4', '3/4', '0/4'].map((shard) => it.bulk([file, '--shard', shard])));
    expect(results.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    const ids = it.users().map(({ xpid }) => xpid as number);
    expect(ids.sort((a, b) => a - b)).toEqual(Array.from({ length: ids.length }, (_, index) => index + 1));
    expect(results.reduce((sum, { result }) => sum + result.rows, 0)).toBe(ids.length);
    expect(ids.length).toBe(content.match(/^(\{|\d+,)/gm)?.length);
  });

  test('take their number from the batch system that runs them', async () => {
    const it = await start();
    const file = it.write('users.ndjson', userRows(100));
    for (const index of ['0', '1', '2']) {
      expect((await it.bulk([file, '--shard', 'auto/3'], { env: { JOB_COMPLETION_INDEX: index } })).code).toBe(0);
    }
    expect(it.sink.rows).toBe(100);
    expect((await it.bulk([file, '--shard', 'auto/3'])).code).toBe(2);
  });

  test('do not split compressed files, JSON arrays or addresses, and together send every row once', async () => {
    const it = await start();
    const link = createServer((request, response) => {
      const body = Buffer.from(`${userRow(request.url?.startsWith('/a') ? 501 : 502)}\n`);
      response.writeHead(200, { etag: '"1"' }).end(body);
    }).listen(0, '127.0.0.1');
    await once(link, 'listening');
    const address = `http://127.0.0.1:${(link.address() as AddressInfo).port}`;
    try {
      it.write('plain.ndjson', userRows(300));
      for (const part of [0, 1, 2]) it.write(`p${part}.ndjson.gz`, gzipSync(`${userRow(400 + part)}\n`));
      it.write('array.json', `[${userRow(450)},${userRow(451)}]`);
      const [a, b] = [`${address}/a.ndjson?sig=secret-of-a`, `${address}/b.ndjson?sig=secret-of-b`];
      const files = ['p0.ndjson.gz', 'plain.ndjson', a, 'p1.ndjson.gz', 'array.json', 'p2.ndjson.gz', b];
      const wholeIds = (): number[] => it.users().flatMap(({ xpid }) => (Number(xpid) >= 400 ? [Number(xpid)] : []));
      const shares: number[][] = [];
      for (const shard of ['1/4', '2/4', '3/4', '4/4']) {
        const before = wholeIds();
        expect((await it.bulk([...files, '--shard', shard])).code).toBe(0);
        shares.push(wholeIds().filter((id) => !before.includes(id)));
      }
      expect(shares).toEqual(
        [[400, 402], [501, 502], [401], [450, 451]].map((ids) => expect.arrayContaining(ids) as number[]),
      );
      const ids = it.users().map(({ xpid }) => xpid as number);
      expect(ids.sort((a, b) => a - b)).toEqual([
        ...Array.from({ length: 300 }, (_, index) => index + 1),
        ...[400, 401, 402, 450, 451, 501, 502],
      ]);
    } finally {
      link.close();
    }
  });

  test('succeed immediately if they have no input, first for one file and then for another', async () => {
    const it = await start();
    for (const name of ['a.ndjson.gz', 'b.ndjson.gz']) {
      const file = it.write(name, gzipSync(userRows(2)));
      const { code, stderr } = await it.run(['seed', 'bulk', file, '--shard', '2/2', '--yes']);
      expect([code, it.sink.rows]).toEqual([0, 0]);
      expect(stderr).toContain('Shard 2/2 has no input: compressed files, addresses and JSON arrays are not divided.');
    }
  });

  test('are rejected for standard input, even if files are also given', async () => {
    const it = await start();
    const file = it.write('users.ndjson', userRows(1));
    const { code, stderr } = await it.run(['seed', 'bulk', file, '-', '--shard', '1/2', '--yes'], { stdin: '' });
    expect([code, stderr]).toEqual([2, expect.stringContaining('--shard cannot divide standard input.')]);
    expect(it.sink.rows).toBe(0);
  });

  test('continue with their share of the rate, and report once that the rate store is unreachable', async () => {
    const it = await start();
    const file = it.write('users.ndjson', userRows(1000));
    const flags = ['--rate', '1000', '--rate-store', 'redis://127.0.0.1:1', '--yes'];
    const { code, stderr } = await it.run(['seed', 'bulk', file, '--shard', '1/2', ...flags]);
    expect(code).toBe(0);
    expect(
      stderr.match(
        /The rate store 127\.0\.0\.1:1 cannot be used: connect ECONNREFUSED .+\. This shard continues with its share, 500/g,
      ),
    ).toHaveLength(1);
    const alone = await it.run(['seed', 'bulk', file, ...flags]);
    expect([alone.code, alone.stderr]).toEqual([2, expect.stringContaining('Also pass --shard.')]);
  });
});
