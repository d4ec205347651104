// `profile export NAME`: a profile to hand on; nothing secret, and nothing that is only true on this machine.
import type { DocumentView } from '../../lib/render/view.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { jsonText } from '../../lib/runtime/output/result-text.ts';
import type { Profile } from './change-text.ts';
import { profileResult } from './results.ts';

const view: DocumentView<Profile> = {
  kind: 'document',
  text: (profile) => jsonText(profile, 2),
};

export const exportProfile = defineCommand({
  path: 'profile export',
  summary: 'print a profile, to import it elsewhere',
  effect: 'local',
  calls: 'settings',
  args: { name: { help: 'the profile' } },
  // The fields that the profile has.
  columns: () => undefined,
  output: profileResult,
  notes: [
    'An export never holds a secret. References to variables and commands go along; entries of the keychain and private files are of this machine and stay.',
  ],
  examples: ['cdpadm profile export dev --out dev.profile.json', 'cdpadm profile export dev -o yaml'],
  exits: { notFound: 'there is no such profile' },
  run: (ctx, { args }) => print(ctx, args.name),
});

async function print(ctx: Context, name: string): Promise<void> {
  const { secrets = {}, ...rest } = await (await ctx.profiles()).find(name);
  const entries = Object.entries(secrets).filter(([, text]) => !/^(file|keychain):/.test(String(text)));
  const left = Object.keys(secrets).filter((secret) => !entries.some(([kept]) => kept === secret));
  const exported: Profile = { ...rest, ...(entries.length > 0 && { secrets: Object.fromEntries(entries) }) };
  await ctx.out.emit(exported, view);
  if (left.length > 0)
    ctx.out.note(`Left here: ${left.join(', ')}. Store them again after the import with \`auth login\`.`);
}
