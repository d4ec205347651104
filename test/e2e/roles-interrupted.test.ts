// Ctrl-C while the platform does not respond: each command exits, and reports that the platform was not changed.
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type CliHome, createCliHome } from '../helpers/cli.ts';
import { type FaultServer, json, silence, startFaultServer } from '../helpers/fault-server.ts';
import { PROGRAM } from '../helpers/root.ts';

let home: CliHome;
let server: FaultServer;
beforeEach(async () => {
  home = createCliHome();
  server = await startFaultServer();
});
afterEach(async () => {
  await server.close();
  home.remove();
});

const FILE = `roles:
  - role_id: analyst
    name: Analyst
    description: Looks
    tasks: [audiences:view]
`;
const NEW = ['--name', 'Fresh', '--description', 'New', '--task', 'audiences:view', '--yes'];
const READS = ['list', 'get analyst', 'tasks', 'explain analyst', 'who-can audiences:view', 'compare a b', 'matrix'];
const OTHERS = ['edit --yes', 'pull', 'validate roles.yaml --online', 'diff roles.yaml'];
const WRITES = ['push --yes', 'update analyst --name New --yes', 'delete analyst --allow-delete --yes'];
const split = (lines: string[]): string[][] => lines.map((line) => line.split(' '));
const LINES = [...split([...READS, ...OTHERS, ...WRITES]), ['create', 'fresh', ...NEW]].map(
  (words) => [words.join(' '), words] as const,
);

test.each(LINES)('exits with 130 on Ctrl-C: roles %s', async (_line, words) => {
  if (words[0] !== 'pull') writeFileSync(join(home.cwd, 'roles.yaml'), FILE);
  const asked = new Promise<void>((resolve) => {
    server.otherwise((socket, request) => {
      if (request.target === '/oauth/token') {
        json({ access_token: 'token', token_type: 'Bearer', expires_in: 28_800 })(socket, request);
        return;
      }
      silence(socket, request);
      resolve();
    });
  });
  const child = spawn(process.execPath, [PROGRAM, 'roles', ...words], {
    cwd: home.cwd,
    env: {
      PATH: process.env.PATH,
      ...home.env,
      CDPADM_BASE_URL: server.url,
      CDPADM_AUTH_URL: server.url,
      CDPADM_ORG_ID: '1',
      CDPADM_ACCOUNT_ID: '2',
      CDPADM_CLIENT_ID: 'me',
      CDPADM_CLIENT_SECRET: 'secret',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString('utf8')));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString('utf8')));
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  await Promise.race([asked, ended]);
  child.kill('SIGINT');
  // The server never responds, so only the signal can cause exit code 130.
  expect({ code: await ended, stdout }, stderr).toEqual({ code: 130, stdout: '' });
  expect(stderr).toMatch(/^Error: Interrupted/m);
  expect(stderr).toMatch(/(No changes were made|The platform was not changed)\..*again/s);
  expect(server.requests.filter(({ method }) => method === 'PUT')).toEqual([]);
});
