// For a deployment with its own names, the client uses neutral names and sends the deployment's names.
import { beforeEach, expect, it } from 'vitest';
import { ConnectionRequest } from '../../../../src/lib/contract/connections.ts';
import { areas } from '../../../../src/lib/contract/index.ts';
import type { Client } from '../../../../src/lib/http/types.ts';
import { startTestEmulator, type TestEmulator } from '../../../helpers/emulator.ts';
import { opened } from '../../../helpers/opened.ts';
import { CONNECTION } from '../../../helpers/sync-definitions.ts';
import { testClient } from './setup.ts';

const names = { xpid: 'pid', 'osa_*': 'phone_', PROVIDER_D: 'lakehouse' };

let platform: TestEmulator;
let mapped: Client;
beforeEach(async () => {
  platform = await opened(startTestEmulator({ names }));
  const { ready } = platform;
  mapped = testClient(platform.url, {
    audience: () => ready.base_url,
    credentials: {
      accessToken: () => platform.token(),
      bearer: () => Promise.reject(new Error('unexpected token request')),
      basic: () => Promise.resolve({ key: ready.workspace_key, secret: ready.workspace_secret }),
    },
    names,
  });
});

it("sends the deployment's names only in marked fields, with exact 64-bit ids", async () => {
  const seed = {
    environment: 'production' as const,
    xpid: 9223372036854775807n,
    calculated_attributes: {},
    user_attributes: { '3001': [{ attribute_name: 'xpid', attribute_value: 'osa_id' }] },
  };
  const { body } = mapped.describe(areas.seeding.set, { body: seed });
  expect(body).toEqual({ ...seed, xpid: undefined, pid: seed.xpid });
  await mapped.call(areas.seeding.set, { body: seed });
  const stored = await platform.send('GET', '/_control/profiles?xpid=9223372036854775807');
  expect(stored.json).toMatchObject([{ user_attributes: { xpid: 'osa_id' } }]);
});

it('returns neutral names to the caller', async () => {
  const params = { workspaceId: platform.ready.workspace_id };
  await mapped.call(areas.connections.create, { params, body: ConnectionRequest.parse(CONNECTION) });
  const path = `/platform/v2/workspaces/${platform.ready.workspace_id}/connections`;
  expect((await platform.call('GET', path)).json).toMatchObject([{ service_provider: 'lakehouse' }]);
  expect(await mapped.call(areas.connections.list, { params })).toMatchObject([{ service_provider: 'PROVIDER_D' }]);
});
