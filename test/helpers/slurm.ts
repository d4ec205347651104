// A Slurm controller and its only node on this machine, without control groups or munge.
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, vi } from 'vitest';
import { listenOnLoopback } from './loopback.ts';
import { PATIENT } from './patient.ts';

/** The node runs this many tasks concurrently, regardless of its number of cores. */
export const SLURM_TASKS = 8;

/** Returns the reason why Slurm cannot run here, or undefined if it can. */
export function missingSlurm(): string | undefined {
  const programs = ['slurmctld', 'slurmd', 'sbatch'];
  const absent = programs.find((program) => spawnSync(program, ['--version']).error !== undefined);
  if (absent !== undefined) return `needs ${absent} of Slurm (npm run test:engines installs it)`;
  return process.getuid?.() === 0 ? undefined : 'needs root to start a Slurm node';
}

export interface Slurm {
  env: { SLURM_CONF: string };
  /** Runs a Slurm program and returns its output. */
  run(program: string, ...args: string[]): Promise<string>;
  /** Waits until no job is left in the queue. */
  drained(): Promise<void>;
  node: string;
  close(): Promise<void>;
}

export async function startSlurm(folder: string): Promise<Slurm> {
  const node = hostname().split('.')[0] ?? '';
  const [controller, worker] = [await freePort(), await freePort()];
  for (const name of ['state', 'spool']) mkdirSync(join(folder, name));
  const env = { SLURM_CONF: join(folder, 'slurm.conf') };
  writeFileSync(
    env.SLURM_CONF,
    `ClusterName=seeding
SlurmctldHost=${hostname()}(127.0.0.1)
SlurmctldPort=${controller}
SlurmdPort=${worker}
SlurmUser=root
AuthType=auth/none
AuthInfo=cred_expire=5
CredType=cred/none
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_min_interval=100000
SlurmdParameters=config_overrides
KillWait=20
StateSaveLocation=${folder}/state
SlurmdSpoolDir=${folder}/spool
SlurmctldPidFile=${folder}/slurmctld.pid
SlurmdPidFile=${folder}/slurmd.pid
MailProg=/bin/true
NodeName=${node} NodeAddr=127.0.0.1 CPUs=${SLURM_TASKS} RealMemory=8000
PartitionName=all Nodes=ALL Default=YES
`,
  );
  const daemons = ['slurmctld', 'slurmd'].map((program) =>
    spawn(program, ['-D'], { env: { ...process.env, ...env }, stdio: 'ignore' }),
  );
  const run = async (program: string, ...args: string[]): Promise<string> => {
    const { stdout } = await promisify(execFile)(program, args, { env: { ...process.env, ...env } });
    return stdout.trim();
  };
  const queue = (): Promise<string> => run('squeue', '--noheader', '--array').catch(() => 'the controller is busy');
  const slurm: Slurm = {
    ...{ env, node, run },
    drained: () => vi.waitFor(async () => expect(await queue()).toBe(''), { timeout: 1_700_000, interval: 200 }),
    close: async () => {
      await run('scancel', '--user=root').catch(() => undefined);
      await slurm.drained();
      for (const daemon of daemons.toReversed()) await end(daemon);
    },
  };
  try {
    await vi.waitFor(async () => expect(await run('sinfo', '--noheader', '--format=%T')).toBe('idle'), PATIENT);
    return slurm;
  } catch (error) {
    for (const daemon of daemons) daemon.kill('SIGKILL');
    throw error;
  }
}

async function end(daemon: ChildProcess): Promise<void> {
  if (daemon.exitCode !== null || daemon.signalCode !== null) return;
  daemon.kill();
  await once(daemon, 'exit');
}

async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listenOnLoopback(server);
  server.close();
  await once(server, 'close');
  return port;
}
