// Access tokens, opaque and stored as hashes. They expire on the platform's clock and survive a restart.
import { createHash, randomBytes } from 'node:crypto';
import { TOKEN_LIFETIME_SECONDS } from '../../contract/limits.ts';
import type { PlatformClock } from '../base/clock.ts';
import { type Database, openTable } from '../base/db.ts';

export const tokenMigrations = [
  'CREATE TABLE tokens (hash TEXT PRIMARY KEY, client_id TEXT NOT NULL, expires_at INTEGER NOT NULL) WITHOUT ROWID',
];

export type Tokens = ReturnType<typeof createTokens>;

interface Issued {
  client_id: string;
  /** Epoch milliseconds. */
  expires_at: number;
}

export function createTokens(db: Database, clock: PlatformClock) {
  // Caches known tokens, so that a request needs neither a hash nor a query.
  const seen = new Map<string, Issued>();
  const tokens = openTable<Issued & { hash: string }>(db, 'tokens');

  return {
    issue: (clientId: string): string => {
      const token = randomBytes(32).toString('base64url');
      const expires_at = clock.now() + TOKEN_LIFETIME_SECONDS * 1000;
      tokens.insert({ hash: hashOf(token), client_id: clientId, expires_at });
      return token;
    },
    clientOf: (token: string): string | undefined => {
      const issued = seen.get(token) ?? tokens.find({ hash: hashOf(token) });
      if (!issued) return undefined;
      seen.set(token, issued);
      return clock.now() < issued.expires_at ? issued.client_id : undefined;
    },
    /** Deletes tokens that have expired by `now` (epoch ms). */
    purge: (now: number): void => {
      seen.clear();
      db.run('DELETE FROM tokens WHERE expires_at <= ?', now);
    },
  };
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}
