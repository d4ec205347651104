// The questions that `profile create` asks on a terminal for what no flag gave.
import { KnownError } from '../../lib/kernel/errors.ts';
import type { Context } from '../../lib/runtime/context.ts';
import type { Finding } from '../../lib/runtime/checks/machine.ts';
import { wrapMessage } from '../../lib/render/width.ts';
import { type Draft, type Field, FIELDS, type Profiles, type SettingName } from './fields.ts';

/** Whether what is typed can be kept where the draft says; where it cannot, the person was told what can be done. */
type Keeping = () => Promise<boolean>;

type SecretName = 'client_secret' | 'workspace_key' | 'workspace_secret';

/** Probes a typed address before it is accepted. */
export type AddressProbe = (address: string) => Promise<Pick<Finding, 'status' | 'detail' | 'fix'>>;

/** An address, what it is for, and what the commands behind it need besides. */
interface Area {
  address: SettingName;
  /** The commands that cannot be used without the address. */
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

/** What the workspace's key and secret are for, with the platform's client having no part in it. */
const WORKSPACE: readonly Area[] = [
  { address: 'dsr_base_url', commands: 'dsr', needs: [{ name: 'vendor_domain', commands: 'dsr' }] },
  {
    address: 'seeding_url',
    commands: 'seed and intake event',
    needs: [{ name: 'workspace_id', commands: 'seeds from CSV and Parquet' }],
  },
  { address: 'identity_url', commands: 'intake identify', needs: [] },
];

/** What all questions are asked with. */
interface Asking {
  ctx: Context;
  profiles: Profiles;
  draft: Draft;
  probe: AddressProbe;
  canKeep: Keeping;
  /** The less usual settings too. */
  all: boolean;
}

/** Whether the profile leads anywhere. */
export function hasAddress({ profile }: Draft): boolean {
  return FIELDS.some(({ name }) => name.endsWith('_url') && profile[name] !== undefined);
}

/**
 * Completes the draft, area by area: first its address, and only where there is one the ids and credentials that its
 * commands need. Every answer may be left out with Enter but the last address of a profile that would have none. With
 * `all` the less usual settings are asked for too. Where there is no keychain, a secret is not asked for itself but for
 * its place.
 */
export async function askForMissing(
  ctx: Context,
  profiles: Profiles,
  draft: Draft,
  { all, probe }: Pick<Asking, 'all' | 'probe'>,
): Promise<void> {
  let found: Promise<boolean> | undefined;
  const canKeep: Keeping = () => (found ??= findStorage(ctx, profiles, draft));
  const asking: Asking = { ctx, profiles, draft, probe, canKeep, all };
  if (all) {
    say(ctx, 'Leave out with Enter what you do not use; Ctrl-C ends without a profile.');
    // Said before the first question: who wants the keychain stops here and unlocks it.
    await canKeep();
  }
  await askArea(asking, PLATFORM, !all);
  if (draft.profile.base_url !== undefined && draft.profile.auth_url !== undefined) await askClient(asking);
  if (!all) return;
  for (const area of WORKSPACE) await askArea(asking, area, area === WORKSPACE.at(-1));
  if (WORKSPACE.some(({ address }) => draft.profile[address] !== undefined)) await askWorkspaceCredentials(asking);
  if (draft.profile.environment === undefined) await askEnvironment(ctx, draft);
}

/** `isLast`: no other address is asked for after this one. */
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
      await askField(asking, field, { hint: `${hint}; Enter to leave out` });
      continue;
    }
    await askNeededAddress(asking, field, hint, commands);
    if (draft.profile[need.name] !== undefined) continue;
    // Without the token service the other answers have no use.
    sayLeftOut(ctx, commands);
    return;
  }
}

/** Enter alone does not give up all of `commands`: one question follows, and then the address is asked for again. */
async function askNeededAddress(asking: Asking, field: Field, hint: string, commands: string): Promise<void> {
  const { ctx, draft } = asking;
  await askAddress(asking, field, false, hint);
  if (draft.profile[field.name] !== undefined) return;
  if (await ctx.prompt.ask(`Leave out ${commands}?`, false, { flag: field.flag })) return;
  await askAddress(asking, field, false, `${hint}; Enter to leave them out`);
}

function fieldOf(name: SettingName): Field {
  const field = FIELDS.find((one) => one.name === name);
  if (!field) throw new TypeError(`there is no question for ${name}`);
  return field;
}

/** A line between the questions. */
function say(ctx: Context, text: string): void {
  ctx.out.show((_style, width) => wrapMessage(text, width));
}

function sayLeftOut(ctx: Context, commands: string): void {
  say(ctx, `Left out: ${commands} cannot be used with this profile.`);
}

async function findStorage(ctx: Context, profiles: Profiles, { storage }: Draft): Promise<boolean> {
  try {
    await profiles.checkStorage(storage);
    return true;
  } catch (error) {
    if (!(error instanceof KnownError) || error.code !== 'secrets.keychain') throw error;
    ctx.out.warn(
      `${error.message} You will be asked where each secret is: in an environment variable, or behind a command. With --insecure-storage you type it, and it is kept in a private file.`,
    );
    return false;
  }
}

/** Asks until the address answers, is kept although it does not, or is left out, which `isNeeded` refuses. */
async function askAddress(asking: Asking, field: Field, isNeeded: boolean, hint = 'Enter to leave out'): Promise<void> {
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
    // What is behind it may be in a network that is not entered yet.
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

/** What the platform's token is had with. */
async function askClient(asking: Asking): Promise<void> {
  const { ctx, draft, all } = asking;
  const { secrets = {} } = draft.profile;
  if (secrets.client_id !== undefined && !lacks(draft, 'client_secret')) return;
  if (all) say(ctx, `\nThe client's id and secret are for ${PLATFORM.commands}.`);
  if (secrets.client_id === undefined) {
    const flag = '--client-id';
    const ask = async (): Promise<string> =>
      (await ctx.prompt.input('Client id (Enter to leave out)', { flag })).trim();
    let id = await ask();
    // As for the token service: Enter alone does not give up all of these commands.
    if (id === '' && !(await ctx.prompt.ask(`Leave out ${PLATFORM.commands}?`, false, { flag }))) id = await ask();
    if (id === '') {
      sayLeftOut(ctx, PLATFORM.commands);
      return;
    }
    draft.profile.secrets = { ...secrets, client_id: id };
  }
  if (lacks(draft, 'client_secret')) await askSecret(asking, 'client_secret', '--client-secret-env NAME');
  if (lacks(draft, 'client_secret')) {
    say(ctx, `No client secret yet: ${PLATFORM.commands} can be used once \`auth login\` has stored it.`);
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
  const secret = (await ctx.prompt.secret(`${label} (${keptIn(draft)}; Enter to leave out)`, { flag })).trim();
  if (secret !== '') draft.typed[name] = secret;
}

/** `env:NAME` or `command:LINE`; undefined where it is left out. */
async function askReference(ctx: Context, label: string, flag: string): Promise<string | undefined> {
  const kind = await ctx.prompt.select(
    `Where is the ${label.toLowerCase()}?`,
    [
      { value: 'env', label: 'in an environment variable' },
      { value: 'command', label: 'in the output of a command, such as a password manager' },
      { value: 'none', label: 'leave it out for now' },
    ],
    { initial: 'env', flag },
  );
  if (kind === 'none') return undefined;
  if (kind === 'env') {
    // What is wrong is not repeated: it may be the secret itself.
    const check = (text: string): string | undefined =>
      /^(?:[A-Za-z_][A-Za-z0-9_]*)?$/.test(text.trim())
        ? undefined
        : 'It must be the name of an environment variable, such as CDP_SECRET, not the secret.';
    const question = `${label}: the variable's name (Enter to leave out)`;
    const name = (await ctx.prompt.input(question, { flag, check })).trim();
    if (name !== '' && !ctx.io.env[name]) {
      say(ctx, `${name} is not set yet. It is read whenever the secret is needed.`);
    }
    return referenceTo('env', name);
  }
  return referenceTo('command', await ctx.prompt.input(`${label}: the command (Enter to leave out)`, { flag }));
}

function referenceTo(kind: 'env' | 'command', text: string): string | undefined {
  return text.trim() === '' ? undefined : `${kind}:${text.trim()}`;
}

function keptIn({ storage }: Draft): string {
  return `kept in ${storage === 'keychain' ? 'the keychain' : 'a private file'}`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
