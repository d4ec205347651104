// From single values, as flags, prompts and table rows give them, to the body of a request; each identity where it belongs.
import { API_VERSION, extensionKey } from '../../contract/dsr.ts';
import { EXTENSION_IDENTITY_TYPES } from '../../contract/identities.ts';

/** What a person or a row says. Everything may be missing: what must not is told by the check of the whole body. */
export interface RequestParts {
  regulation?: string | undefined;
  subject_request_type?: string | undefined;
  subject_request_id?: string | undefined;
  submitted_time?: string | undefined;
  group_id?: string | undefined;
  status_callback_urls?: readonly string[] | undefined;
  skip_waiting_period?: boolean | undefined;
  /** Identity type and value. Extension types go into the vendor extension by themselves. */
  identities: readonly (readonly [type: string, value: string])[];
}

const extensionTypes = new Set<string>(EXTENSION_IDENTITY_TYPES);

export function isExtensionType(type: string): boolean {
  return extensionTypes.has(type);
}

/** The version 3 body, not yet checked. A type that is given twice stands once: callers refuse it before. */
export function composeRequest(parts: RequestParts, vendorDomain: string): Record<string, unknown> {
  const { identities, skip_waiting_period: skip, status_callback_urls: urls } = parts;
  const entries = (wanted: boolean): [string, unknown][] =>
    identities
      .filter(([type]) => isExtensionType(type) === wanted)
      .map(([type, value]) => [type, { value, encoding: 'raw' }]);
  const [own, extended] = [entries(false), entries(true)];
  const extension = {
    ...(skip !== undefined && { skip_waiting_period: skip }),
    ...(extended.length > 0 && { subject_identities: Object.fromEntries(extended) }),
  };
  return {
    ...given('regulation', parts.regulation),
    ...given('subject_request_id', parts.subject_request_id),
    ...given('subject_request_type', parts.subject_request_type),
    ...given('submitted_time', parts.submitted_time),
    ...(own.length > 0 && { subject_identities: Object.fromEntries(own) }),
    api_version: API_VERSION,
    ...(urls !== undefined && urls.length > 0 && { status_callback_urls: [...urls] }),
    ...given('group_id', parts.group_id),
    ...(Object.keys(extension).length > 0 && { extensions: { [extensionKey(vendorDomain)]: extension } }),
  };
}

function given(key: string, value: string | undefined): Record<string, string> {
  return value === undefined ? {} : { [key]: value };
}
