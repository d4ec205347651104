// `profile edit NAME`: settings of a profile by flags, or in the editor.
import { boolean, object, string } from 'zod/mini';
import { usageError } from '../../lib/kernel/errors.ts';
import type { DocumentView } from '../../lib/render/view.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { editUntilValid } from '../../lib/runtime/prompts/edit-until-valid.ts';
import { openEditedFile } from '../../lib/runtime/prompts/editor.ts';
import { defineCommand, flagName } from '../../lib/runtime/command-line/define-command.ts';
import { asColumns } from '../../lib/runtime/command-line/help.ts';
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
import { FIELDS, type Profiles, type SettingFlag } from './fields.ts';
import { profileResult } from './results.ts';

/** The flags of `profile create`, each with what stands for it in `--set`. */
const CREATE_FLAGS: readonly { key: SettingFlag | 'protected' | 'access'; assignment: string }[] = [
  ...FIELDS.flatMap(({ name, key }) => (key === undefined ? [] : [{ key, assignment: `${name}=VALUE` }])),
  { key: 'protected', assignment: 'protected=true' },
  { key: 'access', assignment: 'access=read' },
];

export const editProfile = defineCommand({
  path: 'profile edit',
  summary: 'change a profile, by flags or in your editor',
  effect: 'local',
  calls: 'settings',
  args: { name: { help: 'the profile' } },
  flags: {
    set: {
      value: 'field=value',
      help: 'a field such as base_url, protected, access, limits.dsr or names.xpid; an empty value takes it away (repeatable)',
      many: true,
      offers: () => KNOWN_FIELDS.map((field) => `${field}${MAPS.some((map) => map === field) ? '.' : '='}`),
    },
    ...refusedFlags(),
  },
  columns: asColumns('name profile changed'),
  output: () => object({ name: string(), profile: profileResult(), changed: boolean() }),
  notes: ['Secrets are not in a profile, only where they are; `auth login` stores them.'],
  examples: [
    'cdpadm profile edit dev --set protected=true --set limits.dsr=1000/m',
    'cdpadm profile edit prod --set names.xpid=pid --confirm prod --dry-run',
  ],
  exits: {
    notFound: 'there is no such profile',
    invalidInput: 'the edited text is not a profile',
    guard: 'the name of a protected profile was not typed',
  },
  run: async (ctx, { args, flags }) => {
    refuseCreateFlags(flags);
    await edit(ctx, args.name, flags.set);
  },
});

/** Known to be told from a slip: who has made a profile by them looks for them here. */
function refusedFlags() {
  type Refused = Record<SettingFlag | 'protected' | 'access', { value: string; help: string; hidden: true }>;
  return Object.fromEntries(
    CREATE_FLAGS.map(({ key }) => [key, { value: 'value', help: '', hidden: true }]),
  ) as Refused;
}

function refuseCreateFlags(flags: Readonly<Record<string, unknown>>): void {
  const given = CREATE_FLAGS.find(({ key }) => flags[key] !== undefined);
  if (!given) return;
  throw usageError(
    `\`${flagName(given.key)}\` is no flag of \`cdpadm profile edit\`.`,
    `Write it as --set ${given.assignment}.`,
  );
}

async function edit(ctx: Context, name: string, assignments: string[] | undefined): Promise<void> {
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
      await ctx.prompt.typed(`Profile ${name} is protected. Type its name to change it`, name, { exit: 'guard' });
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
