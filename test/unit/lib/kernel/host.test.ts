// The process we run in, as far as a test can see it from within.
import { hostname } from 'node:os';
import { isatty } from 'node:tty';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { host } from '../../../../src/lib/kernel/host.ts';
import { DEAD_PID } from '../../../helpers/dead-process.ts';

describe('host', () => {
  it('knows who is alive', () => {
    expect(host.isAlive(process.pid)).toBe(true);
    expect(host.isAlive(process.ppid)).toBe(true);
    expect(host.isAlive(DEAD_PID)).toBe(false);
  });

  it('takes a process of another user for alive', () => {
    // As the system answers who may not send it a signal; the administrator may send one to everybody.
    const denied = vi.spyOn(process, 'kill').mockImplementation(() => {
      throw Object.assign(new Error('kill EPERM'), { code: 'EPERM' });
    });
    onTestFinished(() => denied.mockRestore());
    expect(host.isAlive(1)).toBe(true);
  });

  it('knows its machine and its user', () => {
    expect(host.hostname()).toBe(hostname());
    expect(host.uid()).toBe(process.getuid?.());
    expect(host.isTerminal(1)).toBe(isatty(1));
  });
});
