// Request statuses: their order, the final ones, and whether a status can still be reached.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasReached, isAdvance, isFinal } from '../../../../../src/lib/domain/dsr/statuses.ts';

describe('statuses', () => {
  it.each<[string | undefined, string, boolean]>([
    [undefined, 'pending', true],
    ['refused', 'pending', true],
    ['not_submitted', 'pending', true],
    ['not_submitted', 'rejected', false],
    ['pending', 'not_submitted', false],
    ['pending', 'in_progress', true],
    ['in_progress', 'completed', true],
    ['pending', 'pending', false],
    ['in_progress', 'pending', false],
    ['completed', 'in_progress', false],
    ['completed', 'cancelled', false],
    // An unknown status is between known ones: reaching it counts as an advance once, and it hides no known status.
    ['pending', 'on_hold', true],
    ['in_progress', 'on_hold', true],
    ['on_hold', 'on_hold', false],
    ['on_hold', 'checking', true],
    ['on_hold', 'in_progress', false],
    ['on_hold', 'completed', true],
    ['completed', 'on_hold', false],
  ])('that change from %s to %s advance: %s', (current, next, expected) => {
    expect(isAdvance(current, next)).toBe(expected);
  });

  it('are final only if completed or cancelled', () => {
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
    ['completed', 'pending', 'reached'],
    ['on_hold', 'on_hold', 'reached'],
    ['cancelled', 'cancelled', 'reached'],
    ['on_hold', 'pending', undefined],
    ['pending', 'completed', undefined],
    ['in_progress', 'completed', undefined],
    ['in_progress', 'cancelled', undefined],
    ['completed', 'cancelled', 'impossible'],
    ['cancelled', 'completed', 'impossible'],
    ['cancelled', 'pending', 'impossible'],
  ])('of a request that is %s while %s is awaited: %s', (status, wanted, result) => {
    expect(hasReached(status, wanted)).toBe(result);
  });

  const known = ['refused', 'pending', 'in_progress', 'completed', 'cancelled'];
  it('never advance from a final status', () => {
    for (const next of known) for (const end of ['completed', 'cancelled']) expect(isAdvance(end, next)).toBe(false);
  });

  it('in any order and with repeats end at the most advanced one', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(known.slice(1, 4), { minLength: 1 }), fc.array(fc.nat(2)), (order, repeats) => {
        const seen = [...order, ...repeats.map((index) => order[index % order.length] ?? '')];
        const last = seen.reduce<string | undefined>((now, next) => (isAdvance(now, next) ? next : now), undefined);
        expect(last).toBe(known.findLast((status) => order.includes(status)));
      }),
    );
  });
});
