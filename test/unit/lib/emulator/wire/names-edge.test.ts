// A platform that is started with a deployment's names accepts and sends only these names, except on the control
// address.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { deploymentNames } from '../../../../../src/lib/emulator/wire/names-edge.ts';
import { dsrBody, raw } from '../../../../helpers/dsr.ts';
import { basicAuth, startTestEmulator, type TestEmulator } from '../../../../helpers/emulator.ts';
import { opened } from '../../../../helpers/opened.ts';

let platform: TestEmulator;
beforeAll(async () => {
  platform = await startTestEmulator({ fixtures: { names: { xpid: 'member_id', 'osa_*': 'android_*' } } });
});
afterAll(() => platform.close());

const seed = async (who: Record<string, unknown>): Promise<number> => {
  const { workspace_key, workspace_secret } = platform.ready;
  const body = { environment: 'production', ...who, calculated_attributes: {} };
  const headers = basicAuth(`${workspace_key}:${workspace_secret}`);
  return (await platform.send('POST', '/v2/calculatedattributes', { body, headers })).status;
};

it("accepts the deployment's names and rejects the neutral names that they replace", async () => {
  expect(await seed({ member_id: 7 })).toBe(202);
  expect(await seed({ xpid: 7 })).toBe(400);
  expect(await seed({ identities: { android_id: 'a' } })).toBe(202);
});

it('translates two names that swap their meanings', () => {
  const names = deploymentNames({ xpid: 'email', email: 'xpid' });
  expect([names.fromWire('email'), names.fromWire('xpid'), names.toWire('xpid')]).toEqual(['xpid', 'email', 'email']);
});

it("finds a profile by the deployment's name and by the neutral name", async () => {
  expect(await seed({ member_id: 8, identities: { android_id: 'b' } })).toBe(202);
  expect(await seed({ identities: { android_id: 'c' } })).toBe(202);
  const found = async (query: string): Promise<unknown> =>
    (await platform.send('GET', `/_control/profiles?${query}`)).json;
  for (const query of ['member_id=8', 'android_id=c']) expect(await found(query)).toMatchObject([{}]);
  expect(await found('xpid=8')).toEqual(await found('member_id=8'));
  expect(await found('osa_id=c')).toEqual(await found('android_id=c'));
});

it("does not send names that the deployment replaces, or another vendor's domain", async () => {
  const { fixtures, ...identity } = {
    fixtures: { names: { xpid: 'member_id', PROVIDER_D: 'lake' } },
    vendorDomain: 'cdp.example',
  };
  const other = await opened(startTestEmulator({ fixtures, identity }));
  const { workspace_key, workspace_secret, workspace_id } = other.ready;
  const headers = basicAuth(`${workspace_key}:${workspace_secret}`);
  const body = dsrBody({ extensions: { 'opendsr.cdp.example': { subject_identities: { member_id: raw('42') } } } });
  const connection = {
    id: 'c',
    name: 'c',
    state: 'active',
    service_provider: 'lake',
    config: { provider: 'o', schema: 's' },
  };
  const group = { id: 'household', source_user_attribute: 'address', attributes: [] };
  const replies = [
    await other.send('POST', '/v3/requests/', { body, headers }),
    await other.call('POST', `/platform/v2/workspaces/${workspace_id}/connections`, { body: connection }),
    await other.call('POST', `/platform/workspaces/${workspace_id}/groups/`, { body: group }),
    await other.call('GET', `${other.accountPath}/roles`),
    await other.call('GET', `/platform/v2/workspaces/${workspace_id}/connections?serviceProvider=lakes`),
  ];
  expect(replies.map(({ status }) => status)).toEqual([400, 200, 200, 200, 400]);
  for (const { text } of replies) expect(text).not.toMatch(/xpid|PROVIDER_D|platform\.example/);
});
