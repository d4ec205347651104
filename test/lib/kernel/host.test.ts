// The process we run in, as far as a test can see it from within.
import { spawnSync } from 'node:child_process';
import { hostname } from 'node:os';
import { isatty } from 'node:tty';
import { describe, expect, it } from 'vitest';
import { host } from '../../../src/lib/kernel/host.ts';

describe('host', () => {
  it('knows who is alive', () => {
    expect(host.isAlive(process.pid)).toBe(true);
    expect(host.isAlive(process.ppid)).toBe(true);
    expect(host.isAlive(spawnSync(process.execPath, ['-e', '']).pid)).toBe(false);
  });

  it.runIf(process.platform !== 'win32')('takes a process of another user for alive', () => {
    expect(host.isAlive(1)).toBe(true);
  });

  it('knows its machine and its user', () => {
    expect(host.hostname()).toBe(hostname());
    expect(host.uid()).toBe(process.getuid?.());
    expect(host.isTerminal(1)).toBe(isatty(1));
  });
});
