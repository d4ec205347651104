// `emulator fault add`: a refusal, a delay or a lost connection for the requests that match.
import { Command } from 'commander';
import { METHODS } from '../../lib/contract/endpoint.ts';
import { usageError } from '../../lib/kernel/errors.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { changeByControl, findEmulator } from '../../lib/runtime/emulator/control.ts';
import { withHelp } from '../../lib/runtime/command-line/help.ts';
import { faultRecord, type Fault } from './fault-view.ts';
import { choiceOption } from '../flag-values.ts';
import { portOption } from './port-option.ts';

interface FaultFlags {
  method?: string;
  path?: string;
  status?: string;
  retryAfter?: string;
  delay?: string;
  drop?: 'before' | 'after';
  times?: string;
  probability?: string;
  port?: string;
}

export function faultAddCommand(ctx: Context): Command {
  const command = new Command('add')
    .description('add a fault; at least one of --status, --delay and --drop says what it does')
    .addOption(choiceOption('--method <method>', 'only requests of this method (default: any method)', METHODS))
    .option('--path <pattern>', 'only requests to this path; * stands for any characters (default: any path)')
    .option('--status <n>', 'answer this status without processing the request')
    .option('--retry-after <value>', 'the Retry-After header of that answer: seconds, or a date')
    .option('--delay <dur>', 'wait before anything else, such as 2s')
    .addOption(
      choiceOption('--drop <when>', 'cut the connection before the request is processed, or after', [
        'before',
        'after',
      ]),
    )
    .option('--times <n>', 'how many requests it befalls (default: all)')
    .option('--probability <share>', 'the share of the matching requests, 0 to 1 (default: 1)')
    .addOption(portOption())
    .action((flags: FaultFlags) => addFault(ctx, flags));
  return withHelp(command, {
    calls: 'emulator',
    columns: faultRecord.columns,
    examples: [
      'cdpadm emulator fault add --status 503 --retry-after 2 --times 1',
      'cdpadm emulator fault add --method PUT --path "*/roles" --drop after --times 1',
    ],
    json: '{"method"?,"path"?,"status"?,"retry_after"?,"delay"?,"drop"?,"times"?,"probability"?}',
  });
}

async function addFault(ctx: Context, flags: FaultFlags): Promise<void> {
  if (flags.status === undefined && flags.delay === undefined && flags.drop === undefined) {
    throw usageError('The fault does nothing yet.', 'Give at least one of --status, --delay and --drop.');
  }
  const body: Fault = {
    ...(flags.method !== undefined && { method: flags.method }),
    ...(flags.path !== undefined && { path: flags.path }),
    ...(flags.status !== undefined && { status: numberOf('--status', flags.status) }),
    ...(flags.retryAfter !== undefined && { retry_after: retryAfter(flags.retryAfter) }),
    ...(flags.delay !== undefined && { delay: flags.delay }),
    ...(flags.drop && { drop: flags.drop }),
    ...(flags.times !== undefined && { times: numberOf('--times', flags.times) }),
    ...(flags.probability !== undefined && { probability: numberOf('--probability', flags.probability) }),
  };
  const emulator = await findEmulator(ctx, flags.port);
  const added = await changeByControl(ctx, emulator, {
    method: 'POST',
    path: '/faults',
    body: { ...body },
    reply: { fields: Object.keys(body) },
  });
  if (added !== undefined) await ctx.out.emit(added as Fault, faultRecord);
}

function numberOf(flag: string, text: string): number {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  throw usageError(`${flag} takes a number, not \`${text}\`.`);
}

function retryAfter(text: string): number | string {
  return /^\d+$/.test(text) ? Number(text) : text;
}
