// The folders of embedded platforms, and the registry of running ones for other commands of this user.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { EmulatorReady } from '../../emulator/index.ts';
import { readPrivateFile, removeFile, writePrivateFile } from '../../kernel/durable.ts';
import { tryJson } from '../../kernel/json.ts';
import { isAlive, ownProcess, type ProcessIdentity } from '../../kernel/lock.ts';
import type { SettingsPaths } from '../../config/paths.ts';

export interface RunningEmulator extends ProcessIdentity {
  port: number;
  /** Folder of the platform's state; null if the state is in memory. */
  data: string | null;
  /** Epoch milliseconds. */
  started: number;
  ready: EmulatorReady;
  /** Profile whose names the platform uses: the imitated one or `local`; undefined if unknown. */
  profile?: string | undefined;
}

/** Registers this process's platform in a file (0600, because of its credentials). The returned function removes it. */
export function registerEmulator(
  paths: SettingsPaths,
  emulator: Omit<RunningEmulator, keyof ProcessIdentity>,
): () => void {
  const path = join(folderOf(paths), `${emulator.port}.json`);
  const own = ownProcess();
  writePrivateFile(path, `${JSON.stringify({ ...own, ...emulator } satisfies RunningEmulator)}\n`);
  return () => {
    // Another platform may have taken over the port and the file.
    if (readEmulator(path)?.pid === own.pid) removeFile(path);
  };
}

/** Returns the platforms whose process is still running, newest first. */
export function listEmulators(paths: SettingsPaths): RunningEmulator[] {
  const folder = folderOf(paths);
  return (existsSync(folder) ? readdirSync(folder) : [])
    .filter((name) => /^\d+\.json$/.test(name))
    .map((name) => readEmulator(join(folder, name)))
    .filter((emulator) => emulator !== undefined)
    .filter(isAlive)
    .sort((a, b) => b.started - a.started);
}

function folderOf({ state }: SettingsPaths): string {
  return join(state, 'emulators');
}

/** Returns undefined if the file is missing or has unexpected contents. */
function readEmulator(path: string): RunningEmulator | undefined {
  const text = readPrivateFile(path);
  if (text === undefined) return undefined;
  const found = tryJson(text) as Partial<RunningEmulator> | null | undefined;
  return typeof found?.pid === 'number' && typeof found.ready?.control_url === 'string'
    ? (found as RunningEmulator)
    : undefined;
}

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
