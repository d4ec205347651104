// What the commands share that talk to a running embedded platform.
import type { Context } from '../../lib/runtime/context.ts';
import type { FlagSpec } from '../../lib/runtime/command-line/define-command.ts';
import { callControl, changeByControl, type ControlCall, findEmulator } from '../../lib/runtime/emulator/control.ts';

export const portFlag = {
  port: { value: 'n', help: 'the one on this port (default: the one started last)' },
} as const satisfies Record<string, FlagSpec>;

interface PortFlag {
  port?: string;
}

/** Reads from the control address of the platform that is meant. `reply` is checked; its type is the caller's word. */
export async function read<T>(ctx: Context, { port }: PortFlag, path: string, reply: ControlCall['reply']): Promise<T> {
  const emulator = await findEmulator(ctx, port);
  return (await callControl(ctx, emulator, { method: 'GET', path, ...(reply && { reply }) })) as T;
}

/** The same for a change. Undefined in a dry run, which shows the call. */
export async function change<T>(ctx: Context, { port }: PortFlag, call: ControlCall): Promise<T | undefined> {
  return (await changeByControl(ctx, await findEmulator(ctx, port), call)) as T | undefined;
}
