// The lines of the ledger, and how they add up to what is known of a request.
import type { SignatureFacts } from '../callbacks/verify.ts';
import { isoSeconds } from '../../kernel/timestamps.ts';
import { deadlineFrom } from './deadlines.ts';
import { isAdvance, isOpen } from './statuses.ts';

/** Where a request was sent. The same id in another workspace, or at another address, is another request. */
export interface LedgerScope {
  /** `local` for the embedded platform, whose port changes. */
  address: string;
  workspace_id: string;
}

/** What the ledger adds to every line. Lines of earlier versions lack some of it. */
interface Stamp extends Partial<LedgerScope> {
  /** The user of the machine. */
  by?: string;
  host?: string;
}

/** A request that goes out, just before it is sent. */
export interface SubmittedNews {
  event: 'submitted';
  id: string;
  /** ISO 8601, as in all lines. */
  at: string;
  profile: string | null;
  regulation: string;
  subject_request_type: string;
  submitted_time: string;
  skip_waiting_period: boolean;
  group_id: string | null;
  /** Identity type to keyed hash. */
  identities: Record<string, string>;
  /** The hashes by which persons are compared, where they differ from `identities`. */
  compared?: Record<string, string>;
  /** The response to a row of a bulk run, which writes both in one line. */
  status?: string;
  expected_completion_time?: string | null;
  received_time?: string | null;
  signature?: SignatureFacts;
}

export interface StateNews {
  event: 'state';
  id: string;
  at: string;
  status: string;
  source: 'submit' | 'status' | 'cancel' | 'callback';
  expected_completion_time?: string | null;
  received_time?: string | null;
  /** Of the signed message that had this status. */
  signature?: SignatureFacts;
}

/** The results were saved to a file. */
export interface DownloadedNews {
  event: 'downloaded';
  id: string;
  at: string;
  sha256: string;
  bytes: number;
  content_type: string;
}

/** What a person says of a request. */
export interface MarkedNews {
  event: 'marked';
  id: string;
  at: string;
  /** Whether the subject has the answer. */
  answered?: boolean;
  /** ISO 8601: the new deadline. */
  extended?: string;
  reason?: string;
}

/** What is written; the ledger adds who wrote it, where, and about which workspace. */
export type LedgerNews = SubmittedNews | StateNews | DownloadedNews | MarkedNews;
export type LedgerEvent = LedgerNews & Stamp;

/** What the ledger knows of a request. Everything but the id may be missing: some are known by a callback only. */
export interface LedgerRequest extends Partial<Omit<SubmittedNews, 'event' | 'signature'>>, Stamp {
  id: string;
  /** Each status that was news, with who saw it. */
  states: ({ status: string; at: string; source: string } & Actor)[];
  /** Each signed message, also one whose status was not news. */
  signatures?: (SignatureFacts & { status: string; at: string; source: string } & Actor)[];
  downloads?: (Omit<DownloadedNews, 'event' | 'id'> & Actor)[];
  marks?: (Omit<MarkedNews, 'event' | 'id'> & Actor)[];
}

type Actor = Pick<Stamp, 'by' | 'host'>;

/** How lines add up, as the ledger's file asks for it (`config/ledger.ts`). */
export const LEDGER_RULES = { fold: foldEvent, isAdvance };

/** Whether two requests share an identity, in the form in which identities are compared (decision: D278). */
export function isSamePerson(a: Pick<LedgerRequest, 'identities' | 'compared'>, b: typeof a): boolean {
  const [one, other] = [a, b].map(({ compared, identities }): Record<string, string> => ({
    ...identities,
    ...compared,
  }));
  return Object.entries(one ?? {}).some(([type, hash]) => other?.[type] === hash);
}

/** The request after an event; undefined when the event adds nothing. */
export function foldEvent(before: LedgerRequest | undefined, event: LedgerEvent): LedgerRequest | undefined {
  switch (event.event) {
    case 'submitted': {
      const { event: _kind, expected_completion_time, received_time, signature, status, ...facts } = event;
      const request = before?.at === undefined ? { ...before, ...facts, states: before?.states ?? [] } : undefined;
      if (status === undefined) return request;
      const times = timeFields({ expected_completion_time, received_time });
      const stamp = { ...scopeOf(event), ...actorOf(event) };
      const state: LedgerEvent = {
        event: 'state',
        id: event.id,
        at: event.at,
        status,
        source: 'submit',
        ...times,
        ...(signature && { signature }),
        ...stamp,
      };
      return foldEvent(request ?? before, state) ?? request;
    }
    case 'state': {
      const { at, signature, source, status } = event;
      const isNews = isAdvance(before?.status, status);
      const isKnown = before?.signatures?.some((known) => known.body_sha256 === signature?.body_sha256) === true;
      if (!isNews && (signature === undefined || isKnown)) return undefined;
      const seen = { status, at, source, ...actorOf(event) };
      return {
        ...startOf(before, event),
        ...(isNews && { status, ...timeFields(event), states: [...(before?.states ?? []), seen] }),
        ...(signature && !isKnown && { signatures: [...(before?.signatures ?? []), { ...signature, ...seen }] }),
      };
    }
    case 'downloaded': {
      const { at, bytes, content_type, sha256 } = event;
      const download = { at, sha256, bytes, content_type, ...actorOf(event) };
      return { ...startOf(before, event), downloads: [...(before?.downloads ?? []), download] };
    }
    case 'marked': {
      const { answered, at, extended, reason } = event;
      const mark = {
        at,
        ...(answered !== undefined && { answered }),
        ...(extended !== undefined && { extended }),
        ...(reason !== undefined && { reason }),
        ...actorOf(event),
      };
      return { ...startOf(before, event), marks: [...(before?.marks ?? []), mark] };
    }
    default:
      // A kind of line that a newer version writes.
      return undefined;
  }
}

function startOf(before: LedgerRequest | undefined, event: LedgerEvent): LedgerRequest {
  return { states: [], ...scopeOf(event), ...before, id: event.id };
}

function scopeOf({ address, workspace_id }: LedgerEvent): Partial<LedgerScope> {
  return { ...(address !== undefined && { address }), ...(workspace_id !== undefined && { workspace_id }) };
}

function actorOf({ by, host }: LedgerEvent): Actor {
  return { ...(by !== undefined && { by }), ...(host !== undefined && { host }) };
}

type Times = Pick<StateNews, 'expected_completion_time' | 'received_time'>;

function timeFields({
  expected_completion_time: expected,
  received_time: received,
}: { [K in keyof Times]: Times[K] | undefined }): Times {
  return {
    ...(expected !== undefined && { expected_completion_time: expected }),
    ...(received !== undefined && { received_time: received }),
  };
}

/** The status after an event, in the words in which `isOpen` judges it. */
export function statusAfter(status: string | undefined, event: LedgerEvent): string | undefined {
  return 'status' in event && event.status !== undefined && isAdvance(status, event.status) ? event.status : status;
}

/** What decides whether a request is due: its type, its status and whether the subject has the answer. */
export function phaseAfter(phase: string | undefined, event: LedgerEvent): string | undefined {
  const [type = '', status = '', answered = ''] = phase?.split(' ') ?? [];
  const nextType = event.event === 'submitted' && type === '' ? event.subject_request_type : type;
  const nextStatus = statusAfter(status === '' ? undefined : status, event) ?? '';
  const next = [nextType, nextStatus, isAnswer(event) ?? answered];
  return next.join(' ');
}

/** Whether somebody still waits for the request of this phase. */
export function isPhaseDue(phase: string | undefined): boolean {
  const [type = '', status = '', answered = ''] = phase?.split(' ') ?? [];
  return isDue(type, status === '' ? undefined : status, answered === 'answered');
}

/**
 * Whether somebody still waits for it: until it is completed or cancelled; for access and portability until the results
 * were downloaded or the request was marked as answered.
 */
export function isDue(type: string | undefined, status: string | undefined, hasAnswer: boolean): boolean {
  if (hasAnswer) return false;
  return isOpen(status) || (status === 'completed' && (type === 'access' || type === 'portability'));
}

function isAnswer(event: LedgerEvent): 'answered' | 'waiting' | undefined {
  if (event.event === 'downloaded' || (event.event === 'state' && isOldCompletion(event))) return 'answered';
  if (event.event !== 'marked' || event.answered === undefined) return undefined;
  return event.answered ? 'answered' : 'waiting';
}

/** Seen by a version that did not record downloads: nobody knows whether there was one. */
function isOldCompletion({ host, status }: { status: string } & Actor): boolean {
  return status === 'completed' && host === undefined;
}

/** Whether the subject has the answer, or must be taken to have it. */
export function isAnswered(request: LedgerRequest): boolean {
  const isMarked = request.marks?.some(({ answered }) => answered !== undefined) === true;
  return answeredAt(request) !== undefined || (!isMarked && request.states.some(isOldCompletion));
}

/** When the subject got the answer, as far as this machine knows. */
export function answeredAt({
  downloads = [],
  marks = [],
}: Pick<LedgerRequest, 'downloads' | 'marks'>): string | undefined {
  const answers = [
    ...downloads.map(({ at }) => ({ at, isAnswer: true })),
    ...marks.flatMap(({ answered, at }) => (answered === undefined ? [] : [{ at, isAnswer: answered }])),
  ].sort((a, b) => (a.at < b.at ? -1 : 1));
  const last = answers.at(-1);
  return last?.isAnswer === true ? last.at : undefined;
}

/** ISO 8601: the deadline that a person set last, else the law's. */
export function deadlineOfRequest({
  marks = [],
  regulation,
  submitted_time,
}: Pick<LedgerRequest, 'marks' | 'regulation' | 'submitted_time'>): string | undefined {
  const legal = deadlineFrom(regulation, submitted_time);
  const extended = marks.findLast((mark) => mark.extended !== undefined)?.extended;
  return extended ?? (legal === undefined ? undefined : isoSeconds(legal));
}
