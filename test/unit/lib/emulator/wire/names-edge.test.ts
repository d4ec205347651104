// A platform started with names accepts only the names of the deployment.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { deploymentNames } from '../../../../../src/lib/emulator/wire/names-edge.ts';
import { basicAuth, startTestEmulator, type TestEmulator } from '../../../../helpers/emulator.ts';

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

it('accepts its own names and rejects the neutral names that they replace', async () => {
  expect(await seed({ member_id: 7 })).toBe(202);
  expect(await seed({ xpid: 7 })).toBe(400);
  expect(await seed({ identities: { android_id: 'a' } })).toBe(202);
});

it('maps two names that are swapped', () => {
  const names = deploymentNames({ xpid: 'email', email: 'xpid' });
  expect([names.fromWire('email'), names.fromWire('xpid'), names.toWire('xpid')]).toEqual(['xpid', 'email', 'email']);
});
