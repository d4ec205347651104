// Data subject requests, version 3: the request, its responses and discovery (specification, C).
import { REGULATIONS, REQUEST_STATUSES, REQUEST_TYPES } from './choices.ts';
import * as z from 'zod/mini';
import { parseIso } from '../kernel/timestamps.ts';
import { callbackUrlIssue, EXTENSION_PREFIX, identityIssues, OTHER_SPELLING, SENT_SPELLING } from './dsr-rules.ts';
import { endpoints } from './endpoint.ts';
import { EXTENSION_IDENTITY_TYPES, REQUEST_IDENTITY_TYPES } from './identities.ts';
import { DSR_LIMITS } from './limits.ts';
import {
  hasControlCharacter,
  Integer,
  type Keywords,
  noDuplicates,
  oneFieldOf,
  textWhere,
  Time,
  word,
} from './shared.ts';

export const API_VERSION = '3.0';
export const FORWARDING_STATUSES = ['pending', 'skipped', 'sent', 'failed'] as const;
export type ForwardingStatus = (typeof FORWARDING_STATUSES)[number];

/** Headers of responses and callbacks, in lower case. */
export const PROCESSOR_DOMAIN_HEADER = 'x-opendsr-processor-domain';
/** Base64 of the RSA-SHA256 signature over the raw body (decision: D54). */
export const SIGNATURE_HEADER = 'x-opendsr-signature';

/** The default `{vendor_domain}` (decision: D1). */
export const VENDOR_DOMAIN = 'platform.example';

export function extensionKey(vendorDomain: string): string {
  return `${EXTENSION_PREFIX}${vendorDomain}`;
}

function filledWhere(issueOf: (text: string) => string | undefined, keywords: Keywords) {
  return textWhere((text) => (text.trim() === '' ? 'is empty' : issueOf(text)), keywords);
}

const Name = filledWhere((text) => (hasControlCharacter(text) ? 'contains a control character' : undefined), {
  pattern: '^(?=.*\\S)[^\\u0000-\\u001f\\u007f-\\u009f]*$',
});

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/** Accepted in upper or lower case, and sent in lower case (decision: D51). */
export const SubjectRequestId = filledWhere((text) => (UUID_V4.test(text) ? undefined : 'is not a version 4 UUID'), {
  format: 'uuid',
  pattern: UUID_V4.source.replaceAll('a-f', 'a-fA-F').replace('[89ab]', '[89abAB]'),
}).check(z.toLowerCase());

/** Requires a time zone, because the deadline is counted from this time (decision: D53). */
const SubmittedTime = filledWhere(
  (text) =>
    parseIso(text) === undefined ? 'must be a time with a time zone, such as 2026-01-31T08:00:00Z' : undefined,
  { format: 'date-time' },
);

const CallbackUrl = filledWhere(callbackUrlIssue, { format: 'uri', pattern: '^[Hh][Tt][Tt][Pp][Ss]?:' });

const ApiVersion = textWhere(
  (text) => (text === API_VERSION ? undefined : `must be \`${API_VERSION}\`; other versions have a different body`),
  { const: API_VERSION },
);

export const IdentityEntry = z.strictObject({ value: Name, encoding: z.literal('raw') });
export type IdentityEntry = z.infer<typeof IdentityEntry>;

/** `dsr-rules.ts` checks the whole body for types that are not allowed. */
function identityMap(types: readonly string[]) {
  const keywords = { propertyNames: { enum: types }, maxProperties: DSR_LIMITS.identities };
  return z.record(z.string(), IdentityEntry).register(z.globalRegistry, keywords);
}

export const VendorExtension = z.strictObject({
  skip_waiting_period: z.optional(z.boolean()),
  subject_identities: z.optional(identityMap(EXTENSION_IDENTITY_TYPES)),
});

const ExtensionKey = filledWhere(
  (text) =>
    text.startsWith(EXTENSION_PREFIX) && text.length > EXTENSION_PREFIX.length
      ? undefined
      : `must be \`${EXTENSION_PREFIX}\` followed by a domain`,
  { pattern: '^opendsr\\.(?=.*\\S).' },
);

/** Renames `ose_publishing_id` to the spelling that discovery lists (decision: D52). */
function normalizeSpelling<Body extends { subject_identities?: Record<string, IdentityEntry> | undefined }>(
  body: Body,
): Body {
  const { [OTHER_SPELLING]: other, ...rest } = body.subject_identities ?? {};
  return other === undefined ? body : { ...body, subject_identities: { ...rest, [SENT_SPELLING]: other } };
}

/** The body of POST /requests/. `api_version` is optional in the input, but always sent. */
export const DsrRequest = z
  .strictObject({
    regulation: z.enum(REGULATIONS),
    subject_request_id: SubjectRequestId,
    subject_request_type: z.enum(REQUEST_TYPES),
    submitted_time: SubmittedTime,
    subject_identities: z.optional(identityMap(Object.keys(REQUEST_IDENTITY_TYPES))),
    api_version: z.optional(ApiVersion),
    status_callback_urls: z.optional(z.array(CallbackUrl)),
    group_id: z.optional(Name),
    /** Keyed by `opendsr.{vendor_domain}`. */
    extensions: z.optional(z.record(ExtensionKey, VendorExtension)),
  })
  .check(
    z.check(
      (context) => {
        const { issues, tooMany } = identityIssues(context.value);
        // If there are too many identities, report only that (decision: D50).
        if (tooMany) context.issues.length = 0;
        for (const { path, message, ...params } of issues) {
          context.issues.push({ code: 'custom', path, message, input: context.value, params });
        }
      },
      // This check also runs if other fields are invalid, so that all problems are reported together.
      { when: () => true },
    ),
    z.overwrite(normalizeSpelling),
  )
  .register(z.globalRegistry, oneFieldOf([], ['subject_identities', 'extensions']));
export type DsrRequest = z.infer<typeof DsrRequest>;

/** A platform may return an id in upper case. */
const ReplyId = z.string().check(z.toLowerCase());

export const CreateReply = z.looseObject({
  expected_completion_time: Time,
  received_time: Time,
  /** Base64 of the raw request body, which contains personal data. */
  encoded_request: z.nullish(z.string()),
  subject_request_id: ReplyId,
  controller_id: z.nullish(z.union([z.string(), Integer])),
});
export type CreateReply = z.infer<typeof CreateReply>;

/** The status of an erasure at one partner. An unknown status is shown, not rejected (decision: D54). */
export const ForwardingEntry = z.looseObject({
  domain: z.nullish(z.string()),
  name: z.nullish(z.string()),
  status: word(FORWARDING_STATUSES),
  status_message: z.nullish(z.string()),
});
export type ForwardingEntry = z.infer<typeof ForwardingEntry>;

/** A request, as returned by GET and the list, and as sent in callbacks (which omit `group_id`). */
export const RequestStatusReply = z.looseObject({
  controller_id: z.nullish(z.union([z.string(), Integer])),
  /** ISO 8601 in UTC; null if the request was cancelled. */
  expected_completion_time: Time,
  subject_request_id: ReplyId,
  group_id: z.nullish(z.string()),
  /** The platform may return statuses that are newer than the specification. */
  request_status: z.string().register(z.globalRegistry, { enum: REQUEST_STATUSES }),
  api_version: word([API_VERSION]),
  /** Only for a completed access or portability request; valid for seven days. */
  results_url: z.nullish(z.string()),
  extensions: z.nullish(z.array(ForwardingEntry)),
});
export type RequestStatusReply = z.infer<typeof RequestStatusReply>;
const GroupReply = z.array(RequestStatusReply).check(noDuplicates('subject_request_id'));

export const CancelReply = z.looseObject({
  expected_completion_time: Time,
  received_time: Time,
  subject_request_id: ReplyId,
  controller_id: z.nullish(z.union([z.string(), Integer])),
});
export type CancelReply = z.infer<typeof CancelReply>;

export const DiscoveryReply = z.looseObject({
  api_version: z.nullish(z.string()),
  supported_identities: z.array(z.looseObject({ identity_type: z.string(), identity_format: z.nullish(z.string()) })),
  supported_subject_request_types: z.array(z.string()),
  processor_certificate: z.string(),
});
export type DiscoveryReply = z.infer<typeof DiscoveryReply>;

export const dsrEndpoints = endpoints('dsr', 'dsr', 'dsr-basic', {
  create: {
    method: 'POST',
    path: '/requests/',
    status: 201,
    anyStatus: true,
    fails: [409],
    body: DsrRequest,
    reply: CreateReply,
    names: { body: ['keys:subject_identities', 'keys:extensions.*.subject_identities'] },
  },
  get: {
    method: 'GET',
    path: '/requests/{requestId}',
    reply: RequestStatusReply,
    about: { requestId: 'subject_request_id' },
  },
  list: { method: 'GET', path: '/requests', reply: GroupReply, query: ['group_id'] },
  cancel: {
    method: 'DELETE',
    path: '/requests/{requestId}',
    fails: [400],
    reply: CancelReply,
    about: { requestId: 'subject_request_id' },
  },
  discovery: {
    method: 'GET',
    path: '/discovery/',
    reply: DiscoveryReply,
    names: { reply: ['value:supported_identities.[].identity_type'] },
  },
  // The specification defines these two calls, but not their paths, which each platform chooses.
  results: {
    method: 'GET',
    path: '/requests/{requestId}/results',
    fails: [410],
    media: 'application/x-ndjson',
    reply: z.string(),
  },
  certificate: {
    service: 'base',
    auth: 'none',
    method: 'GET',
    path: '/certificates/processor.pem',
    media: 'application/x-pem-file',
    reply: z.string().check(z.regex(/^-----BEGIN CERTIFICATE/)),
  },
});
