// `profile use NAME`: chooses the current profile, which commands use unless another is named.
import { pickProfile } from '../pick.ts';
import { object, string } from 'zod/mini';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { asColumns } from '../../lib/runtime/command-line/help.ts';

export const useProfile = defineCommand({
  path: 'profile use',
  summary: 'make a profile the current one',
  effect: 'local',
  calls: 'settings',
  args: { name: { help: 'the profile; local is the embedded platform', pick: pickProfile } },
  columns: asColumns('current'),
  output: () => object({ current: string() }),
  examples: ['cdpadm profile use local', 'cdpadm profile use prod --dry-run'],
  exits: { notFound: 'profile not found' },
  run: async (ctx, { args: { name } }) => {
    const profiles = await ctx.profiles();
    await profiles.find(name);
    if (ctx.flags.dryRun) {
      const text = `Profile ${name} would become the current profile.`;
      return await ctx.out.emitDryRun([], { current: name }, () => text, [name]);
    }
    await profiles.use(name);
    const chosen = ctx.io.env.CDPADM_PROFILE;
    if (chosen && chosen !== name) ctx.out.warn(`CDPADM_PROFILE=${chosen} overrides the current profile.`);
    return { current: name };
  },
  view: { kind: 'document', text: ({ current }) => `Profile ${current} is now the current profile.` },
});
