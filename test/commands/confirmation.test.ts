// What is shown before a write: the address that the write really goes to, whichever of the platform's it is.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createDsrHome } from '../helpers/dsr-home.ts';
import type { PlatformHome } from '../helpers/platform-home.ts';

let home: PlatformHome;
let id: string;
beforeEach(async () => {
  home = await createDsrHome();
  // Seeds and intake ask only where the profile is protected.
  home.write('.cdpadm.yaml', 'protected: true\n');
  home.write('people.csv', 'email\na@b.c\n');
  const identified = { environment: 'development', user_identities: { customer_id: '1' } };
  const seed = '{"environment":"development","xpid":1,"calculated_attributes":{"5001":[]}}\n';
  home.write('seed.json', seed);
  home.write('seeds.ndjson', seed);
  home.write('event.json', JSON.stringify({ ...identified, events: [{ event_type: 'custom_event', data: {} }] }));
  home.write('body.json', '{}');
  const { data } = await home.json<{ subject_request_id: string }>(
    'dsr submit --regulation gdpr --type access --identity email=z@b.c --yes',
  );
  id = data.subject_request_id;
});
afterEach(() => home.close());

it.each([
  ['dsr submit --regulation gdpr --type erasure --identity email=a@b.c', 'CDPADM_DSR_BASE_URL'],
  ['dsr submit --bulk people.csv --regulation gdpr --type erasure', 'CDPADM_DSR_BASE_URL'],
  ['dsr cancel ID', 'CDPADM_DSR_BASE_URL'],
  ['seed bulk seeds.ndjson', 'CDPADM_SEEDING_URL'],
  ['seed set -f seed.json', 'CDPADM_SEEDING_URL'],
  ['intake event -f event.json', 'CDPADM_SEEDING_URL'],
  ['intake identify -f event.json', 'CDPADM_IDENTITY_URL'],
  ['api POST /v3/requests/ -f body.json', 'CDPADM_DSR_BASE_URL'],
])('%s', async (line, setting) => {
  // Other spellings of the same platform, so that one address cannot pass for another.
  const port = new URL(home.platform.ready.base_url).port;
  const env = {
    CDPADM_SEEDING_URL: `http://localhost:${port}`,
    CDPADM_IDENTITY_URL: `http://[::1]:${port}`,
  };
  const address = { ...home.env, ...env }[setting] ?? '';
  const words = line.replace('ID', id);
  const dry = await home.json<{ requests: { url: string }[] }>(`${words} --dry-run`, { env });
  expect(dry.data.requests.map(({ url }) => url.slice(0, address.length))).toEqual([address]);
  const { stderr } = await home.run(`${words} --yes --retries 0`, { env });
  expect(/address +(\S+)/.exec(stderr)?.[1], stderr).toBe(address);
});
