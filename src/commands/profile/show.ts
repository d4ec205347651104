// `profile show [NAME]`: the settings that a command would use and, with `--origin`, the source of each.
import * as z from 'zod/mini';
import { KnownError } from '../../lib/kernel/errors.ts';
import { cleanLine } from '../../lib/render/clean.ts';
import type { Column } from '../../lib/render/view.ts';
import { displayWidth, padText, wrapUnder } from '../../lib/render/width.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { largest } from '../../lib/kernel/words.ts';

type Settings = Awaited<ReturnType<Context['settings']>>;
type Shown = z.infer<ReturnType<typeof shownResult>>;

function shownResult() {
  const texts = z.record(z.string(), z.string());
  const origin = z.object({
    kind: z.enum(['flag', 'environment', 'project', 'profile', 'default']),
    detail: z.string(),
  });
  const setting = z.object({ value: z.string(), origin });
  return z.object({
    profile: z.nullable(setting),
    // True if `--profile` or NAME selected the profile: only flags override it.
    pinned: z.boolean(),
    protected: z.boolean(),
    access: z.enum(['read', 'write']),
    allow_commands: z.boolean(),
    allow_files: z.array(z.string()),
    settings: z.record(z.string(), setting),
    // Only the client id has a value here, because it is not secret.
    secrets: z.record(z.string(), z.object({ value: z.optional(z.string()), origin })),
    limits: texts,
    names: texts,
    // The origin of each guard and permission, and of each limit and name (`limits.AREA`, `names.WORD`).
    origins: z.record(z.string(), origin),
  });
}

const GAP = 2;

export const showProfile = defineCommand({
  path: 'profile show',
  summary: 'show the settings that a command would use',
  effect: 'read',
  calls: 'settings',
  args: { name: { optional: true, help: 'name of the profile (default: the profile in use)' } },
  flags: { origin: { help: 'also show the source of each value' } },
  columns: () => LIST_COLUMNS,
  output: shownResult,
  notes: [
    'Flags override the environment, the environment overrides the project file (.cdpadm.yaml), and the project file overrides the profile. With --profile or NAME, the profile is pinned: only flags override its values. The command shows the source of each secret, never its value. The client id is shown unless a command or the keychain provides it.',
  ],
  examples: ['cdpadm profile show --origin', 'cdpadm profile show local -o json'],
  exits: { notFound: 'profile not found' },
  run: async (ctx, { args: { name }, flags: { origin = false } }) => {
    if (name !== undefined) await (await ctx.profiles()).find(name);
    const settings = await ctx.settings(name);
    await ctx.out.emit(await shownOf(settings), {
      kind: 'document',
      list: (shown) => ({ columns: LIST_COLUMNS, rows: rowsOf(shown) }),
      isTable: true,
      text: (shown, style, width) => {
        const rows = rowsOf(shown);
        const [first = 0, second = 0, third = 0] = [0, 1, 2].map((index) =>
          largest(rows.map((row) => displayWidth(row[index] ?? ''))),
        );
        // If the three columns do not fit, the origin goes below its value.
        const isWide = first + GAP + second + GAP + third <= width;
        return rows
          .map(([name, value, from]) => {
            const start = style.bold(padText(name, first)) + ' '.repeat(GAP);
            if (!origin || from === '') return wrapUnder(start, value, width);
            if (isWide) return `${start}${padText(value, second)}${' '.repeat(GAP)}${style.dim(from)}`;
            return wrapUnder(start, `${value}\n${style.dim(from)}`, width);
          })
          .join('\n');
      },
    });
    const { ignoredKeys, pinned, profile } = settings;
    if (!origin || !profile) return;
    ctx.out.note(
      pinned
        ? `Profile ${profile.value} is pinned (${profile.origin.detail}): only other flags override its values.`
        : `Profile ${profile.value} is not pinned: flags, CDPADM_* variables and the project file override its values. --profile ${profile.value} pins it.`,
    );
    if (ignoredKeys.length > 0) ctx.out.note(`Ignored in the project file: ${ignoredKeys.join(', ')}.`);
  },
});

async function shownOf(settings: Settings): Promise<Shown> {
  const secrets: Shown['secrets'] = {};
  for (const [name, { kind, detail, reference }] of settings.secretOrigins()) {
    const value = name === 'client_id' ? await clientIdOf(settings, reference) : undefined;
    secrets[name] = { ...(value !== undefined && { value }), origin: { kind, detail } };
  }
  return {
    profile: settings.profile ?? null,
    pinned: settings.pinned,
    protected: settings.protected,
    access: settings.access,
    allow_commands: settings.allowCommands,
    allow_files: [...settings.allowFiles],
    settings: Object.fromEntries(settings.all()),
    secrets,
    limits: settings.limits,
    names: settings.names,
    origins: settings.origins,
  };
}

/** Returns the client id; undefined if reading it requires a command or the keychain, or fails. */
async function clientIdOf(settings: Settings, reference: string | undefined): Promise<string | undefined> {
  if (reference !== undefined && !reference.startsWith('env:')) return undefined;
  try {
    return await settings.secret('client_id');
  } catch (error) {
    if (!(error instanceof KnownError)) throw error;
    return undefined;
  }
}

const LIST_COLUMNS: Column<[string, string, string]>[] = [
  { key: 'setting', id: true, value: ([name]) => name },
  { key: 'value', value: ([, value]) => value },
  { key: 'origin', value: ([, , origin]) => origin },
];

function rowsOf(shown: Shown): [string, string, string][] {
  const rows: [string, string, string][] = [];
  const add = (name: string, value: string, origin = shown.origins[name]): void => {
    rows.push([
      name,
      value,
      origin ? `${origin.kind === 'project' ? 'project file' : origin.kind}: ${origin.detail}` : '',
    ]);
  };
  add('profile', shown.profile?.value ?? 'none', shown.profile?.origin);
  const values: Shown['secrets'] = { ...shown.settings, ...shown.secrets };
  for (const [name, { value = '(not shown)', origin }] of Object.entries(values)) add(name, value, origin);
  if (shown.protected) add('protected', 'yes: every write must be confirmed with the profile name');
  if (shown.access === 'read') add('access', 'read: every write is blocked');
  if (shown.allow_commands) add('allow_commands', 'yes: definition files may contain commands');
  for (const folder of shown.allow_files) add('allow_files', folder);
  for (const [area, rate] of Object.entries(shown.limits)) add(`limits.${area}`, rate);
  for (const [word, own] of Object.entries(shown.names)) add(`names.${word}`, own);
  return rows.map(([name, value, from]) => [cleanLine(name), cleanLine(value), cleanLine(from)]);
}
