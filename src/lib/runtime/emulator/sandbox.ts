// A temporary environment for our own commands: an in-memory embedded platform and a folder, both removed later.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { onAbort } from '../../kernel/clock.ts';
import { host } from '../../kernel/host.ts';
import { makeScratchFolder } from '../../kernel/temporary-file.ts';
import type { Context } from '../context.ts';
import { connectEmulator } from '../../emulator/client.ts';
import { environmentOf } from './environment.ts';
import { registerEmulator } from './running.ts';
import { plainStyle } from '../../render/style.ts';

export type Sandbox = Awaited<ReturnType<typeof openSandbox>>;

/** Creates the platform and folder, independently of the user's settings. Both are removed when the command ends. */
export async function openSandbox(ctx: Context) {
  const { startEmulator } = await import('../../emulator/index.ts');
  const folder = makeScratchFolder('tour', ctx.io.env.TMPDIR || undefined);
  ctx.onClose(() => rm(folder, { recursive: true, force: true }));
  const work = join(folder, 'work');
  mkdirSync(work);
  const emulator = await startEmulator({ memory: true, port: 0, authority: join(folder, 'authority') });
  ctx.onClose(() => emulator.close());
  const { port, ready } = emulator;
  // Register the platform only for the sandbox's commands.
  const paths = { ...ctx.paths, state: join(folder, 'state') };
  registerEmulator(paths, { port, data: null, started: ctx.clock.now(), ready });
  const env = {
    PATH: ctx.io.env.PATH,
    HOME: folder,
    CI: '1',
    COLUMNS: String(Math.min(ctx.io.columns(), 110)),
    ...(ctx.out.style === plainStyle ? { NO_COLOR: '1' } : { FORCE_COLOR: '1' }),
    ...environmentOf(ready),
    ...Object.fromEntries(
      ['CONFIG', 'STATE', 'CACHE', 'DATA'].map((kind) => [`CDPADM_${kind}_DIR`, join(folder, kind.toLowerCase())]),
    ),
  };
  return {
    /** Working directory of all commands. */
    folder: work,
    /** Client of the control API, for calls that no command makes. */
    control: connectEmulator(emulator.ready.control_url),
    /** Runs `cdpadm` with these arguments in a separate process. */
    run: (args: readonly string[]) => runProcess(args, work, env, ctx.signal),
  };
}

/** If `signal` is aborted, kills the process, waits for its end, and rejects with the signal's reason. */
async function runProcess(args: readonly string[], cwd: string, env: NodeJS.ProcessEnv, signal: AbortSignal) {
  signal.throwIfAborted();
  const [program, ...script] = host.command();
  const child = spawn(program, [...script, ...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ignoreAbort = onAbort(signal, () => child.kill('SIGKILL'));
  try {
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    signal.throwIfAborted();
    return { exit: child.exitCode ?? 1, stdout, stderr };
  } finally {
    ignoreAbort();
  }
}
