// Commands of `emulator`.
import { group } from '../../lib/runtime/command-line/define-command.ts';
import { assignRole, resetPlatform, showClock, exportPlatform, importPlatform } from './state.ts';
import { listCallbacks, resendCallbacks } from './callbacks.ts';
import { printEnvironment, showConsole, startPlatform } from './start.ts';
import { addFault, clearFaults, listFaults } from './fault.ts';
import { listRequests } from './log.ts';
import { makeWarehouse } from './sample-warehouse.ts';

export const command = group('emulator', 'the embedded platform: start it, advance its clock, inject faults', [
  startPlatform,
  showConsole,
  printEnvironment,
  resetPlatform,
  exportPlatform,
  importPlatform,
  showClock,
  assignRole,
  group('fault', 'inject errors, delays and lost connections', [addFault, listFaults, clearFaults]),
  group('callbacks', 'list and resend the status callbacks of data subject requests', [listCallbacks, resendCallbacks]),
  listRequests,
  makeWarehouse,
]);
