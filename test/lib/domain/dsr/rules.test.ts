// Deadlines, states, masks and the small memories of bulk runs.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  cancellableUntil,
  deadlineOf,
  expectedDays,
  resultsExpireAt,
} from '../../../../src/lib/domain/dsr/deadlines.ts';
import { maskIdentity } from '../../../../src/lib/domain/dsr/mask.ts';
import { overviewOf } from '../../../../src/lib/domain/dsr/overview.ts';
import { createRowKeys } from '../../../../src/lib/domain/dsr/row-keys.ts';
import { createRowStates } from '../../../../src/lib/domain/dsr/row-states.ts';
import { hasReached, isAdvance } from '../../../../src/lib/domain/dsr/statuses.ts';

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

it('knows windows of erasures only, and expiry of results only', () => {
  expect(expectedDays('erasure', false)).toEqual({ from: 7, to: 21 });
  expect(expectedDays('erasure', true)).toEqual({ from: 1, to: 14 });
  expect(expectedDays('access', false)).toBeUndefined();
  const facts = { regulation: 'gdpr', submittedAt: 0, receivedAt: 0, skipWaiting: false, completedAt: 5 };
  expect(cancellableUntil({ ...facts, type: 'erasure', status: 'pending' })).toBe(7 * 86_400_000);
  expect(cancellableUntil({ ...facts, type: 'erasure', status: 'in_progress' })).toBeUndefined();
  expect(resultsExpireAt({ ...facts, type: 'access', status: 'completed' })).toBe(7 * 86_400_000 + 5);
  expect(resultsExpireAt({ ...facts, type: 'erasure', status: 'completed' })).toBeUndefined();
});

describe('the end of results', () => {
  const reply = {
    subject_request_id: 'x',
    request_status: 'completed',
    results_url: 'https://p.example/r',
    expected_completion_time: '2026-11-05T00:00:00Z',
  };
  const seen = (at: string) => ({
    subject_request_type: 'access',
    states: [{ status: 'completed', at, source: 'status' }],
  });
  const at = (text: string): number => Date.parse(text);

  it.each([
    ['seven days after it was seen completed, before its time', '2026-11-03T00:00:00Z', 0, '2026-11-10T00:00:00Z'],
    ['seven days after the time it was expected, seen later', '2026-11-09T00:00:00Z', 0, '2026-11-12T00:00:00Z'],
    ['by the platform’s clock, where ours is behind', '2026-11-01T00:00:00Z', 4 * 86_400_000, '2026-11-12T00:00:00Z'],
    ['without the seconds of an answer’s time', '2026-11-03T00:00:00Z', 900, '2026-11-10T00:00:00Z'],
  ])('is %s', (_what, when, ahead, end) => {
    const now = at('2026-11-09T12:00:00Z');
    const { results_expire_at: found } = overviewOf(reply, seen(when), { now, platformNow: now + ahead });
    expect(found).toBe(end);
  });

  it('is known for the requests of others by their link, and not where there is none', () => {
    const clocks = { now: at('2026-11-04T00:00:00Z'), platformNow: at('2026-11-04T00:00:00Z') };
    expect(overviewOf(reply, undefined, clocks).results_expire_at).toBe('2026-11-11T00:00:00Z');
    expect(overviewOf({ ...reply, results_url: null }, undefined, clocks).results_expire_at).toBeNull();
  });
});

describe('states', () => {
  const known = ['refused', 'pending', 'in_progress', 'completed', 'cancelled'];
  it('never come to an end and go on from there', () => {
    for (const next of known) for (const end of ['completed', 'cancelled']) expect(isAdvance(end, next)).toBe(false);
  });

  it('in any order and with repeats, end as the last of them', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(known.slice(1, 4), { minLength: 1 }), fc.array(fc.nat(2)), (order, repeats) => {
        const seen = [...order, ...repeats.map((index) => order[index % order.length] ?? '')];
        const last = seen.reduce<string | undefined>((now, next) => (isAdvance(now, next) ? next : now), undefined);
        expect(last).toBe(known.findLast((status) => order.includes(status)));
      }),
    );
  });

  it('may be reached, passed, or out of reach', () => {
    expect(hasReached('completed', 'pending')).toBe('reached');
    expect(hasReached('pending', 'completed')).toBeUndefined();
    expect(hasReached('cancelled', 'completed')).toBe('impossible');
    expect(hasReached('completed', 'cancelled')).toBe('impossible');
  });
});

it('masks whatever an identity looks like', () => {
  fc.assert(
    fc.property(fc.emailAddress(), (mail) => {
      const masked = maskIdentity(mail);
      expect(masked).not.toBe(mail);
      expect(masked.length).toBeLessThan(mail.length + 6);
      // The name alone: the end of the domain is shown, and may happen to be the same letters.
      expect(masked.split('@')[0]).toBe(`${mail.charAt(0)}***`);
    }),
  );
  expect(maskIdentity('12345')).toBe('***');
  expect(maskIdentity('+491701234567')).toBe('+4***');
});

it('remembers in which row a key stood first', () => {
  const keys = createRowKeys();
  for (let row = 1; row <= 5000; row++) expect(keys.add(`key ${row}`, row)).toBeUndefined();
  for (let row = 1; row <= 5000; row += 7) expect(keys.add(`key ${row}`, 9999)).toBe(row);
});

it('keeps ids and states of rows, whatever their number', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.tuple(fc.integer({ min: 1, max: 5000 }), fc.uuid({ version: 4 })), {
        selector: ([row]) => row,
      }),
      (rows) => {
        const states = createRowStates();
        for (const [row, id] of rows) states.plan(row, id);
        for (const [row, id] of rows) expect([states.id(row), states.state(row)]).toEqual([id, 'planned']);
        const [first] = rows;
        if (first) states.settle(first[0], 'failed', 'why');
        expect(states.count('planned')).toBe(Math.max(0, rows.length - 1));
        expect(states.error(first?.[0] ?? 1)).toBe(first ? 'why' : '');
      },
    ),
  );
});
