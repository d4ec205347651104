// Packs rows into batches: size limits, rejected rows, and the position of each row.
import { describe, expect, it } from 'vitest';
import { createRowRules } from '../../../../../src/lib/domain/seed/read-row.ts';
import type { Batch } from '../../../../../src/lib/domain/seed/batch.ts';
import type { BodyWriter } from '../../../../../src/lib/domain/seed/body-writer.ts';
import { type BatchLimits, RowPacker } from '../../../../../src/lib/domain/seed/packer.ts';
import { cellsOf } from '../../../../../src/lib/domain/csv/record.ts';

const ROW = '{"environment":"production","xpid":7,"calculated_attributes":{}}';
/** The same row as `ROW`, but with its id in quotes, so it needs exact parsing. */
const EXACT = '{"environment":"production","xpid":"","calculated_attributes":{}}'.replace('""', '"7"');

/** Adds a row as JSON. */
function take(into: RowPacker, position: number, row = ROW): void {
  into.takeJson(Buffer.from(`${row}\n`), 0, row.length, position);
}

const CELLS = cellsOf([]);

/** Returns a writer that reserves `room` bytes for each row. */
const writerOf = (room: number, write: BodyWriter['write']): BodyWriter => ({ room: () => room, write });
const writesRow: BodyWriter['write'] = (_cells, out, begin) => begin + out.write(ROW, begin);

function packer(limits: Partial<BatchLimits> = {}, isDone: (file: number, position: number) => boolean = () => false) {
  const made = new RowPacker({ rows: 100, bytes: 10_000, ...limits }, createRowRules({}), isDone);
  made.begin(0, 0);
  return made;
}

/** Every way to add a row. */
const WAYS: [string, (into: RowPacker, position: number) => void][] = [
  ['as JSON', take],
  ['as JSON that needs exact parsing', (into, position) => take(into, position, EXACT)],
  ['by a writer', (into, position) => void into.takeCells(writerOf(ROW.length, writesRow), CELLS, 0, position)],
  [
    'as a value',
    (into, position) => into.takeValue({ environment: 'production', xpid: 7, calculated_attributes: {} }, position),
  ],
];

const packed = (from: RowPacker): Batch[] => {
  from.flush();
  return from.ready;
};
const bodies = (from: RowPacker): string[] => packed(from).map((batch) => batch.body().toString());

describe.each(WAYS)('rows added %s', (_way, take) => {
  it('fill batches up to the row limit and keep their order', () => {
    const into = packer({ rows: 3 });
    for (let position = 1; position <= 7; position++) {
      into.offset = position * 100;
      into.line = position * 2;
      take(into, position);
    }
    const batches = packed(into);
    expect(batches.map(({ count, endOffset, from, to }) => [from, to, count, endOffset])).toEqual([
      [0, 3, 3, 300],
      [3, 6, 3, 600],
      [6, 7, 1, 700],
    ]);
    expect(batches.map((batch) => batch.line(0))).toEqual([2, 8, 14]);
    expect(bodies(into)).toEqual([3, 3, 1].map((count) => `[${Array<string>(count).fill(ROW).join(',')}]`));
  });

  it('fill batches up to the last byte of the limit', () => {
    const exactly = 2 * ROW.length + 3;
    const enough = packer({ bytes: exactly });
    const tooFew = packer({ bytes: exactly - 1 });
    for (let position = 1; position <= 4; position++) for (const into of [enough, tooFew]) take(into, position);
    expect(packed(enough).map(({ count }) => count)).toEqual([2, 2]);
    expect(packed(tooFew).map(({ count }) => count)).toEqual([1, 1, 1, 1]);
    expect(bodies(enough)).toEqual([`[${ROW},${ROW}]`, `[${ROW},${ROW}]`]);
  });

  it('are sent one per batch if each exceeds the limit', () => {
    const into = packer({ bytes: 10 });
    for (const position of [1, 2]) take(into, position);
    expect(bodies(into)).toEqual([`[${ROW}]`, `[${ROW}]`]);
  });

  it('are skipped if an earlier run completed them', () => {
    const checked = new Set<string>();
    const into = packer({}, (file, position) => {
      checked.add(`${file}:${position}`);
      return position < 3;
    });
    into.begin(4, 2);
    for (let position = 1; position <= 3; position++) take(into, position);
    expect(packed(into).map(({ count, file, from, to }) => [file, from, to, count])).toEqual([[4, 2, 3, 1]]);
    expect([...checked]).toEqual(['4:1', '4:2', '4:3']);
  });
});

describe('a valid row', () => {
  const SPACED = '{ "environment":"production" , "xpid":7,"calculated_attributes":{} }';

  it('is sent unchanged if it is JSON', () => {
    const into = packer();
    const bytes = Buffer.from(`${ROW}\n${SPACED}\n`);
    into.takeJson(bytes, 0, ROW.length, 1);
    into.takeJson(bytes, ROW.length + 1, bytes.length - 1, 2);
    into.keep();
    bytes.fill('#');
    expect(bodies(into)).toEqual([`[${ROW},${SPACED}]`]);
  });

  it('has no end offset if the input has no offsets', () => {
    const into = packer();
    take(into, 1);
    expect(packed(into)[0]?.endOffset).toBe(-1);
  });

  it('counts as accepted, and is not written, if an earlier run completed it', () => {
    const into = packer({}, () => true);
    const write = (): number => expect.fail('was written');
    expect(into.takeCells(writerOf(100, write), CELLS, 0, 1)).toBe(true);
    expect(packed(into)).toEqual([]);
  });
});

describe('a rejected row', () => {
  const rejected = (from: RowPacker) => packed(from).flatMap((batch) => batch.rejected);

  it('is part of its batch, with its position, reason and original text', () => {
    const into = packer();
    take(into, 1);
    into.line = 20;
    into.offset = 500;
    into.reject(2, 'is wrong', 'original');
    into.takeValue({ environment: 'prod', xpid: 7, calculated_attributes: {} }, 3);
    expect(packed(into)).toMatchObject([{ count: 1, from: 0, to: 3, endOffset: 500 }]);
    expect(rejected(into)).toEqual([
      {
        position: 2,
        line: 20,
        issues: [{ path: '', message: 'is wrong' }],
        original: 'original',
        isTableRecord: false,
      },
      {
        position: 3,
        line: 20,
        issues: [{ path: 'environment', message: expect.stringContaining('production') as string }],
        original: '{"environment":"prod","xpid":7,"calculated_attributes":{}}',
        isTableRecord: false,
      },
    ]);
  });

  it('is reported by its row number if the input has no lines, and is not reported if an earlier run completed it', () => {
    const into = packer({}, (_file, position) => position === 1);
    into.reject(1, 'is wrong', 'x');
    into.takeValue({}, 1);
    into.takeJson(Buffer.from('{}\n'), 0, 2, 1);
    into.reject(2, 'is wrong', 'x');
    expect(rejected(into)).toMatchObject([{ position: 2, line: 2 }]);
  });

  it('is reported with at most five issues, without duplicates', () => {
    const into = packer();
    const calculated_attributes = { 5001: Array.from({ length: 9 }, () => ({})) };
    into.takeValue({ environment: 'production', xpid: 7, calculated_attributes }, 1, () => ({
      path: 'date',
      message: 'no',
    }));
    into.takeValue({ environment: 'production', xpid: 7, calculated_attributes }, 2);
    const [same, many] = rejected(into);
    expect(same?.issues).toEqual([{ path: 'date', message: 'no' }]);
    expect(many?.issues).toHaveLength(5);
  });

  it('counts toward the batch size even if there are no valid rows', () => {
    const into = packer();
    for (let position = 1; position <= 2500; position++) into.reject(position, 'is wrong', 'x');
    expect(packed(into).map(({ from, to, count }) => [from, to, count])).toEqual([
      [0, 1000, 0],
      [1000, 2000, 0],
      [2000, 2500, 0],
    ]);
  });

  it('is reported with the reason if it is not valid JSON or UTF-8', () => {
    const into = packer();
    const invalid = Buffer.from(
      '{"environment":"production","xpid":7,"calculated_attributes":{},"a":"\u00ff"}\n',
      'latin1',
    );
    const identity = Buffer.from(
      '{"environment":"production","identities":{"email":"\u00ff"},"calculated_attributes":{}}\n',
      'latin1',
    );
    const bytes = Buffer.from('{x}\n');
    into.takeJson(invalid, 0, invalid.length - 1, 1);
    into.takeJson(identity, 0, identity.length - 1, 2);
    into.takeJson(bytes, 0, bytes.length - 1, 3);
    into.takeJson(Buffer.from(`${ROW}\n`), 0, ROW.length, 4);
    expect(packed(into).map(({ count }) => count)).toEqual([1]);
    expect(rejected(into).map(({ issues }) => issues[0]?.message)).toEqual([
      'contains invalid UTF-8',
      'contains invalid UTF-8',
      expect.stringContaining('not valid JSON'),
    ]);
  });
});

describe('writing a row into a batch', () => {
  const fail: BodyWriter['write'] = (_cells, out, begin) => {
    out.fill('x', begin);
    return -1;
  };

  it.each([10_000, 200])('does not leave bytes in a batch of %i bytes if it fails', (bytes) => {
    const into = packer({ bytes });
    take(into, 1);
    expect(into.takeCells(writerOf(150, fail), CELLS, 0, 2)).toBe(false);
    expect(into.takeCells(writerOf(150, writesRow), CELLS, 0, 3)).toBe(true);
    expect(bodies(into).join('')).toBe(`[${ROW},${ROW}]`);
  });

  it('takes up only the actual length of the row, not the requested length', () => {
    const into = packer({ bytes: 300 });
    for (let position = 1; position <= 4; position++) {
      expect(into.takeCells(writerOf(250, writesRow), CELLS, 0, position)).toBe(true);
    }
    expect(packed(into).map(({ count }) => count)).toEqual([4]);
  });
});

describe('batches', () => {
  it('are reused unless they have grown', () => {
    const into = packer({ rows: 1, bytes: 200 });
    take(into, 1);
    const [first] = into.ready.splice(0);
    into.recycle(first as Batch);
    take(into, 2);
    const [second] = into.ready.splice(0);
    expect(second).toBe(first);
    const large = `{"environment":"production","identities":{"email":"${'x'.repeat(500)}"},"calculated_attributes":{}}`;
    take(into, 3, large);
    const [third] = into.ready.splice(0);
    into.recycle(third as Batch);
    take(into, 4);
    expect(into.ready[0]).not.toBe(third);
    expect(bodies(into)).toEqual([`[${ROW}]`]);
  });

  it('are flushed when a new input begins, and start after the completed rows of that input', () => {
    const into = packer();
    into.line = 5;
    take(into, 1);
    into.begin(1, 40);
    take(into, 41);
    expect(packed(into).map((batch) => [batch.file, batch.from, batch.to, batch.line(0)])).toEqual([
      [0, 0, 1, 5],
      [1, 40, 41, 41],
    ]);
  });

  it('shrink immediately when the limits shrink', () => {
    const limits = { rows: 4, bytes: 10_000 };
    const into = new RowPacker(limits, createRowRules({}), () => false);
    into.begin(0, 0);
    for (let position = 1; position <= 4; position++) take(into, position);
    limits.rows = 2;
    for (let position = 5; position <= 8; position++) take(into, position);
    limits.bytes = 2 * ROW.length + 3;
    for (let position = 9; position <= 10; position++) take(into, position);
    limits.bytes--;
    for (let position = 11; position <= 12; position++) take(into, position);
    for (let position = 13; position <= 14; position++)
      into.takeCells(writerOf(ROW.length, writesRow), CELLS, 0, position);
    expect(packed(into).map(({ count }) => count)).toEqual([4, 2, 2, 2, 1, 1, 1, 1]);
  });

  it('are not created if there are no rows', () => {
    const into = packer();
    expect(packed(into)).toEqual([]);
  });
});
