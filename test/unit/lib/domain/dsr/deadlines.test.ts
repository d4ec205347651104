// A request's deadlines: the legal deadline, the end of the cancellation period, and the expiry of results.
import { describe, expect, it } from 'vitest';
import {
  cancellableUntil,
  deadlineFrom,
  deadlineOf,
  expectedDays,
  type RequestFacts,
  resultsExpireAt,
} from '../../../../../src/lib/domain/dsr/deadlines.ts';

const DAY = 86_400_000;
const facts = (over: Partial<RequestFacts>): RequestFacts => ({
  type: 'erasure',
  skipWaiting: false,
  receivedAt: 0,
  status: 'pending',
  completedAt: undefined,
  ...over,
});

describe('the legal deadline', () => {
  it.each([
    ['gdpr', '2026-11-21T08:00:00Z', '2026-12-21T08:00:00.000Z'],
    ['gdpr', '2026-01-31T08:00:00Z', '2026-02-28T08:00:00.000Z'],
    ['gdpr', '2028-01-30T08:00:00Z', '2028-02-29T08:00:00.000Z'],
    ['gdpr', '2026-12-31T23:59:59Z', '2027-01-31T23:59:59.000Z'],
    ['gdpr', '2026-03-31T00:00:00Z', '2026-04-30T00:00:00.000Z'],
    ['ccpa', '2026-11-21T08:00:00Z', '2027-01-05T08:00:00.000Z'],
  ])('of a %s request submitted at %s is %s', (regulation, from, until) => {
    expect(new Date(deadlineOf(regulation, Date.parse(from)) ?? 0).toISOString()).toBe(until);
  });

  it('is unknown under other laws', () => {
    expect(deadlineOf('lgpd', 0)).toBeUndefined();
  });
});

it('calculates a deadline only from a known regulation and a valid time', () => {
  expect(deadlineFrom('ccpa', '1970-01-01T00:00:00Z')).toBe(45 * DAY);
  expect([
    deadlineFrom('ccpa', undefined),
    deadlineFrom('ccpa', 'soon'),
    // A damaged ledger may contain any JSON.
    ...[null, 7, [], {}].map((damaged) => deadlineFrom('ccpa', damaged as unknown as string)),
    deadlineFrom(undefined, '1970-01-01T00:00:00Z'),
  ]).toEqual(Array(7).fill(undefined));
});

it.each([
  // 1 March in UTC, but still 28 February for the subject.
  ['gdpr', '2026-02-28T20:00:00-05:00', '2026-03-29T01:00:00.000Z'],
  ['gdpr', '2026-03-01T00:30:00+01:00', '2026-03-28T23:30:00.000Z'],
  ['gdpr', '2028-02-29T23:00:00-0300', '2028-03-30T02:00:00.000Z'],
  ['gdpr', '2027-12-31T22:00:00-04:00', '2028-02-01T02:00:00.000Z'],
  ['gdpr', '2026-11-21T08:00:00+05:30', '2026-12-21T02:30:00.000Z'],
  ['ccpa', '2026-11-20T20:00:00-08:00', '2027-01-05T04:00:00.000Z'],
])('is the earlier one in UTC and in the time zone of a %s request from %s: %s', (regulation, from, until) => {
  expect(new Date(deadlineFrom(regulation, from) ?? 0).toISOString()).toBe(until);
});

describe('the cancellation deadline', () => {
  it('is a week after receipt, or a day if the waiting period is skipped', () => {
    expect(cancellableUntil(facts({}))).toBe(7 * DAY);
    expect(cancellableUntil(facts({ skipWaiting: undefined, receivedAt: 5 }))).toBe(7 * DAY + 5);
    expect(cancellableUntil(facts({ skipWaiting: true }))).toBe(DAY);
  });

  it.each<[string, Partial<RequestFacts>]>([
    ['a request of another type', { type: 'access' }],
    ['a request of unknown type', { type: undefined }],
    ['an unknown time of receipt', { receivedAt: undefined }],
    ['a request in progress', { status: 'in_progress' }],
    ['an unknown status', { status: undefined }],
  ])('is undefined for %s', (_what, over) => {
    expect(cancellableUntil(facts(over))).toBeUndefined();
  });
});

it('calculates when results expire if the request was completed at a known time and is not an erasure', () => {
  const done = facts({ type: 'access', status: 'completed', completedAt: 5 });
  expect(resultsExpireAt(done)).toBe(7 * DAY + 5);
  expect(resultsExpireAt({ ...done, status: 'in_progress' })).toBeUndefined();
  expect(resultsExpireAt({ ...done, completedAt: undefined })).toBeUndefined();
  expect(resultsExpireAt({ ...done, type: undefined })).toBe(7 * DAY + 5);
  expect(resultsExpireAt({ ...done, type: 'erasure' })).toBeUndefined();
});

it('estimates the number of days until completion only for erasures', () => {
  expect(expectedDays('erasure', false)).toEqual({ from: 7, to: 21 });
  expect(expectedDays('erasure', true)).toEqual({ from: 1, to: 14 });
  expect(expectedDays('access', false)).toBeUndefined();
});
