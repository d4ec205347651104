// The auth commands.
import { Command } from 'commander';
import type { Context } from '../../lib/runtime/context.ts';
import { loginCommand } from './login.ts';
import { logoutCommand } from './logout.ts';
import { testAuthCommand } from './test.ts';

export function authGroup(ctx: Context): Command {
  const group = new Command('auth').description('credentials: store them, forget them, see what works with them');
  for (const build of [testAuthCommand, loginCommand, logoutCommand]) group.addCommand(build(ctx));
  return group;
}
