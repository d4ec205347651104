// Combines the lines of the ledger into requests.
import { isoSeconds, parseIso } from '../../kernel/timestamps.ts';
import type { LedgerEvent, LedgerRequest } from './ledger.ts';
import { answerAfter, deadlineAfter } from './outcome.ts';
import { isAdvance, isNotSubmitted, REJECTED } from './statuses.ts';

/** Returns the request with an event applied; undefined if the event adds nothing. */
export function foldEvent(before: LedgerRequest | undefined, event: LedgerEvent): LedgerRequest | undefined {
  const start = (): LedgerRequest => ({ states: [], ...fieldsOf(event, ...SCOPE), ...before, id: event.id });
  switch (event.event) {
    case 'submitted': {
      const { event: _kind, expected_completion_time, received_time, signature, status, ...facts } = event;
      const { status: known, ...past }: Partial<LedgerRequest> = before ?? {};
      const { answered: _answered, answered_at: _at, deadline: _deadline, resent_at: _resent, ...history } = past;
      const kept = isNotSubmitted(known) ? history : before;
      const isFirst = kept?.at === undefined || kept === history;
      const isRepeat = before !== undefined && known === undefined;
      const again = isRepeat ? { ...before, resent_at: event.at } : undefined;
      const start = { ...kept, ...facts, ...deadlineOf(undefined, event), states: before?.states ?? [] };
      const request = isFirst ? start : again;
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
      if (status === 'cancelled') times.expected_completion_time = null;
      return {
        ...start(),
        ...(isNews && answerAfter(before, event)),
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
      const timing = { ...answerAfter(before, event), ...deadlineOf(before?.deadline, event) };
      return { ...start(), [list]: [...(before?.[list] ?? []), facts], ...timing };
    }
    default:
      // A newer version may write other kinds of lines.
      return undefined;
  }
}

const SCOPE = ['address', 'workspace_id'] as const;
const ACTOR = ['by', 'host'] as const;
const LISTS = { downloaded: 'downloads', no_results: 'no_results', marked: 'marks', kept: 'kept' } as const;

function fieldsOf<Event, Name extends keyof Event>(event: Event, ...names: Name[]): Pick<Event, Name> {
  const fields: Partial<Event> = {};
  for (const name of names) if (event[name] !== undefined) fields[name] = event[name];
  return fields as Pick<Event, Name>;
}

function deadlineOf(before: string | undefined, event: LedgerEvent): Pick<LedgerRequest, 'deadline'> {
  const deadline = deadlineAfter(parseIso(before), event);
  return deadline === undefined ? {} : { deadline: isoSeconds(deadline) };
}
