// A terminal, a folder and an embedded platform of one user, for tests of commands.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { environmentOf } from '../../src/lib/runtime/emulator-environment.ts';
import { type CliOptions, type CliResult, createCliHome, runCli } from './cli.ts';
import type { StartOptions } from '../../src/lib/emulator/index.ts';
import { startTestEmulator, type TestEmulator } from './emulator.ts';

export interface PlatformHome {
  platform: TestEmulator;
  cwd: string;
  /** The folder above the program's four. */
  folder: string;
  /** Runs a command line; words with spaces need the list form. */
  run(line: string | string[], options?: CliOptions): Promise<CliResult>;
  /** The same with `-o json`, parsed. */
  json<T = unknown>(line: string | string[], options?: CliOptions): Promise<CliResult & { data: T }>;
  read(file: string): string;
  write(file: string, text: string): void;
  /** `POST /path/of/platform` of all requests that write. */
  writes(): Promise<string[]>;
  close(): Promise<void>;
}

/** Opens one; on a platform that others use too when one is given. */
export async function openPlatformHome(options: StartOptions = {}, shared?: TestEmulator): Promise<PlatformHome> {
  const home = createCliHome();
  const platform = shared ?? (await startTestEmulator(options));
  const env = { ...home.env, ...environmentOf(platform.ready) };
  const words = (line: string | string[]): string[] => (typeof line === 'string' ? line.split(' ') : line);
  const run: PlatformHome['run'] = (line, given = {}) =>
    runCli(words(line), { cwd: home.cwd, ...given, env: { ...env, ...given.env } });
  return {
    platform,
    cwd: home.cwd,
    folder: home.folder,
    run,
    json: async <T>(line: string | string[], given?: CliOptions) => {
      const result = await run([...words(line), '-o', 'json'], given);
      return { ...result, data: (result.stdout === '' ? undefined : JSON.parse(result.stdout)) as T };
    },
    read: (file) => readFileSync(join(home.cwd, file), 'utf8'),
    write: (file, text) => {
      writeFileSync(join(home.cwd, file), text);
    },
    writes: async () =>
      (await platform.api.requests())
        .filter(({ method, path }) => method !== 'GET' && !path.includes('/oauth/'))
        .map(({ method, path }) => `${method} ${path}`),
    close: async () => {
      if (!shared) await platform.close();
      home.remove();
    },
  };
}
