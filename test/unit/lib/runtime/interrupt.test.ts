// An interruption is reported together with its effect on the platform.
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { exitOf } from '../../../../src/lib/errors/fail.ts';
import { KnownError, usageError } from '../../../../src/lib/kernel/errors.ts';
import { explainStop, hungUp, interrupted, terminated, timedOut } from '../../../../src/lib/runtime/interrupt.ts';
import { type CliHome, createCliHome, runCli } from '../../../helpers/cli.ts';
import { startTestEmulator } from '../../../helpers/emulator.ts';
import { type FaultServer, startFaultServer } from '../../../helpers/fault-server.ts';
import { opened } from '../../../helpers/opened.ts';

describe('explainStop', () => {
  it.each([
    ['Ctrl-C', interrupted(), 'interrupted'],
    ['SIGTERM', terminated(), 'terminated'],
    ['SIGHUP', hungUp(), 'hungUp'],
  ])('states in the error for %s whether the platform might have changed', (_what, error, exit) => {
    const unchanged = explainStop(error, false);
    expect(unchanged).toMatchObject({ code: error.code, message: error.message });
    expect(exitOf(unchanged)).toBe(exit);
    expect(unchanged.hint).toContain('No changes were made');
    const written = explainStop(error, true);
    expect(exitOf(written)).toBe(exit);
    expect(written.hint).toContain('may have changed the platform');
  });

  it.each([
    [
      'an interruption with its own hint',
      new KnownError({ code: 'interrupted', message: 'Interrupted.', hint: 'Add --resume.' }),
    ],
    ['a time limit', timedOut(5)],
    ['a usage error', usageError('Unknown flag.')],
    ['anything else', new KnownError({ code: 'http.conflict', message: 'Conflict.' })],
  ])('returns the error for %s unchanged', (_what, error) => {
    expect(explainStop(error, false)).toBe(error);
  });

  it('states in a usage error after a write that the platform might have changed', () => {
    const written = explainStop(usageError('--query cannot be applied.', 'See its syntax.'), true);
    expect(written.hints.map(({ text }) => text)).toEqual([
      'See its syntax.',
      expect.stringContaining('may have changed the platform'),
    ]);
  });
});

const USER = JSON.stringify({ environment: 'development', user_identities: { email: 'a@example.com' } });

function environmentAt(url: string): Record<string, string> {
  return {
    CDPADM_BASE_URL: url,
    CDPADM_AUTH_URL: url,
    CDPADM_IDENTITY_URL: url,
    CDPADM_ORG_ID: '1',
    CDPADM_ACCOUNT_ID: '2',
    CDPADM_ACCESS_TOKEN: 'ready-made',
    CDPADM_WORKSPACE_KEY: 'key',
    CDPADM_WORKSPACE_SECRET: 'secret',
  };
}

describe('Ctrl-C during a call', () => {
  it.each([
    ['a read', 'roles list', 'Error: Interrupted.\nNo changes were made'],
    [
      'a write that may be repeated',
      'intake identify -f - --yes',
      'Error: The outcome of POST /v1/identify is unknown: the request was interrupted.\nRun the command again',
    ],
  ])('reports what happened to %s', async (_what, line, hint) => {
    const server = await opened(startFaultServer());
    const stop = new AbortController();
    server.otherwise(() => stop.abort(interrupted()));
    const { code, stderr } = await runCli(line.split(' '), { env: environmentAt(server.url), stdin: USER, stop });
    expect({ code, requests: server.requests.length }).toEqual({ code: 130, requests: 1 });
    expect(stderr).toContain(hint);
  });

  describe('with several profiles', () => {
    const LINE = 'dsr submit --regulation gdpr --type access --identity email=a@example.com --yes';
    let home: CliHome;
    let server: FaultServer;
    let env: Record<string, string>;
    beforeEach(async () => {
      home = createCliHome();
      onTestFinished(() => home.remove());
      const platform = await startTestEmulator();
      onTestFinished(() => platform.close());
      server = await opened(startFaultServer());
      const { dsr_base_url, vendor_domain, workspace_key: KEY, workspace_secret: SECRET } = platform.ready;
      env = { KEY, SECRET };
      for (const [name, address] of Object.entries({ one: dsr_base_url, two: server.url })) {
        const secrets = '--workspace-key env:KEY --workspace-secret-env SECRET';
        const settings = `--dsr-base-url ${address} --workspace 3001 --vendor-domain ${vendor_domain} ${secrets}`;
        expect((await home.run(`profile create ${name} ${settings}`)).code).toBe(0);
      }
    });

    it("prints one profile's finished write, and how to check the other's interrupted write", async () => {
      const stop = new AbortController();
      server.otherwise(() => stop.abort(interrupted()));
      const line = `${LINE} -o json --profile one --profile two`;
      const { code, stdout, stderr } = await home.run(line, { env, stop });
      expect(code, stderr).toBe(130);
      expect(JSON.parse(stdout)).toMatchObject([
        { profile: 'one', data: { request_status: 'pending' } },
        { profile: 'two', error: { code: 'http.outcome_unknown' } },
      ]);
      expect(stderr).toMatch(/To check whether it arrived: `cdpadm dsr status \S+ --profile two`/);
    });

    it('does not report that nothing changed after one profile has finished its write', async () => {
      const stop = new AbortController();
      const onOutput = (_stdout: string, stderr: string): void => {
        if (stderr.includes('Target: profile two')) stop.abort(interrupted());
      };
      const { code, stdout, stderr } = await home.run(`${LINE} --profile one --profile two`, { env, stop, onOutput });
      expect(code, stderr).toBe(130);
      expect(stdout).toMatch(/^one\t\S+\tpending\t/m);
      expect(stderr).toContain('Earlier requests may have changed the platform.');
    });
  });
});
