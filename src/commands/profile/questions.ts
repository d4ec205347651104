// The questions of `profile create` on a terminal, for values that no flag gives.
import { KnownError } from '../../lib/kernel/errors.ts';
import type { Context } from '../../lib/runtime/context.ts';
import type { Finding } from '../../lib/runtime/checks/machine.ts';
import { wrapMessage } from '../../lib/render/width.ts';
import { type Draft, type Field, FIELDS, type Profiles, type SettingName } from './fields.ts';

type SecretName = 'client_secret' | 'workspace_key' | 'workspace_secret';

/** Probes a typed address before it is accepted. */
export type AddressProbe = (address: string) => Promise<Pick<Finding, 'status' | 'detail' | 'fix'>>;

/** An address with its commands, and the other settings that these need. */
interface Area {
  address: SettingName;
  /** The commands that need the address. */
  commands: string;
  needs: readonly { name: SettingName; commands: string }[];
}

const PLATFORM: Area = {
  address: 'base_url',
  commands: 'roles, groups, warehouse, connections, data-models and pipelines',
  needs: [
    { name: 'auth_url', commands: 'all of these' },
    { name: 'org_id', commands: 'roles' },
    { name: 'account_id', commands: 'roles' },
    { name: 'workspace_id', commands: 'all of these but roles' },
  ],
};

/** The areas that use the workspace's key and secret, not the platform's client. */
const WORKSPACE: readonly Area[] = [
  { address: 'dsr_base_url', commands: 'dsr', needs: [{ name: 'vendor_domain', commands: 'dsr' }] },
  {
    address: 'seeding_url',
    commands: 'seed and intake event',
    needs: [{ name: 'workspace_id', commands: 'seeds from CSV and Parquet' }],
  },
  { address: 'identity_url', commands: 'intake identify', needs: [] },
];

interface Asking {
  ctx: Context;
  profiles: Profiles;
  draft: Draft;
  probe: AddressProbe;
  /** Checks the storage of the draft, and warns once if it does not work. */
  canKeep: () => Promise<boolean>;
  /** Also ask for the less common settings. */
  all: boolean;
}

export function hasAddress({ profile }: Draft): boolean {
  return FIELDS.some(({ name }) => name.endsWith('_url') && profile[name] !== undefined);
}

/**
 * Completes the draft area by area: first the address and, if there is one, the ids and credentials that its commands
 * need. Enter skips every question, except the last address of a profile without one. Without a keychain the questions
 * are for the place of each secret, not for the secret.
 */
export async function askForMissing(
  ctx: Context,
  profiles: Profiles,
  draft: Draft,
  { all, probe }: Pick<Asking, 'all' | 'probe'>,
): Promise<void> {
  let found: Promise<boolean> | undefined;
  const canKeep = () => (found ??= findStorage(ctx, profiles, draft));
  const asking: Asking = { ctx, profiles, draft, probe, canKeep, all };
  if (all) {
    say(ctx, 'Press Enter to skip what you do not use. Ctrl-C exits without a profile.');
    // Before the first question, so that the user can stop here and unlock the keychain.
    await canKeep();
  }
  await askArea(asking, PLATFORM, !all);
  if (draft.profile.base_url !== undefined && draft.profile.auth_url !== undefined) await askClient(asking);
  if (!all) return;
  for (const area of WORKSPACE) await askArea(asking, area, area === WORKSPACE.at(-1));
  if (WORKSPACE.some(({ address }) => draft.profile[address] !== undefined)) await askWorkspaceCredentials(asking);
  if (draft.profile.environment === undefined) await askEnvironment(ctx, draft);
}

/** `isLast`: this is the last question about an address. */
async function askArea(asking: Asking, { address, commands, needs }: Area, isLast: boolean): Promise<void> {
  const { ctx, draft, all } = asking;
  const isGiven = (): boolean => draft.profile[address] !== undefined;
  if (!isGiven()) {
    say(ctx, `\nThe ${fieldOf(address).label} is for ${commands}.`);
    await askAddress(asking, fieldOf(address), isLast && !hasAddress(draft));
  }
  if (!isGiven()) {
    sayLeftOut(ctx, commands);
    return;
  }
  for (const need of needs) {
    const field = fieldOf(need.name);
    if (draft.profile[need.name] !== undefined || !(all || field.essential === true)) continue;
    const hint = `needed for ${need.commands}`;
    if (!need.name.endsWith('_url')) {
      await askField(asking, field, { hint: `${hint}; Enter to skip` });
      continue;
    }
    await askNeededAddress(asking, field, hint, commands);
    if (draft.profile[need.name] !== undefined) continue;
    // Without the token service the other answers are useless.
    sayLeftOut(ctx, commands);
    return;
  }
}

/** Enter alone does not skip all of `commands`: the user confirms, or gets the question again. */
async function askNeededAddress(asking: Asking, field: Field, hint: string, commands: string): Promise<void> {
  const { ctx, draft } = asking;
  await askAddress(asking, field, false, hint);
  if (draft.profile[field.name] !== undefined) return;
  if (await ctx.prompt.ask(`Skip ${commands}?`, false, { flag: field.flag })) return;
  await askAddress(asking, field, false, `${hint}; Enter to skip them`);
}

function fieldOf(name: SettingName): Field {
  const field = FIELDS.find((one) => one.name === name);
  if (!field) throw new TypeError(`there is no question for ${name}`);
  return field;
}

/** Prints a line between the questions. */
function say(ctx: Context, text: string): void {
  ctx.out.show((_style, width) => wrapMessage(text, width));
}

function sayLeftOut(ctx: Context, commands: string): void {
  say(ctx, `Skipped: ${commands} will not work with this profile.`);
}

async function findStorage(ctx: Context, profiles: Profiles, { storage }: Draft): Promise<boolean> {
  try {
    await profiles.checkStorage(storage);
    return true;
  } catch (error) {
    if (!(error instanceof KnownError) || error.code !== 'secrets.keychain') throw error;
    ctx.out.warn(
      `${error.message} The questions ask for the place of each secret: an environment variable or a command. To type secrets and store them in a private file, pass --insecure-storage.`,
    );
    return false;
  }
}

/** Asks until the address responds, or the user keeps it anyway or skips it. `isNeeded`: it cannot be skipped. */
async function askAddress(asking: Asking, field: Field, isNeeded: boolean, hint = 'Enter to skip'): Promise<void> {
  const { ctx, draft, probe } = asking;
  for (;;) {
    const shown = isNeeded ? 'needed: no other address was given' : hint;
    await askField(asking, field, { hint: shown, isNeeded });
    const address = draft.profile[field.name];
    if (address === undefined) return;
    const { status, detail, fix } = await probe(address);
    if (status === 'warning') ctx.out.warn(`${detail}.`);
    if (status !== 'failed') return;
    ctx.out.warn([`${detail}.`, fix].filter(Boolean).join(' '));
    // It may be in a network that the machine has not joined yet.
    if (await ctx.prompt.ask('Keep it anyway?', false, { flag: field.flag })) return;
    delete draft.profile[field.name];
  }
}

async function askField(
  { ctx, profiles, draft }: Asking,
  { name, flag, label }: Field,
  { hint, isNeeded = false }: { hint: string; isNeeded?: boolean },
): Promise<void> {
  const answer = await ctx.prompt.input(`${capital(label)} (${hint})`, {
    flag,
    check: (text) => {
      if (text.trim() === '') return isNeeded ? LAST_ADDRESS : undefined;
      const checked = profiles.checkValue(name, text);
      return 'problem' in checked ? `It ${checked.problem}.` : undefined;
    },
  });
  if (answer.trim() === '') return;
  const checked = profiles.checkValue(name, answer);
  if ('value' in checked) draft.profile[name] = checked.value;
}

const LAST_ADDRESS =
  'A profile needs at least one address, and this is the last one. Type it, or press Ctrl-C to start over.';

async function askEnvironment(ctx: Context, draft: Draft): Promise<void> {
  const choice = await ctx.prompt.select(
    'Environment',
    [
      { value: 'none', label: 'none' },
      { value: 'development' },
      { value: 'production', hint: 'protects the profile: you type its name for every write' },
    ],
    { initial: 'none' },
  );
  if (choice === 'none') return;
  draft.profile.environment = choice;
  if (choice === 'production') draft.profile.protected = true;
}

/** True if neither the secret nor its place is known. */
function lacks({ profile, typed }: Draft, name: SecretName): boolean {
  return profile.secrets?.[name] === undefined && typed[name] === undefined;
}

/** The client id and secret, which get the platform's token. */
async function askClient(asking: Asking): Promise<void> {
  const { ctx, draft, all } = asking;
  const { secrets = {} } = draft.profile;
  if (secrets.client_id !== undefined && !lacks(draft, 'client_secret')) return;
  if (all) say(ctx, `\nThe client's id and secret are for ${PLATFORM.commands}.`);
  if (secrets.client_id === undefined) {
    const flag = '--client-id';
    const ask = async (): Promise<string> => (await ctx.prompt.input('Client id (Enter to skip)', { flag })).trim();
    let id = await ask();
    // As for the token service: Enter alone does not skip all of these commands.
    if (id === '' && !(await ctx.prompt.ask(`Skip ${PLATFORM.commands}?`, false, { flag }))) id = await ask();
    if (id === '') {
      sayLeftOut(ctx, PLATFORM.commands);
      return;
    }
    draft.profile.secrets = { ...secrets, client_id: id };
  }
  if (lacks(draft, 'client_secret')) await askSecret(asking, 'client_secret', '--client-secret-env NAME');
  if (lacks(draft, 'client_secret')) {
    say(ctx, `No client secret yet: before you use ${PLATFORM.commands}, store it with \`auth login\`.`);
  }
}

async function askWorkspaceCredentials(asking: Asking): Promise<void> {
  const { ctx, draft } = asking;
  if (!lacks(draft, 'workspace_key') && !lacks(draft, 'workspace_secret')) return;
  const areas = WORKSPACE.filter(({ address }) => draft.profile[address] !== undefined);
  say(ctx, `\nThe workspace's key and secret are for ${areas.map(({ commands }) => commands).join(', ')}.`);
  if (lacks(draft, 'workspace_key')) {
    await askSecret(asking, 'workspace_key', '--workspace-key env:NAME');
    if (lacks(draft, 'workspace_key')) return;
  }
  if (lacks(draft, 'workspace_secret')) await askSecret(asking, 'workspace_secret', '--workspace-secret-env NAME');
}

async function askSecret({ ctx, draft, canKeep }: Asking, name: SecretName, flag: string): Promise<void> {
  const label = capital(name.replace('_', ' '));
  if (!(await canKeep())) {
    const reference = await askReference(ctx, label, flag);
    if (reference !== undefined) draft.profile.secrets = { ...draft.profile.secrets, [name]: reference };
    return;
  }
  const place = draft.storage === 'keychain' ? 'the keychain' : 'a private file';
  const secret = (await ctx.prompt.secret(`${label} (kept in ${place}; Enter to skip)`, { flag })).trim();
  if (secret !== '') draft.typed[name] = secret;
}

/** `env:NAME` or `command:LINE`; undefined if it is skipped. */
async function askReference(ctx: Context, label: string, flag: string): Promise<string | undefined> {
  const kind = await ctx.prompt.select(
    `Where is the ${label.toLowerCase()}?`,
    [
      { value: 'env', label: 'in an environment variable' },
      { value: 'command', label: 'in the output of a command, such as a password manager' },
      { value: 'none', label: 'skip it for now' },
    ],
    { initial: 'env', flag },
  );
  if (kind === 'none') return undefined;
  if (kind === 'env') {
    // The message does not repeat the text, which may be the secret itself.
    const check = (text: string): string | undefined =>
      /^(?:[A-Za-z_][A-Za-z0-9_]*)?$/.test(text.trim())
        ? undefined
        : 'It must be the name of an environment variable, such as CDP_SECRET, not the secret.';
    const question = `${label}: the variable's name (Enter to skip)`;
    const name = (await ctx.prompt.input(question, { flag, check })).trim();
    if (name !== '' && !ctx.io.env[name]) {
      say(ctx, `${name} is not set yet. It is read whenever the secret is needed.`);
    }
    return name === '' ? undefined : `env:${name}`;
  }
  const line = (await ctx.prompt.input(`${label}: the command (Enter to skip)`, { flag })).trim();
  return line === '' ? undefined : `command:${line}`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
