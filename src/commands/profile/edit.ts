// `profile edit NAME`: changes the settings of a profile with flags or in the editor.
import { toYaml } from '../../lib/files/yaml-text.ts';
import { pickProfile } from '../pick.ts';
import * as z from 'zod/mini';
import { editUntilValid, withEditedFile } from '../../lib/runtime/prompts/editor.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import {
  changesBetween,
  parseProfile,
  type Profile,
  setFlag,
  strangeNames,
  withChanges,
  withEdits,
} from './change-text.ts';
import { profileResult } from './fields.ts';

export const editProfile = defineCommand({
  path: 'profile edit',
  summary: 'change a profile with flags or in your editor',
  effect: 'local',
  calls: 'settings',
  args: { name: { help: 'the profile', pick: pickProfile } },
  flags: { set: setFlag },
  output: () => z.object({ name: z.string(), profile: profileResult(), changed: z.boolean() }),
  notes: ['A profile contains the location of each secret, not the secret itself. `auth login` stores secrets.'],
  examples: [
    'cdpadm profile edit dev --set protected=true --set limits.dsr=1000/m',
    'cdpadm profile edit prod --set names.xpid=pid --confirm prod --dry-run',
  ],
  exits: {
    notFound: 'profile not found',
    invalidInput: 'the edited text is not a valid profile',
    guard: 'you did not type the name of a protected profile',
  },
  run: async (ctx, { args: { name }, flags }) => {
    const profiles = await ctx.profiles();
    const before = await profiles.findOwn(name);
    const editByHand = (): Promise<Profile> =>
      withEditedFile(ctx, 'profile.yaml', async (file) => {
        const check = (text: string): Promise<Profile> => parseProfile(file.path, text, profiles, before);
        const edited = await editUntilValid(ctx, file, toYaml(before), check);
        file.discard();
        return edited ?? before;
      });
    let after = flags.set ? withChanges(before, flags.set, profiles) : await editByHand();
    const changes = changesBetween(before, after);
    const changed = changes.length > 0;
    for (const sentence of strangeNames(after, before)) ctx.out.warn(sentence);
    if (ctx.flags.dryRun) {
      const text = [`Profile ${name} would ${changed ? 'be changed' : 'not change'}.`, ...changes].join('\n');
      return await ctx.out.emitDryRun([], { name, profile: after }, text, [name]);
    }
    if (changed) {
      const { protected: isProtected } = await profiles.findOwn(name);
      const question = `Profile ${name} is protected. Type its name to change it`;
      if (isProtected === true) await ctx.prompt.typed(question, name, { exit: 'guard' });
      after = await profiles.update(name, (now) => withEdits(now, before, after));
    }
    const text = changed ? [`Changed profile ${name}.`, ...changes].join('\n') : `Profile ${name} did not change.`;
    await ctx.out.emit({ name, profile: after, changed }, { kind: 'document', text: () => text });
  },
});
