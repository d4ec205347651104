// The program's four folders, its settings file, and the project file.
import { join, posix, win32, dirname } from 'node:path';
import { existsSync, lstatSync, type Stats, statSync } from 'node:fs';

export interface SettingsPaths {
  /** Profiles with references to their secrets, and private files that contain secrets. */
  config: string;
  /** History, journals, ledger, locks and the rate budget. */
  state: string;
  /** Tokens, certificates and ids for tab completion; the user may delete them at any time. */
  cache: string;
  /** The embedded platform's database. */
  data: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

const FOLDER = 'cdpadm';

/** `CDPADM_*_DIR` names the folder itself. If it is not set, an absolute `XDG_*_HOME` applies on every platform. */
export function resolvePaths(env: Environment, platform: NodeJS.Platform, home: string): SettingsPaths {
  const path = platform === 'win32' ? win32 : posix;
  const standard = standardPaths(env, platform, home);

  function folder(kind: keyof SettingsPaths): string {
    const own = env[`CDPADM_${kind.toUpperCase()}_DIR`];
    if (own) return path.resolve(own);
    const shared = env[`XDG_${kind.toUpperCase()}_HOME`];
    if (shared && path.isAbsolute(shared)) return path.join(shared, FOLDER);
    return standard[kind];
  }

  return { config: folder('config'), state: folder('state'), cache: folder('cache'), data: folder('data') };
}

function standardPaths(env: Environment, platform: NodeJS.Platform, home: string): SettingsPaths {
  if (platform === 'win32') {
    const config = win32.join(env.APPDATA || win32.join(home, 'AppData', 'Roaming'), FOLDER);
    const local = win32.join(env.LOCALAPPDATA || win32.join(home, 'AppData', 'Local'), FOLDER);
    const below = (name: string): string => win32.join(local, name);
    return { config, state: below('State'), cache: below('Cache'), data: below('Data') };
  }
  const below = (...folders: string[]): string => posix.join(home, ...folders);
  if (platform === 'darwin') {
    const support = below('Library', 'Application Support', FOLDER);
    return {
      config: below('Library', 'Preferences', FOLDER),
      state: posix.join(support, 'State'),
      cache: below('Library', 'Caches', FOLDER),
      data: posix.join(support, 'Data'),
    };
  }
  return {
    config: below('.config', FOLDER),
    state: below('.local', 'state', FOLDER),
    cache: below('.cache', FOLDER),
    data: below('.local', 'share', FOLDER),
  };
}

/** Name of the settings file without its extension, as `conf` requires. */
export const CONFIG_NAME = 'config';

export function settingsFilePath(folder: string): string {
  return join(folder, `${CONFIG_NAME}.json`);
}

const FILE_NAME = '.cdpadm.yaml';

/**
 * Searches from `cwd` upward to the root of its repository (the folder with `.git`) or to `home`. If `cwd` is in
 * neither, searches only `cwd`, because other users can write to a folder such as /tmp. A broken link counts as a
 * project file, so that reading it reports an error.
 */
export function findProjectFile(cwd: string, home: string): string | undefined {
  const files = foldersUpward(cwd, home).map((folder) => join(folder, FILE_NAME));
  return files.find((file) => {
    const entry = statOf(file, lstatSync);
    // Reading a device or a pipe, to which a cloned repository may link, might never end.
    return entry?.isSymbolicLink() ? (statOf(file, statSync)?.isFile() ?? true) : entry?.isFile();
  });
}

function statOf(file: string, stat: typeof statSync): Stats | undefined {
  try {
    return stat(file, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function foldersUpward(cwd: string, home: string): string[] {
  const folders: string[] = [];
  for (let folder = cwd; ; folder = dirname(folder)) {
    folders.push(folder);
    if (folder === home || existsSync(join(folder, '.git'))) return folders;
    if (folder === dirname(folder)) return [cwd];
  }
}
