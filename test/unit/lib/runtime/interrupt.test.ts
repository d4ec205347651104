// An interruption is reported together with its effect on the platform.
import { describe, expect, it } from 'vitest';
import { exitOf } from '../../../../src/lib/errors/fail.ts';
import { KnownError } from '../../../../src/lib/kernel/errors.ts';
import { explainStop, hungUp, interrupted, terminated, timedOut } from '../../../../src/lib/runtime/interrupt.ts';
import { runCli } from '../../../helpers/cli.ts';
import { startFaultServer } from '../../../helpers/fault-server.ts';
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
    ['anything else', new KnownError({ code: 'http.conflict', message: 'Conflict.' })],
  ])('returns the error for %s unchanged', (_what, error) => {
    expect(explainStop(error, false)).toBe(error);
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
});
