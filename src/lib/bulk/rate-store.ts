// Shares a request rate among processes through a Redis server. The server's address may contain a password. While the
// server is unreachable, each process uses its own share.
import { createHash } from 'node:crypto';
import { isLoopback } from '../kernel/address.ts';
import { usageError } from '../kernel/errors.ts';
import { createSchedule, type Schedule } from '../domain/pacing/learned-rate.ts';
import type { Clock } from '../kernel/clock.ts';

export type RateStore = Awaited<ReturnType<typeof openRateStore>>;

const TIMEOUT_MS = 2000;
/** Opens the store for a limit (platform address, workspace and API). `rate` is the requested total rate, if any. */
export async function openRateStore(
  address: URL,
  limit: readonly string[],
  rate: number | undefined,
  ca: string[] | undefined,
) {
  const { Redis } = await import('ioredis');
  const client = new Redis(address.href, {
    ...(ca !== undefined && address.protocol === 'rediss:' && { tls: { ca } }),
    connectTimeout: TIMEOUT_MS,
    commandTimeout: TIMEOUT_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: (times) => Math.min(times * 100, TIMEOUT_MS),
    scripts: { pace: { lua: RATE_SCRIPT, numberOfKeys: 1 } },
  });
  // Report the connection error: without a connection, a Redis command's error mentions only its retries.
  let cause: Error | undefined;
  client.on('error', (error: Error) => {
    cause = error;
  });
  const key = `cdpadm:rate:${createHash('sha256').update(JSON.stringify(limit)).digest('hex').slice(0, 32)}`;
  const scripts = client as unknown as { pace(...words: (string | number)[]): Promise<[number, number]> };
  const pace = async (operation: string, ...values: number[]): Promise<[number, number]> => {
    try {
      return await scripts.pace(key, operation, rate ?? 0, ...values);
    } catch (error) {
      throw client.status === 'ready' ? error : (cause ?? error);
    }
  };
  return {
    /** Reserves slots for requests: the first is in `inMs`, and each later slot is `everyMs` after the previous one. */
    take: async (count: number) => {
      const [start, every] = await pace('take', count);
      return { inMs: start / 1000, everyMs: every / 1000 };
    },
    /** Records that the platform rejected a request sent `agoMs` ago and requested a pause of `askedMs`. */
    limited: async (agoMs: number, askedMs: number) => {
      await pace('limited', agoMs, askedMs);
    },
    close: () => client.disconnect(),
  };
}

const EXAMPLE = 'for example redis://127.0.0.1:6379 or rediss://redis.example';

/** Reads `--rate-store` or CDPADM_RATE_STORE. Only the latter may contain a password. Throws usage (2). */
export function readStoreAddress(flag: string | undefined, env: Readonly<Record<string, string | undefined>>) {
  const variable = flag === undefined ? 'CDPADM_RATE_STORE' : /^env:(\w+)$/.exec(flag)?.[1];
  const text = variable === undefined ? flag : env[variable];
  if (text === undefined || text === '') {
    if (flag === undefined) return undefined;
    throw usageError(`--rate-store ${flag}: the variable is not set.`);
  }
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const what = variable ?? '--rate-store';
  const isRedis = url && /^rediss?:$/.test(url.protocol) && /^\/?\d{0,9}$/.test(url.pathname) && url.search === '';
  if (!isRedis || url.hostname === '' || !isDecodable(url.username + url.password))
    throw usageError(`${what} must be a Redis address, ${EXAMPLE}.`);
  if (variable === undefined && url.password !== '')
    throw usageError(
      '--rate-store must not contain a password, because other users can see the arguments of a process.',
      'Put the address in CDPADM_RATE_STORE, or in another variable: --rate-store env:NAME.',
    );
  if (url.protocol === 'redis:' && !isLoopback(url.hostname))
    throw usageError(`${what}: ${url.host} is a remote host, so the connection must be encrypted.`, 'Use rediss://.');
  return url;
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Uses one hash per limit. ARGV: the operation, the requested rate (per second; 0 means none) and more values. `take`:
 * the number of requests; it returns the microseconds until the first request and between requests. `limited`: the
 * milliseconds since the rejected request was sent, and the pause that the platform requested.
 */
export const RATE_SCRIPT = `
local MARGIN, HEADROOM, CLEARLY_FEWER, RETURN_MS, KEEP_MS = 1.01, 0.97, 0.8, 45000, 86400000
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local names = {'next', 'paused', 'from', 'low', 'high', 'second', 'count', 'before'}
local state = {}
for index, value in ipairs(redis.call('HMGET', KEYS[1], unpack(names))) do
  state[names[index]] = tonumber(value) or 0
end

-- Requests of the last second.
local second = math.floor(now / 1000)
if second ~= state.second then
  state.before = second == state.second + 1 and state.count or 0
  state.second, state.count = second, 0
end
local taken = state.count + state.before * (1 - (now / 1000 - second))

-- The requested rate or a lower learned rate, which climbs from low to high (the rate that failed) and beyond (CUBIC).
local wanted = tonumber(ARGV[2])
local rate = wanted > 0 and wanted / MARGIN or math.huge
if state.high > 0 then
  local part = math.max(0, now - state.from) / RETURN_MS - 1
  rate = math.min(rate, state.high + (state.high - state.low) * part * part * part)
end

local reply = {0, 0}
if ARGV[1] == 'take' then
  local interval = 1000 / rate
  local start = math.max(now, state.next, state.paused)
  state.next = start + ARGV[3] * interval
  state.count = state.count + ARGV[3]
  reply = {math.floor((start - now) * 1000), math.floor(interval * 1000)}
else
  local sent, asked = now - ARGV[3], tonumber(ARGV[4])
  -- Requests rejected by the same limit count once.
  if sent > state.from and taken > 0 and (wanted == 0 or taken < wanted * CLEARLY_FEWER) then
    state.high = math.min(taken, rate)
    state.low = state.high * HEADROOM
    state.from = now + asked
  end
  state.paused = math.max(state.paused, now + asked)
end

local fields = {}
for _, name in ipairs(names) do
  fields[#fields + 1] = name
  fields[#fields + 1] = string.format('%.3f', state[name])
end
redis.call('HSET', KEYS[1], unpack(fields))
redis.call('PEXPIRE', KEYS[1], KEEP_MS)
return reply
`;

export interface SharedRate {
  store: RateStore;
  /** Called the first time the store is unreachable. */
  onLost(error: unknown): void;
}

const RETRY_MS = 5000;
/** Slots are reserved only this far ahead, so that a delayed or killed process wastes few of them. */
const RESERVED_MS = 20;
const MOST_RESERVED = 64;
/** A slot missed by more than this is discarded, because the slots after it may belong to other processes. */
const LATE_MS = 10;

/** `share` is this process's own rate, in requests per second. */
export function createSharedSchedule({ store, onLost }: SharedRate, share: number | undefined, clock: Clock) {
  const own = createSchedule(share);
  let slots: number[] = [];
  let everyMs = 0;
  let isAsking = false;
  let isLost = false;
  let wasLost = false;
  let retryAt = 0;

  function lose(error: unknown): void {
    isLost = true;
    retryAt = clock.now() + RETRY_MS;
    if (!wasLost) onLost(error);
    wasLost = true;
  }

  return {
    learned: own.learned,
    get isLimitKnown(): boolean {
      return isLost && own.isLimitKnown;
    },
    limited: (sentAt: number, askedMs: number | undefined): void => {
      own.limited(sentAt, askedMs);
      if (!isLost) store.limited(clock.now() - sentAt, askedMs ?? 0).catch(lose);
    },
    get startAt(): number {
      return isLost ? own.startAt : (slots[0] ?? Infinity);
    },
    take: (now: number): void => {
      own.take(now);
      slots.shift();
    },
    wasBlocked: own.wasBlocked,
    /** If no reserved slot is left, reserves up to `most` slots, then calls `changed`. */
    reserve: (most: number, changed: () => void): void => {
      const now = clock.now();
      while ((slots[0] ?? now) < now - LATE_MS) slots.shift();
      if (isAsking || slots.length > 0 || (isLost && now < retryAt)) return;
      isAsking = true;
      const usual = everyMs > 0 ? Math.ceil(RESERVED_MS / everyMs) : MOST_RESERVED;
      const count = Math.max(1, Math.min(most, usual, MOST_RESERVED));
      void store
        .take(count)
        .then((granted) => {
          everyMs = granted.everyMs;
          const from = clock.now() + granted.inMs;
          slots = Array.from({ length: count }, (_, index) => from + index * everyMs);
          isLost = false;
        }, lose)
        .finally(() => {
          isAsking = false;
          changed();
        });
    },
  } satisfies Schedule & Record<string, unknown>;
}
