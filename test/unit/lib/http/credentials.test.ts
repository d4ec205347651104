// The `authorization` header for each kind of credentials, which are resolved late and masked in output.
import { describe, expect, it } from 'vitest';
import { authorize } from '../../../../src/lib/http/call/token.ts';
import { createRedactor } from '../../../../src/lib/kernel/redact.ts';
import { never, UNTOUCHED } from './setup.ts';

const noTokens = async (): Promise<never> => {
  throw new Error('a token was requested');
};

function setup() {
  const redactor = createRedactor();
  const basic = async () => ({ key: 'key-canary', secret: 'sécret-canary' });
  return { redactor, credentials: { ...UNTOUCHED, basic } };
}

describe('authorize', () => {
  it('does not resolve a secret for a call without credentials', async () => {
    expect(await authorize('none', { ...setup(), credentials: UNTOUCHED }, noTokens, never)).toEqual({});
  });

  it('requests a replacement for a rejected token, and returns whether the token may be renewed', async () => {
    const calls: unknown[] = [];
    const tokens = (ready: boolean) => async (signal: AbortSignal, rejected?: string) => {
      calls.push([signal, rejected]);
      return { value: 'token-1', ready };
    };
    expect(await authorize('bearer', setup(), tokens(false), never, 'token-0')).toEqual({
      header: 'Bearer token-1',
      token: { value: 'token-1', ready: false },
    });
    expect(calls).toEqual([[never, 'token-0']]);
    expect(await authorize('bearer', setup(), tokens(true), never)).toEqual({
      header: 'Bearer token-1',
      token: { value: 'token-1', ready: true },
    });
  });

  it.each(['dsr-basic', 'seeding-basic'] as const)("uses the workspace's key and secret for %s", async (auth) => {
    const options = setup();
    const encoded = Buffer.from('key-canary:sécret-canary', 'utf8').toString('base64');
    expect(await authorize(auth, options, noTokens, never)).toEqual({
      header: `Basic ${encoded}`,
    });
    for (const secret of ['key-canary', 'sécret-canary', encoded]) {
      expect(options.redactor.text(`<${secret}>`)).toBe('<********>');
    }
  });
});
