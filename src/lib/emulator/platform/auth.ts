// The platform's clients and workspaces, fixed while it runs, and the three kinds of credentials ("Authentication").
import type { Auth } from '../../contract/endpoint.ts';
import { DSR_FAILURES } from '../../contract/failures.ts';
import type { Fixtures, WorkspaceFixture } from '../fixtures/document.ts';
import { rejection, reject } from '../wire/platform-error.ts';
import type { Tokens } from '../stores/tokens.ts';
import type { EmulatorIdentity } from '../base/embedding.ts';

export type Directory = ReturnType<typeof createDirectory>;

/**
 * If `anySecret` is set, any secret is valid for the first organization's client id and for the first workspace.
 * Unknown keys are also valid, as are unknown client ids unless `clientId` is set.
 */
export function createDirectory(
  { organizations, accounts, workspaces }: Fixtures,
  { anySecret = false, clientId: copied }: EmulatorIdentity = {},
) {
  return {
    /** Returns the client id for these platform credentials; undefined if they are invalid. */
    clientOf: (clientId: string, clientSecret: string): string | undefined => {
      const known = organizations.find(({ client_id }) => client_id === clientId);
      if (known?.client_secret === clientSecret) return clientId;
      const [first] = organizations;
      const isCopied = clientId === first.client_id || (copied === undefined && !known);
      return anySecret && isCopied ? first.client_id : undefined;
    },
    /** Returns the workspace for these Basic credentials; undefined if they are invalid. */
    workspaceOf: (key: string, secret: string): WorkspaceFixture | undefined => {
      const known = workspaces.find((workspace) => workspace.key === key);
      if (known?.secret === secret) return known;
      return anySecret && (!known || known === workspaces[0]) ? workspaces[0] : undefined;
    },
    /** Returns the organization's id. Throws 404 for an unknown organization or account, and 403 for another client's organization (decision: D90). */
    organizationInPath: ({ orgId, accountId }: { orgId: string; accountId: string }, clientId: string): number => {
      const organization = organizations.find(({ id }) => String(id) === orgId);
      if (!organization) throw rejection(404, `Not found: organization ${orgId}`);
      if (organization.client_id !== clientId) throw rejection(403, `Forbidden: organization ${orgId}`);
      if (!accounts.some(({ id, org_id }) => String(id) === accountId && org_id === organization.id)) {
        throw rejection(404, `Not found: account ${accountId} in organization ${orgId}`);
      }
      return organization.id;
    },
    /** Returns the workspace in a path. Throws 404 for an unknown workspace, and 403 for another client's workspace. */
    workspaceInPath: (id: string, clientId: string): WorkspaceFixture => {
      const workspace = workspaces.find((candidate) => String(candidate.id) === id);
      if (!workspace) throw rejection(404, `Not found: workspace ${id}`);
      const account = accounts.find((candidate) => candidate.id === workspace.account_id);
      const organization = organizations.find((candidate) => candidate.id === account?.org_id);
      if (organization?.client_id !== clientId) throw rejection(403, `Forbidden: workspace ${id}`);
      return workspace;
    },
  };
}

export interface Caller {
  /** Client id of a bearer token, or key of Basic credentials; empty if the endpoint requires no credentials. */
  id: string;
  workspace?: WorkspaceFixture;
}

/** Checks the `Authorization` header. Throws 401 if it is missing or invalid (403 for invalid seeding credentials). */
export function authenticate(
  auth: Auth,
  header: string | undefined,
  { tokens, directory }: { tokens: Tokens; directory: Directory },
): Caller {
  if (auth === 'none') return { id: '' };
  if (auth === 'bearer') {
    const token = /^Bearer +(\S+)$/i.exec(header ?? '')?.[1];
    const id = token === undefined ? undefined : tokens.clientOf(token);
    if (id === undefined) throw rejection(401, 'Unauthorized', { 'www-authenticate': 'Bearer' });
    return { id };
  }
  const encoded = /^Basic +(\S+)$/i.exec(header ?? '')?.[1] ?? '';
  const [, key = '', secret = ''] = /^([^:]*):(.*)$/su.exec(Buffer.from(encoded, 'base64').toString('utf8')) ?? [];
  const workspace = header === undefined ? undefined : directory.workspaceOf(key, secret);
  if (workspace) return { id: key, workspace };
  const challenge = { 'www-authenticate': 'Basic realm="platform", charset="UTF-8"' };
  if (auth === 'dsr-basic') throw reject(DSR_FAILURES.unauthorized, [], challenge);
  throw header === undefined ? rejection(401, 'Unauthorized', challenge) : rejection(403, 'Forbidden');
}

/** Returns the workspace of a caller with Basic credentials. Only for endpoints that require them. */
export function workspaceOf({ workspace }: Caller): WorkspaceFixture {
  if (!workspace) throw new TypeError('these credentials do not belong to any workspace');
  return workspace;
}
