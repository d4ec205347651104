// `intake identify`: identities and attributes of one user.
import { Command } from 'commander';
import { IdentityIntake } from '../../lib/contract/intake.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { asColumns, TARGET_JSON, withHelp } from '../../lib/runtime/command-line/help.ts';
import { type IntakeFlags, sendIntake, withIntakeFlags } from './send.ts';

export function identifyCommand(ctx: Context): Command {
  const command = withIntakeFlags(
    new Command('identify').description('send identities and attributes of one user'),
  ).action((flags: IntakeFlags) => identify(ctx, flags));
  return withHelp(command, {
    calls: 'platform',
    exits: { 9: 'the body is wrong; nothing was sent', 12: 'you answered no' },
    columns: asColumns('accepted target'),
    examples: ['cdpadm intake identify -f user.json --yes', 'cdpadm intake identify -f user.json --dry-run -o json'],
    json: `{"accepted":true,${TARGET_JSON}}`,
  });
}

async function identify(ctx: Context, flags: IntakeFlags): Promise<void> {
  const { intake } = await ctx.api();
  await sendIntake(ctx, flags, {
    schema: IdentityIntake,
    scope: 'identity',
    what: 'no body of an identification',
    subject: () => 'identities and attributes of 1 user',
    describe: (body) => intake.describeIdentify(body),
    send: (body) => intake.identify(body, ctx.signal),
  });
}
