// `intake event`: events of one user.
import { EventIntake } from '../../lib/contract/intake.ts';
import { counted } from '../../lib/kernel/words.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { intakeRecord, sendIntake } from './send.ts';

export const sendEvents = defineCommand({
  ...intakeRecord,
  path: 'intake event',
  summary: 'send events of one user',
  notes: ['Events are never sent twice: if the response is lost, the command exits with 8.'],
  examples: ['cdpadm intake event -f event.json --yes', 'cdpadm intake event -f event.json --dry-run'],
  run: async (ctx, { flags }) => {
    const { intake } = await ctx.api();
    return await sendIntake(ctx, flags, {
      schema: EventIntake,
      scope: 'seeding',
      what: 'a body of events',
      subject: ({ events = [] }) => `${counted(events.length, 'event')} of 1 user`,
      describe: (body) => intake.describeEvent(body),
      send: (body) => intake.event(body, ctx.signal),
    });
  },
});
