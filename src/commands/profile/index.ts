// The profile commands. `create`, `edit` and `show` have files of their own.
import { pickProfile, pickProfileOrLocal } from '../pick.ts';
import * as z from 'zod/mini';
import { type CommandRecord, defineCommand, group } from '../../lib/runtime/command-line/define-command.ts';
import { toYaml } from '../../lib/files/yaml-text.ts';
import { forgetToken } from '../../lib/runtime/memory/secrets.ts';
import { createProfile } from './create.ts';
import { editProfile, type Profile, parseProfile, strangeNames } from './edit.ts';
import { type Draft, profileResult } from './fields.ts';
import { showProfile } from './show.ts';
import { jsonText } from '../../lib/runtime/output/result-text.ts';
import { ranked } from '../../lib/render/view.ts';
import { each } from '../results.ts';
import { readInput } from '../../lib/files/read-input.ts';

const local = { effect: 'local', calls: 'settings' } as const;

const shared = {
  ...local,
  output: () => z.object({ from: z.string(), to: z.string() }),
  exits: { notFound: 'profile not found', conflict: 'a profile with the new name already exists' },
} as const satisfies Partial<CommandRecord>;

const names = ({ to }: { to: string }): string[] => [to];

const copyProfile = defineCommand({
  ...shared,
  path: 'profile copy',
  summary: 'create a second profile with the same settings and secrets',
  args: { from: { help: 'the profile', pick: pickProfile }, to: { help: 'name of the new profile' } },
  notes: ['Secrets in a private file are copied. Both profiles share keychain entries, variables and commands.'],
  examples: ['cdpadm profile copy dev dev2', 'cdpadm profile copy dev dev2 --dry-run'],
  run: async (ctx, { args: { from, to } }) => {
    const profiles = await ctx.profiles();
    const profile = await profiles.findOwn(from);
    await profiles.checkNewName(to);
    if (ctx.flags.dryRun) {
      const text = `Profile ${from} would be copied to ${to}:\n\n${toYaml(profile)}`;
      return await ctx.out.emitDryRun([], { from, to, profile }, text, [to]);
    }
    await profiles.copy(from, to);
    return { from, to };
  },
  view: { kind: 'document', text: ({ from, to }) => `Copied profile ${from} to ${to}.`, names },
});

const renameProfile = defineCommand({
  ...shared,
  path: 'profile rename',
  summary: 'rename a profile',
  args: { from: { help: 'the profile', pick: pickProfile }, to: { help: 'new name of the profile' } },
  examples: ['cdpadm profile rename dev staging', 'cdpadm profile rename dev staging --dry-run'],
  run: async (ctx, { args: { from, to } }) => {
    const profiles = await ctx.profiles();
    await profiles.findOwn(from);
    await profiles.checkNewName(to, from);
    if (ctx.flags.dryRun)
      return await ctx.out.emitDryRun([], { from, to }, `Profile ${from} would be renamed to ${to}.`, [to]);
    await profiles.rename(from, to);
    return { from, to };
  },
  view: { kind: 'document', text: ({ from, to }) => `Renamed profile ${from} to ${to}.`, names },
});

const useProfile = defineCommand({
  path: 'profile use',
  summary: 'make a profile the current one',
  ...local,
  args: { name: { help: 'name of the profile; local is the embedded platform', pick: pickProfileOrLocal } },
  output: () => z.object({ current: z.string() }),
  examples: ['cdpadm profile use local', 'cdpadm profile use prod --dry-run'],
  exits: { notFound: 'profile not found' },
  run: async (ctx, { args: { name } }) => {
    const profiles = await ctx.profiles();
    await profiles.find(name);
    const preview = `Profile ${name} would become the current profile.`;
    if (ctx.flags.dryRun) return await ctx.out.emitDryRun([], { current: name }, preview, [name]);
    await profiles.use(name);
    const chosen = ctx.io.env.CDPADM_PROFILE;
    if (chosen && chosen !== name) ctx.out.warn(`CDPADM_PROFILE=${chosen} overrides the current profile.`);
    return { current: name };
  },
  view: { kind: 'document', text: ({ current }) => `Profile ${current} is now the current profile.` },
});

const deleteProfile = defineCommand({
  path: 'profile delete',
  summary: 'delete a profile and its stored secrets',
  ...local,
  args: { name: { help: 'the profile', pick: pickProfile } },
  output: () => z.object({ deleted: z.string(), was_current: z.boolean() }),
  notes: ['Nothing on the platform changes. To delete a protected profile, you must type its name.'],
  examples: ['cdpadm profile delete dev --yes', 'cdpadm profile delete prod --confirm prod --dry-run'],
  exits: { notFound: 'profile not found', guard: 'you answered no, or did not type the name of a protected profile' },
  run: async (ctx, { args: { name } }) => {
    const profiles = await ctx.profiles();
    const profile = await profiles.findOwn(name, 'deleted');
    const preview = `Profile ${name} and its stored secrets would be deleted.`;
    if (ctx.flags.dryRun) return await ctx.out.emitDryRun([], { delete: name }, preview, [name]);
    if (profile.protected === true)
      await ctx.prompt.typed(`Profile ${name} is protected. Type its name to delete it`, name, { exit: 'guard' });
    else await ctx.prompt.confirm(`Delete profile ${name} and its stored secrets?`);
    await forgetToken(ctx, name);
    const { wasCurrent, left } = await profiles.remove(name);
    for (const sentence of left) ctx.out.warn(sentence);
    if (wasCurrent)
      ctx.out.note({ text: 'There is no current profile now. To choose one:', command: 'cdpadm profile use NAME' });
    return { deleted: name, was_current: wasCurrent };
  },
  view: { kind: 'document', text: ({ deleted }) => `Deleted profile ${deleted}.` },
});

function listResult() {
  return z.array(
    z.object({
      name: z.string(),
      ...each(z.boolean(), 'current', 'builtin'),
      ...each(z.nullable(z.string()), 'base_url', 'org_id', 'environment'),
      protected: z.boolean(),
      access: z.enum(['read', 'write']),
    }),
  );
}

const listProfiles = defineCommand({
  path: 'profile list',
  summary: 'list the profiles',
  ...local,
  tool: [],
  output: listResult,
  examples: ['cdpadm profile list', 'cdpadm profile list -o name'],
  run: async (ctx): Promise<z.infer<ReturnType<typeof listResult>>> => {
    const { current, profiles, warnings } = await (await ctx.profiles()).read();
    for (const warning of warnings) ctx.out.warn(warning);
    const all: [string, Draft['profile']][] = [...profiles, ['local', {}]];
    return all.map(([name, profile]) => ({
      name,
      current: name === current,
      builtin: name === 'local',
      base_url: profile.base_url ?? null,
      org_id: profile.org_id ?? null,
      environment: profile.environment ?? null,
      protected: profile.protected === true,
      access: profile.access ?? 'write',
    }));
  },
  view: {
    kind: 'list',
    columns: [
      { key: 'name', id: true, value: ({ name }) => name },
      {
        key: 'current',
        value: ({ current }) => (current ? 'current' : ''),
        paint: (text, _row, style) => style.green(text),
      },
      { key: 'base_url', rank: 1, value: (row) => (row.builtin ? 'the embedded platform' : row.base_url) },
      ...ranked({ org_id: 2, environment: 3 }),
      { key: 'protected', rank: 4, value: (row) => (row.protected ? 'protected' : '') },
      { key: 'access', rank: 5, value: (row) => row.access },
    ],
    empty: 'There are no profiles.',
  },
});

const exportProfile = defineCommand({
  path: 'profile export',
  summary: 'print a profile in a form that can be imported elsewhere',
  ...local,
  args: { name: { help: 'the profile', pick: pickProfile } },
  // The columns are the fields that the profile has.
  columns: () => undefined,
  output: profileResult,
  notes: [
    'An export never contains a secret. It includes references to variables and commands. Secrets in the keychain and in private files stay on this machine.',
  ],
  examples: ['cdpadm profile export dev --out dev.profile.json', 'cdpadm profile export dev -o yaml'],
  exits: { notFound: 'profile not found' },
  run: async (ctx, { args: { name } }) => {
    const { secrets = {}, ...rest } = await (await ctx.profiles()).find(name);
    const entries = Object.entries(secrets).filter(([, text]) => !/^(file|keychain):/.test(String(text)));
    const left = Object.keys(secrets).filter((secret) => !entries.some(([kept]) => kept === secret));
    if (left.length > 0)
      ctx.out.note(`Not exported: ${left.join(', ')}. After the import, store them again with \`auth login\`.`);
    const profile: Profile = { ...rest, ...(entries.length > 0 && { secrets: Object.fromEntries(entries) }) };
    await ctx.out.emit(profile, { kind: 'document', text: () => jsonText(profile, 2), names: () => [name] });
  },
});

const importProfile = defineCommand({
  path: 'profile import',
  summary: 'create a profile from an exported one',
  ...local,
  args: { file: { help: 'exported JSON or YAML; - reads standard input' }, name: { help: 'name of the new profile' } },
  flags: { use: { help: 'make the new profile the current one' } },
  output: () => z.object({ name: z.string(), current: z.boolean() }),
  notes: [
    'A profile determines where your credentials are sent, and may run a command to read them. Review a file from another person before you import it.',
  ],
  examples: ['cdpadm profile import dev.profile.json dev', 'cdpadm profile import - dev --dry-run'],
  exits: {
    conflict: 'a profile with that name already exists',
    invalidInput: 'the file is not a profile',
    guard: 'you answered no',
  },
  run: async (ctx, { args: { file, name }, flags: { use = false } }) => {
    const profiles = await ctx.profiles();
    await profiles.checkNewName(name);
    const input = await readInput(file, ctx);
    const profile = await parseProfile(input.name, input.text, profiles);
    for (const sentence of strangeNames(profile)) ctx.out.warn(sentence);
    const commands = Object.values(profile.secrets ?? {}).filter((text) => String(text).startsWith('command:'));
    for (const line of commands) ctx.out.warn(`This profile runs a command to read a secret: ${String(line).slice(8)}`);
    if (ctx.flags.dryRun)
      return await ctx.out.emitDryRun([], { name, profile }, `Profile ${name} would be created.`, [name]);
    if (commands.length > 0) await ctx.prompt.confirm('Import it?');
    const { current } = await profiles.create(name, { profile, typed: {}, storage: 'keychain', use });
    return { name, current };
  },
  view: {
    kind: 'document',
    text: ({ name, current }) => `Imported profile ${name}${current ? ', now the current one' : ''}.`,
  },
});

export const command = group('profile', 'profiles: the addresses, ids and credentials of a platform', [
  createProfile,
  listProfiles,
  showProfile,
  useProfile,
  editProfile,
  renameProfile,
  copyProfile,
  exportProfile,
  importProfile,
  deleteProfile,
]);
