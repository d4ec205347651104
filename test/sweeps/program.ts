// Runs the built program as a process in a world, and checks the files that it leaves behind.
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { FaultPlan } from '../helpers/fault-proxy.ts';
import { CASES, type CommandCase } from './cases.ts';
import { GIVE_UP_MS } from './sweep.ts';
import type { Clean } from './judge.ts';
import type { World } from './world.ts';
import { PROGRAM } from '../helpers/root.ts';

export interface Ended {
  /** Null if the process was killed. */
  code: number | null;
  stdout: string;
  stderr: string;
  /** True if the process did not exit and was killed. */
  hangs: boolean;
}

export interface RunOptions {
  flags?: readonly string[];
  /** Maximum file size in 512-byte blocks. */
  fileLimit?: number;
  /** Returns the faults for the program's requests; `end` kills the program. */
  plan?: (end: () => void) => FaultPlan;
}

/** Runs the built program in the world's home with `-o json`. */
export async function runProgram(world: World, wanted: CommandCase, options: RunOptions = {}): Promise<Ended> {
  const { fileLimit, flags = [], plan } = options;
  let end = (): void => undefined;
  await world.begin(plan?.(() => end()));
  const line = [process.execPath, PROGRAM, ...world.lineOf(wanted, [...flags, '-o', 'json'])];
  const [file = '', ...args] =
    fileLimit === undefined ? line : ['/bin/sh', '-c', `ulimit -f ${fileLimit}; exec "$@"`, 'sh', ...line];
  const child = spawn(file, args, {
    cwd: world.folder,
    env: { PATH: process.env.PATH, ...world.env(wanted) },
    stdio: [wanted.stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  child.stdin?.end(wanted.stdin);
  end = () => void child.kill('SIGKILL');
  const ended: Ended = { code: null, stdout: '', stderr: '', hangs: false };
  child.stdout?.on('data', (text: Buffer) => (ended.stdout += text.toString()));
  child.stderr?.on('data', (text: Buffer) => (ended.stderr += text.toString()));
  const timer = setTimeout(() => {
    ended.hangs = true;
    child.kill('SIGKILL');
  }, GIVE_UP_MS);
  ended.code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  clearTimeout(timer);
  return ended;
}

/** Returns the program's own configuration, state and cache files. */
export function filesOf(world: World): string[] {
  const { folder } = world.home;
  return ['config', 'state', 'cache'].flatMap((kind) => {
    const below = join(folder, kind);
    if (!statSync(below, { throwIfNoEntry: false })) return [];
    return readdirSync(below, { recursive: true, encoding: 'utf8' })
      .map((name) => join(below, name))
      .filter((path) => statSync(path).isFile());
  });
}

/** Returns files that cannot be parsed. A journal's last line may be incomplete: the next run accepts such a line. */
export function torn(world: World): string[] {
  const broken = (text: string): boolean => {
    try {
      JSON.parse(text);
      return false;
    } catch {
      return true;
    }
  };
  return filesOf(world)
    .filter((path) => {
      const text = readFileSync(path, 'utf8');
      if (path.endsWith('.ndjson')) return text.split('\n').slice(0, -1).some(broken);
      return path.endsWith('.json') && broken(text);
    })
    .map((path) => `${relative(world.home.folder, path)} is torn`);
}

export const nameOf = ({ args, command }: CommandCase): string =>
  `${command} ${typeof args === 'string' ? args : args.join(' ')}`.trim();

const only = new RegExp(process.env.ONLY ?? '');

/** The commands that may write to the platform and then exit. */
export const WRITING = CASES.filter(
  (one) =>
    one.elsewhere === undefined &&
    one.local !== true &&
    !one.serves &&
    !one.command.startsWith('emulator') &&
    !one.reports &&
    only.test(nameOf(one)),
);

export const writes = ({ operations, repeatable }: Clean): boolean => operations.size + repeatable.size > 0;
