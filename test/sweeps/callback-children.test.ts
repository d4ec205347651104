// A listener does not give credentials to the commands that it runs or to the servers that it forwards callbacks to.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { interrupted } from '../../src/lib/runtime/interrupt.ts';
import { makeCertificate } from '../helpers/certificate.ts';
import type { CliResult } from '../helpers/cli.ts';
import { createDsrHome } from '../helpers/dsr-home.ts';
import type { PlatformHome } from '../helpers/platform-home.ts';
import { spellings } from './spellings.ts';
import { CANARIES } from './stage.ts';

/** The value of the environment variable that the active profile uses for its client secret. */
const NAMED = 'canary-of-a-named-variable';
const SECRETS = [CANARIES.client, CANARIES.workspaceKey, CANARIES.workspace, CANARIES.environment, NAMED];

/** Records everything that a process can see about how it was started. */
const DUMP = `
const { appendFileSync, readFileSync } = require('node:fs');
const seen = [process.argv, process.env, process.execArgv, readFileSync(0, 'utf8')];
for (const name of ['cmdline', 'environ']) try { seen.push(readFileSync('/proc/self/' + name, 'utf8')); } catch {}
appendFileSync('dump.ndjson', JSON.stringify(seen) + '\\n');
`;

let home: PlatformHome;
beforeEach(async () => {
  home = await createDsrHome({
    organizations: [{ id: 1001, client_secret: CANARIES.client }],
    accounts: [{ id: 2001 }],
    workspaces: [{ id: 3001, key: CANARIES.workspaceKey, secret: CANARIES.workspace }],
  });
  home.write('dump.cjs', DUMP);
});
afterEach(() => home.close());

it('forwards the body, and does not put a secret in an argument, the environment, a header or a file', async () => {
  const certificate = makeCertificate();
  const handed: string[] = [];
  const forwardServer = createServer(certificate, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      handed.push(JSON.stringify([request.url, request.rawHeaders, Buffer.concat(chunks).toString()]));
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => forwardServer.listen(0, '127.0.0.1', resolve));
  // --ca-file makes the listener trust the forward address's certificate and the platform's own authority.
  home.write('forward-server.pem', certificate.cert + readFileSync(home.env.CDPADM_CA_FILE ?? '', 'utf8'));
  const { CDPADM_BASE_URL: address = '', CDPADM_ORG_ID: org = '' } = home.env;
  const named = ['--client-id', 'me', '--client-secret-env', 'NAMED_BY_PROFILE', '--yes'];
  const created = await home.run(['profile', 'create', 'named', '--base-url', address, '--org', org, ...named], {
    env: { NAMED_BY_PROFILE: NAMED },
  });
  expect(created.code, created.stderr).toBe(0);
  const stop = new AbortController();
  let listening: Promise<CliResult> | undefined;
  const url = await new Promise<string>((resolve, reject) => {
    listening = home.run(
      [
        ...['dsr', 'callbacks', 'listen', '--port', '0', '-o', 'json', '--debug', '--trace-file', 'trace.ndjson'],
        ...['--on', 'any', `${process.execPath} dump.cjs`, '--ca-file', 'forward-server.pem'],
        ...['--forward-to', `https://localhost:${(forwardServer.address() as { port: number }).port}/hook`],
      ],
      {
        stop,
        // Another tool of the user may have the same secret in one of its own variables.
        env: {
          CDPADM_PROFILE: 'named',
          OTHER_TOOL_TOKEN: CANARIES.workspace,
          CDPADM_ACCESS_TOKEN: CANARIES.environment,
          HARMLESS: 'kept',
          NAMED_BY_PROFILE: NAMED,
        },
        onOutput: (stdout) => {
          const [line = '', ...more] = stdout.split('\n');
          if (more.length > 0) resolve((JSON.parse(line) as { callback_url: string }).callback_url);
        },
      },
    );
    listening.then(({ stderr }) => reject(new Error(stderr)), reject);
  });
  const request = ['--regulation', 'gdpr', '--type', 'access', '--identity', 'email=a@example.com', '--yes'];
  expect((await home.run(['dsr', 'submit', ...request, '--callback-url', url])).code).toBe(0);
  await home.platform.api.advance('4d');
  await home.platform.api.flushCallbacks();
  // The hook and the forward address receive each state independently.
  await vi.waitFor(
    () => {
      expect(handed).toHaveLength(3);
      expect(home.read('dump.ndjson').trimEnd().split('\n')).toHaveLength(3);
    },
    { timeout: 60_000 },
  );
  stop.abort(interrupted());
  const { code, stderr, stdout } = (await listening) as CliResult;
  forwardServer.close();
  expect(code, stderr).toBe(130);
  const dumped = home.read('dump.ndjson');
  for (const text of ['in_progress', 'CDPADM_REQUEST_STATUS', 'HARMLESS']) expect(dumped).toContain(text);
  const files = (readdirSync(home.cwd, { recursive: true }) as string[])
    .concat(
      (readdirSync(home.env.HOME ?? '', { recursive: true }) as string[]).map((name) =>
        join(home.env.HOME ?? '', name),
      ),
    )
    .map((name) => join(name.startsWith('/') ? '' : home.cwd, name))
    .filter((path) => statSync(path).isFile());
  expect(files.some((path) => path.endsWith('trace.ndjson'))).toBe(true);
  const texts = [stdout, stderr, ...handed, ...files.map((path) => readFileSync(path, 'latin1'))];
  const found = SECRETS.flatMap((secret) => spellings(secret)).filter((text) => texts.some((it) => it.includes(text)));
  expect(found).toEqual([]);
  // A callback may name a person, because the platform chooses its contents.
  expect(files.map((path) => readFileSync(path, 'latin1')).join('')).not.toContain('a@example.com');
});
