// Every write command shows its actual target first, both as text and as data.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createDsrHome } from '../helpers/dsr-home.ts';
import type { PlatformHome } from '../helpers/platform-home.ts';

let home: PlatformHome;
let id: string;
beforeEach(async () => {
  home = await createDsrHome();
  // The target line marks a protected profile.
  home.write('.cdpadm.yaml', 'protected: true\n');
  home.write('people.csv', 'email\na@b.c\n');
  const identified = { environment: 'development', user_identities: { customer_id: '1' } };
  const seed = '{"environment":"development","xpid":1,"calculated_attributes":{"3001":[]}}\n';
  home.write('seed.json', seed);
  home.write('seeds.ndjson', seed);
  home.write('event.json', JSON.stringify({ ...identified, events: [{ event_type: 'custom_event', data: {} }] }));
  home.write('body.json', '{}');
  home.write(
    'group.json',
    '{"id":"household","source_user_attribute":"household_id","attributes":[{"id":"city","type":"latest"}]}',
  );
  home.write('connection.json', JSON.stringify(CONNECTION));
  const { data } = await home.json<{ subject_request_id: string }>(
    'dsr submit --regulation gdpr --type access --identity email=z@b.c --yes',
  );
  id = data.subject_request_id;
});
afterEach(() => home.close());

const CONNECTION = {
  id: 'crm',
  name: 'CRM',
  state: 'active',
  service_provider: 'PROVIDER_D',
  config: { provider: 'sample-organization', schema: 'shop' },
};
const ORGANIZATION = { org_id: '1001', account_id: '2001' };
const WORKSPACE = { workspace_id: '3001' };

const WRITES = [
  ['roles create fresh --name Fresh --description New --task rules:view', 'CDPADM_BASE_URL', ORGANIZATION],
  ['groups create -f group.json', 'CDPADM_BASE_URL', WORKSPACE],
  ['connections create -f connection.json', 'CDPADM_BASE_URL', WORKSPACE],
  ['dsr submit --regulation gdpr --type erasure --identity email=a@b.c', 'CDPADM_DSR_BASE_URL', WORKSPACE],
  ['dsr submit --bulk people.csv --regulation gdpr --type erasure', 'CDPADM_DSR_BASE_URL', WORKSPACE],
  ['dsr cancel ID', 'CDPADM_DSR_BASE_URL', WORKSPACE],
  ['seed bulk seeds.ndjson', 'CDPADM_SEEDING_URL', WORKSPACE],
  ['seed set -f seed.json', 'CDPADM_SEEDING_URL', WORKSPACE],
  ['intake event -f event.json', 'CDPADM_SEEDING_URL', WORKSPACE],
  ['intake identify -f event.json', 'CDPADM_IDENTITY_URL', WORKSPACE],
  ['api POST /v3/requests/ -f body.json', 'CDPADM_DSR_BASE_URL', WORKSPACE],
] as const;

it.each(WRITES)('shows the target before `%s` writes', async (line, setting, ids) => {
  // Spell the same address in different ways, so that the test fails if the address of another area is shown.
  const port = new URL(home.platform.ready.base_url).port;
  const env = {
    CDPADM_SEEDING_URL: `http://localhost:${port}`,
    CDPADM_IDENTITY_URL: `http://[::1]:${port}`,
    CDPADM_ENVIRONMENT: 'production',
  };
  const addresses: Record<string, string> = { ...home.env, ...env };
  const address = addresses[setting] ?? '';
  const words = line.replace('ID', id);
  const target = { profile: null, environment: 'production', ...ids, address };
  const dry = await home.json<{ requests: { url: string }[]; target: object }>(`${words} --dry-run`, { env });
  expect(dry.data.requests.map(({ url }) => url.slice(0, address.length))).toEqual([address]);
  expect(dry.data.target).toEqual(target);
  const { stderr, stdout } = await home.run(`${words} --yes --retries 0 -o json`, { env, tty: { stderr: true } });
  const named = Object.entries(ids).map(([key, value]) => `${LABELS[key]} ${value}, `);
  const shown = `Target: no profile (protected), production, ${named.join('')}${address}`;
  // The target line is wrapped at word boundaries.
  expect(stderr.replaceAll('\n', ' ').startsWith(shown), stderr).toBe(true);
  const data = JSON.parse(stdout || '[]') as { target?: object };
  // A platform response is printed unchanged, without a target.
  if (!Array.isArray(data) && !/^(groups|connections|api)/.test(line)) expect(data.target).toEqual(target);
});

const LABELS: Record<string, string> = { org_id: 'organization', account_id: 'account', workspace_id: 'workspace' };

it.each(WRITES)('blocks `%s` under `access: read`', async (line) => {
  home.write('.cdpadm.yaml', 'access: read\n');
  const words = line.replace('ID', id);
  const before = await home.writes();
  const { code, error } = await home.json(`${words} --yes`);
  expect([code, error.code]).toEqual([12, 'profile.read_only']);
  expect((await home.run(`${words} --dry-run`)).code).toBe(0);
  expect((await home.run(`${words} --curl`)).code).toBe(0);
  expect(await home.writes()).toEqual(before);
});

it('allows reads under `access: read`, even with `api`', async () => {
  home.write('.cdpadm.yaml', 'access: read\n');
  expect((await home.run('roles list')).code).toBe(0);
  expect((await home.run('api GET /v3/discovery')).code).toBe(0);
});

it("skips the seeding area in `auth test` under `access: read`, because that area's only call is a POST", async () => {
  home.write('.cdpadm.yaml', 'access: read\n');
  const before = await home.writes();
  const { code, data } = await home.json<{ area: string; status: string }[]>('auth test');
  expect(code).toBe(0);
  expect(data.find(({ area }) => area === 'seeding')?.status).toBe('not_checked');
  expect(await home.writes()).toEqual(before);
});
