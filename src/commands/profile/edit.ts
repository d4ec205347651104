// `profile edit NAME`: settings of a profile by flags, or in the editor.
import { Command, Option } from 'commander';
import { EXIT, usageError } from '../../lib/kernel/errors.ts';
import type { DocumentView } from '../../lib/render/view.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { editUntilValid } from '../../lib/runtime/prompts/edit-until-valid.ts';
import { openEditedFile } from '../../lib/runtime/prompts/editor.ts';
import { collect } from '../../lib/runtime/command-line/global-flags.ts';
import { asColumns, withHelp } from '../../lib/runtime/command-line/help.ts';
import { optionKey } from '../../lib/runtime/command-line/secret-flags.ts';
import {
  changesBetween,
  KNOWN_FIELDS,
  MAPS,
  parseProfile,
  type Profile,
  profileText,
  strangeNames,
  withChanges,
} from './change-text.ts';
import { FIELDS, type Profiles } from './fields.ts';

export function editProfileCommand(ctx: Context): Command {
  const command = new Command('edit')
    .description('change a profile, by flags or in your editor')
    .argument('<name>', 'the profile')
    .option(
      '--set <field=value>',
      'a field such as base_url, protected, access, limits.dsr or names.xpid; an empty value takes it away (repeatable)',
      collect,
    );
  // Known to be told from a slip: who has made a profile by them looks for them here.
  for (const { option } of CREATE_FLAGS) command.addOption(new Option(`${option} [value]`).hideHelp());
  command.action(async (name: string, flags: Record<string, unknown> & { set?: string[] }) => {
    refuseCreateFlags(flags);
    await editProfile(ctx, name, flags.set);
  });
  return withHelp(command, {
    calls: 'settings',
    columns: asColumns('name profile changed'),
    values: { '--set': () => KNOWN_FIELDS.map((field) => `${field}${MAPS.some((map) => map === field) ? '.' : '='}`) },
    notes: ['Secrets are not in a profile, only where they are; `auth login` stores them.'],
    examples: [
      'cdpadm profile edit dev --set protected=true --set limits.dsr=1000/m',
      'cdpadm profile edit prod --set names.xpid=pid --confirm prod --dry-run',
    ],
    json: '{"name","profile","changed"}',
    exits: {
      5: 'there is no such profile',
      9: 'the edited text is not a profile',
      12: 'the name of a protected profile was not typed',
    },
  });
}

const CREATE_FLAGS = [
  ...FIELDS.flatMap(({ name, option }) => (option === undefined ? [] : [{ option, assignment: `${name}=VALUE` }])),
  { option: '--protected', assignment: 'protected=true' },
  { option: '--access', assignment: 'access=read' },
];

function refuseCreateFlags(flags: Record<string, unknown>): void {
  const given = CREATE_FLAGS.find(({ option }) => flags[optionKey(option)] !== undefined);
  if (!given) return;
  throw usageError(
    `\`${given.option}\` is no flag of \`cdpadm profile edit\`.`,
    `Write it as --set ${given.assignment}.`,
  );
}

async function editProfile(ctx: Context, name: string, assignments: string[] | undefined): Promise<void> {
  const profiles = await ctx.profiles();
  const before = await profiles.find(name);
  const after =
    assignments === undefined ? await editByHand(ctx, before, profiles) : withChanges(before, assignments, profiles);
  const changes = changesBetween(before, after);
  const changed = changes.length > 0;
  for (const sentence of strangeNames(after, before)) ctx.out.warn(sentence);
  if (ctx.flags.dryRun) {
    await ctx.out.emitDryRun(
      [],
      { name, profile: after },
      () => [`Profile ${name} would ${changed ? 'be changed' : 'stay as it is'}.`, ...changes].join('\n'),
      [name],
    );
    return;
  }
  if (changed) {
    if (before.protected === true) {
      await ctx.prompt.typed(`Profile ${name} is protected. Type its name to change it`, name, { exit: EXIT.guard });
    }
    await profiles.replace(name, after);
  }
  const view: DocumentView<{ name: string; profile: Profile; changed: boolean }> = {
    kind: 'document',
    text: () =>
      changed ? [`Changed profile ${name}.`, ...changes].join('\n') : `Nothing was changed in profile ${name}.`,
  };
  await ctx.out.emit({ name, profile: after, changed }, view);
}

async function editByHand(ctx: Context, before: Profile, profiles: Profiles): Promise<Profile> {
  const file = openEditedFile(ctx, 'profile.yaml');
  const text = await profileText(before);
  try {
    const after = await editUntilValid(ctx, file, text, (saved) => parseProfile(file.path, saved, profiles));
    file.discard();
    return after ?? before;
  } catch (error) {
    const kept = file.keep();
    if (kept !== undefined) ctx.out.warn(`Your text is kept in ${kept}`);
    throw error;
  }
}
