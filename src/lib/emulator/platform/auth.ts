// Authenticates requests with the three kinds of credentials of the specification ("Authentication").
import type { Auth } from '../../contract/endpoint.ts';
import { DSR_FAILURES } from '../../contract/failures.ts';
import type { Directory } from './directory.ts';
import type { WorkspaceFixture } from '../fixtures/directory.ts';
import { refusal } from '../wire/platform-error.ts';
import type { Tokens } from '../stores/tokens.ts';
import { refuse, codedRefusal } from './envelopes.ts';

export interface Caller {
  /** The client id of a bearer token, the key of Basic credentials, or empty for the token call. */
  id: string;
  /** The workspace of Basic credentials. */
  workspace?: WorkspaceFixture;
}

/**
 * Checks the `Authorization` header for an endpoint. Throws 401 when it is missing or wrong; for seeding, wrong credentials
 * are 403.
 */
export function authenticate(auth: Auth, header: string | undefined, tokens: Tokens, directory: Directory): Caller {
  switch (auth) {
    case 'none':
      return { id: '' };
    case 'bearer':
      return bearer(header, tokens);
    case 'dsr-basic':
    case 'seeding-basic':
      return basic(header, directory, ERRORS[auth]);
  }
}

function bearer(header: string | undefined, tokens: Tokens): Caller {
  const token = /^Bearer +(\S+)$/i.exec(header ?? '')?.[1];
  const id = token === undefined ? undefined : tokens.clientOf(token);
  if (id === undefined) throw refusal(401, 'Unauthorized', { 'www-authenticate': 'Bearer' });
  return { id };
}

const CHALLENGE = { 'www-authenticate': 'Basic realm="platform", charset="UTF-8"' };

/** C has its own error envelope; E and F share another. */
const ERRORS = {
  'dsr-basic': {
    missing: () => refuse(DSR_FAILURES.unauthorized, [], CHALLENGE),
    wrong: () => refuse(DSR_FAILURES.unauthorized, [], CHALLENGE),
  },
  'seeding-basic': {
    missing: () => codedRefusal(401, 'Unauthorized', CHALLENGE),
    wrong: () => codedRefusal(403, 'Forbidden'),
  },
};

function basic(header: string | undefined, directory: Directory, errors: (typeof ERRORS)[keyof typeof ERRORS]): Caller {
  if (header === undefined) throw errors.missing();
  const encoded = /^Basic +(\S+)$/i.exec(header)?.[1] ?? '';
  const [, key = '', secret = ''] = /^([^:]*):(.*)$/su.exec(Buffer.from(encoded, 'base64').toString('utf8')) ?? [];
  const workspace = directory.workspaceOf(key, secret);
  if (!workspace) throw errors.wrong();
  return { id: key, workspace };
}

/** The workspace of a caller with Basic credentials; only for endpoints that require those. */
export function workspaceOf({ workspace }: Caller): WorkspaceFixture {
  if (!workspace) throw new TypeError('these credentials belong to no workspace');
  return workspace;
}
