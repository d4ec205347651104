// The times that bind a request: what the law grants, until when it can be taken back, when its results end.
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
  regulation: 'gdpr',
  type: 'erasure',
  skipWaiting: false,
  submittedAt: 0,
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
  ])('%s from %s is %s', (regulation, from, until) => {
    expect(new Date(deadlineOf(regulation, Date.parse(from)) ?? 0).toISOString()).toBe(until);
  });

  it('is unknown for other laws', () => {
    expect(deadlineOf('lgpd', 0)).toBeUndefined();
  });
});

it('a deadline follows from texts, and from no text that is no time', () => {
  expect(deadlineFrom('ccpa', '1970-01-01T00:00:00Z')).toBe(45 * DAY);
  expect([
    deadlineFrom('ccpa', undefined),
    deadlineFrom('ccpa', 'soon'),
    deadlineFrom(undefined, '1970-01-01T00:00:00Z'),
  ]).toEqual([undefined, undefined, undefined]);
});

describe('until when a request can be taken back', () => {
  it('is a week, and a day where the waiting period is skipped', () => {
    expect(cancellableUntil(facts({}))).toBe(7 * DAY);
    expect(cancellableUntil(facts({ skipWaiting: undefined, receivedAt: 5 }))).toBe(7 * DAY + 5);
    expect(cancellableUntil(facts({ skipWaiting: true }))).toBe(DAY);
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
  expect(resultsExpireAt({ ...done, type: 'erasure' })).toBeUndefined();
});

it('days to wait for are known of erasures only', () => {
  expect(expectedDays('erasure', false)).toEqual({ from: 7, to: 21 });
  expect(expectedDays('erasure', true)).toEqual({ from: 1, to: 14 });
  expect(expectedDays('access', false)).toBeUndefined();
});
