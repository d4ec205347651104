// The questions that `profile create` asks on a terminal for what no flag gave.
import type { Context } from '../../lib/runtime/context.ts';
import { type Draft, type Field, FIELDS, type Profiles } from './fields.ts';

/**
 * Completes the draft. Every answer may be left out with Enter. With `all` the less usual settings are asked for too.
 */
export async function askForMissing(ctx: Context, profiles: Profiles, draft: Draft, all: boolean): Promise<void> {
  const missing = (field: Field) => draft.profile[field.name] === undefined && (field.essential === true || all);
  // Found out before the first question: what was typed would be lost otherwise.
  if (all) await profiles.checkStorage(draft.storage);
  for (const field of FIELDS) {
    if (!missing(field) || field.name === 'audience' || field.name === 'ca_file') continue;
    if (field.name === 'environment') await askEnvironment(ctx, draft);
    else await askField(ctx, profiles, draft, field);
  }
  await askClient(ctx, profiles, draft);
  if (all) await askWorkspaceCredentials(ctx, profiles, draft);
}

async function askField(ctx: Context, profiles: Profiles, draft: Draft, { name, flag, label }: Field): Promise<void> {
  const answer = await ctx.prompt.input(`${capital(label)} (Enter to leave out)`, {
    flag,
    check: (text) => {
      if (text.trim() === '') return undefined;
      const checked = profiles.checkValue(name, text);
      return 'problem' in checked ? `It ${checked.problem}.` : undefined;
    },
  });
  if (answer.trim() === '') return;
  const checked = profiles.checkValue(name, answer);
  if ('value' in checked) draft.profile[name] = checked.value;
}

async function askEnvironment(ctx: Context, draft: Draft): Promise<void> {
  const choice = await ctx.prompt.select(
    'Environment',
    [
      { value: 'none', label: 'leave open' },
      { value: 'development' },
      { value: 'production', hint: 'the profile is protected, every write asks for its name' },
    ],
    { initial: 'none' },
  );
  if (choice === 'none') return;
  draft.profile.environment = choice;
  if (choice === 'production') draft.profile.protected = true;
}

function needsClient({ profile, typed }: Draft): boolean {
  return profile.secrets?.client_secret === undefined && typed.client_secret === undefined;
}

async function askClient(ctx: Context, profiles: Profiles, draft: Draft): Promise<void> {
  const { secrets = {} } = draft.profile;
  if (secrets.client_id === undefined) {
    const id = (await ctx.prompt.input('Client id (Enter to leave out)', { flag: '--client-id' })).trim();
    if (id === '') return;
    draft.profile.secrets = { ...secrets, client_id: id };
  }
  if (needsClient(draft))
    await askSecret(ctx, profiles, draft, 'client_secret', 'Client secret', '--client-secret-env NAME');
}

async function askWorkspaceCredentials(ctx: Context, profiles: Profiles, draft: Draft): Promise<void> {
  const { secrets = {} } = draft.profile;
  if (secrets.workspace_key === undefined && draft.typed.workspace_key === undefined) {
    const flag = '--workspace-key env:NAME';
    const key = (await ctx.prompt.secret(`Workspace key (${keptIn(draft)}; Enter to leave out)`, { flag })).trim();
    if (key === '') return;
    await profiles.checkStorage(draft.storage);
    draft.typed.workspace_key = key;
  }
  if (secrets.workspace_secret === undefined && draft.typed.workspace_secret === undefined) {
    await askSecret(ctx, profiles, draft, 'workspace_secret', 'Workspace secret', '--workspace-secret-env NAME');
  }
}

async function askSecret(
  ctx: Context,
  profiles: Profiles,
  draft: Draft,
  name: 'client_secret' | 'workspace_secret',
  label: string,
  flag: string,
): Promise<void> {
  await profiles.checkStorage(draft.storage);
  const secret = (await ctx.prompt.secret(`${label} (${keptIn(draft)}; Enter to leave out)`, { flag })).trim();
  if (secret !== '') draft.typed[name] = secret;
}

function keptIn({ storage }: Draft): string {
  return `kept in ${storage === 'keychain' ? 'the keychain' : 'a private file'}`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
