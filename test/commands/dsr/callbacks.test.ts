// `dsr callbacks listen` with genuine and forged callbacks: the response, the saved files and the forwarded bytes.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { interrupted } from '../../../src/lib/runtime/interrupt.ts';
import { type CallbackReceiver, startCallbackReceiver } from '../../helpers/callback-receiver.ts';
import type { CliResult } from '../../helpers/cli.ts';
import { createDsrHome } from '../../helpers/dsr-home.ts';
import { createFastClock } from '../../helpers/fast-clock.ts';
import { type Listener, listenForCallbacks } from '../../helpers/listener.ts';
import type { PlatformHome } from '../../helpers/platform-home.ts';
import { send } from '../../helpers/emulator.ts';

interface Forwarded {
  headers: Record<string, string>;
  body: string;
}

let home: PlatformHome;
let receiver: CallbackReceiver;
const stops: (() => Promise<CliResult>)[] = [];

beforeEach(async () => {
  home = await createDsrHome();
  receiver = await startCallbackReceiver();
});
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
  await receiver.close();
  await home.close();
});

/** Returns the forwarded callbacks: their bytes, and the headers that authenticate them. */
function forwarded(): Forwarded[] {
  return receiver.received.map(({ body, headers }) => {
    const wanted = Object.entries(headers).filter(([name]) => /^(x-opendsr|content-type)/.test(name));
    return { headers: Object.fromEntries(wanted) as Record<string, string>, body: body.toString() };
  });
}

async function listen(...flags: string[]): Promise<Listener> {
  const listener = await listenForCallbacks(home, flags);
  stops.push(listener.stop);
  return listener;
}

/** Advances the clock and waits until all due callbacks are delivered. */
async function advance(duration: string): Promise<void> {
  await home.platform.api.advance(duration);
  await home.platform.api.flushCallbacks();
}

async function submit(url: string): Promise<void> {
  const flags = ['--regulation', 'gdpr', '--type', 'access', '--identity', 'email=a@example.com', '--yes'];
  expect((await home.run(['dsr', 'submit', ...flags, '--callback-url', url])).code).toBe(0);
}

/** Submits a request, and returns its first callback. */
async function firstCallback(): Promise<Forwarded> {
  const { url } = await listen('--forward-to', receiver.url);
  await submit(url);
  await advance('20m');
  await receiver.count(1);
  return forwarded()[0] ?? { body: '', headers: {} };
}

describe('a listener', () => {
  it('warns at startup about a command that does not exist', async () => {
    const { stop } = await listenForCallbacks(home, ['--on', 'completed', '/nonexistent/notify --now']);
    expect((await stop()).stderr).toContain('does not exist: /nonexistent/notify.');
  });

  it('acknowledges valid callbacks, stores each state once, and forwards the bytes', async () => {
    const { lines, url } = await listen('--forward-to', receiver.url);
    await submit(url);
    await advance('4d');
    const printed = lines();
    expect(printed.map(({ request_status, status }) => [status, request_status])).toEqual([
      [202, 'pending'],
      [202, 'in_progress'],
      [202, 'completed'],
    ]);
    await receiver.count(3);
    expect(forwarded().map(({ body }) => (JSON.parse(body) as { request_status: string }).request_status)).toEqual([
      'pending',
      'in_progress',
      'completed',
    ]);
    // Duplicates in reverse order are acknowledged but not stored again.
    for (const { body, headers } of [...forwarded()].reverse())
      expect((await send('POST', url, { body, headers })).status).toBe(202);
    expect(
      lines()
        .slice(3)
        .map((line) => line.new),
    ).toEqual([false, false, false]);
    const [entry] = (await home.json<{ states: unknown[] }[]>('dsr ledger export')).data;
    expect(entry?.states).toHaveLength(3);
  });

  it('saves each POST in files that can be verified, and does not overwrite earlier files', async () => {
    const { lines, url } = await listen('--keep', 'kept', '--forward-to', receiver.url);
    await submit(url);
    await advance('1d');
    await receiver.count(2);
    const { body = '', headers = {} } = forwarded()[0] ?? {};
    expect((await send('POST', url, { body: `${body} `, headers })).status).toBe(401);
    expect((await send('GET', url)).status).toBe(405);
    const printed = lines();
    const id = printed[0]?.subject_request_id ?? '';
    expect(printed.map(({ headers_file: file }) => file)).toEqual([
      `kept/${id}.1.headers.json`,
      `kept/${id}.2.headers.json`,
      'kept/refused.1.headers.json',
      null,
    ]);
    const codes: number[] = [];
    for (const { body_file: bytes, headers_file: file } of printed.slice(0, 3)) {
      for (const name of [bytes, file]) expect(statSync(join(home.cwd, name ?? '')).mode & 0o777).toBe(0o600);
      codes.push((await home.run(['dsr', 'callbacks', 'verify', '--headers', file ?? '', '--body', bytes ?? ''])).code);
    }
    expect(codes).toEqual([0, 0, 1]);
    expect(home.read(`kept/${id}.1.body`)).toBe(body);
    // Start a second listener, which counts its deliveries from one.
    const second = await listen('--keep', 'kept');
    expect((await send('POST', second.url, { body, headers })).status).toBe(202);
    expect(second.lines()[0]?.body_file).toBe(`kept/${id}.3.body`);
    expect(home.read(`kept/${id}.1.body`)).toBe(body);
  });

  it('prints one CSV header before the rows, and prints its address on standard error', async () => {
    const end = new AbortController();
    let running = Promise.resolve<CliResult>({ code: 0, stdout: '', stderr: '' });
    const url = await new Promise<string>((resolve, reject) => {
      running = home.run(['dsr', 'callbacks', 'listen', '--port', '0', '-o', 'csv'], {
        stop: end,
        onOutput: (stdout, stderr) => {
          // The address and the header appear before the first callback.
          const [, address] = /^Listening for callbacks at (\S+)\nPress Ctrl-C to stop\.$/m.exec(stderr) ?? [];
          if (address !== undefined && stdout.includes('\n')) resolve(address);
        },
      });
      running.then(({ stderr }) => reject(new Error(stderr)), reject);
    });
    expect((await send('GET', url)).status).toBe(405);
    await submit(url);
    await advance('1d');
    end.abort(interrupted());
    const [header, rejected, ...accepted] = (await running).stdout.trimEnd().split('\n');
    expect(header).toBe('at,status,valid,subject_request_id,request_status,new,detail');
    expect(rejected).toMatch(/^[^,]+,405,,,,false,GET is not POST$/);
    expect(accepted.length).toBeGreaterThan(0);
    for (const line of accepted)
      expect(line).toMatch(/^[^,]+,202,true,[0-9a-f-]{36},(?:pending|in_progress),(?:true|false),/);
  });

  it('rejects changed, unsigned and oversized callbacks, and does not forward them', async () => {
    const genuine = await listen('--forward-to', receiver.url);
    await submit(genuine.url);
    await advance('1d');
    await receiver.count(2);
    const { body = '', headers = {} } = forwarded()[0] ?? {};
    const post = async (body: string, headers: Record<string, string>, path = '') =>
      (await send('POST', `${genuine.url}${path}`, { body, headers })).status;
    expect(await post(body, headers, 'any/path')).toBe(202);
    expect(await post(body.replace('pending', 'completed'), headers)).toBe(401);
    expect(await post(body, { ...headers, 'x-opendsr-processor-domain': 'evil.example' })).toBe(401);
    expect(await post(body, { ...headers, 'x-opendsr-signature': '' })).toBe(401);
    expect(await post('x'.repeat(2_000_000), headers)).toBe(413);
    expect((await send('GET', genuine.url)).status).toBe(405);
    expect(forwarded()).toHaveLength(2);
  });

  it('acknowledges callbacks while the receiver fails, and forwards them later under the same event id', async () => {
    const { url } = await listen('--forward-to', receiver.url);
    receiver.next(500, 'reset');
    await submit(url);
    await advance('20m');
    await receiver.count(3);
    const { body = '', headers = {} } = forwarded()[0] ?? {};
    expect(receiver.received.map((it) => it.body.toString())).toEqual([body, body, body]);
    const [id, ...others] = receiver.received.map((it) => it.headers['idempotency-key']);
    expect([id, others]).toEqual([expect.stringMatching(/^[0-9a-f]{20}$/), [id, id]]);
    await home.platform.api.addFault({ method: 'GET', path: '/v3/discovery/', status: 503 });
    const offline = await listen('--retries', '0', '--allow', headers['x-opendsr-processor-domain'] ?? '');
    expect((await send('POST', offline.url, { body, headers })).status).toBe(202);
  });

  it('verifies callbacks with the cached certificate while discovery hangs', async () => {
    const { body, headers } = await firstCallback();
    await home.platform.api.addFault({ method: 'GET', path: '/v3/discovery/', delay: '1h' });
    const { stop, url } = await listenForCallbacks(home, [], { clock: createFastClock(20) });
    stops.push(stop);
    const forged = send('POST', url, { body: `${body} `, headers });
    const genuine = await send('POST', url, { body, headers });
    expect([genuine.status, (await forged).status]).toEqual([202, 401]);
    await home.platform.api.clearFaults();
  });

  it('returns 503 while discovery is unavailable and no certificate is cached, and verifies again afterward', async () => {
    const { body, headers } = await firstCallback();
    home.env.CDPADM_CACHE_DIR = `${home.env.CDPADM_CACHE_DIR ?? ''}-empty`;
    await home.platform.api.addFault({ method: 'GET', path: '/v3/discovery/', drop: 'before' });
    const { lines, url } = await listen('--retries', '0');
    expect((await send('POST', url, { body, headers })).status).toBe(503);
    expect(lines().at(-1)).toMatchObject({ status: 503, valid: false, new: false });
    // A domain that is not allowed to sign is rejected without a call to discovery.
    const foreign = { ...headers, 'x-opendsr-processor-domain': 'evil.example' };
    expect((await send('POST', url, { body, headers: foreign })).status).toBe(401);
    await home.platform.api.clearFaults();
    expect((await send('POST', url, { body, headers })).status).toBe(202);
    expect((await send('POST', url, { body: `${body} `, headers })).status).toBe(401);
  });
});

it('verifies a saved callback', async () => {
  const { body, headers } = await firstCallback();
  home.write('h.json', JSON.stringify(headers));
  home.write(
    'h.txt',
    Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join(''),
  );
  home.write('body', body);
  const verify = 'dsr callbacks verify --body body --headers';
  for (const file of ['h.json', 'h.txt']) expect((await home.run(`${verify} ${file}`)).code).toBe(0);
  home.write('body', `${body}\n`);
  const { code, data } = await home.json<{ valid: boolean; checks: { name: string; ok: boolean }[] }>(
    `${verify} h.txt`,
  );
  expect([code, data.valid, data.checks.filter(({ ok }) => ok).length]).toEqual([1, false, 3]);
});

it('verifies a callback without a profile or settings if the certificate is given', async () => {
  const { body, headers } = await firstCallback();
  home.write('h.json', JSON.stringify(headers));
  home.write('body', body);
  const { processor_certificate: certificate } = (await home.json<{ processor_certificate: string }>('dsr discovery'))
    .data;
  home.write('processor.pem', await (await fetch(certificate)).text());
  const bare = Object.fromEntries(
    Object.keys(home.env).map((name) => [name, /DIR$|CA_FILE|HOME/.test(name) ? (home.env[name] ?? '') : '']),
  );
  const domain = headers['x-opendsr-processor-domain'] ?? '';
  for (const [flags, code] of [
    [`--certificate processor.pem --allow ${domain}`, 0],
    ['--certificate processor.pem', 0],
    [`--certificate ${certificate}`, 0],
    ['--certificate processor.pem --allow other.example', 1],
    // Without --certificate, the certificate comes from discovery, which needs the platform's address.
    [`--allow ${domain}`, 2],
  ] as const) {
    const result = await home.run(`dsr callbacks verify --headers h.json --body body ${flags}`, { env: bare });
    expect(result.code, `${flags} ${result.stderr}`).toBe(code);
  }
  // Without --allow, the domain in the header must match the certificate.
  home.write('h.json', JSON.stringify({ ...headers, 'x-opendsr-processor-domain': 'other.example' }));
  const line = 'dsr callbacks verify --headers h.json --body body --certificate processor.pem -o json';
  const { checks } = JSON.parse((await home.run(line, { env: bare })).stdout) as { checks: { ok: boolean }[] };
  expect(checks.map(({ ok }) => ok)).toEqual([true, true, false, false]);
});

it.each(['complete', 'finished', 'done'])('rejects the unknown --on status %s', async (status) => {
  const { code, stderr } = await home.run(['dsr', 'callbacks', 'listen', '--port', '0', '--on', status, 'true']);
  expect([code, stderr]).toEqual([2, expect.stringContaining('any, pending, in_progress, completed, cancelled')]);
  if (status === 'complete') expect(stderr).toContain('Did you mean `completed`?');
});
