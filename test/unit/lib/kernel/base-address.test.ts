// Valid and invalid platform addresses.
import { describe, expect, it } from 'vitest';
import { readBaseAddress } from '../../../../src/lib/kernel/address.ts';

describe('readBaseAddress', () => {
  it.each([
    ['https://api.example', 'https://api.example', ''],
    ['https://api.example/', 'https://api.example', ''],
    ['https://api.example//', 'https://api.example', ''],
    ['HTTPS://API.example:443/v3/', 'https://api.example', '/v3'],
    ['https://api.example:8443/a/b', 'https://api.example:8443', '/a/b'],
    ['http://127.0.0.1:4010', 'http://127.0.0.1:4010', ''],
    ['http://localhost:4010/x', 'http://localhost:4010', '/x'],
    ['http://[::1]:8080/', 'http://[::1]:8080', ''],
  ])('accepts %s', (text, origin, prefix) => {
    expect(readBaseAddress(text)).toEqual({ origin, prefix });
  });

  it.each([
    ['', 'must be a full address'],
    ['api.example', 'must be a full address'],
    ['https://', 'must be a full address'],
    ['https://user:word@api.example', 'must not contain a user name or password'],
    ['https://user@api.example', 'must not contain a user name or password'],
    ['https://:word@api.example', 'must not contain a user name or password'],
    // A password is reported before other issues, because their messages would repeat the address.
    ['ftp://user:word@api.example/?a=b', 'must not contain a user name or password'],
    ['https://api.example/?a=b', 'must not contain a query or a fragment'],
    ['https://api.example/#x', 'must not contain a query or a fragment'],
    ['http://api.example', 'must start with https:// (http'],
    ['http://127.0.0.1.example', 'must start with https:// (http'],
    ['http://localhost.example', 'must start with https:// (http'],
    ['http://10.0.0.1', 'must start with https:// (http'],
    ['ftp://api.example', 'must start with https://'],
    ['file:///etc', 'must start with https://'],
  ])('rejects %j: %s', (text, problem) => {
    expect(readBaseAddress(text)).toEqual({ problem: expect.stringContaining(problem) as string });
  });
});
