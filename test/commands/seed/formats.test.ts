// Seed input formats, and the seeding commands other than `seed bulk`.
import { createServer } from 'node:http';
import { gzipSync } from 'node:zlib';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { listenOnLoopback } from '../../helpers/loopback.ts';
import { type Seeding, startSeeding, userRow, userRows } from '../../helpers/seeding-home.ts';
import { zstd } from '../../helpers/zstd.ts';

let seeding: Seeding;
beforeEach(async () => {
  seeding = await startSeeding();
});
afterEach(() => seeding.close());

const IDS = [9223372036854775807n, -7201284209016359738n, 17n];

function parquet(rows: number, rowGroupSize?: number): Uint8Array {
  const ids = Array.from({ length: rows }, (_, index) => IDS[index] ?? BigInt(index));
  const columnData = [
    { name: 'xpid', data: ids, type: 'INT64' as const },
    { name: 'attr:Orders:count', data: ids.map(() => 3), type: 'INT32' as const },
    { name: 'attr:Colors:unique_list', data: ids.map(() => 'red|blue'), type: 'STRING' as const },
    { name: 'cutoff_date', data: ids.map(() => '2024-01-31'), type: 'STRING' as const },
  ];
  return new Uint8Array(parquetWriteBuffer({ columnData, ...(rowGroupSize && { rowGroupSize }) }));
}

test('keeps every digit of 64-bit ids in Parquet', async () => {
  const { result } = await seeding.bulk([seeding.write('users.parquet', parquet(3))]);
  expect(result).toMatchObject({ rows: 3, accepted: 3 });
  for (const id of IDS) expect(seeding.sink.bodies.join('')).toContain(`"xpid":${id},`);
  expect(seeding.users()[2]).toMatchObject({
    calculated_attributes: { '5001': [{ seed: { value: '3' } }, { seed: { list: ['red', 'blue'] } }] },
  });
});

test('divides Parquet into shards by row group', async () => {
  const file = seeding.write('users.parquet', parquet(2500, 300));
  const results = await Promise.all(['1/3', '2/3', '3/3'].map((shard) => seeding.bulk([file, '--shard', shard])));
  expect(results.map(({ result }) => result.rows).every((rows) => rows > 0)).toBe(true);
  expect(seeding.sink.rows).toBe(2500);
});

test('decompresses zstd', async () => {
  const { result } = await seeding.bulk([seeding.write('users.ndjson.zst', zstd(userRows(120)))]);
  expect(result).toMatchObject({ accepted: 120, requests: 2 });
});

test('reads unmapped fields in flat JSON, even if the first record does not have them', async () => {
  const rows = ['{"xpid":1,"Bought":4}', '{"xpid":2,"Bought":5,"user:tier":"gold"}', '{"xpid":3,"user:tier":"new"}'];
  const file = seeding.write('flat.ndjson', rows.join('\n'));
  const args = [file, '--map', 'Bought=attr:Orders:count', '--cutoff-date', '2024-01-31'];
  expect((await seeding.bulk(args)).result).toMatchObject({ rows: 3, accepted: 3 });
  const tiers = seeding.users().map(({ xpid, user_attributes }) => [xpid, user_attributes]);
  const tier = (value: string) => ({ '5001': [{ attribute_name: 'tier', attribute_value: value }] });
  expect(tiers).toEqual([
    [1, undefined],
    [2, tier('gold')],
    [3, tier('new')],
  ]);
});

test('sends several files of different formats in one run', async () => {
  const files = [
    seeding.write('a.ndjson', userRows(150)),
    seeding.write('b.json', JSON.stringify([JSON.parse(userRow(7)), { environment: 'production' }])),
    seeding.write('c.csv', 'Customer;Bought\nc-1;4\n"c;2";5\n'),
    seeding.write('map.yaml', 'Customer: identity:customer_id\nBought: attr:Orders:count\n'),
  ];
  const args = [...files.slice(0, 3), '--map-file', 'map.yaml', '--cutoff-date', '2024-01-31'];
  const { code, result } = await seeding.bulk(args);
  expect([code, result.rows, result.accepted]).toEqual([3, 154, 153]);
  expect(
    seeding
      .users()
      .filter((user) => user['identities'])
      .map((user) => user['identities']),
  ).toEqual([{ customer_id: 'c-1' }, { customer_id: 'c;2' }]);
});

test.each([
  ['a truncated array', 'users.json', `[${userRow(1)},${userRow(2).slice(0, 50)}`, 'users.json:1: not valid JSON'],
  ['a truncated gzip file', 'a.ndjson.gz', Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 1, 2, 3]), 'is not a complete gzip file'],
  ['UTF-16', 'users.ndjson', Buffer.from(`\ufeff${userRow(1)}`, 'utf16le'), 'users.ndjson:1:1: the file is UTF-16'],
  ['a header with a mistyped column', 'users.csv', 'xpdi,attr:Orders:count\n1,2\n', 'did you mean `xpid`?'],
  ['a record with an unclosed quote', 'users.csv', 'xpid,user:note\n1,"abc\n', 'users.csv:2:3: this cell starts with a quote that is never closed'],
  ['a record of a different width', 'users.csv', 'xpid,user:note,cutoff_date\n1,a\n', 'users.csv:2: has 2 columns; the header has 3'],
])('reports %s with seed validate', async (_what, name, content, expected) => {
  const { code, stderr } = await seeding.run(['seed', 'validate', seeding.write(name, content)]);
  expect([code, stderr]).toEqual([9, expect.stringContaining(expected)]);
}); // prettier-ignore

test('reports an invalid map with its line and column', async () => {
  const files = [seeding.write('users.csv', 'xpid\n1\n'), '--map-file', seeding.write('map.yaml', 'xpid: [1]\n')];
  const { code, stderr } = await seeding.run(['seed', 'validate', ...files]);
  expect([code, stderr]).toEqual([9, expect.stringContaining('map.yaml:1:7: xpid: must map columns')]);
});

test.each(['bulk', 'bulk --dry-run', 'validate', 'preview'])(
  'reports an invalid header in seed %s before it reads the rows of earlier files',
  async (command) => {
    seeding.write('a.ndjson', `${userRow(1)}\n${userRow('"x"')}\n`);
    seeding.write('b.csv', '\nxpid,Orders\n1,2\n');
    const files = command === 'preview' ? ['b.csv'] : ['a.ndjson', 'b.csv'];
    const { code, stderr } = await seeding.run(['seed', ...command.split(' '), ...files]);
    expect([code, seeding.sink.requests]).toEqual([9, 0]);
    expect(stderr).toContain('b.csv:2: Orders: ');
    expect(stderr).not.toContain('a.ndjson');
    expect(stderr).not.toContain('--resume');
  },
);

test.each([
  ['a header with line breaks in quotes', '"xpid",cutoff_date,"attr:Or\nders:count"\n1,2024-01-31,2\n', 1],
  ['a header without a line break', 'xpid,cutoff_date,attr:Orders:count', 0],
])('accepts %s', async (_what, content, rows) => {
  const { code, result } = await seeding.bulk([seeding.write('users.csv', content)]);
  expect([code, result.accepted]).toEqual([0, rows]);
});

test('rejects a table without an environment, with a hint', async () => {
  const file = seeding.write('users.csv', 'xpid,cutoff_date,attr:Orders:count\n1,2024-01-31,2\n');
  const bare = await seeding.run(['seed', 'validate', file], { env: { CDPADM_ENVIRONMENT: '' } });
  expect([bare.code, bare.stderr]).toEqual([9, expect.stringContaining('CDPADM_ENVIRONMENT')]);
});

test('uses the singular in seed validate for one invalid row', async () => {
  const file = seeding.write('u.ndjson', `${userRow(1)}\n${userRow('"x"')}\n`);
  expect((await seeding.run(['seed', 'validate', file])).stderr).toContain('1 of 2 rows is invalid.');
  expect((await seeding.run(['seed', 'validate', seeding.write('v.ndjson', userRow('"x"'))])).stderr).toContain(
    '1 of 1 row is invalid.',
  );
});

test('reports each invalid row in seed validate as file:line: field: reason', async () => {
  const rows = [userRow(1), userRow(2).replace('2024-01-31', '2024-02-30'), userRow(3).replace('count', 'cuont')];
  const { code, stderr } = await seeding.run(['seed', 'validate', seeding.write('u.ndjson', rows.join('\n'))]);
  expect(code).toBe(9);
  expect(stderr).toContain('u.ndjson:2: calculated_attributes.5001[0].cutoff_date: must be a valid date');
  expect(stderr).toContain('u.ndjson:3: calculated_attributes.5001[0].calculation_type: must be');
  expect(seeding.sink.requests).toBe(0);
});

test('prints, in either format, a template that seed validate and seed preview accept', async () => {
  for (const format of ['csv', 'ndjson']) {
    const { stdout } = await seeding.run(['seed', 'template', '--format', format]);
    const file = seeding.write(`template.${format}`, stdout);
    expect((await seeding.run(['seed', 'validate', file])).code, format).toBe(0);
    const preview = await seeding.run(['seed', 'preview', file, '-o', 'json']);
    expect(JSON.parse(preview.stdout)).toMatchObject({ environment: 'production' });
    const beyond = await seeding.run(['seed', 'preview', file, '--row', '9']);
    expect([beyond.code, beyond.stderr]).toEqual([5, expect.stringContaining(`cdpadm seed validate ${file}`)]);
  }
});

test('counts rows in a dry run, prints the first request and sends nothing', async () => {
  const file = seeding.write('users.ndjson', userRows(250).replace('production', 'prod'));
  const { result, stderr } = (await seeding.bulk([file, '--dry-run'])) as unknown as {
    result: { dry_run: boolean; plan: object; requests: { url: string; body: unknown[] }[] };
    stderr: string;
  };
  expect(stderr).toContain('users.ndjson:1: environment: ');
  expect(result).toMatchObject({ dry_run: true, plan: { rows: 250, accepted: 249, rejected: 1, batches: 3 } });
  expect(result.requests[0]?.url).toMatch(/\/v2\/bulkcalculatedattributes$/);
  expect(result.requests[0]?.body).toHaveLength(100);
  expect(seeding.sink.requests).toBe(0);
});

test('lists the first reasons for rejected rows in a dry run, and the command that lists more', async () => {
  const file = seeding.write('users.ndjson', userRows(20).replaceAll('production', 'prod'));
  const { code, stderr } = await seeding.run(['seed', 'bulk', file, '--dry-run']);
  expect(code).toBe(3);
  expect(stderr.match(/users\.ndjson:\d+: environment: /g)).toHaveLength(10);
  expect(stderr).toContain('`cdpadm seed validate`');
});

test('rejects an ambiguous comma in the number of an Excel file with tabs, but reads it in one with semicolons', async () => {
  const flags = ['--source', 'excel', '--cutoff-date', '2026-01-01'];
  const tabs = seeding.write('tabs.txt', 'xpid\tattr:S:sum\n1\t"1,234"\n2\t"1,5"\n');
  const { result, stderr } = await seeding.bulk([tabs, ...flags, '--dry-run']);
  expect(result).toMatchObject({ plan: { rows: 2, rejected: 1 } });
  expect(stderr).toContain('tabs.txt:2: attr:S:sum: `1,234` may be a fraction, or have thousands separators');
  const semicolons = seeding.write('semicolons.csv', 'xpid;attr:S:sum\n1;1,234\n');
  const { stdout } = await seeding.run(['seed', 'preview', semicolons, ...flags]);
  expect(stdout).toContain('"1.234"');
});

test('rejects a second field for a mapped column, but overrides the map file', async () => {
  seeding.write('map.yaml', 'id: identity:email\n');
  const file = seeding.write('users.csv', 'id,n\n1,2\n');
  const flags = ['--map-file', 'map.yaml', '--map', 'n=attr:N:count', '--cutoff-date', '2026-01-01'];
  const twice = await seeding.run([
    'seed',
    'preview',
    file,
    ...flags,
    '--map',
    'id=xpid',
    '--map',
    'id=identity:email',
  ]);
  expect([twice.code, twice.stderr]).toEqual([2, expect.stringContaining('--map names the column `id` twice.')]);
  const { stdout } = await seeding.run(['seed', 'preview', file, ...flags, '--map', 'id=xpid']);
  expect(JSON.parse(stdout)).toMatchObject({ xpid: 1 });
});

test('reads a remote object that was stored with Content-Encoding: gzip', async () => {
  const store = createServer((request, response) => {
    const body = gzipSync(userRows(300));
    const [, from = '0', to = '0'] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
    const part = body.subarray(Number(from), Number(to) + 1);
    const range = `bytes ${from}-${Number(from) + part.length - 1}/${body.length}`;
    response.writeHead(206, { etag: '"1"', 'content-encoding': 'gzip', 'content-range': range }).end(part);
  });
  const port = await listenOnLoopback(store);
  const { result } = await seeding.bulk([`http://127.0.0.1:${port}/users.csv`, '--format', 'ndjson']);
  store.close();
  expect(result).toMatchObject({ accepted: 300, rejected: 0 });
});

test('sends one body with each of seed set, intake event and intake identify, and rejects an invalid body', async () => {
  seeding.write('user.json', userRow(9223372036854775807n));
  seeding.write(
    'event.yaml',
    'environment: production\nuser_identities: {email: a@b.c}\nevents: [{event_type: screen_view, data: {event_name: Home}}]\n',
  );
  seeding.write(
    'identify.json',
    '{"environment":"development","user_identities":{"email":"a@b.c"},"user_attributes":{"tier":"gold"}}',
  );
  for (const args of [
    ['seed', 'set', '-f', 'user.json', '--yes'],
    ['intake', 'event', '-f', 'event.yaml', '--yes'],
    ['intake', 'identify', '-f', 'identify.json', '--yes'],
  ]) {
    const { code, stdout, stderr } = await seeding.run([...args, '-o', 'json']);
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ accepted: true, target: expect.any(Object) });
    expect((await seeding.run([...args.slice(0, 3), 'map.none'])).code).toBe(2);
  }
  expect(seeding.sink.requests).toBe(3);
  seeding.write('bad.json', '{"environment":"production","xpid":1,"calculated_attributes":{"1":[{}]}}');
  const bad = await seeding.run(['seed', 'set', '-f', 'bad.json', '--yes']);
  expect(bad.code).toBe(9);
  expect(bad.stderr).toContain('bad.json:1:');
});

test('uses the workspace in the body as the target of seed set, and rejects a different --workspace', async () => {
  const attributes = '"calculated_attributes":{"7001":[]},"user_attributes":{"7001":[]}';
  seeding.write('user.json', `{"environment":"production","xpid":1,${attributes}}`);
  const set = ['seed', 'set', '-f', 'user.json', '--yes', '-o', 'json'];
  expect(JSON.parse((await seeding.run(set)).stdout)).toMatchObject({ target: { workspace_id: '7001' } });
  expect((await seeding.run([...set, '--workspace', '7001'])).code).toBe(0);
  expect(seeding.sink.requests).toBe(2);
  const other = await seeding.run([...set, '--workspace', '7002']);
  expect(other.code).toBe(9);
  expect(other.stderr).toContain('is not the target workspace 7002');
  expect(seeding.sink.requests).toBe(2);
});
