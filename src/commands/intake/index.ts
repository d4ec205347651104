// The intake commands.
import { buildGroup } from '../../lib/runtime/command-line/define-command.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { sendEvents } from './event.ts';
import { identifyUser } from './identify.ts';

export function intakeGroup(ctx: Context) {
  return buildGroup(ctx, 'intake', "one user's events, or identities and attributes", [sendEvents, identifyUser]);
}
