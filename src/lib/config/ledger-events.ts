// The lines of the ledger, and how they add up to what is known of a request.

/** Where a request was sent. The same id in another workspace, or at another address, is another request. */
export interface LedgerScope {
  /** `local` for the embedded platform, whose port changes. */
  address: string;
  workspace_id: string;
}

/** A request that goes out, or a state that was seen. */
export type LedgerEvent = SubmittedEvent | StateEvent;

export interface SubmittedEvent extends LedgerScope {
  event: 'submitted';
  id: string;
  /** ISO 8601: just before it was sent. */
  at: string;
  /** The user of this machine. */
  by: string;
  profile: string | null;
  regulation: string;
  subject_request_type: string;
  submitted_time: string;
  skip_waiting_period: boolean;
  group_id: string | null;
  /** Identity type to keyed hash. */
  identities: Record<string, string>;
  /** What a bulk run, which writes afterwards, was answered at once. */
  status?: string;
  expected_completion_time?: string | null;
  received_time?: string | null;
}

/** Lines of earlier versions lack the scope (`request-numbers.ts`). */
export interface StateEvent extends Partial<LedgerScope> {
  event: 'state';
  id: string;
  at: string;
  status: string;
  source: 'submit' | 'status' | 'cancel' | 'callback';
  expected_completion_time?: string | null;
  received_time?: string | null;
}

export interface LedgerRequest extends Partial<Omit<SubmittedEvent, 'event'>> {
  id: string;
  /** The last one; absent for a request that went out and of which nothing was heard. */
  status?: string;
  expected_completion_time?: string | null;
  received_time?: string | null;
  states: { status: string; at: string; source: string }[];
}

/** Whether a status is news after another. */
export type StateOrder = (current: string | undefined, next: string) => boolean;

/** The request after an event; undefined when the event adds nothing. */
export function foldEvent(
  before: LedgerRequest | undefined,
  event: LedgerEvent,
  isAdvance: StateOrder,
): LedgerRequest | undefined {
  switch (event.event) {
    case 'submitted': {
      const { event: _kind, expected_completion_time, received_time, status, ...facts } = event;
      const request = before?.at === undefined ? { ...before, ...facts, states: before?.states ?? [] } : undefined;
      if (status === undefined) return request;
      const times = timeFields({ expected_completion_time, received_time });
      const state: StateEvent = { event: 'state', id: event.id, at: event.at, status, source: 'submit', ...times };
      return foldEvent(request ?? before, state, isAdvance) ?? request;
    }
    case 'state': {
      if (!isAdvance(before?.status, event.status)) return undefined;
      const { address, at, id, source, status, workspace_id } = event;
      return {
        ...(address !== undefined && { address }),
        ...(workspace_id !== undefined && { workspace_id }),
        ...before,
        id,
        status,
        ...timeFields(event),
        states: [...(before?.states ?? []), { status, at, source }],
      };
    }
    default:
      // A kind of line that a newer version writes.
      return undefined;
  }
}

type Times = Pick<StateEvent, 'expected_completion_time' | 'received_time'>;

function timeFields({
  expected_completion_time: expected,
  received_time: received,
}: { [K in keyof Times]: Times[K] | undefined }): Times {
  return {
    ...(expected !== undefined && { expected_completion_time: expected }),
    ...(received !== undefined && { received_time: received }),
  };
}
