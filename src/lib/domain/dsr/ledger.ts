// The lines of the ledger, and how they combine into a request.
import * as z from 'zod/mini';
import { SignatureFacts } from '../callbacks/verify.ts';
import { isoSeconds, parseIso } from '../../kernel/timestamps.ts';
import { deadlineFrom } from './deadlines.ts';
import { isAdvance, isNotSubmitted, isOpen, REJECTED } from './statuses.ts';

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
/** The platform had no results: no records match (404), or they have expired (410). */
const NoResults = z.object({ at: z.string(), http_status: z.int() });
/** A message stored by --keep: its path without the extensions. */
const Kept = z.object({ at: z.string(), file: z.string(), headers_sha256: z.string(), body_sha256: z.string() });
/** Set by a user: whether the subject has the answer, or the new deadline (ISO 8601). */
const Mark = z.object({ at: z.string(), answered: z.exactOptional(z.boolean()), extended: text, reason: text });
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
  /** `local` for the embedded platform, because its port changes. */
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
  /** Hashes used to compare persons, if they differ from `identities`. */
  compared: z.exactOptional(Submission.shape.identities),
  status: text,
  expected_completion_time: textOrNull,
  received_time: textOrNull,
  states: z.array(z.object(seen)),
  /** All signed messages, even if their status was already known. */
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

/** A request, recorded just before it is sent, or by a bulk run together with the response on one line. */
export type SubmittedNews = News<'submitted'> &
  z.infer<typeof Submission> &
  Pick<LedgerRequest, 'compared' | 'status'> &
  Times;
/** A status, with the facts of the signed message that reported it. */
export type StateNews = News<'state'> &
  Times & { at: string; status: string; source: 'submit' | 'status' | 'cancel' | 'callback'; http_status?: number };
/** The results were saved to a file. */
export type DownloadedNews = News<'downloaded'> & z.infer<typeof Download>;
export type NoResultsNews = News<'no_results'> & z.infer<typeof NoResults>;
export type MarkedNews = News<'marked'> & z.infer<typeof Mark>;
export type KeptNews = News<'kept'> & z.infer<typeof Kept>;

export type LedgerNews = SubmittedNews | StateNews | DownloadedNews | NoResultsNews | MarkedNews | KeptNews;
type Actor = Pick<LedgerRequest, 'by' | 'host'>;
/** The ledger adds the user, the machine and the workspace. Lines from earlier versions lack some of these fields. */
export type LedgerEvent = LedgerNews & Actor & Pick<LedgerRequest, 'address' | 'workspace_id'>;

/** How lines combine: rules for the code that reads the file (`files/ledger.ts`). */
export const LEDGER_RULES = {
  fold: foldEvent,
  isAdvance,
  isVoid: (phase: string | undefined): boolean => phase?.split(' ').some(isNotSubmitted) === true,
};

/** True if two requests share an identity after normalization (decision: D278). */
export function isSamePerson(a: Pick<LedgerRequest, 'identities' | 'compared'>, b: typeof a): boolean {
  const [one, other] = [a, b].map(({ compared, identities }): Record<string, string> => ({
    ...identities,
    ...compared,
  }));
  return Object.entries(one ?? {}).some(([type, hash]) => other?.[type] === hash);
}

/** Returns the request after an event; undefined if the event adds nothing. */
export function foldEvent(before: LedgerRequest | undefined, event: LedgerEvent): LedgerRequest | undefined {
  const start = (): LedgerRequest => ({ states: [], ...fieldsOf(event, ...SCOPE), ...before, id: event.id });
  switch (event.event) {
    case 'submitted': {
      const { event: _kind, expected_completion_time, received_time, signature, status, ...facts } = event;
      const { status: known, ...history }: Partial<LedgerRequest> = before ?? {};
      const kept = isNotSubmitted(known) ? history : before;
      const isFirst = kept?.at === undefined || kept === history;
      const isRepeat = before !== undefined && known === undefined;
      const again = isRepeat ? { ...before, resent_at: event.at } : undefined;
      const request = isFirst ? { ...kept, ...facts, states: before?.states ?? [] } : again;
      if (status === undefined) return request;
      const { at, id } = event;
      const more = fieldsOf(event, 'expected_completion_time', 'received_time', 'signature', ...SCOPE, ...ACTOR);
      return foldEvent(request ?? before, { event: 'state', id, at, status, source: 'submit', ...more }) ?? request;
    }
    case 'state': {
      const { at, signature, source } = event;
      const status = event.status === 'refused' ? REJECTED : event.status;
      const isNews = isAdvance(before?.status, status);
      const isKnown = before?.signatures?.some((known) => known.body_sha256 === signature?.body_sha256) === true;
      if (!isNews && (signature === undefined || isKnown)) return undefined;
      const seen = { status, at, source, ...fieldsOf(event, 'http_status', ...ACTOR) };
      const times = fieldsOf(event, 'expected_completion_time', 'received_time');
      return {
        ...start(),
        ...(isNews && { status, ...times, states: [...(before?.states ?? []), seen] }),
        ...(signature && !isKnown && { signatures: [...(before?.signatures ?? []), { ...signature, ...seen }] }),
      };
    }
    case 'downloaded':
    case 'no_results':
    case 'marked':
    case 'kept': {
      const { address: _address, event: kind, id: _id, workspace_id: _workspace, ...facts } = event;
      const list = LISTS[kind];
      return { ...start(), [list]: [...(before?.[list] ?? []), facts] };
    }
    default:
      // A newer version may write other kinds of lines.
      return undefined;
  }
}

const SCOPE = ['address', 'workspace_id'] as const;
const ACTOR = ['by', 'host'] as const;
const LISTS = { downloaded: 'downloads', no_results: 'no_results', marked: 'marks', kept: 'kept' } as const;

/** Returns the event's fields that have these names. */
function fieldsOf<Event, Name extends keyof Event>(event: Event, ...names: Name[]): Pick<Event, Name> {
  const fields: Partial<Event> = {};
  for (const name of names) if (event[name] !== undefined) fields[name] = event[name];
  return fields as Pick<Event, Name>;
}

/** The status after an event, for `isOpen`. A request that the platform does not have starts over when it is sent again. */
export function statusAfter(status: string | undefined, event: LedgerEvent): string | undefined {
  const before = event.event === 'submitted' && isNotSubmitted(status) ? undefined : status;
  return 'status' in event && event.status !== undefined && isAdvance(before, event.status) ? event.status : before;
}

/** Returns a request's type, status and answer, which determine whether it is due. */
export function phaseAfter(phase: string | undefined, event: LedgerEvent): string | undefined {
  const [type = '', status = '', answered = ''] = phase?.split(' ') ?? [];
  const isStart = event.event === 'submitted' && (type === '' || isNotSubmitted(status));
  const nextType = isStart ? event.subject_request_type : type;
  const nextStatus = statusAfter(status === '' ? undefined : status, event) ?? '';
  const next = [nextType, nextStatus, isAnswer(event) ?? answered];
  return next.join(' ');
}

/** True if a request in this phase still has to be answered. */
export function isPhaseDue(phase: string | undefined): boolean {
  const [type = '', status = '', answered = ''] = phase?.split(' ') ?? [];
  return isDue(type, status === '' ? undefined : status, answered === 'answered');
}

/**
 * True while the subject waits: until the request is completed or cancelled or, for access and portability, until the
 * results were downloaded or it was marked as answered. Earlier versions also accepted this mark for an erasure.
 */
export function isDue(type: string | undefined, status: string | undefined, hasAnswer: boolean): boolean {
  if (hasAnswer && type !== 'erasure') return false;
  return isOpen(status) || (status === 'completed' && (type === 'access' || type === 'portability'));
}

function isAnswer(event: LedgerEvent): 'answered' | 'waiting' | undefined {
  if (event.event === 'downloaded' || (event.event === 'state' && isOldCompletion(event))) return 'answered';
  if (event.event !== 'marked' || event.answered === undefined) return undefined;
  return event.answered ? 'answered' : 'waiting';
}

/** True for a line from a version that did not record downloads, so that there may have been one. */
function isOldCompletion({ host, status }: { status: string } & Actor): boolean {
  return status === 'completed' && host === undefined;
}

/** True if the subject has, or probably has, the answer. */
export function isAnswered(request: LedgerRequest): boolean {
  const isMarked = request.marks?.some(({ answered }) => answered !== undefined) === true;
  return answeredAt(request) !== undefined || (!isMarked && request.states.some(isOldCompletion));
}

/** Returns when the subject got the answer, if this machine knows it. */
export function answeredAt({
  downloads = [],
  marks = [],
  subject_request_type: type,
}: Pick<LedgerRequest, 'downloads' | 'marks' | 'subject_request_type'>): string | undefined {
  if (type === 'erasure') return undefined;
  const answers = [
    ...downloads.map(({ at }) => ({ at, isAnswer: true })),
    ...marks.flatMap(({ answered, at }) => (answered === undefined ? [] : [{ at, isAnswer: answered }])),
  ].sort((a, b) => (a.at < b.at ? -1 : 1));
  const last = answers.at(-1);
  return last?.isAnswer === true ? last.at : undefined;
}

/**
 * Returns the deadline after an event, in milliseconds. An extension counts only if it was recorded before the deadline
 * passed (decision: D288).
 */
export function deadlineAfter(
  before: number | undefined,
  { at, extended }: { at: string; extended?: string },
): number | undefined {
  const isInTime = before === undefined || (parseIso(at) ?? 0) <= before;
  return extended !== undefined && isInTime ? parseIso(extended) : before;
}

/** Returns the latest extension that counts, or else the legal deadline, in ISO 8601. */
export function deadlineOfRequest({
  marks = [],
  regulation,
  submitted_time,
}: Pick<LedgerRequest, 'marks' | 'regulation' | 'submitted_time'>): string | undefined {
  const deadline = marks.reduce(deadlineAfter, deadlineFrom(regulation, submitted_time));
  return deadline === undefined ? undefined : isoSeconds(deadline);
}

/** Returns the keyed hashes of the identities, on one line. */
export function identitiesText({ identities = {} }: Pick<LedgerRequest, 'identities'>): string {
  const pairs = Object.entries(identities).map((pair) => pair.join('='));
  return pairs.join('; ');
}
