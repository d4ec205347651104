// Forwards erasure requests to partners: the status of each, from queued to its final one.
import type { DsrRequest } from '../../contract/dsr.ts';
import type { PartnerFixture } from '../fixtures/dsr.ts';
import type { Forwarding, StoredRequest } from '../stores/dsr.ts';

const SKIPPED_MESSAGE = 'the request has none of the identities that the partner needs';

/** The first status of each partner: pending, or skipped for missing identities. Null without anything to forward. */
export function startForwarding(
  workspace: number,
  body: DsrRequest,
  partners: readonly PartnerFixture[],
): Forwarding[] | null {
  const own = partners.filter((partner) => partner.workspace_id === undefined || partner.workspace_id === workspace);
  if (body.subject_request_type !== 'erasure' || own.length === 0) return null;
  const given = new Set(identityTypes(body));
  return own.map(({ domain, name, identity_types: needed }) =>
    needed && !needed.some((type) => given.has(type))
      ? { domain, name, status: 'skipped', status_message: SKIPPED_MESSAGE }
      : { domain, name, status: 'pending' },
  );
}

/** Gives every pending partner its final status from the fixtures. */
export function finishForwarding(
  entries: readonly Forwarding[],
  { workspace }: StoredRequest,
  partners: readonly PartnerFixture[],
): Forwarding[] {
  return entries.map((entry) => {
    if (entry.status !== 'pending') return entry;
    const partner = partners.find(
      ({ domain, name, workspace_id }) =>
        domain === entry.domain && name === entry.name && (workspace_id ?? workspace) === workspace,
    );
    // The fixtures may have changed since the request arrived.
    if (!partner) return { ...entry, status: 'failed', status_message: 'the partner is no longer configured' };
    const { status, status_message } = partner;
    return { ...entry, status, ...(status_message !== undefined && { status_message }) };
  });
}

/** Skips pending partners and keeps the status of the others. */
export function cancelForwarding(entries: readonly Forwarding[]): Forwarding[] {
  return entries.map((entry) =>
    entry.status === 'pending'
      ? { ...entry, status: 'skipped', status_message: 'the request was cancelled before it was forwarded' }
      : entry,
  );
}

function identityTypes({ subject_identities = {}, extensions = {} }: DsrRequest): string[] {
  return [
    ...Object.keys(subject_identities),
    ...Object.values(extensions).flatMap((extension) => Object.keys(extension.subject_identities ?? {})),
  ];
}
