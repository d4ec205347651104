// Child processes inherit the environment without credentials.
import { expect, it } from 'vitest';
import { childEnvironment } from '../../../../src/lib/config/own-references.ts';
import { createRedactor } from '../../../../src/lib/kernel/redact.ts';
import { failureOf } from '../../../helpers/failure.ts';
import { temporaryFolder } from '../../../helpers/temporary-folder.ts';
import { CANARY, folderWith } from './folders.ts';

const environmentOf = (env: Record<string, string>, folder = temporaryFolder(), redactor = createRedactor()) =>
  childEnvironment(env, folder, redactor);

it("removes only the program's own variables that contain credentials", async () => {
  const env = {
    CDPADM_CLIENT_ID: 'id',
    CDPADM_CLIENT_SECRET: 'one-secret',
    CDPADM_ACCESS_TOKEN: 'two-secret',
    CDPADM_WORKSPACE_KEY: 'three-secret',
    CDPADM_WORKSPACE_SECRET: 'four-secret',
    CDPADM_RATE_STORE: 'rediss://:five-secret@redis.example',
    CDPADM_ORG_ID: '7',
    PATH: '/bin',
    EMPTY: '',
  };
  expect(await environmentOf(env)).toEqual({ CDPADM_ORG_ID: '7', PATH: '/bin', EMPTY: '' });
});

it('removes variables that any profile refers to, even for a secret that only a newer program version defines', async () => {
  const folder = folderWith({
    current: 'dev',
    profiles: {
      dev: { secrets: { client_id: 'env:THE_ID', client_secret: 'env:CDP_SECRET', workspace_key: 'command:echo key' } },
      prod: { secrets: { workspace_secret: 'env: PROD_SECRET', later: 'env:LATER', stranger: 7 } },
    },
  });
  const env = { THE_ID: 'me', CDP_SECRET: 'one-secret', PROD_SECRET: 'two-secret', LATER: 'x', TERM: 'xterm' };
  expect(await environmentOf(env, folder)).toEqual({ TERM: 'xterm' });
});

it('removes a known secret under any other name, even if it is in Base64 or part of other text', async () => {
  const redactor = createRedactor();
  redactor.add(CANARY);
  const env = {
    CDPADM_CLIENT_SECRET: 'never-asked-for',
    TOOL_TOKEN: 'never-asked-for',
    FROM_A_KEYCHAIN: Buffer.from(CANARY).toString('base64'),
    HEADER: `Bearer ${CANARY}`,
    OTHER: 'Bearer of-another-tool',
  };
  expect(await environmentOf(env, undefined, redactor)).toEqual({ OTHER: env.OTHER });
  // A secret that the command never read does not have to be masked in its output.
  expect(redactor.knows('never-asked-for')).toBe(false);
});

it('does not treat the client id as a secret, so other variables may contain it', async () => {
  const env = { CDPADM_CLIENT_ID: 'some-client', VAULT_PATH: 'cdp/some-client' };
  expect(await environmentOf(env)).toEqual({ VAULT_PATH: 'cdp/some-client' });
});

it('keeps proxy variables, which a secret helper might need to reach its service', async () => {
  const redactor = createRedactor();
  redactor.add('proxy-password');
  const proxy = 'http://me:proxy-password@proxy.example:3128';
  const env = { HTTPS_PROXY: proxy, http_proxy: proxy, ALL_PROXY: proxy, NO_PROXY: 'x', PROXY: proxy };
  expect(Object.keys(await environmentOf(env, undefined, redactor))).toEqual([
    'HTTPS_PROXY',
    'http_proxy',
    'ALL_PROXY',
    'NO_PROXY',
  ]);
});

it('keeps the variables that a program needs to run, even if their values match a secret', async () => {
  const redactor = createRedactor();
  redactor.add('home');
  redactor.add('developer');
  const env = {
    ...{ PATH: '/home/developer/bin:/bin', HOME: '/home/developer', USER: 'developer', TERM: 'xterm', LANG: 'C.UTF-8' },
    ...{ LC_ALL: 'C', SystemRoot: 'C:\\developer', GIT_DIR: '/home/work/.git', CDPADM_EDITOR: '/home/me/edit' },
  };
  expect(await environmentOf(env, undefined, redactor)).toEqual(env);
  // A short secret must match the whole value; a long secret may match part of it.
  expect(
    await environmentOf({ A: 'home', B: 'aG9tZQ==', C: 'x-developer-y', D: 'homes' }, undefined, redactor),
  ).toEqual({
    D: 'homes',
  });
});

it('fails when it cannot determine which variables to remove', async () => {
  expect(await failureOf(environmentOf({ PATH: '/bin' }, folderWith('{"profiles":')))).toMatchObject({
    code: 'input.invalid',
  });
});
