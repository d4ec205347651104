// Uses the platform's message and earlier results to find the rows that caused the rejection of a batch.
import { describe, expect, it, test } from 'vitest';
import { Batch } from '../../../../../src/lib/domain/seed/batch.ts';
import { type Blame, createBlame } from '../../../../../src/lib/domain/seed/blame.ts';

/** Returns a batch whose rows have the given attributes. */
function batchOf(...rows: string[][]): Batch {
  const batch = new Batch(Buffer.alloc(100_000));
  batch.begin(0, 0);
  for (const [index, names] of rows.entries()) {
    const row = Buffer.from(JSON.stringify(names.map((name) => ({ attribute_name: name }))));
    batch.add(row, 0, row.length, index + 1, index + 1);
    batch.keep();
  }
  return batch;
}

/** Rejects a single row with this attribute `times` times. After ten such rejections, the attribute counts as bad. */
function rejectSingly(blame: Blame, name: string, times = 10): void {
  const batch = batchOf([name]);
  for (let time = 0; time < times; time++) blame.judge(batch, [0], [`${name}: no such attribute`]);
}

const ABC = batchOf(['A'], ['B'], ['A', 'B'], ['C']);

describe('rows that were rejected together', () => {
  it.each<[string, string[], number[], ReturnType<Blame['judge']>]>([
    ['a single row', ['too old'], [3], { guilty: [3], suspects: [], rest: [] }],
    ['a single row without the named attribute', ['A: wrong'], [3], { guilty: [3], suspects: [], rest: [] }],
    ['several rows and no named attribute', ['too old'], [0, 1, 3], { guilty: [], suspects: [0, 1, 3], rest: [] }],
    ['several rows and no message', [], [0, 1], { guilty: [], suspects: [0, 1], rest: [] }],
    ['several rows without the named attribute', ['X: wrong'], [1, 3], { guilty: [], suspects: [1, 3], rest: [] }],
    [
      'several rows, one with the named attribute',
      ['C: wrong'],
      [0, 1, 3],
      { guilty: [3], suspects: [], rest: [0, 1] },
    ],
    [
      'several rows, some with the named attribute',
      ['A: wrong'],
      [0, 1, 2, 3],
      { guilty: [], suspects: [0, 2], rest: [1, 3] },
    ],
    ['several rows, all with the named attribute', ['A: wrong'], [0, 2], { guilty: [], suspects: [0, 2], rest: [] }],
    [
      'several rows, and a first message without an attribute',
      ['too old', 'C: wrong'],
      [0, 3],
      { guilty: [3], suspects: [], rest: [0] },
    ],
    [
      'several rows, and a second message with another attribute',
      ['A: wrong', 'C: wrong'],
      [0, 3],
      { guilty: [0], suspects: [], rest: [3] },
    ],
    ['several rows, and a colon without a space', ['C:wrong'], [0, 3], { guilty: [], suspects: [0, 3], rest: [] }],
    [
      'several rows, and a message that starts with a colon',
      [': wrong'],
      [0, 3],
      { guilty: [], suspects: [0, 3], rest: [] },
    ],
  ])("are judged by the platform's message: %s", (_what, messages, rows, verdict) => {
    expect(createBlame().judge(ABC, rows, messages)).toEqual(verdict);
  });

  it.each([
    ['a name with a colon and a space', 'a: b', 'a: b: wrong: very'],
    ['a name that is a prefix of another', 'Order', 'Order: wrong'],
    ['a name with quotes and a backslash', 'say "no" \\', 'say "no" \\: wrong'],
    ['a name in a different alphabet', 'Заказы', 'Заказы: wrong'],
  ])('are judged by the attribute name in the message: %s', (_what, name, message) => {
    const batch = batchOf(['Orders'], [name], ['b']);
    expect(createBlame().judge(batch, [0, 1, 2], [message])).toEqual({ guilty: [1], suspects: [], rest: [0, 2] });
  });
});

it('ignores an empty attribute name, even if rows contain empty strings', () => {
  expect(createBlame().judge(batchOf([''], ['a']), [0, 1], [': wrong'])).toMatchObject({ suspects: [0, 1] });
});

describe('an attribute in rejected rows', () => {
  const judge = (blame: Blame) => blame.judge(ABC, [0, 1, 2, 3], ['A: wrong']);
  const ifBad = { guilty: [0, 2], suspects: [], rest: [1, 3] };
  const ifOpen = { guilty: [], suspects: [0, 2], rest: [1, 3] };

  it('makes every row that contains it guilty, but only after ten rows sent alone were rejected because of it', () => {
    const blame = createBlame();
    rejectSingly(blame, 'A', 9);
    expect(judge(blame)).toEqual(ifOpen);
    rejectSingly(blame, 'A', 1);
    expect(judge(blame)).toEqual(ifBad);
    // Other attributes are judged separately.
    expect(blame.judge(batchOf(['B'], ['B']), [0, 1], ['B: wrong'])).toMatchObject({ suspects: [0, 1] });
  });

  it('is not blamed if its rows were rejected only together', () => {
    const blame = createBlame();
    for (let time = 0; time < 5; time++) expect(judge(blame)).toEqual(ifOpen);
  });

  it('is never blamed again after a row that contains it is accepted', () => {
    const blame = createBlame();
    rejectSingly(blame, 'A');
    blame.accepted(ABC, [1, 3]);
    expect(judge(blame)).toEqual(ifBad);
    blame.accepted(ABC, [3, 2]);
    expect(judge(blame)).toEqual(ifOpen);
    rejectSingly(blame, 'A');
    expect(judge(blame)).toEqual(ifOpen);
  });

  it('gets its own group when rows are divided into groups', () => {
    const blame = createBlame();
    expect(blame.sort(ABC, [0, 1, 2, 3])).toEqual([[0, 1, 2, 3]]);
    rejectSingly(blame, 'B');
    rejectSingly(blame, 'C', 9);
    rejectSingly(blame, 'A');
    // A row with two bad attributes joins the group of the attribute that was found first.
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

test('remembers at most two hundred attributes', () => {
  const blame = createBlame();
  for (let index = 0; index < 250; index++) rejectSingly(blame, `n${index}`);
  const isBad = (name: string): boolean =>
    blame.judge(batchOf([name], [name]), [0, 1], [`${name}: wrong`]).guilty.length > 0;
  expect(['n0', 'n199', 'n200', 'n249'].map(isBad)).toEqual([true, true, false, false]);
});
