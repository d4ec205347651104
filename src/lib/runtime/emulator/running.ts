// The embedded platforms that `emulator start` runs now, so that other commands of this user find them.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { EmulatorReady } from '../../emulator/index.ts';
import { readPrivateFile, removeFile, writePrivateFile } from '../../kernel/durable.ts';
import { isAbsent } from '../../kernel/errors.ts';
import { host } from '../../kernel/host.ts';
import { parseJson } from '../../kernel/json.ts';
import type { SettingsPaths } from '../../config/paths.ts';

export interface RunningEmulator {
  pid: number;
  port: number;
  /** The folder of its state; null when that is in memory. */
  data: string | null;
  /** Epoch milliseconds. */
  started: number;
  ready: EmulatorReady;
}

/** Makes the platform known (0600: its credentials are in it). Returns what makes it unknown again. */
export function registerEmulator(paths: SettingsPaths, emulator: RunningEmulator): () => void {
  const path = join(folderOf(paths), `${emulator.port}.json`);
  writePrivateFile(path, `${JSON.stringify(emulator)}\n`);
  return () => {
    // A later one may have taken the port after this one was thought dead.
    if (readEmulator(path)?.pid === emulator.pid) removeFile(path);
  };
}

/** Those whose process lives, the newest first. */
export function listEmulators(paths: SettingsPaths): RunningEmulator[] {
  return fileNames(folderOf(paths))
    .filter((name) => /^\d+\.json$/.test(name))
    .map((name) => readEmulator(join(folderOf(paths), name)))
    .filter((emulator) => emulator !== undefined)
    .filter(({ pid }) => host.isAlive(pid))
    .sort((a, b) => b.started - a.started);
}

function folderOf({ state }: SettingsPaths): string {
  return join(state, 'emulators');
}

function fileNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}

/** Our own file, or undefined for one that is gone or was made by something else. */
function readEmulator(path: string): RunningEmulator | undefined {
  const text = readPrivateFile(path);
  if (text === undefined) return undefined;
  try {
    const found = parseJson(text) as Partial<RunningEmulator> | null;
    return typeof found?.pid === 'number' && typeof found.ready?.control_url === 'string'
      ? (found as RunningEmulator)
      : undefined;
  } catch {
    return undefined;
  }
}
