// `intake identify`: identities and attributes of one user.
import { IdentityIntake } from '../../lib/contract/intake.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { intakeRecord, sendIntake } from './send.ts';

export const identifyUser = defineCommand({
  ...intakeRecord,
  path: 'intake identify',
  summary: 'send identities and attributes of one user',
  examples: ['cdpadm intake identify -f user.json --yes', 'cdpadm intake identify -f user.json --dry-run -o json'],
  run: async (ctx, { flags }) => {
    const { intake } = await ctx.api();
    return await sendIntake(ctx, flags, {
      schema: IdentityIntake,
      scope: 'identity',
      what: 'a body of an identification',
      subject: () => 'identities and attributes of 1 user',
      describe: (body) => intake.describeIdentify(body),
      send: (body) => intake.identify(body, ctx.signal),
    });
  },
});
