// The address of a rate store: which addresses are accepted, and where a password may be.
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
    [undefined, {}, undefined],
    [undefined, env, 'rediss://:secret@redis.example'],
    ['redis://127.0.0.1:6379', env, 'redis://127.0.0.1:6379'],
    ['redis://localhost', {}, 'redis://localhost'],
    ['rediss://redis.example:6380/2', {}, 'rediss://redis.example:6380/2'],
    ['env:OTHER', env, 'redis://:other@127.0.0.1:7000'],
  ])('is read from %s with the environment %j as %s', (flag, given, expected) => {
    expect(readStoreAddress(flag, given)?.href).toBe(expected);
  });

  test.each([
    ['redis://:secret@127.0.0.1', /must not contain a password/],
    ['redis://redis.example', /redis\.example is a remote host, so the connection must be encrypted/],
    ['http://127.0.0.1', /--rate-store must be an address of Redis/],
    ['env:WEB', /^WEB must be an address of Redis/],
    ['env:NONE', /--rate-store env:NONE: the variable is not set/],
    ['somewhere', /must be an address/],
    ['redis://127.0.0.1/name', /must be an address/],
    ['redis://127.0.0.1?family=6', /must be an address/],
    ['env:BROKEN', /^BROKEN must be an address/],
  ])('is a usage error if it is %s', (flag, message) => {
    expect(() => readStoreAddress(flag, env)).toThrow(message);
  });
});
