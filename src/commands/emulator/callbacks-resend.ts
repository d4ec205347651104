// `emulator callbacks resend`: calls receivers again at once, or for the first time before the quarter hour.
import { Command, Option } from 'commander';
import { usageError } from '../../lib/kernel/errors.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { changeByControl, findEmulator } from '../../lib/runtime/emulator/control.ts';
import { withHelp } from '../../lib/runtime/command-line/help.ts';
import { callbackList, type Callback, CALLBACKS } from './callbacks-view.ts';
import { portOption } from './port-option.ts';

interface ResendFlags {
  callback?: string;
  port?: string;
}

export function callbacksResendCommand(ctx: Context): Command {
  const command = new Command('resend')
    .description('send callbacks now: those of a request, a single one, or all that were not delivered')
    .argument('[request_id]', 'all callbacks of this data subject request')
    .addOption(new Option('--callback <id>', 'this one, by the id in the list'))
    .addOption(portOption())
    .action((requestId: string | undefined, flags: ResendFlags) => resend(ctx, requestId, flags));
  return withHelp(command, {
    calls: 'emulator',
    columns: callbackList.columns,
    notes: ['Without an id it sends everything that waits for the quarter hour, or that its receiver did not take.'],
    examples: ['cdpadm emulator callbacks resend', 'cdpadm emulator callbacks resend --dry-run'],
    json: '[{"id","workspace_id","subject_request_id","request_status","url","state","queued_on","due_on","attempts"}]',
    exits: { 5: 'no callback is meant, or no embedded platform is running' },
  });
}

async function resend(ctx: Context, requestId: string | undefined, flags: ResendFlags): Promise<void> {
  if (requestId !== undefined && flags.callback !== undefined) {
    throw usageError('Give either a request id or --callback, not both.');
  }
  const emulator = await findEmulator(ctx, flags.port);
  const body = {
    ...(requestId !== undefined && { subject_request_id: requestId }),
    ...(flags.callback !== undefined && { id: callbackNumber(flags.callback) }),
  };
  const sent = await changeByControl(ctx, emulator, {
    method: 'POST',
    path: '/callbacks/resend',
    body,
    reply: CALLBACKS,
  });
  if (sent !== undefined) await ctx.out.emit(sent as Callback[], { ...callbackList, empty: 'Nothing was to be sent.' });
}

function callbackNumber(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw usageError(`--callback takes the number of a callback, not \`${text}\`.`);
}
