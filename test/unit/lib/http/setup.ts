// A test client that records its events, with a fake clock and temporary folders.
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createClient } from '../../../../src/lib/http/client.ts';
import type { Client, HttpOptions } from '../../../../src/lib/http/types.ts';
import { createCacheFiles } from '../../../../src/lib/kernel/cache-files.ts';
import { createRedactor } from '../../../../src/lib/kernel/redact.ts';
import { createTestClock, type TestClock } from '../../../helpers/clock.ts';
import { temporaryFolder } from '../../../helpers/temporary-folder.ts';

export const SECRETS = {
  clientSecret: 'canary-client-secret',
  accessToken: 'canary-access-token',
  workspaceKey: 'canary-workspace-key',
  workspaceSecret: 'canary-workspace-sécret',
};

export interface TestClient extends Client {
  readonly clock: TestClock;
  readonly decisions: string[];
  readonly debug: string[];
  readonly traces: Record<string, unknown>[];
  readonly folder: string;
}

/** A signal that never aborts. */
export const never = new AbortController().signal;

/** Returns a client for `url` that is closed when the test finishes. By default, it has a ready-made access token. */
export function testClient(url: string, overrides: Partial<HttpOptions> & { folder?: string } = {}): TestClient {
  const folder = overrides.folder ?? temporaryFolder();
  const clock = (overrides.clock ?? createTestClock()) as TestClock;
  const decisions: string[] = [];
  const debug: string[] = [];
  const traces: Record<string, unknown>[] = [];
  const client = createClient({
    address: () => url,
    audience: () => url,
    credentials: {
      accessToken: async () => SECRETS.accessToken,
      bearer: async () => ({ clientId: 'client-1', clientSecret: async () => SECRETS.clientSecret }),
      basic: async () => ({ key: SECRETS.workspaceKey, secret: SECRETS.workspaceSecret }),
    },
    lastingAddress: (service) => (overrides.address?.(service) ?? url).replace(/\/+$/, ''),
    lastingAudience: () => overrides.audience?.() ?? url,
    cacheFiles: createCacheFiles(fail),
    tokenFolder: join(folder, 'tokens'),
    budgetFolder: join(folder, 'budget'),
    requestTimeoutMs: 5000,
    retries: 4,
    proxy: {},
    engine: 'node',
    random: () => 0.5,
    redactor: createRedactor(),
    onDecision: (text) => decisions.push(text),
    onDebug: (text) => debug.push(text),
    onTrace: (exchange) => traces.push(exchange),
    signal: never,
    ...overrides,
    clock,
  });
  onTestFinished(() => client.close());
  return { ...client, clock, decisions, debug, traces, folder };
}

/** Fails the test, because nothing should fail in a writable folder. */
export function fail(error: Error): never {
  throw error;
}

/** Credentials that must not be resolved. */
export const UNTOUCHED: HttpOptions['credentials'] = {
  accessToken: rejectAccess,
  bearer: rejectAccess,
  basic: rejectAccess,
};

async function rejectAccess(): Promise<never> {
  throw new Error('credentials were resolved');
}

/** Returns credentials without a ready-made token, so that the client has to request a token. */
export function withoutToken(): HttpOptions['credentials'] {
  return {
    accessToken: async () => undefined,
    bearer: async () => ({ clientId: 'client-1', clientSecret: async () => SECRETS.clientSecret }),
    basic: async () => ({ key: SECRETS.workspaceKey, secret: SECRETS.workspaceSecret }),
  };
}
