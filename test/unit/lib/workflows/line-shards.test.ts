// Every line in a file belongs to exactly one shard, whatever the chunk size and the number of shards. A run can resume
// after any line.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { InputBytes } from '../../../../src/lib/bulk/sources/bytes.ts';
import type { RowPacker } from '../../../../src/lib/domain/seed/packer.ts';
import { createRowRules } from '../../../../src/lib/domain/seed/read-row.ts';
import type { Shard } from '../../../../src/lib/domain/seed/shard.ts';
import { createSeedInput } from '../../../../src/lib/workflows/seed-input.ts';

interface Line {
  text: string;
  position: number;
  /** The offset after the line, from which reading can resume. */
  offset: number;
}

/** Reads the file in chunks of `chunkSize` bytes, and returns the shard's lines after the completed lines. */
async function linesOf(file: Buffer, shard: Shard, chunkSize: number, completed = { position: 0, offset: 0 }) {
  const source = {
    ...{ name: 'a', format: 'ndjson', wrapping: 'none', size: file.length, isDivisible: true },
    chunks: async function* (start = 0, end = Infinity) {
      for (let at = start; at < Math.min(end, file.length); at += chunkSize)
        yield await Promise.resolve(file.subarray(at, Math.min(at + chunkSize, end)));
    },
  } as Partial<InputBytes> as InputBytes;
  const lines: Line[] = [];
  const packer = {
    offset: -1,
    takeJson: (bytes: Buffer, start: number, end: number, position: number) =>
      lines.push({ text: bytes.toString('latin1', start, end), position, offset: packer.offset }),
  };
  const defaults = { workspace: '', environment: undefined, cutoffDate: undefined };
  const input = createSeedInput(source, { rules: createRowRules({}), defaults, map: undefined, shard });
  let read = 0;
  for await (const bytes of input.rows(packer as unknown as RowPacker, completed)) read = bytes;
  return { lines, read };
}

const anyLines = fc.array(fc.stringMatching(/^[a-z]{0,12}$/), { maxLength: 30 });
const anyCount = fc.integer({ min: 1, max: 9 });
const anySize = fc.integer({ min: 1, max: 40 });

test('returns shards that together cover the file, and can resume each shard after any line', async () => {
  await fc.assert(
    fc.asyncProperty(anyLines, fc.boolean(), anyCount, anySize, async (words, closed, count, chunkSize) => {
      const file = Buffer.from(words.join('\n') + (closed ? '\n' : ''), 'latin1');
      const all: string[] = [];
      for (let index = 0; index < count; index++) {
        const shard = { index, count };
        const { lines } = await linesOf(file, shard, chunkSize);
        all.push(...lines.map(({ text }) => text));
        for (const [at, completed] of lines.entries()) {
          const rest = await linesOf(file, shard, chunkSize, completed);
          expect(rest.lines).toEqual(lines.slice(at + 1));
        }
      }
      expect(all).toEqual(words.filter((word) => word !== ''));
    }),
  );
});

test('assigns a line to the shard in which it begins, and counts progress from the start of the shard', async () => {
  const file = Buffer.from('aa\nbb\ncc\ndd\n');
  const shards = await Promise.all([0, 1, 2].map((index) => linesOf(file, { index, count: 3 }, 100)));
  expect(shards.map(({ lines }) => lines.map(({ text, offset }) => [text, offset]))).toEqual([
    [
      ['aa', 3],
      ['bb', 6],
    ],
    [['cc', 9]],
    [['dd', 12]],
  ]);
  expect(shards.map(({ read }) => read)).toEqual([6, 5, 4]);
});
