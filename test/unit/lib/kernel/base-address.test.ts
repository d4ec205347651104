// What may be an address of the platform.
import { describe, expect, it } from 'vitest';
import { type AddressFault, readBaseAddress } from '../../../../src/lib/kernel/address.ts';

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
  ])('%s', (text, origin, prefix) => {
    expect(readBaseAddress(text)).toEqual({ origin, prefix });
  });

  it.each<[string, AddressFault]>([
    ['', 'no-url'],
    ['api.example', 'no-url'],
    ['https://', 'no-url'],
    ['https://user:word@api.example', 'credentials'],
    ['https://user@api.example', 'credentials'],
    ['https://:word@api.example', 'credentials'],
    // Whatever else is wrong, a password is the reason that shows nothing of the text.
    ['ftp://user:word@api.example/?a=b', 'credentials'],
    ['https://api.example/?a=b', 'query'],
    ['https://api.example/#x', 'query'],
    ['http://api.example', 'plain'],
    ['http://127.0.0.1.example', 'plain'],
    ['http://localhost.example', 'plain'],
    ['http://10.0.0.1', 'plain'],
    ['ftp://api.example', 'scheme'],
    ['file:///etc', 'scheme'],
  ])('%j is none: %s', (text, fault) => {
    expect(readBaseAddress(text)).toEqual({ fault });
  });
});
