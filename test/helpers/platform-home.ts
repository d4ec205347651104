// One user's home with an embedded platform, for tests of commands.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { SETTING_NAMES, variableOf } from '../../src/lib/config/setting-fields.ts';
import { settingsFilePath } from '../../src/lib/config/paths.ts';
import { environmentOf } from '../../src/lib/runtime/emulator/environment.ts';
import { type CliOptions, type CliResult, createCliHome, wordsOf } from './cli.ts';
import type { ClockMode } from '../../src/lib/emulator/base/clock.ts';
import type { StartOptions } from '../../src/lib/emulator/index.ts';
import { startTestEmulator, type TestEmulator } from './emulator.ts';

export interface PlatformHome {
  platform: TestEmulator;
  cwd: string;
  /** The folder that contains the program's four folders. */
  folder: string;
  /** The program's environment, with credentials for the platform. */
  env: Record<string, string>;
  defaults: CliOptions;
  /** Runs a command line. If a word contains spaces, pass a list of words. */
  run(line: string | readonly string[], options?: CliOptions): Promise<CliResult>;
  /** Runs a command with `-o json` and parses its output; `data` or `error` is undefined if it is absent. */
  json<T = unknown>(
    line: string | readonly string[],
    options?: CliOptions,
  ): Promise<CliResult & { data: T; error: JsonError }>;
  read(file: string): string;
  write(file: string, text: string): void;
  /** The requests that write, as `POST /path/of/platform`. */
  writes(): Promise<string[]>;
  /** Returns the number of requests that the platform received with this method and path prefix. */
  received(method: string, path?: string): Promise<number>;
  close(): Promise<void>;
}

/** A command's error document. */
export interface JsonError {
  code: string;
  message: string;
  hint?: string;
  /** The status of the platform's response. */
  status?: number;
  issues: { path: string; line?: number; column?: number; message: string }[];
}

/** Platforms from earlier tests in this process, by clock. A reset takes a tenth of the time that a start takes. */
const idle: Record<ClockMode, TestEmulator[]> = { real: [], manual: [] };

/** Returns the clock if no other option is set; otherwise undefined. */
function clockAlone({ clock = 'real', ...others }: StartOptions): ClockMode | undefined {
  return Object.keys(others).length === 0 ? clock : undefined;
}

/** Opens a home, on a shared platform if one is given. Options may depend on the home's folder. */
export async function openPlatformHome(
  options: StartOptions | ((folder: string) => StartOptions) = {},
  shared?: TestEmulator,
): Promise<PlatformHome> {
  const home = createCliHome();
  const given = typeof options === 'function' ? options(home.folder) : options;
  const clock = clockAlone(given);
  const before = clock && !shared ? idle[clock].pop() : undefined;
  // A manual clock has not moved since the previous test, so reset it to the current time.
  await before?.reset();
  const platform = shared ?? before ?? (await startTestEmulator(given));
  const env = { ...home.env, ...environmentOf(platform.ready) };
  const defaults: CliOptions = {};
  const run: PlatformHome['run'] = (line, given = {}) =>
    home.run(line, { ...defaults, ...given, env: { ...env, ...given.env } });
  let closed: Promise<void> | undefined;
  async function close(): Promise<void> {
    if (!clock && !shared) await platform.close();
    else if (clock && !shared && (await platform.recycle())) idle[clock].push(platform);
    home.remove();
  }
  return {
    platform,
    cwd: home.cwd,
    folder: home.folder,
    env,
    defaults,
    run,
    json: async <T>(line: string | readonly string[], given?: CliOptions) => {
      const result = await run([...wordsOf(line), '-o', 'json'], given);
      const failure = result.stderr.split('\n').findLast((text) => text.startsWith('{"error"'));
      return {
        ...result,
        data: (result.stdout === '' ? undefined : JSON.parse(result.stdout)) as T,
        error: (failure === undefined ? undefined : (JSON.parse(failure) as { error: unknown }).error) as JsonError,
      };
    },
    read: (file) => readFileSync(join(home.cwd, file), 'utf8'),
    write: (file, text) => {
      writeFileSync(join(home.cwd, file), text);
    },
    writes: async () =>
      (await platform.api.requests())
        .filter(({ method, path }) => method !== 'GET' && !path.includes('/oauth/'))
        .map(({ method, path }) => `${method} ${path}`),
    received: async (method, path = '') =>
      (await platform.api.requests()).filter((it) => it.method === method && it.path.startsWith(path)).length,
    close: () => (closed ??= close()),
  };
}

/** Moves the settings, except secrets, from the environment to the profile `qa`, and selects that profile. */
export function useProfile({ env }: { env: Record<string, string> }): void {
  const names = SETTING_NAMES.filter((name) => env[variableOf(name)] !== undefined);
  const qa = Object.fromEntries(names.map((name) => [name, env[variableOf(name)]]));
  for (const name of names) Reflect.deleteProperty(env, variableOf(name));
  env['CDPADM_PROFILE'] = 'qa';
  const file = settingsFilePath(env['CDPADM_CONFIG_DIR'] ?? '');
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, JSON.stringify({ version: 1, profiles: { qa } }), { mode: 0o600 });
}
