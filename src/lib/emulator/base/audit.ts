// Audit fields that the platform sets: author and time of the creation and of the last change.
import { isoMillis } from '../../kernel/timestamps.ts';

/** Times are ISO 8601 with milliseconds; users are email addresses. */
export interface Audit {
  created_on: string;
  created_by: string;
  last_modified_on: string | null;
  last_modified_by: string | null;
}

/** Returns the audit fields of a new resource. `at` is epoch milliseconds; `by` is an email address. */
export function created(at: number, by: string): Audit {
  return { created_on: isoMillis(at), created_by: by, last_modified_on: null, last_modified_by: null };
}

export function modified({ created_on, created_by }: Audit, at: number, by: string): Audit {
  return { created_on, created_by, last_modified_on: isoMillis(at), last_modified_by: by };
}
