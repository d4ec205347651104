// The auth commands.
import { Command } from 'commander';
import type { Context } from '../../lib/runtime/context.ts';
import { testAuthCommand } from './test.ts';

export function authGroup(ctx: Context): Command {
  return new Command('auth').description('credentials: what works with them').addCommand(testAuthCommand(ctx));
}
