// Existing profiles: edit, rename, copy, export, import, log in and log out.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { tokenFileName } from '../../src/lib/http/call/token.ts';
import type { CliOptions, CliResult } from '../helpers/cli.ts';
import { createProfileHome, type ProfileHome } from '../helpers/profile-home.ts';

const SECRET = 'canary-secret-1';
let home: ProfileHome;

beforeEach(async () => {
  home = createProfileHome();
  onTestFinished(home.remove);
  const line = 'profile create dev --base-url https://api.example --auth-url https://auth.example --client-id me';
  await run(`${line} --client-secret-stdin --insecure-storage`, { stdin: `${SECRET}\n` });
});

const run = (line: string, options?: CliOptions): Promise<CliResult> => home.run(line, options);

describe('profile edit', () => {
  it('changes the fields passed with --set, and keeps the others', async () => {
    const before = home.settings().profiles['dev'];
    const { code } = await run(
      'profile edit dev --set org_id=9223372036854775807 --set limits.dsr=1000/m --set names.xpid=pid',
    );
    expect(code).toBe(0);
    expect(home.settings().profiles['dev']).toEqual({
      ...before,
      org_id: '9223372036854775807',
      limits: { dsr: '1000/m' },
      names: { xpid: 'pid' },
    });
    await run('profile edit dev --set org_id= --set names.xpid= --set limits.dsr=');
    expect(home.settings().profiles['dev']).toMatchObject({ ...before, names: {} });
    expect(home.settings().profiles['dev']).not.toHaveProperty('org_id');
  });

  it.each([
    ['base_url=http://api.example', /https/],
    ['bas_url=https://x.example', /Unknown profile field `bas_url`\.\nDid you mean base_url\?/],
    ['zzz=5', /Unknown profile field `zzz`\.\nFields: base_url, /],
    ['limits.dzr=5', /limits\.dzr is not an area; valid areas are roles, groups, dsr, warehouse, seeding/],
    ['limits.dsr=fast', /limits\.dsr must be a number of requests/],
    ['protected=maybe', /true or false/],
    ['nonsense', /FIELD=VALUE/],
    ['secrets.client_secret=plain-secret-value', /never the secret itself/],
    ['secrets.access_token=plain-secret-value', /Unknown field `secrets\.access_token`/],
  ])('rejects --set %s with an explanation, even in a dry run, and changes nothing', async (change, message) => {
    const before = home.settings();
    for (const flag of ['', ' --dry-run']) {
      const result = await run(`profile edit dev --set ${change}${flag}`);
      expect(result).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(message) });
      expect(result.stderr).not.toContain('plain-secret-value');
    }
    expect(home.settings()).toEqual(before);
  });

  it("prints only the profile's name with -o name, even in a dry run", async () => {
    const before = home.settings();
    expect((await run('profile edit dev --set org_id=5 -n -o name')).stdout).toBe('dev\n');
    expect(home.settings()).toEqual(before);
  });

  it('requires --confirm NAME for a protected profile', async () => {
    await run('profile edit dev --set protected=true');
    expect((await run('profile edit dev --set environment=production --yes')).code).toBe(12);
    expect((await run('profile edit dev --set environment=production --confirm dev')).code).toBe(0);
  });

  it('opens the editor, and keeps invalid text in a file', async () => {
    writeFileSync(
      join(home.cwd, 'good.cjs'),
      `const fs=require('fs'),p=process.argv.at(-1);fs.appendFileSync(p,'workspace_id: "7"\\n')`,
    );
    writeFileSync(
      join(home.cwd, 'bad.cjs'),
      `const fs=require('fs'),p=process.argv.at(-1);fs.appendFileSync(p,'wrkspace_id: "7"\\n')`,
    );
    const editor = (name: string) => ({ env: { EDITOR: `${process.execPath} ${join(home.cwd, name)}` } });
    expect((await run('profile edit dev', editor('good.cjs'))).code).toBe(0);
    expect(home.settings().profiles['dev']).toMatchObject({ workspace_id: '7' });
    const bad = await run('profile edit dev', editor('bad.cjs'));
    expect(bad.code).toBe(9);
    expect(bad.stderr).toMatch(/profile\.yaml:\d+:1: wrkspace_id: .*did you mean `workspace_id`/);
    const kept = /kept in (\S+)/.exec(bad.stderr)?.[1] ?? '';
    expect(existsSync(kept)).toBe(true);
  });

  it('keeps changes that another process made while the editor was open, and enforces new protection', async () => {
    writeFileSync(
      join(home.cwd, 'slow.cjs'),
      `const fs=require('fs'),p=process.argv.at(-1),file=process.env.SETTINGS,s=JSON.parse(fs.readFileSync(file));
       Object.assign(s.profiles.dev,{protected:true,names:{xpid:'pid'}});fs.writeFileSync(file,JSON.stringify(s));
       fs.appendFileSync(p,'workspace_id: "7"\\nnames: {osa: osb}\\n')`,
    );
    const SETTINGS = home.settingsFile;
    const before = home.settings().profiles['dev'];
    const others = { protected: true, names: { xpid: 'pid' } };
    const options = { env: { EDITOR: `${process.execPath} ${join(home.cwd, 'slow.cjs')}`, SETTINGS } };
    expect((await run('profile edit dev', options)).code).toBe(12);
    expect(home.settings().profiles['dev']).toEqual({ ...before, ...others });
    writeFileSync(SETTINGS, JSON.stringify({ profiles: { dev: before } }));
    expect((await run('profile edit dev --confirm dev', options)).code).toBe(0);
    expect(home.settings().profiles['dev']).toEqual({
      ...before,
      ...others,
      workspace_id: '7',
      names: { xpid: 'pid', osa: 'osb' },
    });
  });

  it('keeps the changes of all concurrent edits', async () => {
    const ids = ['org_id', 'account_id', 'workspace_id', 'limits.dsr', 'limits.roles', 'names.a', 'names.b'];
    await Promise.all(ids.map((field) => run(`profile edit dev --set ${field}=7`)));
    const [names, limits] = [
      { a: '7', b: '7' },
      { dsr: '7', roles: '7' },
    ];
    const expected = { org_id: '7', account_id: '7', workspace_id: '7', limits, names };
    expect(home.settings().profiles['dev']).toMatchObject(expected);
  });

  it.each([
    ["fs.appendFileSync(p,Buffer.from('audience: caf\\xe9','latin1'))", 9, /profile\.yaml is not UTF-8/],
    ['fs.rmSync(p)', 0, /^$/],
  ])('does not change the settings if the editor runs %s', async (code, exit, message) => {
    const before = home.settings();
    writeFileSync(join(home.cwd, 'odd.cjs'), `const fs=require('fs'),p=process.argv.at(-1);${code}`);
    const result = await run('profile edit dev', {
      env: { EDITOR: `${process.execPath} ${join(home.cwd, 'odd.cjs')}` },
    });
    expect(result).toMatchObject({ code: exit, stderr: expect.stringMatching(message) });
    expect(home.settings()).toEqual(before);
  });

  it('reopens invalid text in the editor on a terminal, with the errors as comments', async () => {
    writeFileSync(
      join(home.cwd, 'slow.cjs'),
      `const fs=require('fs'),p=process.argv.at(-1),t=fs.readFileSync(p,'utf8');
       fs.writeFileSync(p,/^#! .*wrkspace_id/m.test(t)?t.replace(/^wrkspace/m,'workspace'):t+'wrkspace_id: "9"\\n')`,
    );
    const { code } = await run('profile edit dev', {
      env: { EDITOR: `${process.execPath} ${join(home.cwd, 'slow.cjs')}` },
      tty: true,
    });
    expect(code).toBe(0);
    expect(home.settings().profiles['dev']).toMatchObject({ workspace_id: '9' });
  });

  it('prints the changed fields, even in a dry run', async () => {
    const line = 'profile edit dev --set workspace_id=7 --set limits.dsr=1000/m --set secrets.client_id=';
    const changes = ['  secrets.client_id: me → none', '  workspace_id: none → 7', '  limits.dsr: none → 1000/m'];
    expect((await run(`${line} --dry-run`)).stdout.trimEnd().split('\n')).toEqual([
      'Profile dev would be changed.',
      ...changes,
    ]);
    expect((await run(line)).stdout.trimEnd().split('\n')).toEqual(['Changed profile dev.', ...changes]);
  });
});

describe('a profile rename or copy', () => {
  it('moves a profile and its stored secrets to the new name', async () => {
    expect((await run('profile rename dev staging')).code).toBe(0);
    expect(home.settings()).toMatchObject({
      current: 'staging',
      profiles: { staging: { secrets: { client_secret: 'file:' } } },
    });
    expect(home.settings().profiles).not.toHaveProperty('dev');
    expect([
      existsSync(home.secretFile('dev')),
      readFileSync(home.secretFile('staging'), 'utf8').includes(SECRET),
    ]).toEqual([false, true]);
  });

  it('keeps the stored secrets if only the letter case of the name changes, on any disk', async () => {
    expect((await run('profile rename dev Dev')).code).toBe(0);
    expect(Object.keys(home.settings().profiles)).toEqual(['Dev']);
    expect(readFileSync(home.secretFile('Dev'), 'utf8')).toContain(SECRET);
  });

  it('creates a copy that is independent of the original', async () => {
    await run('profile copy dev second');
    await run('profile delete dev --yes');
    expect(readFileSync(home.secretFile('second'), 'utf8')).toContain(SECRET);
    expect(home.settings().profiles['second']).toMatchObject({ base_url: 'https://api.example' });
  });

  it.each([
    ['profile rename dev local', 2],
    ['profile rename dev ../x', 2],
    ['profile rename local x', 2],
    ['profile copy local x', 2],
    ['profile edit local --set org_id=1', 2],
    ['profile rename missing x', 5],
    ['profile copy dev dev', 6],
    ['profile copy dev DEV', 6],
  ])('rejects `%s`, even in a dry run', async (line, code) => {
    const before = home.settings();
    expect((await run(line)).code).toBe(code);
    expect((await run(`${line} --dry-run`)).code).toBe(code);
    expect(home.settings()).toEqual(before);
  });
});

describe('a profile export or import', () => {
  it('transfers a profile with references to secrets, but without stored secrets', async () => {
    await run('profile edit dev --set secrets.workspace_secret=env:WORKSPACE_SECRET --set workspace_id=7');
    const { stdout, stderr } = await run('profile export dev -o json');
    expect(stdout).not.toContain(SECRET);
    expect(JSON.parse(stdout)).toMatchObject({
      secrets: { client_id: 'me', workspace_secret: 'env:WORKSPACE_SECRET' },
    });
    expect(stdout).not.toContain('file:');
    expect(stderr).toBe('');
    const imported = await run('profile import - other', { stdin: stdout });
    expect(imported.code).toBe(0);
    expect(home.settings().profiles['other']).toMatchObject({ base_url: 'https://api.example', workspace_id: '7' });
  });

  it('prints the command in an imported profile and requires confirmation', async () => {
    const stdin = JSON.stringify({ base_url: 'https://api.example', secrets: { client_secret: 'command:steal all' } });
    const rejected = await run('profile import - evil', { stdin });
    expect(rejected).toMatchObject({ code: 2, stderr: expect.stringContaining('steal all') });
    expect(home.settings().profiles).not.toHaveProperty('evil');
  });

  it.each([
    ['base_url: http://api.example\n', '1:11: base_url: '],
    ['nonsense: 1\n', '1:1: nonsense: '],
    ['- a list\n', '1:1: '],
    ['secrets: {client_secret: plain-value}\n', '1:26: secrets.client_secret: '],
    ['secrets: {access_token: plain-value}\n', '1:11: secrets.access_token: '],
    ['limits: {dsr: fast}\n', '1:15: limits.dsr: '],
  ])('rejects %j and prints its position, even in a dry run', async (stdin, issue) => {
    for (const flag of ['--yes', '--dry-run']) {
      const result = await run(`profile import - bad ${flag}`, { stdin });
      expect(result).toMatchObject({ code: 9, stdout: '', stderr: expect.stringContaining(`<stdin>:${issue}`) });
      expect(result.stderr).not.toContain('plain-value');
    }
    expect(home.settings().profiles).not.toHaveProperty('bad');
  });
});

describe('an auth command', () => {
  it('stores an additional secret, and removes all secrets', async () => {
    const login = await run('auth login --workspace-key env:KEY --workspace-secret-stdin --insecure-storage', {
      stdin: 'canary-2\n',
    });
    expect(login.code).toBe(0);
    const file = readFileSync(home.secretFile('dev'), 'utf8');
    expect([file.includes(SECRET), file.includes('canary-2')]).toEqual([true, true]);
    expect(login.stdout + login.stderr).not.toContain('canary-2');
    const logout = await run('auth logout --yes -o json');
    expect(JSON.parse(logout.stdout)).toEqual({
      profile: 'dev',
      removed: ['client_secret', 'workspace_key', 'workspace_secret'],
    });
    expect(existsSync(home.secretFile('dev'))).toBe(false);
    // The client id is a name, not a secret.
    expect(home.settings().profiles['dev']).toHaveProperty('secrets', { client_id: expect.any(String) });
  });

  it('rejects a workspace key given as a value, and does not print it', async () => {
    const { code, stderr } = await run('auth login --workspace-key canary-key');
    expect([code, stderr.includes('canary-key'), stderr.includes('env:NAME')]).toEqual([2, false, true]);
    const edited = await run('profile edit dev --set secrets.workspace_key=canary-key');
    expect([edited.code, edited.stderr.includes('canary-key')]).toEqual([2, false]);
  });

  it('removes the cached token of the profile', async () => {
    const tokens = join(home.folder, 'cache', 'tokens');
    mkdirSync(tokens, { recursive: true });
    writeFileSync(join(tokens, tokenFileName('me', 'https://api.example', 'https://auth.example')), '{}');
    writeFileSync(join(tokens, tokenFileName('another', 'https://api.example', 'https://auth.example')), '{}');
    await run('auth logout --yes');
    expect(readdirSync(tokens)).toEqual([tokenFileName('another', 'https://api.example', 'https://auth.example')]);
  });

  it.each([
    'auth login',
    'auth login --client-secret plain-value',
    'auth login --profile local --client-id x',
    'auth logout',
  ])('exits with 2 for `%s` and does not print a secret', async (line) => {
    const result = await run(line);
    expect(result.code).toBe(2);
    expect(result.stderr).not.toContain('plain-value');
  });
});
