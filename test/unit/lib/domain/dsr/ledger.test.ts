// Folds ledger events into requests and determines which are due.
import { describe, expect, it } from 'vitest';
import {
  answeredAt,
  deadlineOfRequest,
  foldEvent,
  isAnswered,
  isDue,
  isPhaseDue,
  type LedgerEvent,
  type LedgerRequest,
  phaseAfter,
} from '../../../../../src/lib/domain/dsr/ledger.ts';

const actor = { by: 'officer', host: 'desk' };
const at = (day: number): string => `2026-11-${String(day).padStart(2, '0')}T08:00:00.000Z`;
const sent = (type: string): LedgerEvent => ({
  event: 'submitted',
  id: 'x',
  at: at(1),
  ...actor,
  profile: null,
  regulation: 'gdpr',
  subject_request_type: type,
  submitted_time: '2026-10-31T08:00:00Z',
  skip_waiting_period: false,
  group_id: null,
  identities: {},
});
const state = (status: string, day: number, who: object = actor): LedgerEvent => ({
  event: 'state',
  id: 'x',
  at: at(day),
  status,
  source: 'status',
  ...who,
});
const downloaded: LedgerEvent = {
  event: 'downloaded',
  id: 'x',
  at: at(9),
  sha256: 'f',
  bytes: 1,
  content_type: '',
  ...actor,
};
const marked = (day: number, more: object): LedgerEvent => ({
  event: 'marked',
  id: 'x',
  at: at(day),
  ...actor,
  ...more,
});

const fold = (events: readonly LedgerEvent[]): LedgerRequest =>
  events.reduce<LedgerRequest>((before, event) => foldEvent(before, event) ?? before, { id: 'x', states: [] });

describe('a request', () => {
  it('records the user and host for each status, download and mark', () => {
    const request = fold([
      sent('access'),
      state('completed', 8),
      downloaded,
      marked(10, { answered: true, reason: 'told' }),
    ]);
    expect(request).toMatchObject({
      by: 'officer',
      host: 'desk',
      status: 'completed',
      states: [{ status: 'completed', at: at(8), source: 'status', ...actor }],
      downloads: [{ at: at(9), sha256: 'f', bytes: 1, content_type: '', ...actor }],
      marks: [{ at: at(10), answered: true, reason: 'told', ...actor }],
    });
  });

  it('uses the same word for a rejection, whatever version recorded it', () => {
    for (const word of ['rejected', 'refused'])
      expect(fold([sent('access'), state(word, 3)])).toMatchObject({
        status: 'rejected',
        states: [{ status: 'rejected' }],
      });
  });

  it('ignores events from a newer version', () => {
    expect(foldEvent(undefined, { event: 'later', id: 'x' } as never)).toBeUndefined();
  });

  it('is due by its legal deadline or the latest extension', () => {
    expect(deadlineOfRequest(fold([sent('access')]))).toBe('2026-11-30T08:00:00Z');
    const extended = [marked(2, { extended: '2027-01-01T00:00:00Z' }), marked(3, { extended: '2027-01-02T00:00:00Z' })];
    expect(deadlineOfRequest(fold([sent('access'), ...extended, marked(4, { answered: true })]))).toBe(
      '2027-01-02T00:00:00Z',
    );
    expect(deadlineOfRequest({})).toBeUndefined();
    // The deadline is 30 November; an extension after it does not count.
    const late = { ...marked(2, { extended: '2027-01-02T00:00:00Z' }), at: '2026-12-01T08:00:00Z' } as LedgerEvent;
    expect(deadlineOfRequest(fold([sent('access'), late]))).toBe('2026-11-30T08:00:00Z');
    expect(deadlineOfRequest(fold([sent('access'), marked(2, { extended: '2026-12-20T00:00:00Z' }), late]))).toBe(
      '2027-01-02T00:00:00Z',
    );
  });
});

describe('isDue', () => {
  const done = state('completed', 8);
  it.each<[name: string, events: LedgerEvent[], due: boolean, answered: string | undefined]>([
    ['is true for a submitted request', [sent('access')], true, undefined],
    ['is true for a completed access request', [sent('access'), done], true, undefined],
    ['is true for a completed portability request', [sent('portability'), done], true, undefined],
    ['is false for a completed erasure', [sent('erasure'), done], false, undefined],
    ['is false after the download', [sent('access'), done, downloaded], false, at(9)],
    ['is false for a request marked as answered', [sent('access'), marked(3, { answered: true })], false, at(3)],
    [
      'is true after the mark is withdrawn',
      [sent('access'), done, marked(9, { answered: true }), marked(10, { answered: false })],
      true,
      undefined,
    ],
    [
      'is true for an erasure that was marked as answered',
      [sent('erasure'), marked(3, { answered: true })],
      true,
      undefined,
    ],
    ['is false for a cancelled request', [sent('access'), state('cancelled', 3)], false, undefined],
    ['is false for a rejected request', [sent('access'), state('rejected', 3)], false, undefined],
    ['is false for a rejected request of an earlier version', [sent('access'), state('refused', 3)], false, undefined],
    [
      'is false for a completed request of an earlier version',
      [sent('access'), state('completed', 8, {})],
      false,
      undefined,
    ],
    ['is true for a pending request known only by a callback', [state('pending', 3)], true, undefined],
    ['is false for a completed request known only by a callback', [done], false, undefined],
  ])('%s', (_name, events, due, answered) => {
    const request = fold(events);
    expect(isDue(request.subject_request_type, request.status, isAnswered(request))).toBe(due);
    expect(answeredAt(request)).toBe(answered);
    // The ledger index keeps one word per request, which gives the same result.
    expect(isPhaseDue(events.reduce<string | undefined>(phaseAfter, undefined))).toBe(due);
  });
});
