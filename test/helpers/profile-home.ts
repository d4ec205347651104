// A user's home directory with profiles, for tests of the profile commands.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CliHome, createCliHome } from './cli.ts';

export interface ProfileHome extends CliHome {
  settingsFile: string;
  /** The contents of the settings file. */
  settings(): { current?: string; profiles: Record<string, Record<string, unknown>> };
  /** Returns the path of the file with a profile's secrets. */
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
