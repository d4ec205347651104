// Bulk inputs from presigned URLs of an object store with its own certificate authority, with and without range
// requests.
import type { IncomingMessage } from 'node:http';
import { createServer, type Server } from 'node:https';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { interrupted } from '../../src/lib/runtime/interrupt.ts';
import { makeCertificate } from '../helpers/certificate.ts';
import type { CliOptions } from '../helpers/cli.ts';
import { listenOnLoopback } from '../helpers/loopback.ts';
import { type Seeding, startSeeding, userRow, userRows } from '../helpers/seeding-home.ts';

const SECRET = 'X-Amz-Signature=0123456789abcdef0123456789abcdef';

interface Store {
  files: Record<string, { bytes: Buffer; etag?: string }>;
  hasRanges: boolean;
  /** If set, every response has this status and does not contain a file. */
  status?: number;
  requests: IncomingMessage[];
  /** Maximum number of bytes in a part. */
  most: number;
  /** Replaces the Content-Range of a part, or omits it if empty. */
  range?: (range: string) => string;
  /** Called before each response. */
  onRequest?: (number: number) => void;
  /** Returns whether to close the connection halfway through the response to the request with this number. */
  drops?: (number: number) => boolean;
  url(name: string): string;
}

let seeding: Seeding;
let server: Server;
let store: Store;

const certificate = makeCertificate();

/** Returns long rows, so that a few thousand of them exceed one part. */
const longRows = (count: number): string => userRows(count, () => 'x'.repeat(600));

beforeEach(async () => {
  seeding = await startSeeding();
  seeding.write('store.pem', certificate.cert);
  const requests: IncomingMessage[] = [];
  server = createServer(certificate, (request, response) => {
    requests.push(request);
    store.onRequest?.(requests.length);
    const file = store.files[new URL(request.url ?? '', 'http://x').pathname.slice(1)];
    if (store.status !== undefined) response.writeHead(store.status, { location: '/other' }).end();
    else if (!request.url?.includes(SECRET)) response.writeHead(403).end();
    else if (file === undefined) response.writeHead(404).end();
    else if ((request.headers['if-match'] ?? file.etag) !== file.etag) response.writeHead(412).end();
    else respond(file);

    function respond({ bytes, etag }: { bytes: Buffer; etag?: string }): void {
      const headers = { ...(etag && { etag }), 'content-type': 'application/octet-stream' };
      const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
      const number = requests.length;
      const send = (body: Buffer): void => {
        if (!store.drops?.(number)) response.end(body);
        else response.write(body.subarray(0, body.length / 2), () => request.socket.destroy());
      };
      if (!store.hasRanges || from === undefined) {
        response.writeHead(200, { ...headers, 'content-length': bytes.length });
        send(bytes);
        return;
      }
      if (Number(from) >= bytes.length) {
        response.writeHead(416, { 'content-range': `bytes */${bytes.length}` }).end();
        return;
      }
      const part = bytes.subarray(Number(from), Math.min(Number(to), Number(from) + store.most - 1) + 1);
      const own = `bytes ${from}-${Number(from) + part.length - 1}/${bytes.length}`;
      const range = store.range?.(own) ?? own;
      response.writeHead(206, { ...headers, ...(range && { 'content-range': range }), 'content-length': part.length });
      send(part);
    }
  });
  const port = await listenOnLoopback(server);
  store = {
    files: {},
    hasRanges: true,
    most: Infinity,
    requests,
    url: (name) => `https://127.0.0.1:${port}/${name}?${SECRET}&e=1`,
  };
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await seeding.close();
});

/** Adds the store's certificate authority to the options of a run. */
const trusting = (options: CliOptions = {}): CliOptions => ({
  ...options,
  env: { ...options.env, CDPADM_CA_FILE: 'store.pem' },
});
const run = (args: string[], options?: CliOptions) => seeding.run(args, trusting(options));
const bulk = (args: string[]) => seeding.bulk(args, trusting());

/** Returns these texts and the contents of all files in the home, as one text. */
function traces(...texts: string[]): string {
  const files = readdirSync(join(seeding.folder, '..'), { recursive: true, withFileTypes: true });
  const contents = files
    .filter((file) => file.isFile())
    .map((file) => readFileSync(join(file.parentPath, file.name), 'utf8'));
  return [...texts, ...contents].join('\n');
}

describe('an input address', () => {
  it.each([true, false])('is read like a file (server supports range requests: %s)', async (hasRanges) => {
    store.hasRanges = hasRanges;
    // Use contents longer than one part.
    store.files['users.ndjson'] = { bytes: Buffer.from(userRows(30_000)), etag: '"1"' };
    const { code, result, stderr } = await bulk([store.url('users.ndjson')]);
    expect([code, result.accepted, stderr.includes('signed link')]).toEqual([0, 30_000, false]);
    expect(new Set(seeding.users().map(({ xpid }) => xpid)).size).toBe(30_000);
    expect(store.requests.length > 1).toBe(hasRanges);
    expect(store.requests.every(({ headers }) => headers.authorization === undefined)).toBe(true);
  });

  it.each([
    ['users.ndjson', (text: string) => Buffer.from(text)],
    ['users.ndjson.gz', (text: string) => gzipSync(text, { level: 0 })],
  ])('is downloaded in parts, and each part only once: %s', async (name, pack) => {
    store.files[name] = { bytes: pack(longRows(13_000)), etag: '"1"' };
    expect((await bulk([store.url(name)])).result.accepted).toBe(13_000);
    const ranges = store.requests.map(({ headers }) => headers.range);
    expect(ranges.length).toBeGreaterThan(2);
    expect(new Set(ranges).size).toBe(ranges.length);
  });

  it('is downloaded in parts, and each part only once, even if the command reads its inputs twice', async () => {
    const rows = Array.from({ length: 100 }, (_, row) => `p${row}@example.com,${'x'.repeat(50_000)}\n`);
    store.files['people.csv'] = { bytes: Buffer.from(`email,note\n${rows.join('')}`), etag: '"1"' };
    const line = 'dsr prepare --regulation gdpr --type access --map note=- --out ids.csv';
    const { code, stderr } = await run([...line.split(' '), store.url('people.csv')], {
      env: { CDPADM_VENDOR_DOMAIN: 'platform.example' },
    });
    expect(code, stderr).toBe(0);
    const ranges = store.requests.map(({ headers }) => headers.range);
    expect(ranges.length).toBeGreaterThan(1);
    expect(new Set(ranges).size).toBe(ranges.length);
  });

  it.each([true, false])(
    'is read to the end despite dropped connections (server supports range requests: %s)',
    async (hasRanges) => {
      store.hasRanges = hasRanges;
      store.files['users.ndjson'] = { bytes: Buffer.from(longRows(10_000)), etag: '"1"' };
      store.drops = (number) => number === 1 || number === 3;
      const { code, result } = await bulk([store.url('users.ndjson')]);
      expect([code, result.rows, result.accepted]).toEqual([0, 10_000, 10_000]);
      expect(new Set(seeding.users().map(({ xpid }) => xpid)).size).toBe(10_000);
      const ranges = store.requests.map(({ headers }) => headers.range);
      const later = store.requests.filter(({ headers }) => headers.range !== ranges[0]);
      expect(later.every(({ headers }) => headers['if-match'] === '"1"')).toBe(true);
      expect(ranges.filter((range) => range === ranges[0]).length).toBe(2);
    },
  );

  it('stops the run if its content changes before a lost part is requested again', async () => {
    store.files['users.ndjson'] = { bytes: Buffer.from(longRows(10_000)), etag: '"1"' };
    store.drops = (number) => number === 2;
    store.onRequest = (number) => {
      if (number === 3) store.files['users.ndjson'] = { bytes: Buffer.from(longRows(11_000)), etag: '"2"' };
    };
    const changed = await bulk([store.url('users.ndjson')]);
    expect([changed.code, changed.stderr.includes('changed while the command was running')]).toEqual([6, true]);
    const { code, stderr } = await bulk([store.url('users.ndjson'), '--resume']);
    expect([code, stderr.includes('A file changed after the interrupted run.')]).toEqual([6, true]);
  });

  it("is not requested if the server's certificate comes from an unknown authority", async () => {
    store.files['users.ndjson'] = { bytes: Buffer.from(userRows(5)), etag: '"1"' };
    const { code, stderr } = await seeding.bulk([store.url('users.ndjson')]);
    expect([code, store.requests.length, seeding.sink.requests]).toEqual([8, 0, 0]);
    expect(stderr).toContain('--ca-file');
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
  ])('is accepted as an input: %s', async (name, bytes) => {
    store.files[name] = { bytes, etag: '"1"' };
    expect((await bulk([store.url(name)])).result).toMatchObject({ rows: 5, accepted: 5 });
  });

  it('is never printed or stored with its query string', async () => {
    store.files['users.ndjson'] = { bytes: Buffer.from(`${userRow(1)}\n${userRow('"x"')}\n`), etag: '"1"' };
    const first = await bulk([store.url('users.ndjson'), '-v', '--trace-file', 'trace.ndjson']);
    expect(first.code).toBe(3);
    expect(first.result.rejects).toBe(join(seeding.folder, 'users.ndjson.rejects.ndjson'));
    const again = await run(['seed', 'bulk', store.url('users.ndjson'), '--yes']);
    expect(again.code).toBe(12);
    expect(again.stderr).toContain("cdpadm seed bulk '<signed link>' --yes --restart");
    const valid = await run(['seed', 'validate', store.url('users.ndjson'), '-o', 'json', '--debug']);
    expect(valid.code).toBe(9);
    expect(valid.stderr).toContain('/users.ndjson"');
    expect(traces(first.stderr, again.stderr, valid.stderr, valid.stdout)).not.toMatch(/0123456789abcdef/);
  });

  it('is accepted on --resume with a new signature if the ETag is the same', async () => {
    store.files['users.ndjson'] = { bytes: Buffer.from(userRows(5000)), etag: '"1"' };
    const stop = new AbortController();
    const half = await run(
      ['seed', 'bulk', store.url('users.ndjson'), '--yes', '--progress', 'json', '--concurrency', '1'],
      {
        stop,
        onOutput: (_stdout, stderr) => {
          if (/"rows":[1-9]/.test(stderr)) stop.abort(interrupted());
        },
      },
    );
    expect(half.code).toBe(130);
    const { code, result } = await bulk([`${store.url('users.ndjson')}&again=1`, '--resume']);
    expect([code, result.accepted]).toEqual([0, 5000]);
    store.files['users.ndjson'] = { bytes: Buffer.from(userRows(5000)), etag: '"2"' };
    expect((await bulk([store.url('users.ndjson'), '--resume'])).code).toBe(6);
  });

  it('stops the run if the content changes while it is being read', async () => {
    store.files['users.ndjson'] = { bytes: Buffer.from(longRows(13_000)), etag: '"1"' };
    store.onRequest = (number) => {
      if (number === 3) store.files['users.ndjson'] = { bytes: Buffer.from(longRows(13_000)), etag: '"2"' };
    };
    const { code, stderr } = await bulk([store.url('users.ndjson')]);
    expect(code).toBe(6);
    expect(stderr).toMatch(/changed while the command was running.*--restart/s);
  });

  it('is rejected if it does not use TLS, has no signature or does not exist', async () => {
    const plain = await run(['seed', 'validate', `http://store.example/users.csv?${SECRET}`]);
    expect([plain.code, plain.stderr.includes('http://store.example/users.csv is not encrypted')]).toEqual([2, true]);
    expect((await run(['seed', 'validate', store.url('none.csv')])).code).toBe(5);
    expect((await run(['seed', 'validate', store.url('x.csv').replace(/\?.*/, '')])).code).toBe(4);
    expect(existsSync(join(seeding.folder, 'none.csv'))).toBe(false);
  });

  it.each([
    [302, 'sent a redirect (302), which cdpadm does not follow.', 'Pass the final address.'],
    [403, 'responded with 403.', 'The link may have expired. Pass a new one.'],
    [404, 'responded with 404.', 'The link may have expired. Pass a new one.'],
    [410, 'responded with 410.', 'The link may have expired. Pass a new one.'],
    [503, 'responded with 503.', 'Run the command again later, or pass --retries N to allow more retries.'],
  ])('is named in the error, instead of the platform, for status %i', async (status, answer, hint) => {
    store.status = status;
    const { stderr } = await run(['seed', 'validate', store.url('users.csv'), '-o', 'json']);
    const name = store.url('users.csv').replace(/\?.*/, '');
    expect((JSON.parse(stderr) as { error: object }).error).toMatchObject({
      message: `The input ${name} cannot be read: its server ${answer}`,
      hint,
    });
    expect(stderr).not.toContain('0123456789abcdef');
  });

  it.each([
    ['has an unknown size', (range: string) => range.replace(/\/.*/, '/*'), 1, 'responded with 206 instead of a complete range'],
    ['has no range', () => '', 1, 'responded with 206 instead of a complete range'],
    ['states other bytes', (range: string) => range.replace('-', '-9'), 1, 'responded with 206 instead of a complete range'],
    ['states no bytes', (range: string) => range.replace(/-\d+/, '-0'), 1, 'responded with 206 instead of a complete range'],
    ['is another range', (range: string) => range.replace('bytes 0-', 'bytes 1-'), 6, 'changed while the command was running'],
  ])('is not mistaken for the whole file if a part %s', async (_what, range, exit, message) => {
    Object.assign(store, { range, files: { 'users.ndjson': { bytes: Buffer.from(longRows(13_000)), etag: '"1"' } } });
    const { code, stderr } = await bulk([store.url('users.ndjson')]);
    expect([code, seeding.users(), stderr]).toEqual([exit, [], expect.stringContaining(message)]);
  }); // prettier-ignore

  it('is read completely if the server sends fewer bytes than requested', async () => {
    store.most = 700_001;
    store.files['users.ndjson'] = { bytes: Buffer.from(longRows(13_000)), etag: '"1"' };
    expect(await bulk([store.url('users.ndjson')])).toMatchObject({ code: 0, result: { accepted: 13_000 } });
    expect(new Set(store.requests.map(({ headers }) => headers.range)).size).toBe(store.requests.length);
    expect(new Set(seeding.users().map(({ xpid }) => xpid)).size).toBe(13_000);
  });

  it.each([202, 204])('is not mistaken for an empty file if the response has the status %i', async (status) => {
    store.status = status;
    const { code, stderr } = await bulk([store.url('users.ndjson')]);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`responded with ${status} instead of the file`)]);
  });

  it.each(['a%ZZ%ff', '%00%2e%2e%2f'])('may have the name %s, although no file can have it', async (name) => {
    store.files[`${name}.ndjson`] = { bytes: Buffer.from('{}\n'), etag: '"1"' };
    const { code, result } = await bulk([store.url(`${name}.ndjson`)]);
    expect([code, result.rejected, existsSync(result.rejects ?? '')]).toEqual([3, 1, true]);
    expect(join(result.rejects ?? '', '..')).toBe(seeding.folder);
  });

  it('is accepted if the file is empty', async () => {
    store.files['none.ndjson'] = { bytes: Buffer.alloc(0), etag: '"1"' };
    expect((await bulk([store.url('none.ndjson')])).result).toMatchObject({ rows: 0 });
  });
});
