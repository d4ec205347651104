// `profile export NAME`: a profile to share, without secrets and without anything that belongs to this machine.
import { pickProfile } from '../pick.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { jsonText } from '../../lib/runtime/output/result-text.ts';
import type { Profile } from './change-text.ts';
import { profileResult } from './results.ts';

export const exportProfile = defineCommand({
  path: 'profile export',
  summary: 'print a profile, to import it elsewhere',
  effect: 'local',
  calls: 'settings',
  args: { name: { help: 'the profile', pick: pickProfile } },
  // The fields that the profile has.
  columns: () => undefined,
  output: profileResult,
  notes: [
    'An export never contains a secret. It includes references to variables and commands. Entries of the keychain and of private files belong to this machine and are omitted.',
  ],
  examples: ['cdpadm profile export dev --out dev.profile.json', 'cdpadm profile export dev -o yaml'],
  exits: { notFound: 'profile not found' },
  run: async (ctx, { args: { name } }): Promise<Profile> => {
    const { secrets = {}, ...rest } = await (await ctx.profiles()).find(name);
    const entries = Object.entries(secrets).filter(([, text]) => !/^(file|keychain):/.test(String(text)));
    const left = Object.keys(secrets).filter((secret) => !entries.some(([kept]) => kept === secret));
    if (left.length > 0)
      ctx.out.note(`Not exported: ${left.join(', ')}. Store them again after the import with \`auth login\`.`);
    return { ...rest, ...(entries.length > 0 && { secrets: Object.fromEntries(entries) }) };
  },
  view: { kind: 'document', text: (profile) => jsonText(profile, 2) },
});
