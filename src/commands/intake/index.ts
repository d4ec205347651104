// The intake commands.
import { Command } from 'commander';
import type { Context } from '../../lib/runtime/context.ts';
import { eventCommand } from './event.ts';
import { identifyCommand } from './identify.ts';

export function intakeGroup(ctx: Context): Command {
  const group = new Command('intake').description("one user's events, or identities and attributes");
  for (const build of [eventCommand, identifyCommand]) group.addCommand(build(ctx));
  return group;
}
