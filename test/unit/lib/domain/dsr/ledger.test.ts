// How lines of the ledger add up, and who is still waited for.
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
  it('has who saw each status, downloaded the results and marked it, and where', () => {
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

  it('passes over the kinds of a newer version', () => {
    expect(foldEvent(undefined, { event: 'later', id: 'x' } as never)).toBeUndefined();
  });

  it('has the deadline of the law, or the one that it was extended to last', () => {
    expect(deadlineOfRequest(fold([sent('access')]))).toBe('2026-11-30T08:00:00Z');
    const extended = [marked(2, { extended: '2027-01-01T00:00:00Z' }), marked(3, { extended: '2027-01-02T00:00:00Z' })];
    expect(deadlineOfRequest(fold([sent('access'), ...extended, marked(4, { answered: true })]))).toBe(
      '2027-01-02T00:00:00Z',
    );
    expect(deadlineOfRequest({})).toBeUndefined();
  });
});

describe('somebody waits', () => {
  const done = state('completed', 8);
  it.each<[name: string, events: LedgerEvent[], due: boolean, answered: string | undefined]>([
    ['for a request that was sent', [sent('access')], true, undefined],
    ['for an access request that is completed', [sent('access'), done], true, undefined],
    ['for a portability request that is completed', [sent('portability'), done], true, undefined],
    ['not for an erasure that is completed', [sent('erasure'), done], false, undefined],
    ['not for one that was downloaded', [sent('access'), done, downloaded], false, at(9)],
    ['not for one that was marked', [sent('access'), marked(3, { answered: true })], false, at(3)],
    [
      'for one whose mark was taken back',
      [sent('access'), done, marked(9, { answered: true }), marked(10, { answered: false })],
      true,
      undefined,
    ],
    ['not for one that was cancelled', [sent('access'), state('cancelled', 3)], false, undefined],
    ['not for one that the platform rejected', [sent('access'), state('refused', 3)], false, undefined],
    ['not for what an earlier version saw completed', [sent('access'), state('completed', 8, {})], false, undefined],
    ['for what a callback alone tells of', [state('pending', 3)], true, undefined],
    ['not for what a callback alone tells to be completed', [done], false, undefined],
  ])('%s', (_name, events, due, answered) => {
    const request = fold(events);
    expect(isDue(request.subject_request_type, request.status, isAnswered(request))).toBe(due);
    expect(answeredAt(request)).toBe(answered);
    // The ledger decides by a word for each request, in either order of the lines.
    expect(isPhaseDue(events.reduce<string | undefined>(phaseAfter, undefined))).toBe(due);
  });
});
