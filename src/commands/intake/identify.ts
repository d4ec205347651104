// `intake identify`: identities and attributes of one user.
import { Command } from 'commander';
import { IdentityIntake } from '../../lib/contract/intake.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { asColumns, withHelp } from '../../lib/runtime/command-line/help.ts';
import { sendIntake } from './send.ts';

export function identifyCommand(ctx: Context): Command {
  const command = new Command('identify')
    .description('send identities and attributes of one user')
    .requiredOption('-f, --file <file>', 'the body, JSON or YAML; - is standard input')
    .action((flags: { file: string }) => identify(ctx, flags.file));
  return withHelp(command, {
    calls: 'platform',
    exits: { 9: 'the body is wrong; nothing was sent', 12: 'the name of the protected profile was not typed' },
    columns: asColumns('accepted'),
    examples: ['cdpadm intake identify -f user.json', 'cdpadm intake identify -f user.json --dry-run -o json'],
    json: '{"accepted":true}',
  });
}

async function identify(ctx: Context, file: string): Promise<void> {
  const { intake } = await ctx.api();
  await sendIntake(ctx, file, {
    schema: IdentityIntake,
    address: 'identity_url',
    what: 'no body of an identification',
    describe: (body) => intake.describeIdentify(body),
    send: (body) => intake.identify(body, ctx.signal),
  });
}
