// Who made and changed something, and when: the fields that the platform sets by itself.
import { VENDOR_DOMAIN } from '../../contract/dsr.ts';
import { isoMillis } from '../../kernel/timestamps.ts';

/** Times are ISO 8601 with milliseconds; people are e-mail addresses. */
export interface Audit {
  created_on: string;
  created_by: string;
  last_modified_on: string | null;
  last_modified_by: string | null;
}

/** The marks of something new that nobody has changed yet. `at` is epoch milliseconds. */
export function created(at: number, by: string): Audit {
  return { created_on: isoMillis(at), created_by: emailOf(by), last_modified_on: null, last_modified_by: null };
}

export function modified({ created_on, created_by }: Audit, at: number, by: string): Audit {
  return { created_on, created_by, last_modified_on: isoMillis(at), last_modified_by: emailOf(by) };
}

/** The user whom a client id or another name stands for. */
export function emailOf(name: string): string {
  return `${name}@${VENDOR_DOMAIN}`;
}
