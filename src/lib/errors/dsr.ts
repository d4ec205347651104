// Errors of data subject requests.
import type { ErrorEntry } from './entry.ts';

export const DSR_ERRORS = {
  'dsr.id_taken': {
    exit: 'conflict',
    summary: 'Another request has this id.',
    explanation: 'The platform holds a request with the same id for another person or of another kind.',
    fix: 'Submit the request with a new id: leave the id out.',
  },
  'dsr.duplicate': {
    exit: 'guard',
    summary: 'A recent request of the same type is about the same person.',
    explanation:
      'The ledger of this machine has it. Identities are compared without regard to the letter case of e-mail.',
    fix: 'Check the earlier request. Pass --allow-duplicates to submit another one.',
  },
  'dsr.other_workspace': {
    exit: 'conflict',
    summary: 'The credentials belong to another workspace than the target.',
    explanation: 'The platform takes the workspace from the key, and names it in every response.',
    fix: 'Use the key and secret of the target workspace, or --workspace for the other one.',
  },
  'dsr.not_in_ledger': {
    exit: 'notFound',
    summary: 'The ledger of this machine has no such request.',
    explanation: 'It was submitted from another machine or by another user, in another workspace, or was pruned.',
    fix: 'Run the command where the request was submitted, with the same profile.',
  },
  'dsr.group_not_found': {
    exit: 'notFound',
    summary: 'No request has this group id.',
    explanation: 'The group id is wrong, or belongs to another workspace.',
    fix: 'List the requests with `cdpadm dsr list`.',
  },
  'dsr.not_pending': {
    exit: 'conflict',
    summary: 'Only pending requests can be cancelled.',
    explanation: 'The platform has started or completed the request.',
    fix: 'Leave it out. Data that was sent to a partner must be taken back there.',
  },
  'dsr.no_results': {
    exit: 'conflict',
    summary: 'The request has no results.',
    explanation: 'It is not complete yet, or is not an access or portability request.',
    fix: 'Wait with `cdpadm dsr wait`.',
  },
  'dsr.no_records': {
    exit: 'notFound',
    summary: 'The platform has no data about the person.',
    explanation: 'No record matches the identities of the request.',
    fix: 'That is an answer too. Check the identities if you expected data.',
  },
  'dsr.results_expired': {
    exit: 'notFound',
    summary: 'The results are no longer available.',
    explanation: 'The platform keeps them for a limited time.',
    fix: 'Submit the request again.',
  },
  'dsr.unreachable_status': {
    exit: 'conflict',
    summary: 'The request will not reach the awaited status.',
    explanation: 'It reached another final status, for example because it was cancelled.',
    fix: 'Check it with `cdpadm dsr status`.',
  },
  'dsr.bulk_again': {
    exit: 'guard',
    summary: 'The content of this file was submitted before.',
    explanation: 'Submitting it again could create a second request for each person.',
    fix: 'Use --resume to continue. For new requests, make new ids with `cdpadm dsr prepare`.',
  },
  'dsr.bulk_running': {
    exit: 'guard',
    summary: 'Another process is submitting this file.',
    explanation: 'Two processes would submit the same rows.',
    fix: 'Wait until it finishes, then send the remaining rows with --resume.',
  },
  'dsr.journal': {
    exit: 'failed',
    summary: 'The journal of a bulk run cannot be read.',
    explanation: 'Without it, it is not known which rows were submitted.',
    fix: 'Keep the file. `cdpadm dsr ledger export` shows what was sent.',
  },
  'dsr.certificate': {
    exit: 'failed',
    summary: 'The certificate of the processor cannot be used.',
    explanation: 'It cannot be fetched, has expired, or does not belong to the processor. No callback was accepted.',
    fix: 'Check `cdpadm dsr discovery`, or give the certificate with --certificate.',
  },
  'dsr.listen': {
    exit: 'failed',
    summary: 'The callback receiver cannot listen.',
    explanation: 'The port is in use (exit code 6), or you may not use it.',
    fix: 'Choose another port, or a free one with --port 0.',
  },
  'dsr.outbox_claimed': {
    exit: 'conflict',
    summary: 'Another listener delivers the callbacks of this workspace.',
    explanation: 'Two listeners that share an outbox would deliver each callback twice.',
    fix: 'Stop the other listener, or give this one its own CDPADM_STATE_DIR.',
  },
  'dsr.no_delivery': {
    exit: 'notFound',
    summary: 'No delivery has this id.',
    explanation: 'It was delivered or dropped, or the id is wrong.',
    fix: 'List the deliveries with `cdpadm dsr callbacks outbox list`.',
  },
  'ledger.key': {
    exit: 'failed',
    summary: 'The key of the ledger is damaged.',
    explanation: 'The ledger stores identities only as keyed hashes.',
    fix: 'Restore the key from a backup.',
  },
  'ledger.broken': {
    exit: 'failed',
    summary: 'A line of the ledger was changed, removed or added.',
    explanation:
      'Each line has a hash of itself and of the line before it. Someone edited the file, restored a part of it, or an earlier version of the program wrote to it.',
    fix: 'Compare the ledger with a backup. `cdpadm dsr ledger verify` names the lines.',
  },
} as const satisfies Record<string, ErrorEntry>;
