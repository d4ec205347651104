// An object store with a warehouse's compressed part files, which it serves only at presigned URLs.
import { createServer } from 'node:http';
import { gzipSync } from 'node:zlib';
import { onTestFinished } from 'vitest';
import { listenOnLoopback } from './loopback.ts';

/** Serves eight files of 100 users each under `unload/users`, until the running test ends. */
export async function startPartStore(): Promise<{ names: string[]; url: string }> {
  const names = Array.from({ length: 8 }, (_, part) => `data_0_${part}_0.csv.gz`);
  const files = names.map((name, part): [string, Buffer] => {
    const rows = Array.from({ length: 100 }, (_, row) => `"${part * 100 + row + 1}","3"\n`);
    return [`/unload/users/${name}`, gzipSync(`"ID","ORDERS"\n${rows.join('')}`)];
  });
  const parts = new Map(files);
  const store = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://store');
    const body = searchParams.has('X-Amz-Signature') ? parts.get(pathname) : undefined;
    response.writeHead(body === undefined ? 403 : 200, { etag: `"${pathname}"` }).end(body);
  });
  onTestFinished(() => void store.close());
  return { names, url: `http://127.0.0.1:${await listenOnLoopback(store)}` };
}
