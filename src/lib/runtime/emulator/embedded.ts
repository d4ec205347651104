// The built-in profile `local`. The platform runs inside the command, and its state is kept for the next command.
import type { SecretName, SettingName } from '../../config/setting-fields.ts';
import type { EmulatorReady } from '../../emulator/index.ts';
import { KnownError } from '../../kernel/errors.ts';
import type { Context } from '../context.ts';
import { settingsOf } from './environment.ts';
import { authorityFolder, listEmulators, localFolder } from './running.ts';

/** Interval for checking whether another command has released the state. */
const POLL_MS = 50;
/** Time after which a note explains why the command waits. */
const LONG_WAIT_MS = 1000;

const opened = new WeakMap<Context, Promise<EmulatorReady>>();

/**
 * Opens the platform of profile `local`, once per command. Uses a running platform with the same state, or else starts
 * one on a free loopback port and stops it when the command ends. Concurrent commands wait for each other.
 */
export function openEmbedded(ctx: Context): Promise<EmulatorReady> {
  const known = opened.get(ctx) ?? open(ctx);
  opened.set(ctx, known);
  return known;
}

/** Returns the platform's addresses, ids and secrets, keyed by setting. */
export function valuesOf(ready: EmulatorReady): Partial<Record<SettingName | SecretName, string>> {
  // The environment cannot set `environment` for a pinned profile, and `local` cannot store it.
  return { ...settingsOf(ready), environment: 'development' };
}

async function open(ctx: Context): Promise<EmulatorReady> {
  const folder = localFolder(ctx.paths);
  const begun = ctx.clock.now();
  let isNoted = false;
  for (;;) {
    const running = listEmulators(ctx.paths).find(({ data }) => data === folder);
    if (running) return running.ready;
    const busy = await tryStart(ctx, folder);
    if (!(busy instanceof KnownError)) return busy;
    if (!isNoted && ctx.clock.now() - begun >= LONG_WAIT_MS) {
      isNoted = true;
      ctx.out.note({
        text: `Waiting for another command that uses the embedded platform (process ${String(busy.details?.pid)}). To serve several commands at once:`,
        command: 'cdpadm emulator start',
      });
    }
    await ctx.clock.sleep(POLL_MS, ctx.signal);
  }
}

/** Starts a platform, or returns the error that names the process using the state. */
async function tryStart(ctx: Context, data: string): Promise<EmulatorReady | KnownError> {
  const { startEmulator } = await import('../../emulator/index.ts');
  try {
    const emulator = await startEmulator({ data, authority: authorityFolder(ctx.paths), systemClock: ctx.clock });
    ctx.onClose(() => emulator.close());
    return emulator.ready;
  } catch (error) {
    if (error instanceof KnownError && error.code === 'emulator.running') return error;
    throw error;
  }
}
