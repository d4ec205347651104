// Request statuses: order, final statuses, and whether a status can still be reached.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasReached, isAdvance, isFinal } from '../../../../../src/lib/domain/dsr/statuses.ts';

describe('a request status', () => {
  it.each<[string | undefined, string]>([
    [undefined, 'pending'],
    ['refused', 'pending'],
    ['not_submitted', 'pending'],
    ['pending', 'in_progress'],
    ['in_progress', 'completed'],
    // An unknown status ranks between the known statuses: reaching it is an advance, and so is leaving it for a final
    // status.
    ['pending', 'on_hold'],
    ['in_progress', 'on_hold'],
    ['on_hold', 'checking'],
    ['on_hold', 'completed'],
  ])('advances from %s to %s', (current, next) => {
    expect(isAdvance(current, next)).toBe(true);
  });

  it.each<[string | undefined, string]>([
    ['not_submitted', 'rejected'],
    ['pending', 'not_submitted'],
    ['pending', 'pending'],
    ['in_progress', 'pending'],
    ['completed', 'in_progress'],
    ['completed', 'cancelled'],
    ['on_hold', 'on_hold'],
    ['on_hold', 'in_progress'],
    ['completed', 'on_hold'],
  ])('does not advance from %s to %s', (current, next) => {
    expect(isAdvance(current, next)).toBe(false);
  });

  it('is final only if it is completed or cancelled', () => {
    expect(['completed', 'cancelled', 'in_progress', 'pending', 'refused', 'on_hold'].map(isFinal)).toEqual([
      true,
      true,
      false,
      false,
      false,
      false,
    ]);
  });

  it.each([
    ['pending', 'pending'],
    ['pending', 'in_progress'],
    ['pending', 'completed'],
    ['on_hold', 'on_hold'],
    ['cancelled', 'cancelled'],
  ])('ends a wait for %s if it is %s', (wanted, status) => {
    expect(hasReached(status, wanted)).toBe('reached');
  });

  it.each([
    ['pending', 'on_hold'],
    ['completed', 'pending'],
    ['completed', 'in_progress'],
    ['cancelled', 'in_progress'],
  ])('does not end a wait for %s if it is %s', (wanted, status) => {
    expect(hasReached(status, wanted)).toBeUndefined();
  });

  it.each([
    ['cancelled', 'completed'],
    ['completed', 'cancelled'],
    ['pending', 'cancelled'],
  ])('ends a wait for %s, which can no longer be reached, if it is %s', (wanted, status) => {
    expect(hasReached(status, wanted)).toBe('impossible');
  });

  const known = ['refused', 'pending', 'in_progress', 'completed', 'cancelled'];
  it('never advances from a final status', () => {
    for (const next of known) for (const end of ['completed', 'cancelled']) expect(isAdvance(end, next)).toBe(false);
  });

  it('becomes the most advanced of several statuses, even if they are out of order or repeated', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(known.slice(1, 4), { minLength: 1 }), fc.array(fc.nat(2)), (order, repeats) => {
        const seen = [...order, ...repeats.map((index) => order[index % order.length] ?? '')];
        const last = seen.reduce<string | undefined>((now, next) => (isAdvance(now, next) ? next : now), undefined);
        expect(last).toBe(known.findLast((status) => order.includes(status)));
      }),
    );
  });
});
