// A home of one user with profiles, for tests of the commands that keep them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CliHome, createCliHome } from './cli.ts';

export interface ProfileHome extends CliHome {
  /** Where the settings file lies, or will. */
  settingsFile: string;
  /** What the settings file holds. */
  settings(): { current?: string; profiles: Record<string, Record<string, unknown>> };
  /** Where the secrets of a profile lie that are kept in a file. */
  secretFile(profile: string): string;
}

export function createProfileHome(): ProfileHome {
  const home = createCliHome();
  const config = join(home.folder, 'config');
  const settingsFile = join(config, 'config.json');
  return {
    ...home,
    settingsFile,
    settings: () => JSON.parse(readFileSync(settingsFile, 'utf8')) as ReturnType<ProfileHome['settings']>,
    secretFile: (profile) => join(config, 'secrets', `${profile}.json`),
  };
}
