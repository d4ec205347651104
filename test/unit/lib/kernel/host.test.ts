// Compares what `host` reports with the process that runs the tests.
import { hostname, userInfo } from 'node:os';
import { isatty } from 'node:tty';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { host } from '../../../../src/lib/kernel/host.ts';
import { DEAD_PID } from '../../../helpers/dead-process.ts';

describe('host', () => {
  it('reports whether a process is alive', () => {
    expect(host.isAlive(process.pid)).toBe(true);
    expect(host.isAlive(process.ppid)).toBe(true);
    expect(host.isAlive(DEAD_PID)).toBe(false);
  });

  it("reports another user's process as alive", () => {
    // Root can signal every process, so simulate the error that another user would get.
    const denied = vi.spyOn(process, 'kill').mockImplementation(() => {
      throw Object.assign(new Error('kill EPERM'), { code: 'EPERM' });
    });
    onTestFinished(() => denied.mockRestore());
    expect(host.isAlive(1)).toBe(true);
  });

  it.each([undefined, '', '.', 'relative/home'])('uses the home folder of the user for a HOME of %j', (HOME) => {
    expect(host.home({ HOME })).toBe(userInfo().homedir);
  });

  it('uses an absolute HOME', () => {
    expect(host.home({ HOME: '/else/where' })).toBe('/else/where');
  });

  it('reports the host name, the user and the terminal', () => {
    expect(host.hostname()).toBe(hostname());
    expect(host.uid()).toBe(process.getuid?.());
    expect(host.isTerminal(1)).toBe(isatty(1));
  });
});
