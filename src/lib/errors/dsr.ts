// Errors of data subject requests.
import type { ErrorEntry } from './entry.ts';

export const DSR_ERRORS = {
  'dsr.id_taken': {
    exit: 'conflict',
    summary: 'Another request already has this id.',
    explanation:
      'The platform already has a request with this id, for another person or of a different type, or this machine sent such a request and its outcome is unknown.',
    fix: 'Omit the id to submit the request with a new one.',
  },
  'dsr.duplicate': {
    exit: 'guard',
    summary: 'There is a recent request of the same type for the same person.',
    explanation: 'The ledger on this machine contains that request. Email addresses are compared case-insensitively.',
    fix: 'Check the earlier request. To submit another request, pass --allow-duplicates.',
  },
  'dsr.other_workspace': {
    exit: 'conflict',
    summary: 'The credentials belong to a different workspace than the target.',
    explanation: 'The platform derives the workspace from the key and returns it in every response.',
    fix: 'Use the key and secret of the target workspace, or pass the other workspace with --workspace.',
  },
  'dsr.not_in_ledger': {
    exit: 'notFound',
    summary: 'The request is not in the ledger on this machine.',
    explanation: 'It was submitted from another machine, by another user or in another workspace, or has been pruned.',
    fix: 'Run the command on the machine that submitted the request, with the same profile.',
  },
  'dsr.group_not_found': {
    exit: 'notFound',
    summary: 'No request has this group id.',
    explanation: 'The group id is wrong or belongs to another workspace.',
    fix: 'List the requests with `cdpadm dsr list`.',
  },
  'dsr.not_pending': {
    exit: 'conflict',
    summary: 'Only pending requests can be cancelled.',
    explanation: 'The platform has already started, completed or cancelled the request.',
    fix: 'Omit that request. If the erasure was already forwarded to a partner, ask the partner to stop it.',
  },
  'dsr.no_results': {
    exit: 'conflict',
    summary: 'The request has no results.',
    explanation: 'The request is not completed yet, or is not an access or portability request.',
    fix: 'Wait for the results with `cdpadm dsr wait`.',
  },
  'dsr.no_records': {
    exit: 'notFound',
    summary: 'The platform has no data about the person.',
    explanation: 'No record matches the identities of the request.',
    fix: 'This is a valid answer to the request. If you expected data, check the identities.',
  },
  'dsr.results_expired': {
    exit: 'notFound',
    summary: 'The results are no longer available.',
    explanation: 'The platform keeps results for a limited time.',
    fix: 'Submit the request again.',
  },
  'dsr.unreachable_status': {
    exit: 'conflict',
    summary: 'The request cannot reach the status that you are waiting for.',
    explanation: 'The request already has a different final status, for example because it was cancelled.',
    fix: 'Check the request with `cdpadm dsr status`.',
  },
  'dsr.bulk_again': {
    exit: 'guard',
    summary: 'The content of this file was already submitted.',
    explanation: 'Submitting it again could create a second request for each person.',
    fix: 'To continue the earlier run, pass --resume. To submit new requests, create new ids with `cdpadm dsr prepare`.',
  },
  'dsr.bulk_running': {
    exit: 'guard',
    summary: 'Another process is submitting this file.',
    explanation: 'Both processes would submit the same rows.',
    fix: 'Wait for that process to finish, then send the remaining rows with --resume.',
  },
  'dsr.journal': {
    exit: 'failed',
    summary: 'The journal of a bulk run cannot be read.',
    explanation: 'Without the journal, the program cannot tell which rows were submitted.',
    fix: 'Keep the file. To see what was sent, run `cdpadm dsr ledger export`.',
  },
  'dsr.certificate': {
    exit: 'failed',
    summary: "The processor's certificate cannot be used.",
    explanation: "The certificate cannot be fetched, has expired, or is not the processor's. No callback was accepted.",
    fix: 'Check `cdpadm dsr discovery`, or pass the certificate with --certificate.',
  },
  'dsr.listen': {
    exit: 'failed',
    summary: 'The callback receiver cannot listen.',
    explanation: 'The port is in use (exit code 6), or you do not have permission to use it.',
    fix: 'Choose another port, or pass --port 0 to use a free one.',
  },
  'dsr.outbox_claimed': {
    exit: 'conflict',
    summary: 'Another listener is delivering the callbacks of this workspace.',
    explanation: 'Two listeners that share an outbox would deliver each callback twice.',
    fix: 'Stop the other listener, or give this listener its own CDPADM_STATE_DIR.',
  },
  'dsr.no_delivery': {
    exit: 'notFound',
    summary: 'No delivery has this id.',
    explanation: 'The delivery succeeded or was dropped, or the id is wrong.',
    fix: 'List the deliveries with `cdpadm dsr callbacks outbox list`.',
  },
  'ledger.key': {
    exit: 'failed',
    summary: "The ledger's key is damaged or missing.",
    explanation:
      'The ledger stores identities only as keyed hashes, and a new key would not recognize earlier requests.',
    fix: 'Restore the key from a backup.',
  },
  'ledger.broken': {
    exit: 'failed',
    summary: 'A line of the ledger was changed, removed or added.',
    explanation:
      'Each line has a hash that covers the line and the hash of the previous line. Someone edited or partly restored the file, or an earlier version of the program wrote to it.',
    fix: 'Compare the ledger with a backup. `cdpadm dsr ledger verify` lists the affected lines.',
  },
} as const satisfies Record<string, ErrorEntry>;
