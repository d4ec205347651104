// The auth commands.
import { buildGroup } from '../../lib/runtime/command-line/define-command.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { logIn } from './login.ts';
import { logOut } from './logout.ts';
import { testAuth } from './test.ts';

export function authGroup(ctx: Context) {
  const summary = 'credentials: store, remove and test them';
  return buildGroup(ctx, 'auth', summary, [testAuth, logIn, logOut]);
}
