// A terminal, a platform and a folder of one privacy officer, for tests of data subject requests.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { environmentOf } from '../../src/lib/runtime/emulator-environment.ts';
import { type CliOptions, type CliResult, createCliHome, runCli } from './cli.ts';
import { startTestEmulator, type TestEmulator } from './emulator.ts';

export interface DsrHome {
  platform: TestEmulator;
  folder: string;
  env: Record<string, string>;
  /** Runs any command line; a string is split at spaces. */
  run(line: string | string[], options?: CliOptions): Promise<CliResult>;
  /** The same with `-o json`, parsed. */
  json<T>(
    line: string | string[],
    options?: CliOptions,
  ): Promise<
    CliResult & {
      data: T;
      error: {
        code: string;
        message: string;
        hint?: string;
        issues: { path: string; line?: number; column?: number; message: string }[];
      };
    }
  >;
  read(file: string): string;
  write(file: string, text: string): void;
  /** How many requests of a method and path beginning the platform received. */
  received(method: string, path: string): Promise<number>;
  close(): Promise<void>;
}

export async function createDsrHome(fixtures?: unknown): Promise<DsrHome> {
  const home = createCliHome();
  const authority = join(home.folder, 'authority');
  const platform = await startTestEmulator({ authority, ...(fixtures !== undefined && { fixtures }) });
  const env = { ...home.env, ...environmentOf(platform.ready) };
  const run: DsrHome['run'] = (line, options = {}) =>
    runCli(typeof line === 'string' ? line.split(' ') : line, {
      cwd: home.cwd,
      ...options,
      env: { ...env, ...options.env },
    });
  return {
    platform,
    folder: home.cwd,
    env,
    run,
    json: async <T>(line: string | string[], options?: CliOptions) => {
      const result = await run([...(typeof line === 'string' ? line.split(' ') : line), '-o', 'json'], options);
      const failure = result.stderr.split('\n').findLast((text) => text.startsWith('{"error"'));
      return {
        ...result,
        data: (result.stdout === '' ? undefined : JSON.parse(result.stdout)) as T,
        error: (failure === undefined ? undefined : (JSON.parse(failure) as { error: never }).error) as never,
      };
    },
    read: (file) => readFileSync(join(home.cwd, file), 'utf8'),
    write: (file, text) => {
      writeFileSync(join(home.cwd, file), text);
    },
    received: async (method, path) =>
      (await platform.api.requests()).filter((it) => it.method === method && it.path.startsWith(path)).length,
    close: async () => {
      await platform.close();
      home.remove();
    },
  };
}
