// `dsr callbacks`: the group of its two commands.
import { Command } from 'commander';
import type { Context } from '../../lib/runtime/context.ts';
import { listenCommand } from './callbacks-listen.ts';
import { verifyCommand } from './callbacks-verify.ts';

export function callbacksCommand(ctx: Context): Command {
  return new Command('callbacks')
    .description('what the platform posts when a request changes: receive it, check it')
    .addCommand(listenCommand(ctx))
    .addCommand(verifyCommand(ctx));
}
