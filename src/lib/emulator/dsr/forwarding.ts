// How erasure requests are forwarded to partners: what is told of each, from the queue to where it ends.
import type { DsrRequest } from '../../contract/dsr.ts';
import type { PartnerFixture } from '../fixtures/dsr.ts';
import type { Forwarding, StoredRequest } from '../stores/dsr.ts';

const SKIPPED_MESSAGE = 'the request holds none of the identities that the partner needs';

/** What is told at first: queued, or skipped for missing identities. Null where there is nothing to forward. */
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

/** Every queued partner reaches the status that the fixtures say. */
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
    // Other fixtures may have been given since the request came in.
    if (!partner) return { ...entry, status: 'failed', status_message: 'the partner is no longer configured' };
    const { status, status_message } = partner;
    return { ...entry, status, ...(status_message !== undefined && { status_message }) };
  });
}

/** What was sent stays sent; what was still queued goes nowhere. */
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
