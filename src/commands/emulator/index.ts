// The emulator commands.
import { Command } from 'commander';
import type { Context } from '../../lib/runtime/context.ts';
import { assignRoleCommand } from './assign-role.ts';
import { callbacksListCommand } from './callbacks-list.ts';
import { callbacksResendCommand } from './callbacks-resend.ts';
import { clockAdvanceCommand } from './clock-advance.ts';
import { clockCommand } from './clock.ts';
import { envCommand } from './env.ts';
import { faultAddCommand } from './fault-add.ts';
import { faultClearCommand } from './fault-clear.ts';
import { faultListCommand } from './fault-list.ts';
import { logCommand } from './log.ts';
import { resetCommand } from './reset.ts';
import { sampleWarehouseCommand } from './sample-warehouse.ts';
import { startCommand } from './start.ts';

export function emulatorGroup(ctx: Context): Command {
  const fault = new Command('fault')
    .description('refusals, delays and lost connections on demand')
    .addCommand(faultAddCommand(ctx))
    .addCommand(faultListCommand(ctx))
    .addCommand(faultClearCommand(ctx));
  const callbacks = new Command('callbacks')
    .description('the status callbacks of data subject requests')
    .addCommand(callbacksListCommand(ctx))
    .addCommand(callbacksResendCommand(ctx));
  return new Command('emulator')
    .description('the embedded platform: start it, move its clock, inject faults')
    .addCommand(startCommand(ctx))
    .addCommand(envCommand(ctx))
    .addCommand(resetCommand(ctx))
    .addCommand(clockCommand(ctx).addCommand(clockAdvanceCommand(ctx)))
    .addCommand(assignRoleCommand(ctx))
    .addCommand(fault)
    .addCommand(callbacks)
    .addCommand(logCommand(ctx))
    .addCommand(sampleWarehouseCommand(ctx));
}
