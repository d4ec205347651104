// The lines of the ledger, and the request that they combine into.
import * as z from 'zod/mini';
import { SignatureFacts } from '../callbacks/verify.ts';

/** User and machine; lines from earlier versions lack both. */
const actor = { by: z.exactOptional(z.string()), host: z.exactOptional(z.string()) };
const text = z.exactOptional(z.string());
const textOrNull = z.exactOptional(z.nullable(z.string()));

/** Fields of a request, recorded just before it is sent. */
const Submission = z.object({
  /** ISO 8601, as in all lines. */
  at: z.string(),
  profile: z.nullable(z.string()),
  regulation: z.string(),
  subject_request_type: z.string(),
  submitted_time: z.string(),
  skip_waiting_period: z.boolean(),
  group_id: z.nullable(z.string()),
  /** Keyed hashes by identity type. */
  identities: z.record(z.string(), z.string()),
  /** Keyed, because a plain digest would let anyone guess the identities in the body. Absent in earlier versions. */
  request_digest: text,
});
const Download = z.object({ at: z.string(), sha256: z.string(), bytes: z.int(), content_type: z.string() });
/** The platform has no results: no records match (404), or the results have expired (410). */
const NoResults = z.object({ at: z.string(), http_status: z.int() });
/** A message stored by --keep; `file` is its path without the file extensions. */
const Kept = z.object({ at: z.string(), file: z.string(), headers_sha256: z.string(), body_sha256: z.string() });
/** Set by a user: whether the subject has been answered, or the new deadline (ISO 8601). */
const Mark = z.object({
  at: z.string(),
  answered: z.exactOptional(z.boolean()),
  /** The request in the platform's response is not the one that was sent. */
  differs: z.exactOptional(z.literal(true)),
  extended: text,
  reason: text,
});
/** `http_status` is the rejection's status. */
const seen = {
  status: z.string(),
  at: z.string(),
  source: z.string(),
  http_status: z.exactOptional(z.int()),
  ...actor,
};

/** A request in the ledger. All fields but the id are optional, because a callback may be the only source. */
export const LedgerRequest = z.object({
  id: z.string(),
  at: text,
  ...actor,
  profile: textOrNull,
  /** `local` for the embedded platform, whose port changes. */
  address: text,
  workspace_id: text,
  regulation: text,
  subject_request_type: text,
  submitted_time: text,
  skip_waiting_period: z.exactOptional(z.boolean()),
  group_id: textOrNull,
  identities: z.exactOptional(Submission.shape.identities),
  request_digest: text,
  /** Time of the last retry while the outcome was unknown. */
  resent_at: text,
  /** Hashes used to compare people, if they differ from `identities`. */
  compared: z.exactOptional(Submission.shape.identities),
  status: text,
  expected_completion_time: textOrNull,
  received_time: textOrNull,
  /** Legal deadline, or the latest valid extension. */
  deadline: text,
  /** True if the subject was answered, certainly or probably; false if a user withdrew the answer. */
  answered: z.exactOptional(z.boolean()),
  /** Null if the answer was withdrawn or its time is unknown. */
  answered_at: textOrNull,
  states: z.array(z.object(seen)),
  /** All signed messages, even those whose status was already known. */
  signatures: z.exactOptional(z.array(z.extend(SignatureFacts, seen))),
  downloads: z.exactOptional(z.array(z.extend(Download, actor))),
  no_results: z.exactOptional(z.array(z.extend(NoResults, actor))),
  marks: z.exactOptional(z.array(z.extend(Mark, actor))),
  kept: z.exactOptional(z.array(z.extend(Kept, actor))),
});
export type LedgerRequest = z.infer<typeof LedgerRequest>;

type Times = Pick<LedgerRequest, 'expected_completion_time' | 'received_time'> & { signature?: SignatureFacts };
interface News<Kind extends string> {
  event: Kind;
  id: string;
}

/** A request, recorded just before it is submitted. A bulk run records it after the response, with its status. */
export type SubmittedNews = News<'submitted'> &
  z.infer<typeof Submission> &
  Pick<LedgerRequest, 'compared' | 'status'> &
  Times;
/** A new status and its source, with the facts about the signature if a signed message reported the status. */
export type StateNews = News<'state'> &
  Times & { at: string; status: string; source: 'submit' | 'status' | 'cancel' | 'callback'; http_status?: number };
export type LedgerNews =
  | SubmittedNews
  | StateNews
  | (News<'downloaded'> & z.infer<typeof Download>)
  | (News<'no_results'> & z.infer<typeof NoResults>)
  | (News<'marked'> & z.infer<typeof Mark>)
  | (News<'kept'> & z.infer<typeof Kept>);
type Actor = Pick<LedgerRequest, 'by' | 'host'>;
/** The ledger adds the user, the machine and the workspace. Lines from earlier versions lack some of these fields. */
export type LedgerEvent = LedgerNews & Actor & Pick<LedgerRequest, 'address' | 'workspace_id'>;

type Person = Pick<LedgerRequest, 'identities' | 'compared'>;

/** Returns one key per normalized identity. Requests for the same person share a key (decision: D278). */
export function personKeys({ compared, identities }: Person): string[] {
  return Object.entries({ ...identities, ...compared }).map((pair) => pair.join(' '));
}

export function isSamePerson(a: Person, b: Person): boolean {
  const keys = personKeys(b);
  return personKeys(a).some((key) => keys.includes(key));
}

/** Returns the keyed hashes of the identities, on one line. */
export function identitiesText({ identities = {} }: Pick<LedgerRequest, 'identities'>): string {
  const pairs = Object.entries(identities).map((pair) => pair.join('='));
  return pairs.join('; ');
}
