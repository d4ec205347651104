// What one line of the ledger says, and how lines add up to what is known of a request.

/** A request that goes out, a state that was seen, or (after a rewrite) everything known of a request. */
export type LedgerEvent = SubmittedEvent | StateEvent | ({ event: 'request' } & LedgerRequest);

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
      if (before?.at !== undefined) return false;
      const { event: _kind, ...facts } = event;
      known.set(event.id, { ...before, ...facts, states: before?.states ?? [] });
      return true;
    }
    case 'state': {
      if (!isAdvance(before?.status, event.status)) return false;
      const { id, status, at, source } = event;
      known.set(id, {
        ...before,
        id,
        status,
        ...(event.expected_completion_time !== undefined && {
          expected_completion_time: event.expected_completion_time,
        }),
        ...(event.received_time !== undefined && { received_time: event.received_time }),
        states: [...(before?.states ?? []), { status, at, source }],
      });
      return true;
    }
    case 'request': {
      const { event: _kind, ...whole } = event;
      known.set(event.id, whole);
      return true;
    }
    default:
      // A newer version's kind of line.
      return false;
  }
}
