// Where the settings file is.
import { join } from 'node:path';

/** The file's name without its extension, which is how conf wants it. */
export const CONFIG_NAME = 'config';

/** The path of the settings file. */
export function settingsFilePath(folder: string): string {
  return join(folder, `${CONFIG_NAME}.json`);
}
