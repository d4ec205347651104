// Issued access tokens: opaque, kept as hashes, valid by the platform's clock, also after a restart.
import { createHash, randomBytes } from 'node:crypto';
import { TOKEN_LIFETIME_SECONDS } from '../../contract/limits.ts';
import type { PlatformClock } from '../base/clock.ts';
import type { Database } from '../base/db.ts';

export const tokenMigrations = [
  'CREATE TABLE tokens (hash TEXT PRIMARY KEY, client_id TEXT NOT NULL, expires_at INTEGER NOT NULL) WITHOUT ROWID',
];

export interface Tokens {
  /** Issues a token that lives for `TOKEN_LIFETIME_SECONDS`. */
  issue(clientId: string): string;
  /** The client of a token; undefined when it is unknown or has expired. */
  clientOf(token: string): string | undefined;
  /** Forgets what has expired by `now` (epoch ms). */
  purge(now: number): void;
}

interface Issued {
  client_id: string;
  /** Epoch milliseconds. */
  expires_at: number;
}

export function createTokens(db: Database, clock: PlatformClock): Tokens {
  // Tokens already seen, so that a request costs neither a hash nor a query.
  const seen = new Map<string, Issued>();

  function find(token: string): Issued | undefined {
    return db.get<Issued>('SELECT client_id, expires_at FROM tokens WHERE hash = ?', hashOf(token));
  }

  return {
    issue: (clientId) => {
      const token = randomBytes(32).toString('base64url');
      const expires = clock.now() + TOKEN_LIFETIME_SECONDS * 1000;
      db.run('INSERT INTO tokens (hash, client_id, expires_at) VALUES (?, ?, ?)', hashOf(token), clientId, expires);
      return token;
    },
    clientOf: (token) => {
      const issued = seen.get(token) ?? find(token);
      if (!issued) return undefined;
      seen.set(token, issued);
      return clock.now() < issued.expires_at ? issued.client_id : undefined;
    },
    purge: (now) => {
      seen.clear();
      db.run('DELETE FROM tokens WHERE expires_at <= ?', now);
    },
  };
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}
