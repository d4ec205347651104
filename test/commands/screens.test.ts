// Golden files of roles, profile and `auth test` screens, on narrow, normal and wide terminals and in a pipe.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { displayWidth } from '../../src/lib/render/width.ts';
import { type CliOptions, createCliHome } from '../helpers/cli.ts';
import { createTestClock } from '../helpers/clock.ts';
import { startTestEmulator } from '../helpers/emulator.ts';
import { createRolesHome, type RolesHome } from '../helpers/roles-home.ts';

const PROFILE = {
  base_url: 'https://api.eu-west.customer-data.example',
  auth_url: 'https://auth.customer-data.example',
  org_id: '1001',
  account_id: '2001',
  workspace_id: '3001',
  vendor_domain: 'customer-data.example',
  environment: 'production',
  protected: true,
  limits: { dsr: '600/m' },
  names: { 'osa_*': 'phone_' },
  secrets: {
    client_id: 'me',
    client_secret: 'env:CDP_SECRET_OF_PRODUCTION',
    workspace_secret: 'command:vault read cdp',
  },
};
const SETTINGS = {
  version: 1,
  current: 'production',
  profiles: { production: PROFILE, staging: { base_url: 'https://staging.example' } },
};

/** Commands that need the platform. */
const ROLES = [
  'roles list',
  'roles get support-role',
  'roles tasks',
  'roles templates',
  'roles explain user-role',
  'roles who-can audiences:view',
  'roles compare user-role admin-role',
  'roles matrix',
  'roles validate roles.yaml',
  'roles diff roles.yaml',
  'roles history',
  'auth test',
];
/** Commands that need only the settings file. */
const PROFILES = [
  'profile list',
  'profile show',
  'profile show --origin --profile production',
  'profile export production',
];

const clock = createTestClock();
const home = createCliHome();
let admin: RolesHome;
beforeAll(async () => {
  const platform = await startTestEmulator({ systemClock: clock });
  admin = await createRolesHome(platform);
  await admin.run('roles pull', { clock });
  admin.edit('roles.yaml', 'name: Support', 'name: Support of customers and of those who work for them');
  await admin.run('roles push --yes', { clock });
  admin.edit('roles.yaml', 'name: Read Only', 'name: Reads everything, in every workspace, and changes nothing');
  admin.edit('roles.yaml', '- audiences:*', '- audiences:*\n      - audiences:view\n      - rules:view');
  const config = home.env.CDPADM_CONFIG_DIR ?? '';
  mkdirSync(config, { mode: 0o700 });
  writeFileSync(join(config, 'config.json'), JSON.stringify(SETTINGS), { mode: 0o600 });
});
afterAll(async () => {
  await admin.close();
  await admin.platform.close();
  home.remove();
});

async function screen(line: string, columns?: number): Promise<string> {
  const view: CliOptions = { clock, ...(columns !== undefined && { tty: true, columns }) };
  const words = [...line.split(' '), '--no-color'];
  const { code, stderr, stdout } = PROFILES.includes(line) ? await home.run(words, view) : await admin.run(words, view);
  expect(code, `${line}: ${stderr}`).toBe(0);
  return `$ cdpadm ${line}\n${stdout}${stderr === '' ? '' : `--- beside it\n${stderr}`}`;
}

/** Replaces values that differ between runs with placeholders of the same width. */
function steady(text: string): string {
  return text
    .replace(/(?<=127\.0\.0\.1:)\d{5}/g, '40000')
    .replace(/\S*\/cdpadm-test-\w+/g, '/home')
    .replace(/(?<=Z-)[0-9a-f]{6}\b/g, '000000')
    .replace(/\b[0-9a-f]{8,}\b/g, (hex) => '0'.repeat(hex.length));
}

/** Returns the lines wider than the terminal, except command lines and the values in a plan. */
function tooWide(text: string, columns: number): string[] {
  return text.split('\n').filter((line) => displayWidth(line) > columns && !/^(\$ |\s+[+-] \w+: ")/.test(line));
}

describe.each([60, 100, 200])('a screen at %i columns', (columns) => {
  test('matches the golden file and has no line wider than the terminal', async () => {
    const screens: string[] = [];
    for (const line of [...ROLES, ...PROFILES]) screens.push(await screen(line, columns));
    const text = steady(screens.join('\n'));
    expect(tooWide(text, columns)).toEqual([]);
    await expect(text).toMatchFileSnapshot(`../golden/screens-${columns}.txt`);
  });
});

test('prints the text of the golden file to a pipe: a header, tabs, no color and no maximum width', async () => {
  const screens: string[] = [];
  for (const line of [...ROLES, ...PROFILES]) screens.push(await screen(line));
  await expect(steady(screens.join('\n'))).toMatchFileSnapshot('../golden/screens-piped.txt');
});

test('prints one JSON document with -o json, and only JSON on standard error', async () => {
  for (const line of [...ROLES, ...PROFILES]) {
    const words = [...line.split(' '), '-o', 'json'];
    const { stderr, stdout } = PROFILES.includes(line)
      ? await home.run(words, { clock })
      : await admin.run(words, { clock });
    expect(() => JSON.parse(stdout) as unknown, line).not.toThrow();
    for (const message of stderr.split('\n').filter(Boolean))
      expect(() => JSON.parse(message) as unknown, line).not.toThrow();
  }
});
