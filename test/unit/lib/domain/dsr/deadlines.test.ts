// The legal deadline of a request.
import { describe, expect, it } from 'vitest';
import { deadlineFrom } from '../../../../../src/lib/domain/dsr/deadlines.ts';

const DAY = 86_400_000;

describe('the legal deadline', () => {
  it.each([
    ['gdpr', '2026-11-21T08:00:00Z', '2026-12-21T08:00:00.000Z'],
    ['gdpr', '2026-01-31T08:00:00Z', '2026-02-28T08:00:00.000Z'],
    ['gdpr', '2028-01-30T08:00:00Z', '2028-02-29T08:00:00.000Z'],
    ['gdpr', '2026-12-31T23:59:59Z', '2027-01-31T23:59:59.000Z'],
    ['gdpr', '2026-03-31T00:00:00Z', '2026-04-30T00:00:00.000Z'],
    ['ccpa', '2026-11-21T08:00:00Z', '2027-01-05T08:00:00.000Z'],
  ])('of a %s request submitted at %s is %s', (regulation, from, until) => {
    expect(new Date(deadlineFrom(regulation, from) ?? 0).toISOString()).toBe(until);
  });

  it('is unknown under other laws', () => {
    expect(deadlineFrom('lgpd', '1970-01-01T00:00:00Z')).toBeUndefined();
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
