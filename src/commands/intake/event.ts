// `intake event`: events of one user.
import { Command } from 'commander';
import { EventIntake } from '../../lib/contract/intake.ts';
import { counted } from '../../lib/kernel/counted.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { asColumns, TARGET_JSON, withHelp } from '../../lib/runtime/command-line/help.ts';
import { type IntakeFlags, sendIntake, withIntakeFlags } from './send.ts';

export function eventCommand(ctx: Context): Command {
  const command = withIntakeFlags(new Command('event').description('send events of one user')).action(
    (flags: IntakeFlags) => sendEvents(ctx, flags),
  );
  return withHelp(command, {
    calls: 'platform',
    exits: { 9: 'the body is wrong; nothing was sent', 12: 'you answered no' },
    columns: asColumns('accepted target'),
    notes: ['Events are never sent twice: when the answer is lost, the command says so and ends with 8.'],
    examples: ['cdpadm intake event -f event.json --yes', 'cdpadm intake event -f event.json --dry-run'],
    json: `{"accepted":true,${TARGET_JSON}}`,
  });
}

async function sendEvents(ctx: Context, flags: IntakeFlags): Promise<void> {
  const { intake } = await ctx.api();
  await sendIntake(ctx, flags, {
    schema: EventIntake,
    scope: 'seeding',
    what: 'no body of events',
    subject: ({ events = [] }) => `${counted(events.length, 'event')} of 1 user`,
    describe: (body) => intake.describeEvent(body),
    send: (body) => intake.event(body, ctx.signal),
  });
}
