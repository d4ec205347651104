// A Redis server that shares one rate among all processes.
import { createHash } from 'node:crypto';
import { RATE_SCRIPT } from './rate-script.ts';

export interface RateStore {
  /** Reserves requests: the first may go after `inMs`, each other one `everyMs` after the one before. */
  take(count: number): Promise<{ inMs: number; everyMs: number }>;
  /** The platform rejected a request that was sent `agoMs` ago, and asked for this pause. */
  limited(agoMs: number, askedMs: number): Promise<void>;
  close(): void;
}

const TIMEOUT_MS = 2000;
/** `limit` names what is limited: address, workspace and API. `rate` is of all processes together; undefined is no limit. */
export async function openRateStore(
  address: URL,
  limit: readonly string[],
  rate: number | undefined,
  ca: string[] | undefined,
): Promise<RateStore> {
  const { Redis } = await import('ioredis');
  const client = new Redis(address.href, {
    ...(ca !== undefined && address.protocol === 'rediss:' && { tls: { ca } }),
    connectTimeout: TIMEOUT_MS,
    commandTimeout: TIMEOUT_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: (times) => Math.min(times * 100, TIMEOUT_MS),
    scripts: { pace: { lua: RATE_SCRIPT, numberOfKeys: 1 } },
  });
  // A failure reaches the caller through its command.
  client.on('error', () => undefined);
  const key = `cdpadm:rate:${createHash('sha256').update(JSON.stringify(limit)).digest('hex').slice(0, 32)}`;
  const scripts = client as unknown as { pace(...words: (string | number)[]): Promise<[number, number]> };
  return {
    take: async (count) => {
      const [start, every] = await scripts.pace(key, 'take', rate ?? 0, count);
      return { inMs: start / 1000, everyMs: every / 1000 };
    },
    limited: async (agoMs, askedMs) => {
      await scripts.pace(key, 'limited', rate ?? 0, agoMs, askedMs);
    },
    close: () => client.disconnect(),
  };
}
