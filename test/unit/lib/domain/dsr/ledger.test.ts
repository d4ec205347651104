// Folds ledger events into requests, and determines which are due and which were answered in time.
import { describe, expect, it } from 'vitest';
import { historyOf } from '../../../../../src/lib/domain/dsr/evidence.ts';
import type { LedgerEvent, LedgerRequest } from '../../../../../src/lib/domain/dsr/ledger.ts';
import { foldEvent } from '../../../../../src/lib/domain/dsr/ledger-fold.ts';
import { answeredAt, isPhaseDue, outcomeOf, phaseAfter, statusIn } from '../../../../../src/lib/domain/dsr/outcome.ts';

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

const NOW = Date.parse('2026-12-15T08:00:00Z');
const fold = (events: readonly LedgerEvent[]): LedgerRequest =>
  events.reduce<LedgerRequest>((before, event) => foldEvent(before, event) ?? before, { id: 'x', states: [] });

it('shows in its history when a request was sent again', () => {
  const history = historyOf(fold([sent('access'), { ...sent('access'), at: at(2) }, state('pending', 3)]));
  expect(history.map((it) => [it.at, it.what])).toEqual([
    [at(1), 'submitted from this machine'],
    [at(2), 'sent again, because its outcome was unknown'],
    [at(3), 'pending (recorded at a status check)'],
  ]);
});

describe('a request', () => {
  it('contains the user and host for each status, download and mark', () => {
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

  it('has the status `rejected` for a rejection recorded by any version', () => {
    for (const word of ['rejected', 'refused'])
      expect(fold([sent('access'), state(word, 3)])).toMatchObject({
        status: 'rejected',
        states: [{ status: 'rejected' }],
      });
  });

  it('is not created by an event from a newer version', () => {
    expect(foldEvent(undefined, { event: 'later', id: 'x' } as never)).toBeUndefined();
  });

  it('is due by its legal deadline or by the last extension that was recorded in time', () => {
    expect(fold([sent('access')]).deadline).toBe('2026-11-30T08:00:00Z');
    const extended = [marked(2, { extended: '2027-01-01T00:00:00Z' }), marked(3, { extended: '2027-01-02T00:00:00Z' })];
    expect(fold([sent('access'), ...extended, marked(4, { answered: true })]).deadline).toBe('2027-01-02T00:00:00Z');
    expect(fold([state('pending', 1)]).deadline).toBeUndefined();
    // An extension recorded after the deadline of 30 November does not count.
    const late = { ...marked(2, { extended: '2027-01-02T00:00:00Z' }), at: '2026-12-01T08:00:00Z' } as LedgerEvent;
    expect(fold([sent('access'), late]).deadline).toBe('2026-11-30T08:00:00Z');
    expect(fold([sent('access'), marked(2, { extended: '2026-12-20T00:00:00Z' }), late]).deadline).toBe(
      '2027-01-02T00:00:00Z',
    );
  });
});

describe('due', () => {
  const done = state('completed', 8);
  it.each<[name: string, events: LedgerEvent[], due: boolean, answered: string | null]>([
    ['is true for a submitted request', [sent('access')], true, null],
    ['is true for a completed access request', [sent('access'), done], true, null],
    ['is true for a completed portability request', [sent('portability'), done], true, null],
    ['is false for a completed erasure', [sent('erasure'), done], false, null],
    ['is false after the download', [sent('access'), done, downloaded], false, at(9)],
    ['is false for a request marked as answered', [sent('access'), marked(3, { answered: true })], false, at(3)],
    [
      'is true after the mark is withdrawn',
      [sent('access'), done, marked(9, { answered: true }), marked(10, { answered: false })],
      true,
      null,
    ],
    [
      'is true for an open erasure, even if it was marked as answered',
      [sent('erasure'), marked(3, { answered: true })],
      true,
      null,
    ],
    [
      'is true after the mark is withdrawn, even if the clock was set back',
      [sent('access'), done, marked(19, { answered: true }), marked(10, { answered: false })],
      true,
      null,
    ],
    [
      'is true for a request that was not submitted and is sent again',
      [sent('access'), marked(3, { answered: true }), state('not_submitted', 4), sent('access')],
      true,
      null,
    ],
    ['is false for a cancelled request', [sent('access'), state('cancelled', 3)], false, null],
    ['is false for a rejected request', [sent('access'), state('rejected', 3)], false, null],
    ['is false for a rejected request of an earlier version', [sent('access'), state('refused', 3)], false, null],
    [
      'is false for a completed request of an earlier version',
      [sent('access'), state('completed', 8, {})],
      false,
      null,
    ],
    ['is true for a pending request known only by a callback', [state('pending', 3)], true, null],
    ['is false for a completed request known only by a callback', [done], false, null],
    ['is true for a status with a space', [sent('access'), state('cancelled true', 3)], true, null],
  ])('%s', (_name, events, due, answered) => {
    const request = fold(events);
    expect(outcomeOf(request, NOW).due).toBe(due);
    expect(answeredAt(request)).toBe(answered);
    // The ledger index stores only a phase for each request. The phase must lead to the same value of `due`.
    expect(isPhaseDue(events.reduce<string | undefined>(phaseAfter, undefined))).toBe(due);
  });
});

it('keeps the spaces of a status that the specification does not define', () => {
  expect(
    statusIn([sent('access'), state('cancelled in part', 3)].reduce<string | undefined>(phaseAfter, undefined)),
  ).toBe('cancelled in part');
});

it('does not give a cancelled request an expected completion time', () => {
  const pending = { ...state('pending', 1), expected_completion_time: at(20) } as LedgerEvent;
  expect(fold([sent('access'), pending]).expected_completion_time).toBe(at(20));
  expect(fold([sent('access'), pending, state('cancelled', 2)]).expected_completion_time).toBeNull();
});

describe("a request's outcome", () => {
  /** Returns 08:00 UTC on this day of November 2026. The deadline is day 30. */
  const day = (number: number): string => new Date(Date.UTC(2026, 10, number, 8)).toISOString();
  const seen = (status: string, number: number, more: object = {}): LedgerEvent =>
    ({ ...state(status, 1), at: day(number), ...more }) as LedgerEvent;
  const answered = (number: number, is = true): LedgerEvent =>
    ({ ...marked(1, { answered: is }), at: day(number) }) as LedgerEvent;
  const expected = (number: number) => ({ expected_completion_time: day(number) });
  const callback = { source: 'callback' };
  const [access, erasure] = [sent('access'), sent('erasure')];

  it.each<[name: string, events: LedgerEvent[], finished: string | null, met: boolean | null, late: number]>([
    ['is decided by the first of two answers', [access, answered(20), answered(60)], 'answered', true, 0],
    [
      'is decided by the first of two downloads',
      [access, seen('completed', 8), downloaded, { ...downloaded, at: day(60) } as LedgerEvent],
      'answered',
      true,
      0,
    ],
    [
      'is decided by the first answer after the last withdrawal',
      [access, answered(20), answered(21, false), answered(35), answered(60)],
      'answered',
      false,
      5,
    ],
    [
      'is the answer if it came before a cancellation',
      [access, answered(20), seen('cancelled', 60)],
      'answered',
      true,
      0,
    ],
    [
      'is the cancellation if it came before an answer',
      [access, seen('cancelled', 20), answered(60)],
      'cancelled',
      true,
      0,
    ],
    ['is late if the callback is late', [erasure, seen('completed', 40, callback)], 'completed', false, 10],
    [
      'is late if the cancellation is late',
      [erasure, seen('cancelled', 40, { source: 'cancel' })],
      'cancelled',
      false,
      10,
    ],
    [
      'is in time if completion was first seen before the deadline',
      [erasure, seen('completed', 29)],
      'completed',
      true,
      0,
    ],
    [
      'has no known time if completion was first seen after the deadline',
      [erasure, seen('completed', 40)],
      'completed',
      null,
      0,
    ],
    [
      'has no known time if completion was expected before the deadline but seen after it',
      [erasure, seen('completed', 40, expected(20))],
      'completed',
      null,
      0,
    ],
    [
      'is late if the expected completion is after the deadline',
      [erasure, seen('completed', 40, expected(33))],
      'completed',
      false,
      3,
    ],
    [
      'is late if the request was still open after the deadline',
      [erasure, seen('in_progress', 36), seen('completed', 40, expected(20))],
      'completed',
      false,
      6,
    ],
    [
      'has no known time if a cancellation was first seen after the deadline',
      [erasure, seen('cancelled', 40)],
      'cancelled',
      null,
      0,
    ],
    [
      'is known even for a request that is known only from callbacks',
      [seen('completed', 40, callback)],
      'completed',
      null,
      0,
    ],
    [
      'has no known time if an earlier version recorded it',
      [access, seen('completed', 8, { host: undefined })],
      'answered',
      null,
      0,
    ],
    ['does not exist for a request that is late but not yet answered', [access, seen('completed', 8)], null, false, 15],
    ['does not exist for a rejected request', [access, seen('rejected', 2)], null, null, 0],
  ])('%s', (_name, events, finished, met, late) => {
    const outcome = outcomeOf(fold(events), NOW);
    expect(outcome).toMatchObject({ finished, deadline_met: met, days_late: late });
    expect(isPhaseDue(events.reduce<string | undefined>(phaseAfter, undefined))).toBe(outcome.due);
  });
});
