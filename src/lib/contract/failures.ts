// The specification's refusals: status and sentence, verbatim. The emulator answers with them; the client decides by
// status and never by a sentence alone.

export interface Failure {
  readonly status: number;
  readonly message: string;
}

/** A. Custom roles (specification, "Errors", A). */
export const ROLE_FAILURES = {
  assigned: { status: 400, message: 'Custom role is assigned to a user and may not be deleted' },
  invalidField: {
    status: 400,
    message: 'Name, description, or ID field is empty, exceeds max length, or has restricted characters',
  },
  tasksNotFound: { status: 400, message: 'Tasks not found' },
  invalidJson: { status: 400, message: 'Invalid JSON syntax in custom role manifest' },
  conflict: { status: 409, message: 'Conflict' },
  rateLimited: { status: 429, message: 'Rate limit exceeded' },
} as const satisfies Record<string, Failure>;

/** C. Data subject requests (specification, "Errors", C; the last three are ours, decision: D50). */
export const DSR_FAILURES = {
  invalid: { status: 400, message: 'invalid data detected' },
  xpidWithOthers: { status: 400, message: '`xpid` given together with any other identity' },
  exists: { status: 400, message: 'subject request already exists' },
  unauthorized: { status: 401, message: 'invalid credentials' },
  notFound: { status: 404, message: 'subject request id not found' },
  sameInProgress: {
    status: 409,
    message: 'an in-progress request with the same identities, extensions and type exists',
  },
  rateLimited: { status: 429, message: 'too many requests' },
  notPending: { status: 400, message: 'only a pending subject request can be cancelled' },
  noRecords: { status: 404, message: 'no records match the identities of the subject request' },
  resultsExpired: { status: 410, message: 'the results are no longer available' },
} as const satisfies Record<string, Failure>;
