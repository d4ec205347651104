// Clients, organizations, accounts and workspaces of the platform. They are fixed for a run.
import type { EmulatorIdentity } from '../base/embedding.ts';
import type { DirectoryFixtures, OrganizationFixture, WorkspaceFixture } from '../fixtures/directory.ts';
import { refusal } from '../wire/platform-error.ts';

export type Directory = ReturnType<typeof createDirectory>;

/**
 * With `anySecret`, any secret is valid for the first organization's client id and for the first workspace. So are unknown
 * keys and, unless `clientId` is known, unknown client ids.
 */
export function createDirectory(
  { organizations, accounts, workspaces }: DirectoryFixtures,
  { anySecret = false, clientId: copied }: EmulatorIdentity = {},
) {
  return {
    /** The client of these platform credentials, or undefined. */
    clientOf: (clientId: string, clientSecret: string): string | undefined => {
      const known = organizations.find(({ client_id }) => client_id === clientId);
      if (known?.client_secret === clientSecret) return clientId;
      const [first] = organizations;
      const isCopied = clientId === first.client_id || (copied === undefined && !known);
      return anySecret && isCopied ? first.client_id : undefined;
    },
    /** The workspace of these Basic credentials, or undefined. */
    workspaceOf: (key: string, secret: string): WorkspaceFixture | undefined => {
      const known = workspaces.find((workspace) => workspace.key === key);
      if (known?.secret === secret) return known;
      return anySecret && (!known || known === workspaces[0]) ? workspaces[0] : undefined;
    },
    /**
     * The organization in a path. Throws 404 for an unknown organization or account, and 403 for the client of another
     * organization (decision: D90).
     */
    organizationOf: (
      { orgId, accountId }: { orgId: string; accountId: string },
      clientId: string,
    ): OrganizationFixture => {
      const organization = organizations.find(({ id }) => String(id) === orgId);
      if (!organization) throw refusal(404, `Not found: organization ${orgId}`);
      if (organization.client_id !== clientId) throw refusal(403, `Forbidden: organization ${orgId}`);
      if (!accounts.some(({ id, org_id }) => String(id) === accountId && org_id === organization.id)) {
        throw refusal(404, `Not found: account ${accountId} in organization ${orgId}`);
      }
      return organization;
    },
    /** The workspace in a path. Throws 404 for an unknown workspace and 403 for another client's. */
    workspaceInPath: (id: string, clientId: string): WorkspaceFixture => {
      const workspace = workspaces.find((candidate) => String(candidate.id) === id);
      if (!workspace) throw refusal(404, `Not found: workspace ${id}`);
      const account = accounts.find((candidate) => candidate.id === workspace.account_id);
      const organization = organizations.find((candidate) => candidate.id === account?.org_id);
      if (organization?.client_id !== clientId) throw refusal(403, `Forbidden: workspace ${id}`);
      return workspace;
    },
  };
}
