// Combines the platform's response with the local ledger, for lists of requests.
import { describe, expect, it } from 'vitest';
import type { RequestStatusReply } from '../../../../../src/lib/contract/dsr.ts';
import type { LedgerRequest } from '../../../../../src/lib/domain/dsr/ledger.ts';
import { dueFirst, overviewOf, type RequestOverview } from '../../../../../src/lib/domain/dsr/overview.ts';

const NOW = Date.parse('2026-11-21T08:00:00Z');
const CLOCKS = { now: NOW, platformNow: NOW };

describe("a request's overview", () => {
  const reply = { subject_request_id: 'x', request_status: 'pending' } as RequestStatusReply;
  const known: LedgerRequest = {
    id: 'x',
    at: '2026-11-20T08:00:00Z',
    regulation: 'gdpr',
    subject_request_type: 'erasure',
    submitted_time: '2026-11-19T08:00:00Z',
    deadline: '2026-12-19T08:00:00Z',
    states: [],
  };

  it('contains the data from the local ledger', () => {
    expect(overviewOf(reply, known, CLOCKS)).toEqual({
      ...reply,
      regulation: 'gdpr',
      subject_request_type: 'erasure',
      submitted_time: '2026-11-19T08:00:00Z',
      deadline: '2026-12-19T08:00:00Z',
      due: true,
      days_left: 28,
      overdue: false,
      days_late: 0,
      answered_at: null,
      cancellable_until: '2026-11-27T08:00:00Z',
      results_expire_at: null,
      stale: false,
    });
  });

  it('contains nulls for a request that is not in the ledger', () => {
    expect(overviewOf(reply, undefined, CLOCKS)).toEqual({
      ...reply,
      regulation: null,
      subject_request_type: null,
      submitted_time: null,
      deadline: null,
      due: true,
      days_left: null,
      overdue: false,
      days_late: 0,
      answered_at: null,
      cancellable_until: null,
      results_expire_at: null,
      stale: false,
    });
  });

  it('contains the number of days by which a finished request was late', () => {
    const done = { ...reply, request_status: 'completed' } as RequestStatusReply;
    const states = [{ status: 'completed', at: '2026-12-24T08:00:00Z', source: 'callback' }];
    expect(overviewOf(done, { ...known, states }, CLOCKS)).toMatchObject({ due: false, overdue: false, days_late: 5 });
  });

  it('contains the end of the waiting period, counted from the time of receipt if it is known', () => {
    const until = (received_time: string | null | undefined): string | null =>
      overviewOf(reply, { ...known, ...(received_time !== undefined && { received_time }) }, CLOCKS).cancellable_until;
    expect(until('2026-11-21T08:00:00Z')).toBe('2026-11-28T08:00:00Z');
    expect([until(null), until(undefined)]).toEqual(['2026-11-27T08:00:00Z', '2026-11-27T08:00:00Z']);
  });

  it('contains the end of the waiting period: a week, or a day if it is skipped', () => {
    const until = (skip_waiting_period: boolean) =>
      overviewOf(reply, { ...known, skip_waiting_period }, CLOCKS).cancellable_until;
    expect([until(false), until(true)]).toEqual(['2026-11-27T08:00:00Z', '2026-11-21T08:00:00Z']);
  });

  it.each<[string, Partial<LedgerRequest>, string]>([
    ['a request of another type', { subject_request_type: 'access' }, 'pending'],
    ['an unknown time of receipt', { at: 'unknown' }, 'pending'],
    ['a request in progress', {}, 'in_progress'],
    ['an unknown status', {}, 'unknown'],
  ])('contains no end of the waiting period for %s', (_what, over, request_status) => {
    expect(overviewOf({ ...reply, request_status }, { ...known, ...over }, CLOCKS).cancellable_until).toBeNull();
  });

  const completed = { ...reply, request_status: 'completed' } as RequestStatusReply;
  const access = { ...known, subject_request_type: 'access' };

  it('contains the expiry date of the results if the request is in the ledger, even without a link, unless there are no results', () => {
    expect(overviewOf(completed, access, CLOCKS).results_expire_at).toBe('2026-11-28T08:00:00Z');
    expect(overviewOf(completed, undefined, CLOCKS).results_expire_at).toBeNull();
    const no_results = [{ at: '2026-11-21T09:00:00Z', http_status: 404 }];
    expect(overviewOf(completed, { ...access, no_results }, CLOCKS).results_expire_at).toBeNull();
    expect(overviewOf(reply, access, CLOCKS).results_expire_at).toBeNull();
    expect(overviewOf(completed, known, CLOCKS).results_expire_at).toBeNull();
  });

  it('contains the expiry date, counted from when the status `completed` was first seen', () => {
    const states = [
      { status: 'pending', at: '2026-11-01T00:00:00Z', source: 'submit' },
      { status: 'completed', at: '2026-11-10T00:00:00Z', source: 'status' },
    ];
    expect(overviewOf(completed, { ...access, states }, CLOCKS).results_expire_at).toBe('2026-11-17T00:00:00Z');
  });
});

describe('the expiry of results', () => {
  const reply = {
    subject_request_id: 'x',
    request_status: 'completed',
    results_url: 'https://p.example/r',
    expected_completion_time: '2026-11-05T00:00:00Z',
  };
  const seen = (at: string) => ({
    id: 'x',
    subject_request_type: 'access',
    states: [{ status: 'completed', at, source: 'status' }],
  });
  const at = (text: string): number => Date.parse(text);

  it.each([
    [
      'seven days after completion was first seen, if that was before the expected completion',
      '2026-11-03T00:00:00Z',
      0,
      '2026-11-10T00:00:00Z',
    ],
    [
      'seven days after the expected completion, if completion was seen later',
      '2026-11-09T00:00:00Z',
      0,
      '2026-11-12T00:00:00Z',
    ],
    [
      "calculated from the platform's clock if the local clock is behind",
      '2026-11-01T00:00:00Z',
      4 * 86_400_000,
      '2026-11-12T00:00:00Z',
    ],
    ['not corrected for clock skew below a minute', '2026-11-03T00:00:00Z', -59_999, '2026-11-10T00:00:00Z'],
    ['corrected for clock skew of a minute', '2026-11-03T00:00:00Z', -60_000, '2026-11-09T23:59:00Z'],
  ])('is %s', (_what, when, ahead, end) => {
    const now = at('2026-11-09T12:00:00Z');
    const { results_expire_at: found } = overviewOf(reply, seen(when), { now, platformNow: now + ahead });
    expect(found).toBe(end);
  });

  it('of a request that is not in the ledger is known only if the request has a link', () => {
    const clocks = { now: at('2026-11-04T00:00:00Z'), platformNow: at('2026-11-04T00:00:00Z') };
    expect(overviewOf(reply, undefined, clocks).results_expire_at).toBe('2026-11-11T00:00:00Z');
    expect(overviewOf({ ...reply, results_url: null }, undefined, clocks).results_expire_at).toBeNull();
  });
});

describe('due requests', () => {
  const due = (id: string, deadline: string | null, isDue = true): RequestOverview =>
    ({ subject_request_id: id, due: isDue, deadline }) as RequestOverview;

  it('are sorted by urgency, with unknown deadlines last, and exclude finished requests', () => {
    const requests = [
      due('none', null),
      due('late', '2026-12-03T00:00:00Z'),
      due('done', '2026-11-01T00:00:00Z', false),
      due('first', '2026-12-01T00:00:00Z'),
      due('second', '2026-12-02T00:00:00Z'),
      due('also first', '2026-12-01T00:00:00Z'),
    ];
    expect(dueFirst(requests).map((request) => request.subject_request_id)).toEqual([
      'first',
      'also first',
      'second',
      'late',
      'none',
    ]);
    expect(dueFirst([...requests].reverse()).map((request) => request.subject_request_id)).toEqual([
      'also first',
      'first',
      'second',
      'late',
      'none',
    ]);
  });
});
