// The commands of `emulator`.
import { buildGroup } from '../../lib/runtime/command-line/define-command.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { assignRole } from './assign-role.ts';
import { listCallbacks, resendCallbacks } from './callbacks.ts';
import { resetPlatform, showClock } from './clock.ts';
import { printEnvironment } from './env.ts';
import { addFault, clearFaults, listFaults } from './fault.ts';
import { listRequests } from './log.ts';
import { makeWarehouse } from './sample-warehouse.ts';
import { startPlatform } from './start.ts';
import { exportPlatform, importPlatform } from './state.ts';

export function emulatorGroup(ctx: Context) {
  return buildGroup(ctx, 'emulator', 'the embedded platform: start it, move its clock, inject faults', [
    startPlatform,
    printEnvironment,
    resetPlatform,
    exportPlatform,
    importPlatform,
    showClock,
    assignRole,
    {
      name: 'fault',
      summary: 'inject errors, delays and lost connections',
      records: [addFault, listFaults, clearFaults],
    },
    {
      name: 'callbacks',
      summary: 'list and resend the status callbacks of data subject requests',
      records: [listCallbacks, resendCallbacks],
    },
    listRequests,
    makeWarehouse,
  ]);
}
