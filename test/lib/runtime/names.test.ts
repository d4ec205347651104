// A deployment with words of its own: neutral in front, its words on the wire, neutral again in answers.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { areas } from '../../../src/lib/contract/index.ts';
import { createClient } from '../../../src/lib/http/client.ts';
import { createRedactor } from '../../../src/lib/kernel/redact.ts';
import { systemClock } from '../../../src/lib/kernel/clock.ts';
import { startTestEmulator, type TestEmulator } from '../../helpers/emulator.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';

const names = { xpid: 'pid', 'osa_*': 'phone_', PROVIDER_D: 'lakehouse' };

describe('wire names', () => {
  let platform: TestEmulator;
  let folder: string;

  beforeEach(async () => {
    platform = await startTestEmulator({ names });
    folder = temporaryFolder();
  });
  afterEach(async () => {
    await platform.close();
  });

  function client(map: Record<string, string> | undefined) {
    const { ready } = platform;
    return createClient({
      address: (service) =>
        ({
          base: ready.base_url,
          auth: ready.auth_url,
          dsr: ready.dsr_base_url,
          seeding: ready.seeding_url,
          identity: ready.identity_url,
        })[service],
      audience: () => ready.base_url,
      credentials: {
        accessToken: () => Promise.resolve(undefined),
        bearer: () =>
          Promise.resolve({ clientId: ready.client_id, clientSecret: () => Promise.resolve(ready.client_secret) }),
        basic: () => Promise.resolve({ key: ready.workspace_key, secret: ready.workspace_secret }),
      },
      names: map,
      tokenFolder: folder,
      budgetFolder: folder,
      requestTimeoutMs: 5000,
      retries: 0,
      proxy: {},
      engine: 'node',
      clock: systemClock,
      random: Math.random,
      redactor: createRedactor(),
      onDecision: () => undefined,
      onDebug: () => undefined,
      signal: new AbortController().signal,
    });
  }

  const seed = {
    environment: 'production' as const,
    xpid: 9223372036854775807n,
    calculated_attributes: {},
    user_attributes: { '3001': [{ attribute_name: 'xpid', attribute_value: 'osa_id' }] },
  };

  it('go out in the deployment’s words, only where marked, 64-bit ids exact', async () => {
    const mapped = client(names);
    const { body } = mapped.describe(areas.seeding.set, { body: seed });
    expect(body).toEqual({ ...seed, xpid: undefined, pid: seed.xpid });
    await mapped.call(areas.seeding.set, { body: seed });
    await mapped.close();
  });
});
