// Rows packed into batches: how full they get, what is refused in them, and where each row came from.
import { describe, expect, it } from 'vitest';
import { createRowRules } from '../../../../../src/lib/domain/seed/row-rules.ts';
import type { Batch } from '../../../../../src/lib/domain/seed/batch.ts';
import { type BatchLimits, RowPacker } from '../../../../../src/lib/domain/seed/packer.ts';

const ROW = '{"environment":"production","xpid":7,"calculated_attributes":{}}';
/** As large, and read exactly: an id in quotes. */
const EXACT = '{"environment":"production","xpid":"","calculated_attributes":{}}'.replace('""', '"7"');

function packer(limits: Partial<BatchLimits> = {}, isDone: (file: number, position: number) => boolean = () => false) {
  const made = new RowPacker({ rows: 100, bytes: 10_000, ...limits }, createRowRules({}), isDone);
  made.begin(0, 0);
  return made;
}

/** Each way by which a row comes in. */
const WAYS: [string, (into: RowPacker, position: number) => void][] = [
  [
    'as JSON',
    (into, position) => {
      into.takeJson(Buffer.from(`${ROW}\n`), 0, ROW.length, position);
    },
  ],
  [
    'as JSON that is read exactly',
    (into, position) => into.takeJson(Buffer.from(`${EXACT}\n`), 0, EXACT.length, position),
  ],
  ['written', (into, position) => void into.takeWritten(ROW.length, position, (out, at) => at + out.write(ROW, at))],
  ['as a checked text', (into, position) => into.takeChecked(ROW, position)],
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

describe.each(WAYS)('rows that come in %s', (_way, take) => {
  it('fill batches of so many rows, which together are the input', () => {
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
    expect(batches.map((batch) => [batch.position(0), batch.line(0)])).toEqual([[1, 2], [4, 8], [7, 14]]); // prettier-ignore
    expect(bodies(into)).toEqual([3, 3, 1].map((count) => `[${Array<string>(count).fill(ROW).join(',')}]`));
  });

  it('fill batches of so many bytes to the last one', () => {
    const exactly = 2 * ROW.length + 3;
    const enough = packer({ bytes: exactly });
    const tooFew = packer({ bytes: exactly - 1 });
    for (let position = 1; position <= 4; position++) for (const into of [enough, tooFew]) take(into, position);
    expect(packed(enough).map(({ count }) => count)).toEqual([2, 2]);
    expect(packed(tooFew).map(({ count }) => count)).toEqual([1, 1, 1, 1]);
    expect(bodies(enough)).toEqual([`[${ROW},${ROW}]`, `[${ROW},${ROW}]`]);
  });

  it('go alone where even one is too large', () => {
    const into = packer({ bytes: 10 });
    for (const position of [1, 2]) take(into, position);
    expect(bodies(into)).toEqual([`[${ROW}]`, `[${ROW}]`]);
  });

  it('are left out where an earlier run completed them', () => {
    const asked = new Set<string>();
    const into = packer({}, (file, position) => {
      asked.add(`${file}:${position}`);
      return position < 3;
    });
    into.begin(4, 2);
    for (let position = 1; position <= 3; position++) take(into, position);
    expect(packed(into).map(({ count, file, from, to }) => [file, from, to, count])).toEqual([[4, 2, 3, 1]]);
    expect([...asked]).toEqual(['4:1', '4:2', '4:3']);
  });
});

describe('JSON that is right', () => {
  const SPACED = '{ "environment":"production" , "xpid":7,"calculated_attributes":{} }';

  it.each([true, false])(
    'goes out byte for byte as it stands, whether its bytes are known to be UTF-8 (%s) or not',
    (sound) => {
      const into = packer();
      into.sound = sound;
      const bytes = Buffer.from(`${ROW}\n${SPACED}\n`);
      into.takeJson(bytes, 0, ROW.length, 1);
      into.takeJson(bytes, ROW.length + 1, bytes.length - 1, 2);
      bytes.fill('#');
      expect(bodies(into)).toEqual([`[${ROW},${SPACED}]`]);
    },
  );

  it('is behind what may be read again only where that is known', () => {
    const into = packer();
    into.takeChecked(ROW, 1);
    expect(packed(into)[0]?.endOffset).toBe(-1);
  });

  it('needs no writing where an earlier run completed it, and right it counts as taken', () => {
    const into = packer({}, () => true);
    const write = (): number => expect.fail('was written');
    expect(into.takeWritten(100, 1, write)).toBe(true);
    expect(packed(into)).toEqual([]);
  });
});

describe('what is refused', () => {
  const refused = (from: RowPacker) => packed(from).flatMap((batch) => batch.refused);

  it('stands in its batch with its place, its reason and itself', () => {
    const into = packer();
    into.takeChecked(ROW, 1);
    into.line = 20;
    into.offset = 500;
    into.refuse(2, 'is wrong', 'original');
    into.takeValue({ environment: 'prod', xpid: 7, calculated_attributes: {} }, 3);
    expect(packed(into)).toMatchObject([{ count: 1, from: 0, to: 3, endOffset: 500 }]);
    expect(refused(into)).toEqual([
      { position: 2, line: 20, issues: [{ path: '', message: 'is wrong' }], original: 'original' },
      {
        position: 3,
        line: 20,
        issues: [{ path: 'environment', message: expect.stringContaining('production') as string }],
        original: '{"environment":"prod","xpid":7,"calculated_attributes":{}}',
      },
    ]);
  });

  it('is told by its position where the input has no lines, and not at all where it was completed', () => {
    const into = packer({}, (_file, position) => position === 1);
    into.refuse(1, 'is wrong', 'x');
    into.takeValue({}, 1);
    into.takeJson(Buffer.from('{}\n'), 0, 2, 1);
    into.refuse(2, 'is wrong', 'x');
    expect(refused(into)).toMatchObject([{ position: 2, line: 2 }]);
  });

  it('is told once, and of one row no more than can be read', () => {
    const into = packer();
    const calculated_attributes = { 5001: Array.from({ length: 9 }, () => ({})) };
    into.takeValue({ environment: 'production', xpid: 7, calculated_attributes }, 1, () => ({
      path: 'date',
      message: 'no',
    }));
    into.takeValue({ environment: 'production', xpid: 7, calculated_attributes }, 2);
    const [same, many] = refused(into);
    expect(same?.issues).toEqual([{ path: 'date', message: 'no' }]);
    expect(many?.issues).toHaveLength(5);
  });

  it('is complete now and then where there is nothing else', () => {
    const into = packer();
    for (let position = 1; position <= 2500; position++) into.refuse(position, 'is wrong', 'x');
    expect(packed(into).map(({ from, to, count }) => [from, to, count])).toEqual([
      [0, 1000, 0],
      [1000, 2000, 0],
      [2000, 2500, 0],
    ]);
  });

  it('is no JSON, and no UTF-8, where bytes may be anything', () => {
    const into = packer();
    const odd = Buffer.from(
      '{"environment":"production","xpid":7,"calculated_attributes":{},"a":"\u00ff"}\n',
      'latin1',
    );
    const identity = Buffer.from(
      '{"environment":"production","identities":{"email":"\u00ff"},"calculated_attributes":{}}\n',
      'latin1',
    );
    const bytes = Buffer.from('{x}\n');
    into.sound = false;
    into.takeJson(odd, 0, odd.length - 1, 1);
    into.takeJson(identity, 0, identity.length - 1, 2);
    into.takeJson(bytes, 0, bytes.length - 1, 3);
    into.takeJson(Buffer.from(`${ROW}\n`), 0, ROW.length, 4);
    expect(packed(into).map(({ count }) => count)).toEqual([1]);
    expect(refused(into).map(({ issues }) => issues[0]?.message)).toEqual([
      'a byte here is not UTF-8',
      'a byte here is not UTF-8',
      expect.stringContaining('not valid JSON'),
    ]);
  });
});

describe('a row that cannot be written', () => {
  const fail = (out: Buffer, at: number): number => {
    out.fill('x', at);
    return -1;
  };

  it.each([10_000, 200])('leaves nothing behind (batches of %i bytes)', (bytes) => {
    const into = packer({ bytes });
    into.takeChecked(ROW, 1);
    expect(into.takeWritten(150, 2, fail)).toBe(false);
    expect(into.takeWritten(150, 3, (out, at) => at + out.write(ROW, at))).toBe(true);
    expect(bodies(into).join('')).toBe(`[${ROW},${ROW}]`);
  });

  it('goes into the open batch by its exact length, whatever room it asked for', () => {
    const into = packer({ bytes: 300 });
    for (let position = 1; position <= 4; position++) {
      expect(into.takeWritten(250, position, (out, at) => at + out.write(ROW, at))).toBe(true);
    }
    expect(packed(into).map(({ count }) => count)).toEqual([4]);
  });
});

describe('batches', () => {
  it('serve again with the rows of a later one, unless they had to be larger', () => {
    const into = packer({ rows: 1, bytes: 200 });
    into.takeChecked(ROW, 1);
    const [first] = into.ready.splice(0);
    into.recycle(first as Batch);
    into.takeChecked(ROW, 2);
    const [second] = into.ready.splice(0);
    expect(second).toBe(first);
    const large = JSON.stringify('x'.repeat(500));
    into.takeChecked(large, 3);
    const [third] = into.ready.splice(0);
    into.recycle(third as Batch);
    into.takeChecked(ROW, 4);
    expect(into.ready[0]).not.toBe(third);
    expect(bodies(into)).toEqual([`[${ROW}]`]);
  });

  it('of a new input begin behind what was completed of it; what is open before goes out', () => {
    const into = packer();
    into.line = 5;
    into.takeChecked(ROW, 1);
    into.begin(1, 40);
    into.takeChecked(ROW, 41);
    expect(packed(into).map((batch) => [batch.file, batch.from, batch.to, batch.line(0)])).toEqual([
      [0, 0, 1, 5],
      [1, 40, 41, 41],
    ]);
  });

  it('are smaller at once where limits shrink', () => {
    const limits = { rows: 4, bytes: 10_000 };
    const into = new RowPacker(limits, createRowRules({}), () => false);
    into.begin(0, 0);
    for (let position = 1; position <= 4; position++) into.takeChecked(ROW, position);
    limits.rows = 2;
    for (let position = 5; position <= 8; position++) into.takeChecked(ROW, position);
    limits.bytes = 2 * ROW.length + 3;
    for (let position = 9; position <= 10; position++) into.takeChecked(ROW, position);
    limits.bytes--;
    const write = (out: Buffer, at: number): number => at + out.write(ROW, at);
    for (let position = 11; position <= 12; position++) into.takeChecked(ROW, position);
    for (let position = 13; position <= 14; position++) into.takeWritten(ROW.length, position, write);
    expect(packed(into).map(({ count }) => count)).toEqual([4, 2, 2, 2, 1, 1, 1, 1]);
  });

  it('are none where nothing came', () => {
    const into = packer();
    expect(packed(into)).toEqual([]);
  });
});
