// Host names and addresses that refer to this machine.
import { expect, test } from 'vitest';
import { isLoopback } from '../../../../src/lib/kernel/address.ts';

test.each(['localhost', 'emulator.localhost', '127.0.0.1', '127.8.9.10', '[::1]'])(
  'recognizes %s as this machine',
  (hostname) => {
    expect(isLoopback(hostname)).toBe(true);
  },
);

test.each(['localhost.example', '128.0.0.1', '[::2]', '0.0.0.0'])(
  'does not recognize %s as this machine',
  (hostname) => {
    expect(isLoopback(hostname)).toBe(false);
  },
);
