// Tests the compact table that stores the state of each row in a bulk run.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRowStates } from '../../../../../src/lib/domain/dsr/row-states.ts';

describe('row states', () => {
  const ID = 'a7551968-d5d6-44b2-9831-815ac9017798';

  it("are open for every row that was never stored, even beyond the table's size", () => {
    const states = createRowStates(100_000);
    expect([states.state(1), states.id(1), states.error(1), states.count('planned')]).toEqual([
      'open',
      undefined,
      '',
      0,
    ]);
    expect([states.state(1_000_000), states.id(1_000_000)]).toEqual(['open', undefined]);
  });

  it('include the id of a released row, which no longer counts as planned', () => {
    const states = createRowStates(100_000);
    states.plan(1, ID);
    states.plan(2, ID);
    states.release(1);
    expect([states.state(1), states.id(1), states.count('planned')]).toEqual(['open', ID, 1]);
  });

  it('drop the error of a row that is submitted later', () => {
    const states = createRowStates(100_000);
    states.complete(1, 'failed', 'why');
    expect([states.error(1), states.count('failed')]).toEqual(['why', 1]);
    states.complete(1, 'submitted');
    expect([states.error(1), states.count('failed'), states.count('submitted')]).toEqual(['', 0, 1]);
  });

  it.each([
    ['differs', 'unknown', false, [1]],
    ['failed', 'failed', false, []],
    ['unknown', 'unknown', true, [1]],
  ] as const)('store `%s`, which is shown and counted as `%s`', (stored, shown, isLeft, unknown) => {
    const states = createRowStates(100_000);
    states.complete(1, stored, 'why');
    expect([states.state(1), states.count(shown), states.isLeft(1), states.unknownRows()]).toEqual([
      shown,
      1,
      isLeft,
      unknown,
    ]);
  });

  it.each([1023, 1024, 1025, 2048, 5000, 100_000])('are all preserved after row %i is stored', (row) => {
    const states = createRowStates(100_000);
    states.plan(1, ID);
    states.plan(row, ID);
    states.complete(row, 'existing');
    expect([states.id(1), states.state(1), states.id(row), states.state(row)]).toEqual([ID, 'planned', ID, 'existing']);
  });
});

it('stores the ids and states of any number of rows', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.tuple(fc.integer({ min: 1, max: 5000 }), fc.uuid({ version: 4 })), {
        selector: ([row]) => row,
      }),
      (rows) => {
        const states = createRowStates(100_000);
        for (const [row, id] of rows) states.plan(row, id);
        for (const [row, id] of rows) expect([states.id(row), states.state(row)]).toEqual([id, 'planned']);
        const [first] = rows;
        if (first) states.complete(first[0], 'failed', 'why');
        expect(states.count('planned')).toBe(Math.max(0, rows.length - 1));
        expect(states.error(first?.[0] ?? 1)).toBe(first ? 'why' : '');
      },
    ),
  );
});
