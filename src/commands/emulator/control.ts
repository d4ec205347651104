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

/** Reads from the control address of the platform that is meant. */
export async function read<Reply>(ctx: Context, { port }: PortFlag, call: ControlCall<Reply>): Promise<Reply> {
  return await callControl(ctx, await findEmulator(ctx, port), call);
}

/** The same for a change. Undefined in a dry run, which shows the call. */
export async function change<Reply>(
  ctx: Context,
  { port }: PortFlag,
  call: ControlCall<Reply>,
): Promise<Reply | undefined> {
  return await changeByControl(ctx, await findEmulator(ctx, port), call);
}
