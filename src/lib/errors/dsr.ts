// Errors of data subject requests.
import { exit } from './entry.ts';

export const DSR_ERRORS = {
  'dsr.id_taken': exit.conflict(
    'Another request already has this id.',
    'The platform already has a request with this id, for another person or of a different type, or this machine sent such a request and its outcome is unknown.',
    'Omit the id to submit the request with a new one.',
  ),
  'dsr.duplicate': exit.guard(
    'There is a recent request of the same type for the same person.',
    'The ledger on this machine contains that request. Email addresses are compared case-insensitively.',
    'Check the earlier request. To submit another request, pass --allow-duplicates.',
  ),
  'dsr.other_workspace': exit.conflict(
    'The credentials belong to a different workspace than the target.',
    'The platform derives the workspace from the key and returns it in every response.',
    'Use the key and secret of the target workspace, or pass the other workspace with --workspace.',
  ),
  'dsr.not_in_ledger': exit.notFound(
    'The request is not in the ledger on this machine.',
    'It was submitted from another machine, by another user or in another workspace, or has been pruned.',
    'Run the command on the machine that submitted the request, with the same profile.',
  ),
  'dsr.group_not_found': exit.notFound(
    'No request has this group id.',
    'The group id is wrong or belongs to another workspace.',
    'List the requests with `cdpadm dsr list`.',
  ),
  'dsr.not_pending': exit.conflict(
    'Only pending requests can be cancelled.',
    'The platform has already started, completed or cancelled the request.',
    'Omit that request. If the erasure was already forwarded to a partner, ask the partner to stop it.',
  ),
  'dsr.no_results': exit.conflict(
    'The request has no results.',
    'The request is not completed yet, or is not an access or portability request.',
    'Wait for the results with `cdpadm dsr wait`.',
  ),
  'dsr.no_records': exit.notFound(
    'The platform has no data about the person.',
    'No record matches the identities of the request.',
    'This is a valid answer to the request. If you expected data, check the identities.',
  ),
  'dsr.results_expired': exit.notFound(
    'The results are no longer available.',
    'The platform keeps results for a limited time.',
    'Submit the request again.',
  ),
  'dsr.unreachable_status': exit.conflict(
    'The request cannot reach the status that you are waiting for.',
    'The request already has a different final status, for example because it was cancelled.',
    'Check the request with `cdpadm dsr status`.',
  ),
  'dsr.bulk_again': exit.guard(
    'The content of this file was already submitted.',
    'Submitting it again could create a second request for each person.',
    'To continue the earlier run, pass --resume. To submit new requests, create new ids with `cdpadm dsr prepare`.',
  ),
  'dsr.bulk_running': exit.guard(
    'Another process is submitting this file.',
    'Both processes would submit the same rows.',
    'Wait for that process to finish, then send the remaining rows with --resume.',
  ),
  'dsr.journal': exit.failed(
    'The journal of a bulk run cannot be read.',
    'Without the journal, the program cannot tell which rows were submitted.',
    'Keep the file. To see what was sent, run `cdpadm dsr ledger export`.',
  ),
  'dsr.certificate': exit.failed(
    "The processor's certificate cannot be used.",
    "The certificate cannot be fetched, has expired, or is not the processor's. No callback was accepted.",
    'Check `cdpadm dsr discovery`, or pass the certificate with --certificate.',
  ),
  'dsr.listen': exit.failed(
    'The callback receiver cannot listen.',
    'The port is in use (exit code 6), or you do not have permission to use it.',
    'Choose another port, or pass --port 0 to use a free one.',
  ),
  'dsr.outbox_claimed': exit.conflict(
    'Another listener is delivering the callbacks of this workspace.',
    'Two listeners that share an outbox would deliver each callback twice.',
    'Stop the other listener, or give this listener its own CDPADM_STATE_DIR.',
  ),
  'dsr.no_delivery': exit.notFound(
    'No delivery has this id.',
    'The delivery succeeded or was dropped, or the id is wrong.',
    'List the deliveries with `cdpadm dsr callbacks outbox list`.',
  ),
  'ledger.key': exit.failed(
    "The ledger's key is damaged or missing.",
    'The ledger stores identities only as keyed hashes, and a new key would not recognize earlier requests.',
    'Restore the key from a backup.',
  ),
  'ledger.broken': exit.failed(
    'A line of the ledger was changed, removed or added.',
    'Each line has a hash that covers the line and the hash of the previous line. Someone edited or partly restored the file, or an earlier version of the program wrote to it.',
    'Compare the ledger with a backup. `cdpadm dsr ledger verify` lists the affected lines.',
  ),
};
