// A callback's certificate comes only from the address that discovery returns, never from a redirect or a header.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeCertificate } from '../../helpers/certificate.ts';
import { type CliHome, type CliResult, createCliHome } from '../../helpers/cli.ts';
import { send } from '../../helpers/emulator.ts';
import { createFastClock } from '../../helpers/fast-clock.ts';
import { listenForCallbacks } from '../../helpers/listener.ts';
import { listenOnLoopback } from '../../helpers/loopback.ts';

let home: CliHome;
let servers: Server[];
/** Requests by server: `own` serves discovery and the certificate; `other` must never receive a request. */
let seen: Record<'own' | 'other', IncomingMessage[]>;
let own: string;
let other: string;
/** The address that discovery returns. */
let certificate: string;
let sendCertificate: (response: ServerResponse) => void;
let sendDiscovery: (response: ServerResponse) => void;

async function serve(
  kind: 'own' | 'other',
  respond: (path: string, response: ServerResponse) => void,
): Promise<string> {
  const server = createServer((request, response) => {
    seen[kind].push(request);
    respond(request.url ?? '', response);
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
      sendCertificate(response);
      return;
    }
    sendDiscovery(response);
  });
  sendDiscovery = (response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(
      JSON.stringify({
        api_version: '3.0',
        supported_identities: [],
        supported_subject_request_types: [],
        processor_certificate: certificate,
      }),
    );
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
  ...[401, 403].map((status): [string, (response: ServerResponse) => void, string[], number, RegExp] => [
    `requires credentials (${status})`,
    (response) => response.writeHead(status).end(),
    [],
    4,
    /^(?![^]*(The credentials|new token))[^]*rejected a request without credentials \(40[13]\)[^]*No credentials are sent to http/,
  ]),
  ['returns too many bytes', (response) => response.end('x'.repeat(300_000)), [], 1, /is larger than 64 KiB/],
  [
    'never stops sending',
    (response) => {
      const more = (): void => {
        while (!response.destroyed && response.write('x'.repeat(16_384)));
        response.once('drain', more);
      };
      more();
    },
    [],
    1,
    /is larger than 64 KiB/,
  ],
  ['never responds', () => undefined, ONE_SECOND, 8, /\S+ did not send a complete response within 1s/],
  [
    'responds too slowly',
    (response) => void response.write('-----BEGIN'),
    ONE_SECOND,
    8,
    /\S+ did not send a complete response within 1s/,
  ],
  ['returns HTML', (response) => response.end('<html>login</html>'), [], 1, /is not a PEM certificate/],
  [
    'returns 404',
    (response) => response.writeHead(404).end(),
    [],
    5,
    /Cannot fetch the processor's certificate from \S+\. Not found \(404\)/,
  ],
  [
    'returns a web page with 404',
    (response) => response.writeHead(404, { 'content-type': 'text/html' }).end('<html><title>Gone</title></html>'),
    [],
    1,
    /Cannot fetch the processor's certificate from \S+\. .*it is a web page \("Gone"\)\./,
  ],
])('rejects the certificate if its address %s', async (_how, respond, flags, exit, message) => {
  sendCertificate = respond;
  const { code, stderr } = await verify(...flags);
  expect([code, stderr]).toEqual([exit, expect.stringMatching(message)]);
  expect(seen.other).toEqual([]);
  // Only the discovery call has credentials.
  expect(seen.own.map(({ url, headers }) => [url, headers.authorization !== undefined])).toEqual([
    ['/v3/discovery/', true],
    ['/certificate.pem', false],
  ]);
});

it.each(['http://certificates.example/c.pem', 'file:///etc/passwd', 'data:text/plain,x', 'c.pem', ''])(
  'sends nothing to the certificate address %j',
  async (url) => {
    certificate = url;
    expect(await verify()).toMatchObject({ code: 1, stderr: expect.stringContaining('Nothing was sent there.') });
    expect(seen.own).toHaveLength(1);
  },
);

it('warns that it accepts every domain in the certificate if neither --allow nor a vendor domain is set', async () => {
  for (const [flags, isWarned] of [
    [[], true],
    [['--allow', 'opendsr.platform.example'], false],
  ] as const) {
    const listener = await listenForCallbacks(home, flags, { env: { ...env(), CDPADM_VENDOR_DOMAIN: '' } });
    expect((await listener.stop()).stderr.includes('The vendor domain is unknown')).toBe(isWarned);
  }
});

const CERTIFICATE_LATE = /\/certificate\.pem did not respond within 6s/;

describe('a listener without a certificate', () => {
  const HEADERS = { 'x-opendsr-processor-domain': 'opendsr.platform.example', 'x-opendsr-signature': 'AAAA' };

  /**
   * Sends a callback, and returns the response status and the reason. The listener waits six seconds for the
   * certificate.
   */
  async function outcome(warning?: string, more = {}): Promise<[status: number, detail: string]> {
    const listener = await listenForCallbacks(home, ['--retries', '0'], {
      env: { ...env(), ...more },
      clock: createFastClock(20),
    });
    const { status } = await send('POST', listener.url, { body: '{}', headers: HEADERS });
    const [line] = listener.lines();
    const { stderr } = await listener.stop();
    expect(line?.status).toBe(status);
    if (warning !== undefined) expect(stderr).toContain(`Callbacks ${warning}`);
    return [status, line?.detail ?? ''];
  }

  it.each<[number, string, (response: ServerResponse) => void, RegExp]>([
    [401, 'redirects', (response) => response.writeHead(302, { location: other }).end(), /redirect/],
    [401, 'returns too many bytes', (response) => response.end('x'.repeat(300_000)), /larger than 64 KiB/],
    [401, 'returns HTML', (response) => response.end('<html>login</html>'), /not a PEM certificate/],
    [401, 'returns 404', (response) => response.writeHead(404).end(), /404/],
    [503, 'returns 401', (response) => response.writeHead(401).end(), /401/],
    [503, 'returns 502', (response) => response.writeHead(502).end(), /502/],
    [503, 'returns 429', (response) => response.writeHead(429).end(), /429/],
    [503, 'closes the connection', (response) => response.socket?.resetAndDestroy(), /closed/],
    [503, 'never responds', () => undefined, CERTIFICATE_LATE],
    [503, 'responds too slowly', (response) => void response.write('-----BEGIN'), CERTIFICATE_LATE],
  ])('warns at startup and returns %i if the certificate address %s', async (expected, _how, respond, reason) => {
    sendCertificate = respond;
    expect(await outcome(expected === 503 ? 'cannot be verified now (503)' : 'are rejected (401)')).toEqual([
      expected,
      expect.stringMatching(reason),
    ]);
  });

  it.each<[number, string, (response: ServerResponse) => void, RegExp]>([
    [
      401,
      'returns 404',
      (response) => response.writeHead(404).end(),
      /Discovery at \S+\/v3\/discovery\/ failed\. .*404/,
    ],
    [503, 'never responds', () => undefined, /\/v3\/discovery\/ did not respond within 6s/],
  ])('warns at startup and returns %i if discovery %s', async (expected, _how, respond, reason) => {
    sendDiscovery = respond;
    const [status, detail] = await outcome(expected === 503 ? 'cannot be verified now (503)' : 'are rejected (401)');
    expect([status, detail]).toEqual([expected, expect.stringMatching(reason)]);
  });

  it('returns 401 if the certificate address returns a certificate for a different domain', async () => {
    sendCertificate = (response) => response.end(makeCertificate().cert);
    expect(await outcome()).toEqual([401, expect.stringMatching(/^certificate/)]);
  });

  it('warns at startup and returns 503 while the workspace credentials are missing', async () => {
    const [status] = await outcome('cannot be verified now (503): The workspace key is missing', {
      CDPADM_WORKSPACE_KEY: '',
      CDPADM_WORKSPACE_SECRET: '',
    });
    expect(status).toBe(503);
  });

  it('warns at startup and returns 401 if discovery names an unencrypted address', async () => {
    certificate = 'http://certificates.example/c.pem';
    expect(await outcome('are rejected (401) until this is fixed: The link http://certificates.example/c.pem')).toEqual(
      [401, expect.stringContaining('is not encrypted')],
    );
  });
});
