// A platform that imitates a deployment, so that clients have to change only the platform's addresses.
import { verify, X509Certificate } from 'node:crypto';
import { request } from 'node:https';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { StartOptions } from '../../../../src/lib/emulator/index.ts';
import { startCallbackReceiver } from '../../../helpers/callback-receiver.ts';
import { makeCertificate } from '../../../helpers/certificate.ts';
import { dsrBody, raw } from '../../../helpers/dsr.ts';
import { basicAuth, send, startTestEmulator, type TestEmulator } from '../../../helpers/emulator.ts';
import { failureOf } from '../../../helpers/failure.ts';
import { opened } from '../../../helpers/opened.ts';

const IDENTITY = {
  vendorDomain: 'cdp.example',
  audience: 'https://api.cdp.example',
  org: 41,
  account: 42,
  workspace: 43,
  clientId: 'real-client',
  anySecret: true,
};

const start = (options: StartOptions = {}): Promise<TestEmulator> =>
  opened(startTestEmulator({ clock: 'manual', identity: IDENTITY, ...options }));

const token = (platform: TestEmulator, change: object = {}) =>
  send('POST', `${platform.url}/oauth/token`, {
    body: {
      client_id: 'real-client',
      client_secret: 'whatever',
      audience: IDENTITY.audience,
      grant_type: 'client_credentials',
      ...change,
    },
  });

describe("a platform with a deployment's identity", () => {
  it("accepts the deployment's client and ids", async () => {
    const platform = await start();
    const reply = await token(platform);
    expect(reply.status).toBe(200);
    const { access_token } = reply.json as { access_token: string };
    const headers = { authorization: `Bearer ${access_token}` };
    const roles = await platform.send('GET', '/platform/v2/organizations/41/accounts/42/roles', { headers });
    expect([roles.status, roles.json]).toMatchObject([200, { roles: { length: 5 } }]);
    const group = { id: 'household', source_user_attribute: 'household_id', attributes: [{ id: 'a', type: 'sum' }] };
    const created = await platform.send('POST', '/platform/workspaces/43/groups/', { headers, body: group });
    expect(created.status).toBe(200);
    expect(platform.ready).toMatchObject({
      org_id: 41,
      account_id: 42,
      workspace_id: 43,
      vendor_domain: 'cdp.example',
    });
  });

  it('accepts any secret for its own client, its own workspace and unknown keys, but not for other clients or workspaces', async () => {
    const platform = await start();
    expect((await token(platform, { client_id: 'another' })).status).toBe(401);
    expect((await token(platform, { audience: 'https://else.example' })).status).toBe(403);
    const discovery = async (credentials: string): Promise<number> =>
      (await platform.send('GET', '/v3/discovery/', { headers: basicAuth(credentials) })).status;
    expect(await discovery('real-key:real-secret')).toBe(200);
    expect(await discovery('local-workspace-key:else')).toBe(200);
    expect(await discovery('second-workspace-key:second-workspace-secret')).toBe(200);
    expect(await discovery('second-workspace-key:else')).toBe(401);
  });

  it("accepts any client id if the deployment's client id is unknown", async () => {
    const { clientId: _, ...identity } = IDENTITY;
    const platform = await start({ identity });
    expect((await token(platform)).status).toBe(200);
  });

  it("accepts the vendor's extension and signs callbacks for the vendor's domain", async () => {
    const platform = await start();
    const receiver = await startCallbackReceiver();
    onTestFinished(() => receiver.close());
    const headers = basicAuth('real-key:real-secret');
    const body = dsrBody({
      subject_identities: undefined,
      status_callback_urls: [`${receiver.url}/hook`],
      extensions: { 'opendsr.cdp.example': { subject_identities: { xpid: raw('42') } } },
    });
    const reply = await platform.send('POST', '/v3/requests/', { body, headers });
    expect([reply.status, reply.json]).toMatchObject([201, { controller_id: '43' }]);
    await platform.api.flushCallbacks();
    const discovery = await platform.send('GET', '/v3/discovery', { headers });
    const { processor_certificate } = discovery.json as { processor_certificate: string };
    const certificate = new X509Certificate((await send('GET', processor_certificate)).text);
    const [callback] = receiver.received;
    const signature = Buffer.from(String(callback?.headers['x-opendsr-signature']), 'base64');
    expect(callback?.headers['x-opendsr-processor-domain']).toBe('opendsr.cdp.example');
    expect(certificate.checkHost('opendsr.cdp.example')).toBe('opendsr.cdp.example');
    expect(verify('sha256', callback?.body ?? Buffer.alloc(0), certificate.publicKey, signature)).toBe(true);
    const foreign = dsrBody({ extensions: { 'opendsr.platform.example': { skip_waiting_period: true } } });
    expect((await platform.send('POST', '/v3/requests/', { body: foreign, headers })).status).toBe(400);
  });

  it('listens only on loopback while it accepts any secret', async () => {
    expect(await failureOf(startTestEmulator({ identity: IDENTITY, host: '0.0.0.0' }))).toMatchObject({
      code: 'usage',
      message: expect.stringContaining('cannot listen on 0.0.0.0') as string,
    });
  });

  it("uses fixtures with the deployment's ids", async () => {
    const platform = await start({
      fixtures: {
        organizations: [{ id: 1 }, { id: 41 }],
        accounts: [
          { id: 2, org_id: 1 },
          { id: 42, org_id: 41 },
        ],
        workspaces: [
          { id: 3, account_id: 2, key: 'k3', secret: 's3' },
          { id: 43, account_id: 42, key: 'k43', secret: 's43' },
        ],
        processor_domain: 'dsr.cdp.example',
      },
    });
    expect(platform.ready).toMatchObject({ org_id: 41, account_id: 42, workspace_id: 43, workspace_key: 'k43' });
  });
});

describe('a platform with given addresses', () => {
  it('reports its public address and accepts it as Host', async () => {
    const platform = await start({ publicUrl: 'https://cdp.test:8443/', identity: {} });
    expect(platform.ready.base_url).toBe('https://cdp.test:8443');
    expect(platform.ready.control_url).toBe(`${platform.url}/_control`);
    expect(platform.ready.listen_url).toBe(platform.url);
    const headers = { ...basicAuth('local-workspace-key:local-workspace-secret'), host: 'cdp.test:8443' };
    const reply = await platform.send('GET', '/v3/discovery', { headers });
    expect(reply.json).toMatchObject({ processor_certificate: 'https://cdp.test:8443/certificates/processor.pem' });
    const own = { client_id: 'local-client', client_secret: 'local-client-secret', audience: 'https://cdp.test:8443' };
    expect((await token(platform, own)).status).toBe(200);
    expect((await platform.send('GET', '/v3/discovery', { headers: { host: 'other.test' } })).status).toBe(403);
    // A proxy can replace the Host header with the platform's own address.
    const direct = await platform.send('GET', '/v3/discovery', {
      headers: { ...headers, host: new URL(platform.url).host },
    });
    expect(direct.json).toEqual(reply.json);
    expect((await token(platform, { ...own, audience: platform.url })).status).toBe(200);
  });

  it('uses TLS with the given certificate, and a different port for the control address', async () => {
    const tls = makeCertificate();
    const platform = await start({ tls, identity: {} });
    const status = await new Promise((resolve, reject) => {
      const call = request(`${platform.url}/v3/discovery`, { ca: tls.cert, agent: false }, (reply) => {
        reply.resume();
        resolve(reply.statusCode);
      });
      call.on('error', reject).end();
    });
    expect([status, platform.ready.base_url]).toEqual([401, platform.url]);
    expect(platform.ready).toMatchObject({ console_url: `${platform.ready.control_url}/ui` });
    expect(platform.url).toMatch(/^https:/);
    expect(await platform.clock.now()).toMatch(/Z$/);
    const control = platform.ready.control_url.replace('/_control', '');
    expect((await send('GET', `${control}/v3/discovery`)).status).toBe(404);
  });

  it('rejects an unusable certificate', async () => {
    const tls = { cert: 'no certificate', key: 'no key' };
    expect(await failureOf(startTestEmulator({ tls }))).toMatchObject({ code: 'usage' });
  });
});

describe("a platform with a deployment's names", () => {
  it("reports errors with the deployment's names", async () => {
    const names = { xpid: 'member_id', '<PROVIDER_A>': 'icehouse', 'osa_*': 'phone_' };
    const platform = await start({ names, identity: {} });
    const headers = basicAuth('local-workspace-key:local-workspace-secret');
    const { text } = await platform.send('POST', '/v2/events', { headers, body: { environment: 'production' } });
    expect(text).toMatch(/`member_id`/);
    const path = '/platform/v2/workspaces/3001/connections';
    const neutral = { id: 'a', name: 'a', service_provider: 'PROVIDER_A', config: {} };
    const rejected = await platform.call('POST', path, { body: neutral });
    expect([rejected.status, rejected.text]).toEqual([400, expect.stringMatching(/`icehouse`,/)]);
    const renamed = { id: 'a', name: 'a', service_provider: 'icehouse', config: {} };
    expect((await platform.call('POST', path, { body: renamed })).text).toMatch(/account_identifier is missing/);
  });

  it('rejects an unknown name and suggests the closest one', async () => {
    expect(await failureOf(startTestEmulator({ names: { xpdi: 'member_id' } }))).toMatchObject({
      code: 'input.invalid',
      issues: [{ path: 'xpdi', message: 'is not a neutral word in the specification; did you mean `xpid`?' }],
    });
    const fixtures = { names: { '<PROVIDER_E>': 'else' } };
    expect(await failureOf(startTestEmulator({ fixtures }))).toMatchObject({
      issues: [{ path: 'names.<PROVIDER_E>' }],
    });
  });
});

it.each(['/v2/events', '/v1/identify'])('accepts `xpid` as a string of digits in %s, as in seeds', async (path) => {
  const platform = await start({ identity: {} });
  const headers = basicAuth('local-workspace-key:local-workspace-secret');
  const intake = (xpid: unknown) =>
    platform.send('POST', path, { headers, body: { environment: 'production', xpid, events: [] } });
  expect((await intake('9007199254740993')).status).toBe(202);
  expect((await intake('12.0')).status).toBe(400);
  expect(await platform.state.profiles({ xpid: '9007199254740993' })).toMatchObject([{ xpid: '9007199254740993' }]);
});
