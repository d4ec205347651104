// Tests which profile is selected, and which sources are read for its settings.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadSettings, type SettingsSources } from '../../../../src/lib/config/load-settings.ts';
import { resolvePaths } from '../../../../src/lib/config/paths.ts';
import { temporaryFolder } from '../../../helpers/temporary-folder.ts';
import { folderWith, secretsOptions } from './folders.ts';

function sources(folder: string, more: Partial<SettingsSources> = {}): SettingsSources {
  const { clock, redactor } = secretsOptions(folder);
  const paths = resolvePaths({ CDPADM_CONFIG_DIR: folder }, 'linux', folder);
  return {
    flags: { settings: {} },
    env: {},
    cwd: folder,
    home: folder,
    paths,
    clock,
    redactor,
    onWarning: () => undefined,
    ...more,
  };
}

const PROFILES = {
  current: 'a',
  profiles: { a: { org_id: '1' }, b: { org_id: '2' }, c: { org_id: '3' }, d: { org_id: '4' } },
};

describe('loadSettings', () => {
  it.each([
    ['the flag, even if a variable and a project file name others', { flag: 'b', env: 'c', project: 'd' }, '2', 'flag'],
    ['the environment, even if a project file names another', { env: 'c', project: 'd' }, '3', 'environment'],
    ['the project file if the variable is empty', { env: '', project: 'd' }, '4', 'project'],
    ['the settings file if nothing else names one', {}, '1', 'default'],
  ])(
    'uses the profile from %s',
    async (_what, { flag, env, project }: { flag?: string; env?: string; project?: string }, org, kind) => {
      const folder = folderWith(PROFILES);
      if (project) writeFileSync(join(folder, '.cdpadm.yaml'), `profile: ${project}\n`);
      const settings = await loadSettings(
        sources(folder, { flags: { profile: flag, settings: {} }, env: { CDPADM_PROFILE: env } }),
      );
      expect([settings.need('org_id'), settings.profile?.origin.kind]).toEqual([org, kind]);
    },
  );

  it('does not return a profile if the folder is empty', async () => {
    expect((await loadSettings(sources(temporaryFolder()))).profile).toBeUndefined();
  });

  it.each(['ab', '__proto__', 'constructor'])('rejects the unknown profile %s as a usage error', async (profile) => {
    const loading = loadSettings(sources(folderWith(PROFILES), { flags: { profile, settings: {} } }));
    await expect(loading).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('--profile') as unknown,
    });
  });

  it('starts the embedded platform only for the profile `local`', async () => {
    let opened = 0;
    const local = async () => {
      opened++;
      return { base_url: 'http://127.0.0.1:1' };
    };
    await loadSettings(sources(folderWith(PROFILES), { local }));
    expect(opened).toBe(0);
    const settings = await loadSettings(sources(folderWith(PROFILES), { local, env: { CDPADM_PROFILE: 'local' } }));
    expect([opened, settings.need('base_url')]).toEqual([1, 'http://127.0.0.1:1']);
  });

  it('does not start the embedded platform if another source sets every address', async () => {
    const local = () => Promise.reject(new Error('opened'));
    const names = ['BASE_URL', 'AUTH_URL', 'DSR_BASE_URL', 'SEEDING_URL', 'IDENTITY_URL'];
    const addresses = Object.fromEntries(names.map((name) => [`CDPADM_${name}`, 'http://127.0.0.1:1']));
    const env = { ...addresses, CDPADM_PROFILE: 'local' };
    const settings = await loadSettings(sources(folderWith(PROFILES), { local, env }));
    expect(settings.need('dsr_base_url')).toBe('http://127.0.0.1:1');
    for (const missing of [{ CDPADM_DSR_BASE_URL: '' }, { CDPADM_AUTH_URL: '' }]) {
      const loading = loadSettings(sources(folderWith(PROFILES), { local, env: { ...env, ...missing } }));
      await expect(loading).rejects.toThrow('opened');
    }
    const folder = folderWith(PROFILES);
    writeFileSync(join(folder, '.cdpadm.yaml'), 'seeding_url: http://127.0.0.1:1\n');
    expect(await loadSettings(sources(folder, { local, env: { ...env, CDPADM_SEEDING_URL: '' } }))).toBeDefined();
    const alone = { local, env, alone: '--to', flags: { profile: 'local', settings: {} } };
    await expect(loadSettings(sources(folderWith(PROFILES), alone))).rejects.toThrow('opened');
  });

  it('starts the embedded platform for `--profile local` even if the environment sets addresses', async () => {
    const env = Object.fromEntries(
      ['BASE_URL', 'AUTH_URL', 'DSR_BASE_URL', 'SEEDING_URL', 'IDENTITY_URL'].map((name) => [
        `CDPADM_${name}`,
        'http://127.0.0.1:1',
      ]),
    );
    const local = () => Promise.resolve({ base_url: 'http://127.0.0.1:2' });
    const flags = { profile: 'local', settings: {} };
    const notes: string[] = [];
    const onNote = (text: string) => notes.push(text);
    const settings = await loadSettings(sources(folderWith(PROFILES), { local, env, flags, onNote }));
    expect(settings.need('base_url')).toBe('http://127.0.0.1:2');
    expect(notes).toEqual([expect.stringMatching(/^Profile local is pinned: CDPADM_BASE_URL, .* have no effect\.$/)]);
  });

  it('warns about unknown fields in the settings file', async () => {
    const warnings: string[] = [];
    await loadSettings(
      sources(folderWith({ profiles: { a: { future: 1 } } }), { onWarning: (text) => warnings.push(text) }),
    );
    expect(warnings).toEqual([expect.stringContaining('`future`')]);
  });
});
