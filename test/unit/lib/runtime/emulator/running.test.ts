// The registry of running embedded platforms: entries of processes that have ended are ignored.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { EmulatorReady } from '../../../../../src/lib/emulator/index.ts';
import { listEmulators, registerEmulator } from '../../../../../src/lib/runtime/emulator/running.ts';
import { temporaryFolder } from '../../../../helpers/temporary-folder.ts';

describe('the registry of running platforms', () => {
  let paths: Parameters<typeof listEmulators>[0];
  let file: string;
  let unregister: () => void;
  beforeEach(() => {
    const folder = temporaryFolder();
    paths = { config: folder, state: folder, cache: folder, data: folder };
    file = join(folder, 'emulators', '4999.json');
    const ready = { control_url: 'http://127.0.0.1:4999' } as EmulatorReady;
    unregister = registerEmulator(paths, { port: 4999, data: null, started: 0, ready });
  });

  it('lists the platform of a running process until it is unregistered', () => {
    expect(listEmulators(paths)).toMatchObject([{ pid: process.pid, port: 4999 }]);
    unregister();
    expect(listEmulators(paths)).toEqual([]);
  });

  it.runIf(process.platform === 'linux')('ignores a killed process whose id another process now has', () => {
    const entry = JSON.parse(readFileSync(file, 'utf8')) as object;
    writeFileSync(file, JSON.stringify({ ...entry, began: '1' }));
    expect(listEmulators(paths)).toEqual([]);
  });
});
