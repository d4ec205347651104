// The journal stores the completed ranges of an input of any length correctly and compactly.
import { expect, test } from 'vitest';
import {
  createMarks,
  NOTHING_COMPLETED,
  completedBefore,
  type Completed,
} from '../../../../../src/lib/domain/seed/marks.ts';
import { randomFrom } from '../../../../helpers/random.ts';
import { size } from '../../../../helpers/size.ts';

const ROWS = size(100_000_000, 3_000_000, 1_000_000);
const BATCH = 100;
const MANY_BATCHES = size(100_000, 20_000, 2000);
const UNDER_WAY = 66;

test(`needs less than ten kilobytes to store which of ${ROWS / 1_000_000} million rows are complete, in any order`, () => {
  const random = randomFrom(3);
  const marks = createMarks(NOTHING_COMPLETED);
  const open: { complete(): void }[] = [];
  let largest = 0;
  for (let from = 0; from < ROWS; from += BATCH) {
    open.push(marks.open({ file: 0, from, to: from + BATCH, endOffset: from * 600 }));
    if (open.length < UNDER_WAY) continue;
    open.splice(Math.floor(random() * open.length), 1)[0]?.complete();
    if (from % 100_000 === 0) largest = Math.max(largest, JSON.stringify(marks.snapshot()).length);
  }
  for (const entry of open) entry.complete();
  expect(marks.snapshot()).toEqual({ mark: { file: 0, position: ROWS, offset: (ROWS - BATCH) * 600 }, beyond: [] });
  expect(largest).toBeLessThan(10_000);
});

test('stores all completed batches after an unfinished one as a single range', () => {
  const marks = createMarks(NOTHING_COMPLETED);
  marks.open({ file: 0, from: 0, to: BATCH, endOffset: 1 });
  for (let from = BATCH; from < BATCH * MANY_BATCHES; from += BATCH) {
    marks.open({ file: 0, from, to: from + BATCH, endOffset: from }).complete();
  }
  expect(marks.snapshot()).toEqual({
    mark: NOTHING_COMPLETED.mark,
    beyond: [{ file: 0, from: BATCH, to: BATCH * MANY_BATCHES }],
  });
});

test('remembers exactly the completed rows of a repeatedly interrupted run', () => {
  const random = randomFrom(9);
  const completed = new Set<number>();
  let before: Completed = NOTHING_COMPLETED;
  for (let life = 0; life < size(200, 60, 30); life++) {
    const isDone = completedBefore(before);
    for (let position = 1; position <= 3000; position++) expect(isDone(0, position)).toBe(completed.has(position));
    const marks = createMarks(before);
    const open: { from: number; to: number; complete(): void }[] = [];
    for (let at = 0, from = 0; at < 3000;) {
      // Open a range for each group of up to 40 consecutive unfinished rows.
      at++;
      if (isDone(0, at) && at < 3000) {
        from = at;
        continue;
      }
      if (isDone(0, at)) break;
      let to = at;
      while (to < 3000 && to - from < 40 && !isDone(0, to + 1)) to++;
      const range = { file: 0, from, to, endOffset: to };
      open.push({ from, to, ...marks.open(range) });
      at = to;
      from = to;
    }
    for (const { from, to, complete } of open.slice(0, 12)) {
      if (random() < 0.5) continue;
      complete();
      for (let position = from + 1; position <= to; position++) completed.add(position);
    }
    before = JSON.parse(JSON.stringify(marks.snapshot())) as Completed;
    if (open.length === 0) break;
  }
});

test('keeps the rows of several files separate', () => {
  const before: Completed = {
    mark: { file: 1, position: 50, offset: 500 },
    beyond: [
      { file: 0, from: 90, to: 99 },
      { file: 1, from: 40, to: 50 },
      { file: 1, from: 60, to: 70 },
      { file: 2, from: 10, to: 20 },
    ],
  };
  const isDone = completedBefore(before);
  const found = (file: number): number[] =>
    [1, 10, 11, 20, 21, 50, 51, 60, 61, 70, 71].filter((row) => isDone(file, row));
  expect([found(0), found(1), found(2), found(3)]).toEqual([
    [1, 10, 11, 20, 21, 50, 51, 60, 61, 70, 71],
    [1, 10, 11, 20, 21, 50, 61, 70],
    [11, 20],
    [],
  ]);

  // Ranges before the mark are dropped.
  const marks = createMarks(before);
  expect(marks.snapshot()).toEqual({ mark: before.mark, beyond: before.beyond.slice(2) });
  const first = marks.open({ file: 1, from: 50, to: 60, endOffset: 600 });
  const second = marks.open({ file: 1, from: 70, to: 80, endOffset: 800 });
  const third = marks.open({ file: 2, from: 0, to: 10, endOffset: 90 });
  second.complete();
  third.complete();
  expect(marks.snapshot()).toEqual({
    mark: before.mark,
    beyond: [...before.beyond.slice(2), { file: 1, from: 70, to: 80 }, { file: 2, from: 0, to: 10 }],
  });
  first.complete();
  expect(marks.snapshot()).toEqual({
    mark: { file: 2, position: 10, offset: 90 },
    beyond: [{ file: 2, from: 10, to: 20 }],
  });
});

test('does not merge adjacent ranges of different files', () => {
  const marks = createMarks(NOTHING_COMPLETED);
  marks.open({ file: 0, from: 0, to: 5, endOffset: 1 });
  marks.open({ file: 0, from: 5, to: 9, endOffset: 2 }).complete();
  marks.open({ file: 1, from: 9, to: 12, endOffset: 3 }).complete();
  marks.open({ file: 1, from: 14, to: 15, endOffset: 4 }).complete();
  expect(marks.snapshot().beyond).toEqual([
    { file: 0, from: 5, to: 9 },
    { file: 1, from: 9, to: 12 },
    { file: 1, from: 14, to: 15 },
  ]);
});
