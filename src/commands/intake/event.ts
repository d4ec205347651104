// `intake event`: events of one user.
import { Command } from 'commander';
import { EventIntake } from '../../lib/contract/intake.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { asColumns, withHelp } from '../../lib/runtime/command-line/help.ts';
import { sendIntake } from './send.ts';

export function eventCommand(ctx: Context): Command {
  const command = new Command('event')
    .description('send events of one user')
    .requiredOption('-f, --file <file>', 'the body, JSON or YAML; - is standard input')
    .action((flags: { file: string }) => sendEvents(ctx, flags.file));
  return withHelp(command, {
    calls: 'platform',
    exits: { 9: 'the body is wrong; nothing was sent', 12: 'the name of the protected profile was not typed' },
    columns: asColumns('accepted'),
    notes: ['Events are never sent twice: when the answer is lost, the command says so and ends with 8.'],
    examples: ['cdpadm intake event -f event.json', 'cdpadm intake event -f event.json --dry-run'],
    json: '{"accepted":true}',
  });
}

async function sendEvents(ctx: Context, file: string): Promise<void> {
  const { intake } = await ctx.api();
  await sendIntake(ctx, file, {
    schema: EventIntake,
    address: 'seeding_url',
    what: 'no body of events',
    describe: (body) => intake.describeEvent(body),
    send: (body) => intake.event(body, ctx.signal),
  });
}
