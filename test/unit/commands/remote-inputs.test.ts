// Bulk inputs at an address: signed links of an object store, with and without range requests.
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { interrupted } from '../../../src/lib/runtime/interrupt.ts';
import { type Seeding, startSeeding, userRow, userRows } from '../../helpers/seeding-home.ts';

const SECRET = 'X-Amz-Signature=0123456789abcdef0123456789abcdef';

interface Store {
  files: Record<string, { bytes: Buffer; etag?: string }>;
  hasRanges: boolean;
  requests: IncomingMessage[];
  /** Called before each response. */
  onRequest?: (number: number) => void;
  url(name: string): string;
}

let seeding: Seeding;
let server: Server;
let store: Store;

beforeEach(async () => {
  seeding = await startSeeding();
  const requests: IncomingMessage[] = [];
  server = createServer((request, response) => {
    requests.push(request);
    store.onRequest?.(requests.length);
    const file = store.files[new URL(request.url ?? '', 'http://x').pathname.slice(1)];
    if (!request.url?.includes(SECRET)) response.writeHead(403).end();
    else if (file === undefined) response.writeHead(404).end();
    else if ((request.headers['if-match'] ?? file.etag) !== file.etag) response.writeHead(412).end();
    else respond(file);

    function respond({ bytes, etag }: { bytes: Buffer; etag?: string }): void {
      const headers = { ...(etag && { etag }), 'content-type': 'application/octet-stream' };
      const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
      if (!store.hasRanges || from === undefined) {
        response.writeHead(200, { ...headers, 'content-length': bytes.length }).end(bytes);
        return;
      }
      if (Number(from) >= bytes.length) {
        response.writeHead(416, { 'content-range': `bytes */${bytes.length}` }).end();
        return;
      }
      const part = bytes.subarray(Number(from), Number(to) + 1);
      const range = `bytes ${from}-${Number(from) + part.length - 1}/${bytes.length}`;
      response.writeHead(206, { ...headers, 'content-range': range, 'content-length': part.length }).end(part);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  store = { files: {}, hasRanges: true, requests, url: (name) => `http://127.0.0.1:${port}/${name}?${SECRET}&e=1` };
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await seeding.close();
});

/** The output of a run and the contents of all its files. */
function traces(...texts: string[]): string {
  const files = readdirSync(join(seeding.folder, '..'), { recursive: true, withFileTypes: true });
  const contents = files
    .filter((file) => file.isFile())
    .map((file) => readFileSync(join(file.parentPath, file.name), 'utf8'));
  return [...texts, ...contents].join('\n');
}

describe('an address', () => {
  it.each([true, false])('is read like a file, with range requests: %s', async (hasRanges) => {
    store.hasRanges = hasRanges;
    // Contents that are longer than one part.
    store.files['users.ndjson'] = { bytes: Buffer.from(userRows(30_000)), etag: '"1"' };
    const { code, result, stderr } = await seeding.bulk([store.url('users.ndjson')]);
    expect([code, result.accepted, stderr.includes('signed link')]).toEqual([0, 30_000, false]);
    expect(new Set(seeding.users().map(({ xpid }) => xpid)).size).toBe(30_000);
    expect(store.requests.length > 1).toBe(hasRanges);
    expect(store.requests.every(({ headers }) => headers.authorization === undefined)).toBe(true);
  });

  it.each<[string, Buffer]>([
    ['users.ndjson.gz', gzipSync(userRows(5))],
    ['users.csv', Buffer.from('xpid,user:tier\n1,gold\n2,gold\n3,gold\n4,gold\n5,gold\n')],
    [
      'users.parquet',
      Buffer.from(
        parquetWriteBuffer({
          columnData: [
            { name: 'xpid', data: [1n, 2n, 3n, 4n, 5n], type: 'INT64' },
            { name: 'user:tier', data: ['a', 'b', 'c', 'd', 'e'], type: 'STRING' },
          ],
        }),
      ),
    ],
  ])('can point to %s', async (name, bytes) => {
    store.files[name] = { bytes, etag: '"1"' };
    expect((await seeding.bulk([store.url(name)])).result).toMatchObject({ rows: 5, accepted: 5 });
  });

  it('never has its query in the output, a file or the journal', async () => {
    store.files['users.ndjson'] = { bytes: Buffer.from(`${userRow(1)}\n${userRow('"x"')}\n`), etag: '"1"' };
    const first = await seeding.bulk([store.url('users.ndjson'), '-v', '--trace-file', 'trace.ndjson']);
    expect(first.code).toBe(3);
    expect(first.result.rejects).toBe(join(seeding.folder, 'users.ndjson.rejects.ndjson'));
    const again = await seeding.run(['seed', 'bulk', store.url('users.ndjson'), '--yes']);
    expect(again.code).toBe(12);
    expect(again.stderr).toContain("cdpadm seed bulk '<signed link>' --yes --restart");
    const valid = await seeding.run(['seed', 'validate', store.url('users.ndjson'), '-o', 'json', '--debug']);
    expect(valid.code).toBe(9);
    expect(valid.stderr).toContain('/users.ndjson"');
    expect(traces(first.stderr, again.stderr, valid.stderr, valid.stdout)).not.toMatch(/0123456789abcdef/);
  });

  it('can be resumed with a new signature if the ETag is the same', async () => {
    store.files['users.ndjson'] = { bytes: Buffer.from(userRows(5000)), etag: '"1"' };
    const stop = new AbortController();
    const half = await seeding.run(
      ['seed', 'bulk', store.url('users.ndjson'), '--yes', '--progress', 'json', '--concurrency', '1'],
      {
        stop,
        onOutput: (_stdout, stderr) => {
          if (/"rows":[1-9]/.test(stderr)) stop.abort(interrupted());
        },
      },
    );
    expect(half.code).toBe(130);
    const { code, result } = await seeding.bulk([`${store.url('users.ndjson')}&again=1`, '--resume']);
    expect([code, result.accepted]).toEqual([0, 5000]);
    store.files['users.ndjson'] = { bytes: Buffer.from(userRows(5000)), etag: '"2"' };
    expect((await seeding.bulk([store.url('users.ndjson'), '--resume'])).code).toBe(6);
  });

  it('stops the run if the content changes while it is read', async () => {
    store.files['users.ndjson'] = { bytes: Buffer.from(userRows(60_000)), etag: '"1"' };
    store.onRequest = (number) => {
      if (number === 3) store.files['users.ndjson'] = { bytes: Buffer.from(userRows(60_000)), etag: '"2"' };
    };
    const { code, stderr } = await seeding.bulk([store.url('users.ndjson')]);
    expect(code).toBe(1);
    expect(stderr).toContain('changed while it was read');
  });

  it('is rejected without TLS, and reported if it expired or does not exist', async () => {
    const plain = await seeding.run(['seed', 'validate', `http://store.example/users.csv?${SECRET}`]);
    expect([plain.code, plain.stderr.includes('http://store.example/users.csv is not encrypted')]).toEqual([2, true]);
    expect((await seeding.run(['seed', 'validate', store.url('none.csv')])).code).toBe(5);
    expect((await seeding.run(['seed', 'validate', store.url('x.csv').replace(/\?.*/, '')])).code).toBe(4);
    expect(existsSync(join(seeding.folder, 'none.csv'))).toBe(false);
  });

  it('can point to an empty file', async () => {
    store.files['none.ndjson'] = { bytes: Buffer.alloc(0), etag: '"1"' };
    expect((await seeding.bulk([store.url('none.ndjson')])).result).toMatchObject({ rows: 0 });
  });
});
