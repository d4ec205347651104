// The program as a whole: help, mistakes of the command line, exit codes and streams.
import { describe, expect, it } from 'vitest';
import { runCli } from '../../helpers/cli.ts';

describe('help', () => {
  it.each([[['--help']], [['help']], [['-h']]])('%j shows the groups on standard output', async (args) => {
    const { code, stdout, stderr } = await runCli(args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('roles');
  });
});
