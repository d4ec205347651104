// Stores keyed hashes of sent secrets to detect changes, because the platform never returns a secret.
import { createHash, createHmac, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { readPrivateFile, removeFile, writePrivateFile } from '../../kernel/durable.ts';
import { withLock } from '../../kernel/lock.ts';
import type { Context } from '../context.ts';
import { lastingAddress, lastingAudience } from '../target.ts';
import { tokenFileName } from '../../http/call/token.ts';
import { KnownError } from '../../kernel/errors.ts';
import { readRecord } from '../../kernel/json.ts';

export type SecretMemory = Awaited<ReturnType<typeof openSecretMemory>>;

/** Returns the key of the stored hash of a secret: `connection/crm/config.password`. */
export function secretKey(type: string, id: string, path: string): string {
  return `${type}/${id}/${path}`;
}

interface Kept {
  key: string;
  sent: Record<string, string>;
}

export async function openSecretMemory(ctx: Context) {
  const settings = await ctx.settings();
  const scope = {
    workspace: String(settings.needInteger('workspace_id')),
    address: lastingAddress(settings, 'base_url'),
  };
  const name = createHash('sha256').update(`${scope.address}\n${scope.workspace}`).digest('hex').slice(0, 16);
  const file = join(ctx.paths.state, 'warehouse', `${name}.json`);
  let kept = read(file);
  const hash = (key: string, secret: string): string =>
    createHmac('sha256', Buffer.from(kept.key, 'hex')).update(`${key}\n${secret}`).digest('hex');
  return {
    scope,
    /** True if this machine has sent a secret with this key. */
    knows: (key: string): boolean => kept.sent[key] !== undefined,
    /** True if a different secret was sent before; undefined if this machine has not sent one. */
    isChanged: (key: string, secret: string): boolean | undefined => {
      const before = kept.sent[key];
      return before === undefined ? undefined : before !== hash(key, secret);
    },
    remember: (key: string, secret: string): void => {
      kept.sent[key] = hash(key, secret);
      writePrivateFile(file, `${JSON.stringify(kept)}\n`);
    },
    /** Runs `work` under the lock for writes to this workspace. */
    exclusively: <T>(work: () => Promise<T>): Promise<T> => {
      const fresh = (): Promise<T> => {
        // Another process may have changed the file in the meantime.
        kept = read(file);
        return work();
      };
      return withLock(`${file}.lock`, ctx.clock, fresh, ctx.signal);
    },
  };
}

/** Returns an empty record for a damaged file, because the file serves only to avoid unnecessary writes. */
function read(file: string): Kept {
  const fresh = (): Kept => ({ key: randomBytes(32).toString('hex'), sent: {} });
  try {
    const { key, sent } = readRecord<Kept>(readPrivateFile(file)) ?? {};
    return typeof key === 'string' && typeof sent === 'object' ? { key, sent: { ...sent } } : fresh();
  } catch {
    return fresh();
  }
}

/** Removes a profile's cached token, because the platform cannot revoke it. */
export async function forgetToken(ctx: Context, profile: string): Promise<void> {
  const settings = await ctx.settings(profile);
  if (!settings.get('auth_url') || !settings.get('audience') || !settings.secretOrigin('client_id')) return;
  try {
    const address = lastingAddress(settings, 'auth_url');
    const name = tokenFileName(await settings.secret('client_id'), lastingAudience(settings), address);
    removeFile(join(ctx.paths.cache, 'tokens', name));
  } catch (error) {
    // Without the profile's client id, no token can be found.
    if (!(error instanceof KnownError)) throw error;
  }
}
