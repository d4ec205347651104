// The built program with a proxy. Its bundle contains only parts of the library that opens the tunnel.
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { makeCertificate } from '../helpers/certificate.ts';
import { createCliHome } from '../helpers/cli.ts';
import { json, startFaultServer } from '../helpers/fault-server.ts';
import { opened } from '../helpers/opened.ts';
import { startProxy } from '../helpers/proxy-server.ts';
import { PROGRAM } from '../helpers/root.ts';

test('the program reaches an https address through a tunnel of the proxy', async () => {
  const home = createCliHome();
  onTestFinished(home.remove);
  const tls = makeCertificate();
  const server = await opened(startFaultServer({ tls }));
  server.otherwise(json([{ task_id: 'user:core' }]));
  const proxy = await opened(startProxy(server.port));
  writeFileSync(join(home.cwd, 'ca.pem'), tls.cert);
  const env = {
    ...home.env,
    HTTPS_PROXY: proxy.url,
    CDPADM_BASE_URL: 'https://platform.test',
    CDPADM_ACCESS_TOKEN: 'a-token',
    CDPADM_ORG_ID: '1',
    CDPADM_ACCOUNT_ID: '2',
    CDPADM_CA_FILE: 'ca.pem',
  };
  const run = promisify(execFile)(process.execPath, [PROGRAM, 'roles', 'tasks', '-o', 'name'], { cwd: home.cwd, env });
  expect((await run).stdout).toBe('user:core\n');
  expect(proxy.asked.map(({ line }) => line)).toEqual(['CONNECT platform.test:443']);
});
