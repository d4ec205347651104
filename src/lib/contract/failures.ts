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
