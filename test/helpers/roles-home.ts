// A terminal, a platform and a folder of one administrator of roles, for tests of the roles commands.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { environmentOf } from '../../src/lib/runtime/emulator-environment.ts';
import type { Role } from '../../src/lib/domain/roles/manifest.ts';
import { type CliOptions, type CliResult, createCliHome, runCli } from './cli.ts';
import { startTestEmulator, type TestEmulator } from './emulator.ts';

export interface RolesHome {
  platform: TestEmulator;
  /** The folder above the program's four. */
  home: string;
  cwd: string;
  /** Runs `roles …` (or any other command line). */
  run(line: string | string[], options?: CliOptions): Promise<CliResult>;
  /** The same with `-o json`, parsed. */
  json<T = unknown>(line: string | string[], options?: CliOptions): Promise<CliResult & { data: T; error: unknown }>;
  read(file: string): string;
  write(file: string, text: string): void;
  edit(file: string, from: string, to: string): void;
  /** The roles that the platform holds, by id. */
  live(): Promise<Map<string, Role>>;
  /** How many PUTs the platform received. */
  puts(): Promise<number>;
  close(): Promise<void>;
}

/** Another administrator: a home of its own, on the same platform when one is given. */
export async function createRolesHome(shared?: TestEmulator, fixtures?: unknown): Promise<RolesHome> {
  const home = createCliHome();
  const platform = shared ?? (await startTestEmulator(fixtures === undefined ? {} : { fixtures }));
  const env = { ...home.env, ...environmentOf(platform.ready) };

  const run: RolesHome['run'] = (line, options = {}) =>
    runCli(typeof line === 'string' ? line.split(' ') : line, {
      cwd: home.cwd,
      ...options,
      env: { ...env, ...options.env },
    });

  const path = (file: string): string => join(home.cwd, file);
  return {
    platform,
    home: home.folder,
    cwd: home.cwd,
    run,
    json: async <T>(line: string | string[], options?: CliOptions) => {
      const result = await run([...(typeof line === 'string' ? line.split(' ') : line), '-o', 'json'], options);
      return {
        ...result,
        data: (result.stdout === '' ? undefined : JSON.parse(result.stdout)) as T,
        error: lastDocument(result.stderr),
      };
    },
    read: (file) => readFileSync(path(file), 'utf8'),
    write: (file, text) => {
      writeFileSync(path(file), text);
    },
    edit: (file, from, to) => {
      const text = readFileSync(path(file), 'utf8');
      if (!text.includes(from)) throw new Error(`${file} does not hold ${from}`);
      writeFileSync(path(file), text.replace(from, to));
    },
    live: async () => {
      const { stdout } = await run('roles list -o json');
      return new Map((JSON.parse(stdout) as Role[]).map((role) => [role.role_id, role]));
    },
    puts: async () => (await platform.api.requests()).filter(({ method }) => method === 'PUT').length,
    close: async () => {
      if (!shared) await platform.close();
      home.remove();
    },
  };
}

/** The error document: the last line of standard error that is JSON. */
function lastDocument(stderr: string): unknown {
  const line = stderr
    .trimEnd()
    .split('\n')
    .findLast((text) => text.startsWith('{"error"'));
  return line === undefined ? undefined : (JSON.parse(line) as { error: unknown }).error;
}
