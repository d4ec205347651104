// A process that contends with others for slots in the budget or for the single token request.
import { takeSlots } from '../../../src/lib/http/limits/budget.ts';
import { createClient } from '../../../src/lib/http/client.ts';
import { createCacheFiles } from '../../../src/lib/kernel/cache-files.ts';
import { systemClock } from '../../../src/lib/kernel/clock.ts';
import { createRedactor } from '../../../src/lib/kernel/redact.ts';
import { getThing } from '../../unit/lib/http/endpoints.ts';
import { loggedWaits } from '../../unit/lib/http/logged-waits.ts';

const cacheFiles = createCacheFiles((error) => {
  throw error;
});
const never = new AbortController().signal;

/** Reserves `count` slots without waiting for them, and returns the time at which each is due. */
async function contendForBudget(folder: string, count: number): Promise<unknown> {
  const due: number[] = [];
  for (let slot = 0; slot < count; slot++) {
    const { clock, waited } = loggedWaits(systemClock.now);
    const options = { cacheFiles, budgetFolder: folder, clock, onDecision: () => undefined };
    await takeSlots('roles', { address: 'https://a.example', key: 'a' }, 1, options, never);
    due.push(systemClock.now() + waited());
  }
  return due;
}

/** Makes one call that needs a token. */
async function contendForToken(folder: string, url: string): Promise<unknown> {
  const client = createClient({
    address: () => url,
    audience: () => url,
    credentials: {
      accessToken: async () => undefined,
      bearer: async () => ({ clientId: 'client-1', clientSecret: async () => 'secret-1' }),
      basic: async () => ({ key: 'key', secret: 'secret' }),
    },
    lastingAddress: () => url,
    lastingAudience: () => url,
    cacheFiles,
    tokenFolder: folder,
    budgetFolder: folder,
    requestTimeoutMs: 10_000,
    retries: 0,
    proxy: {},
    engine: 'node',
    clock: systemClock,
    random: Math.random,
    redactor: createRedactor(),
    onDecision: () => undefined,
    onDebug: () => undefined,
    signal: never,
  });
  const reply = await client.call(getThing, { params: { thingId: 'a' } });
  await client.close();
  return reply;
}

async function main(kind = '', folder = '', argument = ''): Promise<void> {
  const result = kind === 'budget' ? contendForBudget(folder, Number(argument)) : contendForToken(folder, argument);
  process.stdout.write(JSON.stringify(await result));
}

void main(...process.argv.slice(2));
