// Records callbacks that the embedded platform signs and sends, for tests that post them to a listener.
import { createServer } from 'node:http';
import { listenOnLoopback } from './loopback.ts';
import type { PlatformHome } from './platform-home.ts';

export interface SignedCallback {
  id: string;
  status: string;
  headers: Record<string, string>;
  body: string;
}

/**
 * Returns the callbacks for `count` access requests, from `pending` to `completed`, grouped by request and in order.
 */
export async function signedCallbacks(home: PlatformHome, count: number): Promise<SignedCallback[][]> {
  const requests = new Map<string, SignedCallback[]>();
  const sink = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      const { request_status: status, subject_request_id: id } = JSON.parse(body) as Record<string, string>;
      const headers = Object.entries(request.headers).filter(([name]) => /^(x-opendsr|content-type)/.test(name));
      const callback = { id: id ?? '', status: status ?? '', headers: Object.fromEntries(headers), body };
      requests.set(callback.id, [...(requests.get(callback.id) ?? []), callback as SignedCallback]);
      response.writeHead(202).end();
    });
  });
  const url = `http://127.0.0.1:${await listenOnLoopback(sink)}/`;
  home.write(
    'people.csv',
    `email\n${Array.from({ length: count }, (_, row) => `p${row}@people.example`).join('\n')}\n`,
  );
  const flags = ['--regulation', 'gdpr', '--type', 'access', '--yes', '--callback-url', url];
  const { code, stderr } = await home.run(['dsr', 'submit', '--bulk', 'people.csv', ...flags]);
  if (code !== 0) throw new Error(stderr);
  await home.platform.api.advance('4d');
  await home.platform.api.flushCallbacks();
  sink.closeAllConnections();
  sink.close();
  return [...requests.values()];
}
