// Shared by the commands that call a running embedded platform.
import type { Context } from '../../lib/runtime/context.ts';
import type { FlagSpec } from '../../lib/runtime/command-line/define-command.ts';
import { callControl, changeByControl, type ControlCall, findEmulator } from '../../lib/runtime/emulator/control.ts';

export const portFlag = {
  port: { value: 'n', help: 'port of the platform (default: the one started last)' },
} as const satisfies Record<string, FlagSpec>;

interface PortFlag {
  port?: string;
}

/** Reads from the platform's control address. */
export async function read<Reply>(ctx: Context, { port }: PortFlag, call: ControlCall<Reply>): Promise<Reply> {
  return await callControl(ctx, await findEmulator(ctx, port), call);
}

/** Makes a change; a dry run only shows the call and returns undefined. */
export async function change<Reply>(
  ctx: Context,
  { port }: PortFlag,
  call: ControlCall<Reply>,
): Promise<Reply | undefined> {
  return await changeByControl(ctx, await findEmulator(ctx, port), call);
}
