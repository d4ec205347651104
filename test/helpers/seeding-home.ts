// A sink that replaces the platform, a home for the program, and rows to send.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, systemClock } from '../../src/lib/kernel/clock.ts';
import { type CliOptions, type CliResult, createCliHome } from './cli.ts';
import { type Answer, type Sink, startSink } from './seed-sink.ts';

export interface Seeding {
  sink: Sink;
  folder: string;
  stateFolder: string;
  /** Writes a file into the working directory and returns its name. */
  write(name: string, content: string | Uint8Array): string;
  run(args: string[], options?: CliOptions): Promise<CliResult>;
  /** Runs `seed bulk` with `--yes -o json` and parses the result. */
  bulk(args: string[], options?: CliOptions): Promise<{ code: number; result: BulkJson; stderr: string }>;
  /** An environment without the sink's address, for the embedded platform, which has its own address. */
  withoutPlatform: Record<string, string>;
  /** The accepted users in any order. */
  users(): Record<string, unknown>[];
  close(): Promise<void>;
}

export interface BulkJson {
  rows: number;
  accepted: number;
  rejected: number;
  batches: number;
  requests: number;
  retries: number;
  journal: string | null;
  rejects: string | null;
}

export async function startSeeding(answer?: Answer): Promise<Seeding> {
  const sink = await startSink(answer);
  const home = createCliHome();
  const platform = {
    CDPADM_SEEDING_URL: sink.url,
    CDPADM_IDENTITY_URL: sink.url,
    CDPADM_WORKSPACE_KEY: 'key',
    CDPADM_WORKSPACE_SECRET: 'a-secret-of-the-workspace',
    CDPADM_WORKSPACE_ID: '5001',
  };
  const env = { ...platform, CDPADM_ENVIRONMENT: 'production' };
  const run: Seeding['run'] = (args, options = {}) =>
    home.run(args, { clock: createHurriedClock(), ...options, env: { ...env, ...options.env } });
  return {
    sink,
    folder: home.cwd,
    stateFolder: home.env.CDPADM_STATE_DIR ?? '',
    write: (name, content) => {
      writeFileSync(join(home.cwd, name), content);
      return name;
    },
    run,
    bulk: async (args, options) => {
      const { code, stdout, stderr } = await run(['seed', 'bulk', ...args, '--yes', '-o', 'json'], options);
      return { code, result: (stdout === '' ? {} : JSON.parse(stdout)) as BulkJson, stderr };
    },
    withoutPlatform: Object.fromEntries(Object.keys(platform).map((name) => [name, ''])),
    users: () => sink.bodies.flatMap((body) => JSON.parse(body) as Record<string, unknown>[]),
    close: async () => {
      await sink.close();
      home.remove();
    },
  };
}

/** Creates a clock whose sleeps return immediately. */
export function createHurriedClock(): Clock & { readonly sleptMs: number } {
  let skipped = 0;
  return {
    get sleptMs() {
      return skipped;
    },
    now: () => systemClock.now() + skipped,
    sleep: async (ms, signal) => {
      signal?.throwIfAborted();
      skipped += ms;
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

/** Returns the body of one user as compact JSON. */
export function userRow(id: number | bigint | string, attribute = 'Orders'): string {
  return `{"environment":"production","xpid":${id},"calculated_attributes":{"5001":[{"attribute_name":"${attribute}","calculation_type":"count","cutoff_date":"2024-01-31","seed":{"value":"3"}}]}}`;
}

export function userRows(count: number, attribute?: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => `${userRow(index + 1, attribute?.(index))}\n`).join('');
}
