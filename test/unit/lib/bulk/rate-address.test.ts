// Tests which rate store addresses are accepted, and which of them may contain a password.
import { describe, expect, test } from 'vitest';
import { readStoreAddress } from '../../../../src/lib/bulk/rate-store.ts';

describe("a rate store's address", () => {
  const env = {
    CDPADM_RATE_STORE: 'rediss://:secret@redis.example',
    OTHER: 'redis://:other@127.0.0.1:7000',
    WEB: 'https://x',
    BROKEN: 'redis://:100%e9@127.0.0.1',
  };

  test.each([
    ['undefined without a flag or a variable', undefined, {}, undefined],
    ['read from CDPADM_RATE_STORE', undefined, env, 'rediss://:secret@redis.example'],
    ['read from the flag rather than the variable', 'redis://127.0.0.1:6379', env, 'redis://127.0.0.1:6379'],
    ['accepted without encryption on this machine', 'redis://localhost', {}, 'redis://localhost'],
    ['accepted with a port and a database', 'rediss://redis.example:6380/2', {}, 'rediss://redis.example:6380/2'],
    ['read from the variable that the flag names', 'env:OTHER', env, 'redis://:other@127.0.0.1:7000'],
  ])('is %s', (_what, flag, given, expected) => {
    expect(readStoreAddress(flag, given)?.href).toBe(expected);
  });

  test.each([
    ['redis://:secret@127.0.0.1', /must not contain a password/],
    ['redis://redis.example', /redis\.example is a remote host, so the connection must be encrypted/],
    ['http://127.0.0.1', /--rate-store must be a Redis address/],
    ['env:WEB', /^WEB must be a Redis address/],
    ['env:NONE', /--rate-store env:NONE: the variable is not set/],
    ['somewhere', /must be a Redis address/],
    ['redis://127.0.0.1/name', /must be a Redis address/],
    ['redis://127.0.0.1?family=6', /must be a Redis address/],
    ['env:BROKEN', /^BROKEN must be a Redis address/],
  ])('is rejected as a usage error: %s', (flag, message) => {
    expect(() => readStoreAddress(flag, env)).toThrow(message);
  });
});
