// Who sends a request: the three credential kinds of the specification ("Authentication") and their refusals.
import type { Auth } from '../contract/endpoint.ts';
import type { Directory } from './directory.ts';
import type { WorkspaceFixture } from './fixtures/directory.ts';
import { refusal } from './platform-error.ts';
import type { Tokens } from './stores/tokens.ts';

export interface Caller {
  /** The client id of a bearer token, the key of Basic credentials, empty where none are asked for. */
  id: string;
  /** The workspace of Basic credentials. */
  workspace?: WorkspaceFixture;
}

/**
 * Checks the `Authorization` header against what an endpoint asks for. Throws 401 when it is missing or wrong; for
 * seeding, present but wrong is 403.
 */
export function authenticate(auth: Auth, header: string | undefined, tokens: Tokens, directory: Directory): Caller {
  switch (auth) {
    case 'none':
      return { id: '' };
    case 'bearer':
      return bearer(header, tokens);
    case 'dsr-basic':
      return basic(header, directory, 401);
    case 'seeding-basic':
      return basic(header, directory, 403);
  }
}

function bearer(header: string | undefined, tokens: Tokens): Caller {
  const token = /^Bearer +(\S+)$/i.exec(header ?? '')?.[1];
  const id = token === undefined ? undefined : tokens.clientOf(token);
  if (id === undefined) throw refusal(401, 'Unauthorized', { 'www-authenticate': 'Bearer' });
  return { id };
}

function basic(header: string | undefined, directory: Directory, wrong: 401 | 403): Caller {
  const challenge = { 'www-authenticate': 'Basic realm="platform", charset="UTF-8"' };
  if (header === undefined) throw refusal(401, 'Unauthorized', challenge);
  const encoded = /^Basic +(\S+)$/i.exec(header)?.[1] ?? '';
  const [, key = '', secret = ''] = /^([^:]*):(.*)$/su.exec(Buffer.from(encoded, 'base64').toString('utf8')) ?? [];
  const workspace = directory.workspaceOf(key, secret);
  if (workspace) return { id: key, workspace };
  throw wrong === 401 ? refusal(401, 'Unauthorized', challenge) : refusal(403, 'Forbidden');
}

/** The workspace of a caller with Basic credentials; only the endpoints that ask for those may ask for it. */
export function workspaceOf({ workspace }: Caller): WorkspaceFixture {
  if (!workspace) throw new TypeError('these credentials belong to no workspace');
  return workspace;
}
