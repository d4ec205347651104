// Builds a request body from flags, prompts or table rows.
import { API_VERSION, extensionKey } from '../../contract/dsr.ts';
import { EXTENSION_IDENTITY_TYPES } from '../../contract/identities.ts';

/** Values from a user or a row. Any of them may be missing: the check of the body reports missing required fields. */
export interface RequestParts {
  regulation?: string | undefined;
  subject_request_type?: string | undefined;
  subject_request_id?: string | undefined;
  submitted_time?: string | undefined;
  group_id?: string | undefined;
  status_callback_urls?: readonly string[] | undefined;
  skip_waiting_period?: boolean | undefined;
  /** Pairs of identity type and value. Extension types go into the vendor extension. */
  identities: readonly (readonly [type: string, value: string])[];
}

const extensionTypes = new Set<string>(EXTENSION_IDENTITY_TYPES);

export function isExtensionType(type: string): boolean {
  return extensionTypes.has(type);
}

const TEXT_FIELDS = ['regulation', 'subject_request_id', 'subject_request_type', 'submitted_time', 'group_id'] as const;

/** Builds the version 3 body without checking it. Callers must reject duplicate types first. */
export function composeRequest(parts: RequestParts, vendorDomain: string): Record<string, unknown> {
  const { skip_waiting_period: skip, status_callback_urls: urls } = parts;
  const own = identityMap(parts.identities, false);
  const extended = identityMap(parts.identities, true);
  // Assign the fields one by one: a bulk run creates millions of these objects, and spreading is many times slower.
  const body: Record<string, unknown> = {};
  for (const field of TEXT_FIELDS) if (parts[field] !== undefined) body[field] = parts[field];
  if (own !== undefined) body['subject_identities'] = own;
  body['api_version'] = API_VERSION;
  if (urls !== undefined && urls.length > 0) body['status_callback_urls'] = [...urls];
  if (skip !== undefined || extended !== undefined) {
    const flag = skip !== undefined && { skip_waiting_period: skip };
    const extension = { ...flag, ...(extended !== undefined && { subject_identities: extended }) };
    body['extensions'] = { [extensionKey(vendorDomain)]: extension };
  }
  return body;
}

/** Returns the identities inside or outside the vendor extension; undefined if there are none. */
function identityMap(identities: RequestParts['identities'], extension: boolean): Record<string, unknown> | undefined {
  const own = identities.filter(([type]) => isExtensionType(type) === extension);
  if (own.length === 0) return undefined;
  return Object.fromEntries(own.map(([type, value]) => [type, { value, encoding: 'raw' }]));
}
