// Where the built-in profile `local` keeps what it has.
import { join } from 'node:path';
import type { SettingsPaths } from '../../config/paths.ts';

/** The platform's state; `emulator start` keeps its own there too unless told otherwise. */
export function localFolder(paths: SettingsPaths): string {
  return join(paths.data, 'local');
}

/** The authority of every embedded platform of this user, whatever its state: who trusts it once, trusts them all. */
export function authorityFolder(paths: SettingsPaths): string {
  return join(paths.cache, 'emulator');
}

/** The certificate of that authority. */
export function authorityFile(paths: SettingsPaths): string {
  return join(authorityFolder(paths), 'ca.pem');
}
