// Where the certificate for a callback comes from: discovery's address and nowhere else, whatever is answered there.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeCertificate } from '../../../helpers/certificate.ts';
import { type CliHome, type CliResult, createCliHome } from '../../../helpers/cli.ts';
import { send } from '../../../helpers/emulator.ts';
import { createFastClock } from '../../../helpers/fast-clock.ts';
import { listenForCallbacks } from '../../../helpers/listener.ts';
import { listenOnLoopback } from '../../../helpers/loopback.ts';

let home: CliHome;
let servers: Server[];
/** Requests by server: discovery's, and another that nobody may be led to. */
let seen: Record<'own' | 'other', IncomingMessage[]>;
let own: string;
let other: string;
/** What discovery names. */
let certificate: string;
let answerCertificate: (response: ServerResponse) => void;

async function serve(kind: 'own' | 'other', answer: (path: string, response: ServerResponse) => void): Promise<string> {
  const server = createServer((request, response) => {
    seen[kind].push(request);
    answer(request.url ?? '', response);
  });
  servers.push(server);
  return `http://127.0.0.1:${await listenOnLoopback(server)}`;
}

beforeEach(async () => {
  home = createCliHome();
  servers = [];
  seen = { own: [], other: [] };
  own = await serve('own', (path, response) => {
    if (path !== '/v3/discovery/') {
      answerCertificate(response);
      return;
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end(
      JSON.stringify({
        api_version: '3.0',
        supported_identities: [],
        supported_subject_request_types: [],
        processor_certificate: certificate,
      }),
    );
  });
  other = await serve('other', (_path, response) => response.end('-----BEGIN CERTIFICATE-----'));
  certificate = `${own}/certificate.pem`;
  writeFileSync(join(home.cwd, 'body'), '{}');
  const headers = {
    'X-OpenDSR-Processor-Domain': 'opendsr.platform.example',
    'X-OpenDSR-Signature': 'AAAA',
    'X-OpenDSR-Certificate': `${other}/mine.pem`,
    Link: `<${other}/mine.pem>; rel="certificate"`,
  };
  writeFileSync(join(home.cwd, 'headers.json'), JSON.stringify(headers));
});
afterEach(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  home.remove();
});

const env = () => ({
  CDPADM_DSR_BASE_URL: `${own}/v3`,
  CDPADM_VENDOR_DOMAIN: 'platform.example',
  CDPADM_WORKSPACE_KEY: 'canary-key',
  CDPADM_WORKSPACE_SECRET: 'canary-secret',
});

const verify = (...flags: string[]): Promise<CliResult> =>
  home.run(['dsr', 'callbacks', 'verify', '--headers', 'headers.json', '--body', 'body', '--retries', '0', ...flags], {
    env: env(),
  });

const ONE_SECOND = ['--request-timeout', '1s'];

it.each<[string, (response: ServerResponse) => void, string[], number, RegExp]>([
  [
    'redirects',
    (response) => response.writeHead(302, { location: `${other}/certificate.pem` }).end(),
    [],
    1,
    /a redirect \(302\) to \S+; cdpadm does not follow redirects/,
  ],
  ['is too large', (response) => response.end('x'.repeat(300_000)), [], 1, /is larger than 64 kB/],
  [
    'never ends',
    (response) => {
      const more = (): void => {
        while (!response.destroyed && response.write('x'.repeat(16_384)));
        response.once('drain', more);
      };
      more();
    },
    [],
    1,
    /is larger than 64 kB/,
  ],
  ['never comes', () => undefined, ONE_SECOND, 8, /No complete response from \S+ within 1s/],
  [
    'comes too slowly',
    (response) => void response.write('-----BEGIN'),
    ONE_SECOND,
    8,
    /No complete response from \S+ within 1s/,
  ],
  ['is a page', (response) => response.end('<html>login</html>'), [], 1, /is no PEM certificate/],
  ['is not there', (response) => response.writeHead(404).end(), [], 5, /Not found \(404\)/],
])('an address that %s gives no certificate', async (_how, answer, flags, exit, message) => {
  answerCertificate = answer;
  const { code, stderr } = await verify(...flags);
  expect([code, stderr]).toEqual([exit, expect.stringMatching(message)]);
  expect(seen.other).toEqual([]);
  // Discovery is asked with credentials, the certificate without.
  expect(seen.own.map(({ url, headers }) => [url, headers.authorization !== undefined])).toEqual([
    ['/v3/discovery/', true],
    ['/certificate.pem', false],
  ]);
});

it.each(['http://certificates.example/c.pem', 'file:///etc/passwd', 'data:text/plain,x', 'c.pem', ''])(
  'discovery that names %j leads nowhere',
  async (url) => {
    certificate = url;
    expect(await verify()).toMatchObject({ code: 1, stderr: expect.stringContaining('Nothing was sent there.') });
    expect(seen.own).toHaveLength(1);
  },
);

describe('a listener without a certificate', () => {
  const HEADERS = { 'x-opendsr-processor-domain': 'opendsr.platform.example', 'x-opendsr-signature': 'AAAA' };

  /** The status and the reason that a callback gets. Its certificate would have six seconds. */
  async function answered(warning?: string): Promise<[status: number, detail: string]> {
    const listener = await listenForCallbacks(home, ['--retries', '0'], { env: env(), clock: createFastClock(20) });
    const { status } = await send('POST', listener.url, { body: '{}', headers: HEADERS });
    const [line] = listener.lines();
    const { stderr } = await listener.stop();
    expect(line?.status).toBe(status);
    if (warning !== undefined) expect(stderr).toContain(`Callbacks cannot be verified now: ${warning}`);
    return [status, line?.detail ?? ''];
  }

  it.each<[number, string, (response: ServerResponse) => void, RegExp]>([
    [401, 'redirects', (response) => response.writeHead(302, { location: other }).end(), /redirect/],
    [401, 'is too large', (response) => response.end('x'.repeat(300_000)), /larger than 64 kB/],
    [401, 'is a page', (response) => response.end('<html>login</html>'), /no PEM certificate/],
    [401, 'is not there', (response) => response.writeHead(404).end(), /404/],
    [401, 'is for another domain', (response) => response.end(makeCertificate().cert), /^certificate/],
    [503, 'fails', (response) => response.writeHead(502).end(), /502/],
    [503, 'is busy', (response) => response.writeHead(429).end(), /429/],
    [503, 'ends the connection', (response) => response.socket?.resetAndDestroy(), /closed/],
    [503, 'never comes', () => undefined, /did not arrive within 6s/],
    [503, 'comes too slowly', (response) => void response.write('-----BEGIN'), /did not arrive within 6s/],
  ])('answers %i where the address of the certificate %s', async (wanted, _how, answer, reason) => {
    answerCertificate = answer;
    expect(await answered()).toEqual([wanted, expect.stringMatching(reason)]);
  });

  it('warns at its start and answers 401 where discovery names an address that is not encrypted', async () => {
    certificate = 'http://certificates.example/c.pem';
    expect(await answered('The link http://certificates.example/c.pem is not encrypted.')).toEqual([
      401,
      expect.stringContaining('is not encrypted'),
    ]);
  });
});
