// Who is to blame for a refused batch: what the platform's message names, and what was learnt of it before.
import { describe, expect, it, test } from 'vitest';
import { Batch } from '../../../../../src/lib/domain/seed/batch.ts';
import { type Blame, createBlame } from '../../../../../src/lib/domain/seed/blame.ts';

/** A batch whose rows hold these attributes. */
function batchOf(...rows: string[][]): Batch {
  const batch = new Batch(Buffer.alloc(100_000));
  batch.begin(0, 0);
  for (const [index, names] of rows.entries()) {
    const row = Buffer.from(JSON.stringify(names.map((name) => ({ attribute_name: name }))));
    batch.add(row, 0, row.length, index + 1, index + 1);
  }
  return batch;
}

/** Refuses single rows until an attribute counts as bad. */
function convict(blame: Blame, name: string, times = 2): void {
  for (let time = 0; time < times; time++) blame.judge(batchOf([name]), [0], [`${name}: no such attribute`]);
}

const ABC = batchOf(['A'], ['B'], ['A', 'B'], ['C']);

describe('rows that were refused together', () => {
  it.each<[string, string[], number[], ReturnType<Blame['judge']>]>([
    ['a row alone', ['too old'], [3], { guilty: [3], suspects: [], rest: [] }],
    ['a row alone that does not hold what is named', ['A: wrong'], [3], { guilty: [3], suspects: [], rest: [] }],
    ['several, and nothing is named', ['too old'], [0, 1, 3], { guilty: [], suspects: [0, 1, 3], rest: [] }],
    ['several, and no message', [], [0, 1], { guilty: [], suspects: [0, 1], rest: [] }],
    ['several, of which none holds what is named', ['X: wrong'], [1, 3], { guilty: [], suspects: [1, 3], rest: [] }],
    ['several, of which one holds it', ['C: wrong'], [0, 1, 3], { guilty: [3], suspects: [], rest: [0, 1] }],
    ['several, of which some hold it', ['A: wrong'], [0, 1, 2, 3], { guilty: [], suspects: [0, 2], rest: [1, 3] }],
    ['several that all hold it', ['A: wrong'], [0, 2], { guilty: [], suspects: [0, 2], rest: [] }],
    [
      'several, and the first message names nothing',
      ['too old', 'C: wrong'],
      [0, 3],
      { guilty: [3], suspects: [], rest: [0] },
    ],
    [
      'several, and the second message could be meant, too',
      ['A: wrong', 'C: wrong'],
      [0, 3],
      { guilty: [0], suspects: [], rest: [3] },
    ],
    ['several, and a colon without a blank', ['C:wrong'], [0, 3], { guilty: [], suspects: [0, 3], rest: [] }],
    [
      'several, and a message that begins with a colon',
      [': wrong'],
      [0, 3],
      { guilty: [], suspects: [0, 3], rest: [] },
    ],
  ])('%s', (_what, messages, rows, verdict) => {
    expect(createBlame().judge(ABC, rows, messages)).toEqual(verdict);
  });

  it.each([
    ['with a colon and a blank', 'a: b', 'a: b: wrong: very'],
    ['that is another one’s beginning', 'Order', 'Order: wrong'],
    ['with quotes and a backslash', 'say "no" \\', 'say "no" \\: wrong'],
    ['of another alphabet', 'Заказы', 'Заказы: wrong'],
  ])('by an attribute %s', (_what, name, message) => {
    const batch = batchOf(['Orders'], [name], ['b']);
    expect(createBlame().judge(batch, [0, 1, 2], [message])).toEqual({ guilty: [1], suspects: [], rest: [0, 2] });
  });
});

it('an empty name is none, though rows hold empty texts', () => {
  expect(createBlame().judge(batchOf([''], ['a']), [0, 1], [': wrong'])).toMatchObject({ suspects: [0, 1] });
});

describe('an attribute that two rows were refused for, each alone', () => {
  const judge = (blame: Blame) => blame.judge(ABC, [0, 1, 2, 3], ['A: wrong']);
  const asBad = { guilty: [0, 2], suspects: [], rest: [1, 3] };
  const asOpen = { guilty: [], suspects: [0, 2], rest: [1, 3] };

  it('makes all rows with it guilty at once, one row does not', () => {
    const blame = createBlame();
    convict(blame, 'A', 1);
    expect(judge(blame)).toEqual(asOpen);
    convict(blame, 'A', 1);
    expect(judge(blame)).toEqual(asBad);
    // Another attribute is judged by itself.
    expect(blame.judge(batchOf(['B'], ['B']), [0, 1], ['B: wrong'])).toMatchObject({ suspects: [0, 1] });
  });

  it('is no proof where rows were refused together', () => {
    const blame = createBlame();
    for (let time = 0; time < 5; time++) expect(judge(blame)).toEqual(asOpen);
  });

  it('is right again for good once a row with it was accepted', () => {
    const blame = createBlame();
    convict(blame, 'A');
    blame.accepted(ABC, [1, 3]);
    expect(judge(blame)).toEqual(asBad);
    blame.accepted(ABC, [3, 2]);
    expect(judge(blame)).toEqual(asOpen);
    convict(blame, 'A');
    expect(judge(blame)).toEqual(asOpen);
  });

  it('stands apart when rows are sorted', () => {
    const blame = createBlame();
    expect(blame.sort(ABC, [0, 1, 2, 3])).toEqual([[0, 1, 2, 3]]);
    convict(blame, 'B');
    convict(blame, 'C', 1);
    convict(blame, 'A');
    // A row with two bad ones stands by the one that was found first.
    expect(blame.sort(ABC, [0, 1, 2, 3])).toEqual([[3], [1, 2], [0]]);
    expect(blame.sort(ABC, [3, 0])).toEqual([[3], [0]]);
    expect(blame.sort(ABC, [3])).toEqual([[3]]);
    expect(blame.sort(ABC, [1])).toEqual([[], [1]]);
    blame.accepted(ABC, [1]);
    expect(blame.sort(ABC, [0, 1, 2, 3])).toEqual([
      [1, 3],
      [0, 2],
    ]);
  });
});

test('two hundred attributes are remembered, which no account has', () => {
  const blame = createBlame();
  for (let index = 0; index < 250; index++) convict(blame, `n${index}`);
  const isBad = (name: string): boolean =>
    blame.judge(batchOf([name], [name]), [0, 1], [`${name}: wrong`]).guilty.length > 0;
  expect(['n0', 'n199', 'n200', 'n249'].map(isBad)).toEqual([true, true, false, false]);
});
