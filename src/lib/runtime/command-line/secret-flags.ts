// Flags for the location of a secret. Secrets themselves are never accepted on the command line.
import { usageError } from '../../kernel/errors.ts';
import { streamBytes } from '../../kernel/stream-bytes.ts';
import type { Context } from '../context.ts';
import type { FlagSpec } from './define-command.ts';

/** The longest secret is a service key: a JSON document. */
const MAX_SECRET_BYTES = 64 * 1024;

type Flags = Readonly<Record<string, unknown>>;

type Given = Partial<Record<'client_id' | 'client_secret' | 'workspace_key' | 'workspace_secret', string>>;

const SECRETS = [
  { name: 'client_secret', key: 'clientSecret', stem: '--client-secret', label: 'client secret' },
  { name: 'workspace_secret', key: 'workspaceSecret', stem: '--workspace-secret', label: 'workspace secret' },
] as const;

/** Returns a secret's flags. The flag for the secret itself exists only to be rejected without echoing its value. */
const placesOf = <Key extends string>(key: Key, label: string) =>
  ({
    [`${key}Env`]: { value: 'name', help: `environment variable that holds the ${label}` },
    [`${key}Command`]: { value: 'line', help: `command that prints the ${label}; run in a shell when needed` },
    [`${key}Stdin`]: { help: `read the ${label} from standard input` },
    [key]: { value: 'value', help: '', hidden: true },
  }) as Record<Key | `${Key}Command` | `${Key}Env`, FlagSpec & { value: string }> & Record<`${Key}Stdin`, FlagSpec>;

export const secretFlags = {
  clientId: { value: 'id', help: 'client id of the platform credentials' },
  workspaceKey: { value: 'place', help: 'location of the workspace key: env:NAME, command:LINE or keychain:ENTRY' },
  ...placesOf('clientSecret', 'client secret'),
  ...placesOf('workspaceSecret', 'workspace secret'),
  insecureStorage: { help: 'keep secrets in a private file instead of the keychain' },
} as const satisfies Record<string, FlagSpec>;

/** Throws KnownError usage (2) for a secret passed as a value, or for two locations of one secret. */
export async function readSecretFlags(ctx: Context, flags: Flags): Promise<{ references: Given; typed: Given }> {
  for (const { key, label, stem } of SECRETS) if (flags[key] !== undefined) refuseValue(ctx, flags[key], stem, label);
  const references: Given = {};
  const typed: Given = {};
  const { clientId, workspaceKey } = flags;
  if (typeof clientId === 'string') references.client_id = clientId.trim();
  if (typeof workspaceKey === 'string') references.workspace_key = checkReference(ctx, workspaceKey.trim());
  if (SECRETS.every(({ key }) => flags[`${key}Stdin`] === true))
    throw usageError('Standard input can provide only one secret.', `Use ${alternatives('--workspace-secret')}.`);
  for (const { key, name, stem } of SECRETS) {
    const { [`${key}Env`]: variable, [`${key}Command`]: line, [`${key}Stdin`]: isPiped } = flags;
    const given = Object.entries({ env: variable, command: line, stdin: isPiped }).flatMap(([kind, value]) =>
      value === undefined ? [] : [`${stem}-${kind}`],
    );
    if (given.length > 1) throw usageError(`${given.join(' and ')} cannot be combined.`);
    if (typeof variable === 'string') {
      // The message does not repeat the text, because it may be the secret itself.
      if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(variable))
        throw usageError(`${stem}-env must be the name of an environment variable, such as CDP_SECRET, not a secret.`);
      references[name] = `env:${variable}`;
    }
    if (typeof line === 'string') {
      if (line.trim() === '') throw usageError(`${stem}-command must be a command line, such as "pass show cdp/prod".`);
      references[name] = `command:${line.trim()}`;
    }
    if (isPiped !== undefined) typed[name] = await readSecret(ctx, `${stem}-stdin`);
  }
  return { references, typed };
}

function refuseValue(ctx: Context, value: unknown, stem: string, label: string): never {
  if (typeof value === 'string') ctx.redactor.add(value);
  throw usageError(
    `${stem} does not accept a value: every program on this machine can read the command line.`,
    `Use ${alternatives(stem)}, or omit it to be prompted on a terminal. ` +
      `If this was the real ${label}, it may now be in your shell history: rotate it.`,
  );
}

function alternatives(stem: string): string {
  return `${stem}-env NAME, ${stem}-command LINE or ${stem}-stdin`;
}

/** The workspace key is as secret as the workspace secret. */
function checkReference(ctx: Context, reference: string): string {
  if (/^(env|command|keychain):./.test(reference)) return reference;
  ctx.redactor.add(reference);
  throw usageError(
    '--workspace-key accepts the location of the key, not the key: every program on this machine can read the command line.',
    'Use --workspace-key env:NAME or command:LINE, or omit it to be prompted on a terminal.',
  );
}

async function readSecret(ctx: Context, flag: string): Promise<string> {
  if (ctx.io.tty.stdin) {
    throw usageError(
      `${flag} reads from a pipe or a file, not from the terminal.`,
      'Omit it to be prompted without echo.',
    );
  }
  // Read up to the end of the first line, or up to the maximum length of a secret.
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const bytes of streamBytes(ctx.io.stdin, ctx.signal)) {
    chunks.push(bytes);
    size += bytes.length;
    if (size > MAX_SECRET_BYTES || bytes.includes(0x0a)) break;
  }
  const secret = (Buffer.concat(chunks).toString('utf8').split(/\r?\n/, 1)[0] ?? '').trim();
  if (secret === '') throw usageError(`${flag} read an empty first line from standard input.`);
  return secret;
}
