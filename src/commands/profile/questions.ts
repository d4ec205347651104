// The questions that `profile create` asks on a terminal for what no flag gave.
import { CliError } from '../../lib/kernel/errors.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { type Draft, type Field, FIELDS, type Profiles } from './fields.ts';

/** Whether what is typed can be kept where the draft says; where it cannot, the person was told what can be done. */
type Keeping = () => Promise<boolean>;

type SecretName = 'client_secret' | 'workspace_key' | 'workspace_secret';

/**
 * Completes the draft. Every answer may be left out with Enter. With `all` the less usual settings are asked for too.
 * Where there is no keychain, a secret is not asked for itself but for its place.
 */
export async function askForMissing(ctx: Context, profiles: Profiles, draft: Draft, all: boolean): Promise<void> {
  const missing = (field: Field) => draft.profile[field.name] === undefined && (field.essential === true || all);
  let found: Promise<boolean> | undefined;
  const canKeep: Keeping = () => (found ??= findStorage(ctx, profiles, draft));
  // Said before the first question: who wants the keychain stops here and unlocks it.
  if (all) await canKeep();
  for (const field of FIELDS) {
    if (!missing(field) || field.name === 'audience' || field.name === 'ca_file') continue;
    if (field.name === 'environment') await askEnvironment(ctx, draft);
    else await askField(ctx, profiles, draft, field);
  }
  await askClient(ctx, draft, canKeep);
  if (all) await askWorkspaceCredentials(ctx, draft, canKeep);
}

async function findStorage(ctx: Context, profiles: Profiles, { storage }: Draft): Promise<boolean> {
  try {
    await profiles.checkStorage(storage);
    return true;
  } catch (error) {
    if (!(error instanceof CliError) || error.code !== 'secrets.keychain') throw error;
    ctx.out.warn(
      `${error.message} You will be asked where each secret is: in an environment variable, or behind a command. With --insecure-storage you type it, and it is kept in a private file.`,
    );
    return false;
  }
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

/** Nothing says yet what the secret is, or where. */
function lacks({ profile, typed }: Draft, name: SecretName): boolean {
  return profile.secrets?.[name] === undefined && typed[name] === undefined;
}

async function askClient(ctx: Context, draft: Draft, canKeep: Keeping): Promise<void> {
  const { secrets = {} } = draft.profile;
  if (secrets.client_id === undefined) {
    const id = (await ctx.prompt.input('Client id (Enter to leave out)', { flag: '--client-id' })).trim();
    if (id === '') return;
    draft.profile.secrets = { ...secrets, client_id: id };
  }
  if (lacks(draft, 'client_secret')) await askSecret(ctx, draft, canKeep, 'client_secret', '--client-secret-env NAME');
}

async function askWorkspaceCredentials(ctx: Context, draft: Draft, canKeep: Keeping): Promise<void> {
  if (lacks(draft, 'workspace_key')) {
    await askSecret(ctx, draft, canKeep, 'workspace_key', '--workspace-key env:NAME');
    if (lacks(draft, 'workspace_key')) return;
  }
  if (lacks(draft, 'workspace_secret')) {
    await askSecret(ctx, draft, canKeep, 'workspace_secret', '--workspace-secret-env NAME');
  }
}

async function askSecret(ctx: Context, draft: Draft, canKeep: Keeping, name: SecretName, flag: string): Promise<void> {
  const label = capital(name.replace('_', ' '));
  if (!(await canKeep())) {
    const place = await askPlace(ctx, label, flag);
    if (place !== undefined) draft.profile.secrets = { ...draft.profile.secrets, [name]: place };
    return;
  }
  const secret = (await ctx.prompt.secret(`${label} (${keptIn(draft)}; Enter to leave out)`, { flag })).trim();
  if (secret !== '') draft.typed[name] = secret;
}

/** `env:NAME` or `command:LINE`; undefined where it is left out. */
async function askPlace(ctx: Context, label: string, flag: string): Promise<string | undefined> {
  const kind = await ctx.prompt.select(
    `Where is the ${label.toLowerCase()}?`,
    [
      { value: 'none', label: 'leave it out for now' },
      { value: 'env', label: 'in an environment variable' },
      { value: 'command', label: 'behind a command that writes it, such as a password manager' },
    ],
    { initial: 'none', flag },
  );
  if (kind === 'none') return undefined;
  if (kind === 'env') {
    // What is wrong is not repeated: it may be the secret itself.
    const check = (text: string): string | undefined =>
      /^(?:[A-Za-z_][A-Za-z0-9_]*)?$/.test(text.trim())
        ? undefined
        : 'It must be the name of an environment variable, such as CDP_SECRET, not the secret.';
    return placed('env', await ctx.prompt.input(`${label}: the variable's name (Enter to leave out)`, { flag, check }));
  }
  return placed('command', await ctx.prompt.input(`${label}: the command (Enter to leave out)`, { flag }));
}

function placed(kind: 'env' | 'command', text: string): string | undefined {
  return text.trim() === '' ? undefined : `${kind}:${text.trim()}`;
}

function keptIn({ storage }: Draft): string {
  return `kept in ${storage === 'keychain' ? 'the keychain' : 'a private file'}`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
