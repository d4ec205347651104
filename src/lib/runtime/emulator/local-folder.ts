// Folders of the embedded platform.
import { join } from 'node:path';
import type { SettingsPaths } from '../../config/paths.ts';

/** Returns the state folder of profile `local` and, by default, of `emulator start`. */
export function localFolder(paths: SettingsPaths): string {
  return join(paths.data, 'local');
}

/** Returns the folder of the authority that all of this user's embedded platforms share. */
export function authorityFolder(paths: SettingsPaths): string {
  return join(paths.cache, 'emulator');
}

/** Returns the state folder of a platform that imitates a profile, separate from the folder of profile `local`. */
export function rehearsalFolder({ data }: SettingsPaths, profile: string): string {
  return join(data, 'rehearsals', profile);
}
