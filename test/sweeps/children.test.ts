// Programs that a command starts for the user receive no credentials from any source.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openPlatformHome, type PlatformHome } from '../helpers/platform-home.ts';
import { CONNECTION } from '../helpers/warehouse-files.ts';
import { spellings } from './spellings.ts';
import { CANARIES, FIXTURES } from './stage.ts';

/** Records everything that a process can see about how it was started, then edits its file or prints a secret. */
const DUMP = `
const { appendFileSync, readFileSync, writeFileSync } = require('node:fs');
const seen = [process.argv, process.env, process.execArgv];
for (const name of ['cmdline', 'environ']) try { seen.push(readFileSync('/proc/self/' + name, 'utf8')); } catch {}
appendFileSync(__dirname + '/dump.ndjson', JSON.stringify(seen) + '\\n');
const path = process.argv[2];
if (path === undefined) console.log(readFileSync(__dirname + '/secret.txt', 'utf8'));
else writeFileSync(path, readFileSync(path, 'utf8').replace('Role analyst', 'Renamed').replace('3001', '3002'));
`;

/** The user's other variables: secrets of two profiles, other tools' variables with secrets, and harmless ones. */
const ENV = {
  CDPADM_ACCESS_TOKEN: '',
  CDP_SECRET: CANARIES.environment,
  CDP_KEY: CANARIES.old,
  PROD_SECRET: CANARIES.typed,
  TOOL_TOKEN: CANARIES.workspace,
  TOOL_HEADER: `Bearer ${CANARIES.typed}`,
  HARMLESS: 'kept',
  PATH: process.env.PATH ?? '',
};

let home: PlatformHome;
let dump: string;
beforeEach(async () => {
  home = await openPlatformHome({ fixtures: FIXTURES });
  dump = `"${process.execPath}" "${home.cwd}/dump.cjs"`;
  home.write('dump.cjs', DUMP);
  const { auth_url: auth, base_url: base, client_id: id } = home.platform.ready;
  const create = (name: string, ...flags: string[]) => home.run(['profile', 'create', name, '--yes', ...flags]);
  const at = (api: string, tokens: string) => ['--base-url', api, '--auth-url', tokens, '--client-id', id];
  const away = at('https://api.example.com', 'https://auth.example.com');
  const secrets = ['--client-secret-env', 'CDP_SECRET', '--workspace-key', 'env:CDP_KEY'];
  expect(await create('dev', '--workspace', '3001', ...away, ...secrets)).toMatchObject({ code: 0 });
  expect(await create('prod', ...away, '--client-secret-env', 'PROD_SECRET')).toMatchObject({ code: 0 });
  expect(await create('helped', ...at(base, auth), '--client-secret-command', dump)).toMatchObject({ code: 0 });
});
afterEach(() => home.close());

it.each([
  ['the editor for roles', 'roles edit --yes', { CDPADM_EDITOR: '' }],
  ['the editor for a profile', 'profile edit dev', { EDITOR: '' }],
  ['the password command of a connection', 'connections create -f connection.yaml --allow-commands --yes', {}],
  [
    'the secret command of a profile',
    'roles list --profile helped --org 1001 --account 2001',
    { CDPADM_CLIENT_SECRET: '' },
  ],
])('does not give secrets to %s', async (_what, line, more) => {
  home.write('secret.txt', line.startsWith('roles') ? CANARIES.client : CANARIES.warehouse);
  const definition = CONNECTION.replace('id: crm', 'id: new').replace('env:WAREHOUSE_PASSWORD', `'command:${dump}'`);
  home.write('connection.yaml', definition);
  const editor = Object.fromEntries(Object.keys(more).map((name) => [name, name.includes('EDITOR') ? dump : '']));
  expect(await home.run(line, { env: { ...ENV, ...editor } })).toMatchObject({ code: 0 });
  const dumped = home.read('dump.ndjson');
  expect(dumped).toContain('"HARMLESS":"kept"');
  const found = Object.values(CANARIES).filter((secret) => spellings(secret).some((text) => dumped.includes(text)));
  expect(found).toEqual([]);
});
