// Prompts that `profile create` shows on a terminal: address, client id and secret, then a list of all settings.
import { type Hint, KnownError } from '../../lib/kernel/errors.ts';
import { capitalized, shellWord } from '../../lib/kernel/words.ts';
import type { Context } from '../../lib/runtime/context.ts';
import type { Finding } from '../../lib/runtime/checks/machine.ts';
import { type Draft, FIELDS, type Profiles, type SettingName } from './fields.ts';

export type AddressProbe = (address: string) => Promise<Pick<Finding, 'status' | 'detail' | 'fix'>>;

type SecretName = 'client_secret' | 'workspace_key' | 'workspace_secret';
type Name = SettingName | SecretName | 'client_id';

const PLATFORM = 'roles, groups, warehouse, connections, data-models and pipelines';

const NEEDED_FOR: Readonly<Partial<Record<Name, string>>> = {
  base_url: PLATFORM,
  client_id: PLATFORM,
  client_secret: PLATFORM,
  auth_url: PLATFORM,
  org_id: 'roles',
  account_id: 'roles',
  workspace_id: 'groups, warehouse, connections, data-models, pipelines, and seeds from CSV and Parquet',
  dsr_base_url: 'dsr',
  seeding_url: 'seed and intake event',
  identity_url: 'intake identify',
  workspace_key: 'dsr, seed and intake',
  workspace_secret: 'dsr, seed and intake',
  vendor_domain: 'dsr',
  environment: 'seed and intake; for production, every write must be confirmed with the profile name',
};
const NAMES = Object.keys(NEEDED_FOR) as Name[];

const WORKSPACE: readonly SettingName[] = ['dsr_base_url', 'seeding_url', 'identity_url'];
/** Each credential, with the addresses it can be used for. */
const CREDENTIALS: readonly [Name, readonly SettingName[]][] = [
  ['client_id', ['base_url']],
  ['client_secret', ['base_url']],
  ['workspace_key', WORKSPACE],
  ['workspace_secret', WORKSPACE],
];

interface Asking {
  ctx: Context;
  profiles: Profiles;
  draft: Draft;
  probe: AddressProbe;
  /** Returns true if secrets can be stored. Otherwise, it warns once. */
  canKeep: () => Promise<boolean>;
  isProtected: boolean;
}

/** True if a command can use the profile. A token service alone is not enough. */
export function hasAddress(draft: Draft): boolean {
  return missingAddresses(draft).length <= WORKSPACE.length;
}

function missingAddresses({ profile }: Draft): SettingName[] {
  return (['base_url', ...WORKSPACE] as const).filter((address) => profile[address] === undefined);
}

/** Returns a hint to add the addresses that the new profile lacks; undefined if it has all of them. */
export function addressHint(name: string, draft: Draft): Hint | undefined {
  const missing = missingAddresses(draft);
  if (missing.length === 0) return undefined;
  const set = missing.map((address) => `--set ${address}=URL`).join(' ');
  const text = `These need an address: ${missing.map((address) => NEEDED_FOR[address]).join(', ')}. To set addresses:`;
  return { text, command: `cdpadm profile edit ${shellWord(name)} ${set}` };
}

/** Asks for an address and its credentials, then shows all settings until the user accepts them (decision: D198). */
export async function askForSettings(
  ctx: Context,
  profiles: Profiles,
  draft: Draft,
  { name, probe }: { name: string; probe: AddressProbe },
): Promise<void> {
  let found: Promise<boolean> | undefined;
  const canKeep = () => (found ??= findStorage(ctx, profiles, draft));
  const asking: Asking = { ctx, profiles, draft, probe, canKeep, isProtected: draft.profile.protected === true };
  const asked = new Set<Name>();
  const askCredentials = async (): Promise<void> => {
    for (const [credential, addresses] of CREDENTIALS) {
      const isUseful = addresses.some((address) => draft.profile[address] !== undefined);
      if (!isUseful || asked.has(credential) || valueOf(draft, credential) !== undefined) continue;
      // A client secret is useless without the client id.
      if (credential === 'client_secret' && valueOf(draft, 'client_id') === undefined) continue;
      asked.add(credential);
      await ask(asking, credential);
    }
  };
  if (!hasAddress(draft)) {
    ctx.out.show(() => 'Ctrl-C exits without creating a profile.');
    // Check before the first question, so that the user can stop here and unlock the keychain.
    await asking.canKeep();
    await ask(asking, 'base_url');
  }
  await askCredentials();
  while (!ctx.flags.yes) {
    const chosen = await chooseSetting(asking, name);
    if (chosen === undefined && hasAddress(draft)) break;
    if (chosen === undefined) ctx.out.warn('A profile needs at least one address.');
    else await ask(asking, chosen);
    await askCredentials();
  }
}

async function chooseSetting({ ctx, draft }: Asking, profile: string): Promise<Name | undefined> {
  const chosen = await ctx.prompt.select<Name | 'create'>(
    `Create profile ${profile} with these settings? Choose a setting to change it.`,
    [
      { value: 'create', label: 'Create it' },
      ...NAMES.map((name) => {
        const { base_url } = draft.profile;
        const needed = `none, for ${NEEDED_FOR[name] ?? ''}`;
        const fallback = name === 'auth_url' && base_url !== undefined ? `${base_url} (the platform address)` : needed;
        return { value: name, label: `${labelOf(name)}: ${valueOf(draft, name) ?? fallback}` };
      }),
    ],
    { initial: 'create', flag: '--yes' },
  );
  return chosen === 'create' ? undefined : chosen;
}

function valueOf({ profile, typed }: Draft, name: Name): string | undefined {
  if (name !== 'client_id' && !isSecret(name)) return profile[name];
  return typed[name] === undefined ? profile.secrets?.[name] : '(hidden)';
}

function isSecret(name: Name): name is SecretName {
  return name === 'client_secret' || name === 'workspace_key' || name === 'workspace_secret';
}

function fieldOf(name: Name): (typeof FIELDS)[number] | undefined {
  return FIELDS.find((field) => field.name === name);
}

function labelOf(name: Name): string {
  return capitalized(fieldOf(name)?.label ?? name.replace('_', ' '));
}

async function ask(asking: Asking, name: Name): Promise<void> {
  if (isSecret(name)) return await askSecret(asking, name);
  if (name === 'environment') return await askEnvironment(asking);
  const { ctx, draft, probe } = asking;
  const { profile } = draft;
  const text = await askText(asking, name);
  if (name === 'client_id') {
    if (text !== undefined) profile.secrets = { ...profile.secrets, client_id: text };
    else delete profile.secrets?.client_id;
  } else if (text === undefined) delete profile[name];
  else profile[name] = text;
  if (text === undefined || name === 'client_id' || !name.endsWith('_url')) return;
  const { status, detail, fix } = await probe(text);
  if (status === 'failed' || status === 'warning') ctx.out.warn([`${detail}.`, fix].filter(Boolean).join(' '));
  // The address may be on a network that this machine has not joined yet.
  if (status !== 'failed' || (await ctx.prompt.ask('Keep it anyway?', false))) return;
  delete profile[name];
  await ask(asking, name);
}

async function askText({ ctx, draft, profiles }: Asking, name: SettingName | 'client_id'): Promise<string | undefined> {
  const initial = valueOf(draft, name);
  const check = (text: string) =>
    isNone(text) || name === 'client_id' ? { value: text.trim() } : profiles.checkValue(name, text);
  const answer = await ctx.prompt.input(
    `${labelOf(name)} (${initial === undefined ? 'Enter to skip' : '- for none'})`,
    {
      flag: fieldOf(name)?.flag ?? '--client-id',
      ...(initial !== undefined && { initial }),
      check: (text) => {
        const checked = check(text);
        return 'problem' in checked ? `It ${checked.problem}.` : undefined;
      },
    },
  );
  const checked = check(answer);
  return isNone(answer) || 'problem' in checked ? undefined : checked.value;
}

function isNone(text: string): boolean {
  return ['', '-'].includes(text.trim());
}

async function askEnvironment({ ctx, draft, isProtected }: Asking): Promise<void> {
  const choice = await ctx.prompt.select(
    'Environment',
    [
      { value: 'none', label: 'none: specify it in each command' },
      { value: 'development' },
      { value: 'production', hint: 'every write must be confirmed with the profile name' },
    ],
    { initial: draft.profile.environment ?? 'none' },
  );
  if (choice === 'none') delete draft.profile.environment;
  else draft.profile.environment = choice;
  if (isProtected || choice === 'production') draft.profile.protected = true;
  else delete draft.profile.protected;
}

async function findStorage(ctx: Context, profiles: Profiles, { storage }: Draft): Promise<boolean> {
  try {
    if (storage === 'keychain') await profiles.checkKeychain();
    return true;
  } catch (error) {
    if (!(error instanceof KnownError) || error.code !== 'secrets.keychain') throw error;
    ctx.out.warn(
      `${error.message} For each secret, enter where it is stored (an environment variable or a command), not the secret itself. To type secrets and store them in a private file, pass --insecure-storage.`,
    );
    return false;
  }
}

async function askSecret({ ctx, draft, canKeep }: Asking, name: SecretName): Promise<void> {
  const flag = name === 'workspace_key' ? '--workspace-key env:NAME' : `--${name.replace('_', '-')}-env NAME`;
  if (!(await canKeep())) {
    const reference = await askReference(ctx, labelOf(name), flag);
    if (reference !== undefined) draft.profile.secrets = { ...draft.profile.secrets, [name]: reference };
    return;
  }
  const note = `will be stored in ${draft.storage === 'keychain' ? 'the keychain' : 'a private file'}; Enter to skip`;
  const secret = (await ctx.prompt.secret(`${labelOf(name)} (${note})`, { flag })).trim();
  if (secret !== '') draft.typed[name] = secret;
}

/** Asks for `env:NAME` or `command:LINE`. Returns undefined if the user skips the question. */
async function askReference(ctx: Context, label: string, flag: string): Promise<string | undefined> {
  // The message does not repeat the text, which may be the secret itself.
  const check = (text: string): string | undefined =>
    /^(?:env:[A-Za-z_]\w*|command:\s*\S.*)?$/.test(text.trim())
      ? undefined
      : 'Enter where the secret is, as env:NAME or command:LINE, not the secret.';
  const question = `${label}: where it is, as env:NAME or command:LINE (Enter to skip)`;
  return (await ctx.prompt.input(question, { flag, check })).trim() || undefined;
}
