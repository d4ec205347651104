// The times of a request as lists show them, and which requests the law still waits for.
import { describe, expect, it } from 'vitest';
import type { RequestStatusReply } from '../../../../src/lib/contract/dsr.ts';
import {
  cancellableUntil,
  deadlineFrom,
  type RequestFacts,
  resultsExpireAt,
} from '../../../../src/lib/domain/dsr/deadlines.ts';
import { maskIdentity } from '../../../../src/lib/domain/dsr/mask.ts';
import {
  dueFirst,
  overviewOf,
  type Remembered,
  type RequestOverview,
} from '../../../../src/lib/domain/dsr/overview.ts';
import { createRowStates } from '../../../../src/lib/domain/dsr/row-states.ts';
import { hasReached, isAdvance, isFinal } from '../../../../src/lib/domain/dsr/statuses.ts';

const DAY = 86_400_000;
const NOW = Date.parse('2026-11-21T08:00:00Z');
const CLOCKS = { now: NOW, platformNow: NOW };
const facts = (over: Partial<RequestFacts>): RequestFacts => ({
  regulation: 'gdpr',
  type: 'erasure',
  skipWaiting: false,
  submittedAt: 0,
  receivedAt: 0,
  status: 'pending',
  completedAt: undefined,
  ...over,
});

describe('until when a request can be taken back', () => {
  it('is a day where the waiting period is skipped', () => {
    expect(cancellableUntil(facts({ skipWaiting: true }))).toBe(DAY);
    expect(cancellableUntil(facts({ skipWaiting: undefined, receivedAt: 5 }))).toBe(7 * DAY + 5);
  });

  it.each<[string, Partial<RequestFacts>]>([
    ['of another type', { type: 'access' }],
    ['of a type that is not known', { type: undefined }],
    ['that nobody knows when the platform took', { receivedAt: undefined }],
    ['that is on its way', { status: 'in_progress' }],
    ['whose state is not known', { status: undefined }],
  ])('is not known of one %s', (_what, over) => {
    expect(cancellableUntil(facts(over))).toBeUndefined();
  });
});

it('results are there only of what is completed, is no erasure, and has a time', () => {
  const done = facts({ type: 'access', status: 'completed', completedAt: 5 });
  expect(resultsExpireAt(done)).toBe(7 * DAY + 5);
  expect(resultsExpireAt({ ...done, status: 'in_progress' })).toBeUndefined();
  expect(resultsExpireAt({ ...done, completedAt: undefined })).toBeUndefined();
  expect(resultsExpireAt({ ...done, type: undefined })).toBe(7 * DAY + 5);
});

it('a deadline follows from texts, and from no text that is no time', () => {
  expect(deadlineFrom('ccpa', '1970-01-01T00:00:00Z')).toBe(45 * DAY);
  expect([
    deadlineFrom('ccpa', undefined),
    deadlineFrom('ccpa', 'soon'),
    deadlineFrom(undefined, '1970-01-01T00:00:00Z'),
  ]).toEqual([undefined, undefined, undefined]);
});

describe('one request as lists show it', () => {
  const reply = { subject_request_id: 'x', request_status: 'pending' } as RequestStatusReply;
  const known: Remembered = {
    at: '2026-11-20T08:00:00Z',
    regulation: 'gdpr',
    subject_request_type: 'erasure',
    submitted_time: '2026-11-19T08:00:00Z',
    states: [],
  };

  it('has what this machine knows of it', () => {
    expect(overviewOf(reply, known, CLOCKS)).toEqual({
      ...reply,
      regulation: 'gdpr',
      subject_request_type: 'erasure',
      submitted_time: '2026-11-19T08:00:00Z',
      deadline: '2026-12-19T08:00:00Z',
      cancellable_until: '2026-11-27T08:00:00Z',
      results_expire_at: null,
    });
  });

  it('has nothing of it where this machine did not submit it', () => {
    expect(overviewOf(reply, undefined, CLOCKS)).toEqual({
      ...reply,
      regulation: null,
      subject_request_type: null,
      submitted_time: null,
      deadline: null,
      cancellable_until: null,
      results_expire_at: null,
    });
  });

  it('counts the waiting period from when the platform took it, where that is known', () => {
    const until = (received_time: string | null | undefined): string | null =>
      overviewOf(reply, { ...known, ...(received_time !== undefined && { received_time }) }, CLOCKS).cancellable_until;
    expect(until('2026-11-21T08:00:00Z')).toBe('2026-11-28T08:00:00Z');
    expect([until(null), until(undefined)]).toEqual(['2026-11-27T08:00:00Z', '2026-11-27T08:00:00Z']);
  });

  const completed = { ...reply, request_status: 'completed' } as RequestStatusReply;
  const access = { ...known, subject_request_type: 'access' };

  it('knows when the results of its own request end, also before there is a link to them', () => {
    expect(overviewOf(completed, access, CLOCKS).results_expire_at).toBe('2026-11-28T08:00:00Z');
    expect(overviewOf(completed, undefined, CLOCKS).results_expire_at).toBeNull();
    expect(overviewOf(reply, access, CLOCKS).results_expire_at).toBeNull();
  });

  it('goes by when it was seen completed, not by when it was seen otherwise', () => {
    const states = [
      { status: 'pending', at: '2026-11-01T00:00:00Z' },
      { status: 'completed', at: '2026-11-10T00:00:00Z' },
    ];
    expect(overviewOf(completed, { ...access, states }, CLOCKS).results_expire_at).toBe('2026-11-17T00:00:00Z');
  });
});

describe('what is due', () => {
  const due = (id: string, deadline: string | null, status = 'pending'): RequestOverview =>
    ({ subject_request_id: id, request_status: status, deadline }) as RequestOverview;

  it('comes with the most urgent first, what has no deadline last, and what is over not at all', () => {
    const requests = [
      due('none', null),
      due('late', '2026-12-03T00:00:00Z'),
      due('done', '2026-11-01T00:00:00Z', 'completed'),
      due('first', '2026-12-01T00:00:00Z', 'in_progress'),
      due('gone', '2026-11-01T00:00:00Z', 'cancelled'),
      due('no', '2026-11-01T00:00:00Z', 'refused'),
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

describe('states', () => {
  it.each<[string | undefined, string, boolean]>([
    [undefined, 'pending', true],
    ['refused', 'pending', true],
    ['pending', 'in_progress', true],
    ['in_progress', 'completed', true],
    ['pending', 'pending', false],
    ['in_progress', 'pending', false],
    ['completed', 'in_progress', false],
    ['completed', 'cancelled', false],
    // A word that is to come lies somewhere on the way; it is news once, and hides nothing that is known.
    ['pending', 'on_hold', true],
    ['in_progress', 'on_hold', true],
    ['on_hold', 'on_hold', false],
    ['on_hold', 'checking', true],
    ['on_hold', 'in_progress', false],
    ['on_hold', 'completed', true],
    ['completed', 'on_hold', false],
  ])('%s, then %s: news is %s', (current, next, isNews) => {
    expect(isAdvance(current, next)).toBe(isNews);
  });

  it('are final at the end alone', () => {
    expect(['completed', 'cancelled', 'in_progress', 'pending', 'refused', 'on_hold'].map(isFinal)).toEqual([
      true,
      true,
      false,
      false,
      false,
      false,
    ]);
  });

  it.each<[string, string, string | undefined]>([
    ['pending', 'pending', 'reached'],
    ['in_progress', 'pending', 'reached'],
    ['on_hold', 'on_hold', 'reached'],
    ['cancelled', 'cancelled', 'reached'],
    ['on_hold', 'pending', undefined],
    ['in_progress', 'completed', undefined],
    ['in_progress', 'cancelled', undefined],
    ['completed', 'cancelled', 'impossible'],
    ['cancelled', 'pending', 'impossible'],
  ])('%s, waiting for %s: %s', (status, wanted, result) => {
    expect(hasReached(status, wanted)).toBe(result);
  });
});

describe('an identity that is shown', () => {
  it.each([
    ['ada@example.org', 'a***@***.org'],
    ['a@b.co.uk', 'a***@***.uk'],
    ['ada@localhost', 'a***@***'],
    ['ada@example.x', 'a***@***'],
    ['ada@10.0.0.7', 'a***@***'],
    ['ada@example.org and more', 'ad***'],
    ['to ada@example.org', 'to***'],
    ['12345', '***'],
    ['123456', '12***'],
    ['😀😀😀😀😀', '***'],
    ['😀😀😀😀😀😀', '😀😀***'],
  ])('%s is %s', (value, masked) => {
    expect(maskIdentity(value)).toBe(masked);
  });
});

describe('what became of rows', () => {
  const ID = 'a7551968-d5d6-44b2-9831-815ac9017798';

  it('is nothing yet for a row that nobody spoke of, however far it is', () => {
    const states = createRowStates();
    expect([states.state(1), states.id(1), states.error(1), states.count('planned')]).toEqual([
      'open',
      undefined,
      '',
      0,
    ]);
    expect([states.state(1_000_000), states.id(1_000_000)]).toEqual(['open', undefined]);
  });

  it('keeps the id of a row whose request never went out, and counts it as planned no more', () => {
    const states = createRowStates();
    states.plan(1, ID);
    states.plan(2, ID);
    states.release(1);
    expect([states.state(1), states.id(1), states.count('planned')]).toEqual(['open', ID, 1]);
  });

  it('forgets why a row failed once it did not', () => {
    const states = createRowStates();
    states.settle(1, 'failed', 'why');
    expect([states.error(1), states.count('failed')]).toEqual(['why', 1]);
    states.settle(1, 'submitted');
    expect([states.error(1), states.count('failed'), states.count('submitted')]).toEqual(['', 0, 1]);
  });

  it.each([1023, 1024, 1025, 2048, 5000, 100_000])('loses nothing when row %i makes it grow', (row) => {
    const states = createRowStates();
    states.plan(1, ID);
    states.plan(row, ID);
    states.settle(row, 'existing');
    expect([states.id(1), states.state(1), states.id(row), states.state(row)]).toEqual([ID, 'planned', ID, 'existing']);
  });
});
