// What one line of the ledger says, and how lines add up to what is known of a request.

/** A request that goes out, or a state that was seen. */
export type LedgerEvent = SubmittedEvent | StateEvent;

export interface SubmittedEvent {
  event: 'submitted';
  id: string;
  /** ISO 8601: when it was about to go out. */
  at: string;
  /** The user of this machine. */
  by: string;
  profile: string | null;
  /** `local` for the embedded platform, whose port changes. */
  address: string;
  workspace_id: string;
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

export interface StateEvent {
  event: 'state';
  id: string;
  at: string;
  status: string;
  /** Where it was seen. */
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

/** Adds an event to what is known. False when it tells nothing new; then nothing is changed. */
export function foldEvent(known: Map<string, LedgerRequest>, event: LedgerEvent, isAdvance: StateOrder): boolean {
  const before = known.get(event.id);
  switch (event.event) {
    case 'submitted': {
      const { event: _kind, expected_completion_time, received_time, status, ...facts } = event;
      const isNew = before?.at === undefined;
      if (isNew) known.set(event.id, { ...before, ...facts, states: before?.states ?? [] });
      if (status === undefined) return isNew;
      const times = timeFields({ expected_completion_time, received_time });
      const state: StateEvent = { event: 'state', id: event.id, at: event.at, status, source: 'submit', ...times };
      return foldEvent(known, state, isAdvance) || isNew;
    }
    case 'state': {
      if (!isAdvance(before?.status, event.status)) return false;
      const { id, status, at, source } = event;
      known.set(id, {
        ...before,
        id,
        status,
        ...timeFields(event),
        states: [...(before?.states ?? []), { status, at, source }],
      });
      return true;
    }
    default:
      // A newer version's kind of line.
      return false;
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
