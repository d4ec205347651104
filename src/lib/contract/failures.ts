// The specification's error responses (status and message, verbatim), and a few of our own. The emulator sends them.
// The client relies on the status, never on a message alone.

export interface Failure {
  readonly status: number;
  readonly message: string;
}

/**
 * True for a temporary 5xx, after which the outcome is unknown. Also true for 408 and 425, which a proxy may send after
 * forwarding the request. 501 is permanent, and 505 means that the warehouse could not be reached (decision: D9).
 */
export function isServerTrouble(status: number): boolean {
  return (status >= 500 && status !== 501 && status !== 505) || status === 408 || status === 425;
}

/** Custom roles (specification, "Errors", A). */
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

/** Data subject requests (specification, "Errors", C; the last three are ours, decision: D50). */
export const DSR_FAILURES = {
  invalid: { status: 400, message: 'invalid data detected' },
  notAlone: { status: 400, message: '`xpid` given together with any other identity' },
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

/** Group identities (specification, "Errors", B; decision: D61). */
export const GROUP_FAILURES = {
  notFound: { status: 404, message: 'Not found' },
  unprocessable: { status: 422, message: 'Unprocessable entity' },
  invalidJson: { status: 400, message: 'Invalid JSON syntax in group definition' },
} as const satisfies Record<string, Failure>;

/** Warehouse sync (specification, "Errors", D). */
export const WAREHOUSE_FAILURES = {
  invalidRequest: { status: 400, message: 'Creation failed through a request error or unprocessable entity' },
  invalidSql: { status: 400, message: 'Invalid SQL' },
  planNotActive: { status: 400, message: 'Data plan is not active' },
  transformationOfUsers: { status: 400, message: 'Field transformation id sent with a user pipeline' },
  notIdle: { status: 400, message: 'Pipeline is not idle' },
  wouldReset: { status: 400, message: 'The modification would reset the pipeline' },
  inUse: { status: 400, message: 'Resource is in use' },
  notFound: { status: 404, message: 'Resource not found' },
  planNotFound: { status: 404, message: 'Data plan does not exist in the workspace' },
  planWithoutVersion: { status: 404, message: 'Data plan given without a version' },
  unreachable: {
    status: 505,
    message: 'Failed to connect to the warehouse account (credentials, account, region, warehouse or database wrong)',
  },
} as const satisfies Record<string, Failure>;

const UNCHECKED = "Not checked: the warehouse's dialect may allow it. SQLite, which runs queries here, does not: ";

/** Matches SQLite errors about SQL that another dialect may allow. Other errors are about tables and columns. */
const ABOUT_DIALECT =
  /syntax error|incomplete input|unrecognized token|parser stack overflow|no such function|arguments to function/;

/** The embedded platform's note about SQL that may be valid in another dialect (decision: D68). */
export const uncheckedSql = {
  notesOn: (complaint = ''): string[] => (ABOUT_DIALECT.test(complaint) ? [UNCHECKED + complaint] : []),
  complaintIn: (message: string): string | undefined => message.split(UNCHECKED)[1],
};
