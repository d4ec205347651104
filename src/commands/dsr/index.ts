// The commands of data subject requests.
import { Command } from 'commander';
import type { Context } from '../../lib/runtime/context.ts';
import { callbacksCommand } from './callbacks.ts';
import { cancelCommand } from './cancel.ts';
import { discoveryCommand } from './discovery.ts';
import { ledgerCommand } from './ledger-export.ts';
import { listCommand } from './list.ts';
import { prepareCommand } from './prepare.ts';
import { resultsCommand } from './results.ts';
import { statusCommand } from './status.ts';
import { submitCommand } from './submit.ts';
import { waitCommand } from './wait.ts';

export function dsrGroup(ctx: Context): Command {
  const group = new Command('dsr').description('data subject requests: submit, follow, cancel, verify callbacks');
  for (const build of [
    submitCommand,
    prepareCommand,
    statusCommand,
    waitCommand,
    listCommand,
    cancelCommand,
    resultsCommand,
    discoveryCommand,
    ledgerCommand,
    callbacksCommand,
  ]) {
    group.addCommand(build(ctx));
  }
  return group;
}
