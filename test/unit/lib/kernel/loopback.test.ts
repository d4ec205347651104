// Host names and addresses that refer to this machine.
import { expect, test } from 'vitest';
import { isLoopback } from '../../../../src/lib/kernel/address.ts';

test.each([
  ['localhost', true],
  ['emulator.localhost', true],
  ['127.0.0.1', true],
  ['127.8.9.10', true],
  ['[::1]', true],
  ['localhost.example', false],
  ['128.0.0.1', false],
  ['[::2]', false],
  ['0.0.0.0', false],
])('detects whether %s is this machine: %s', (hostname, expected) => {
  expect(isLoopback(hostname)).toBe(expected);
});
