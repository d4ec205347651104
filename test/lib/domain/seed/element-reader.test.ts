// The elements of a JSON array are found wherever a chunk ends, in a byte-order mark too.
import { expect, test } from 'vitest';
import { createWireNames } from '../../../../src/lib/contract/names.ts';
import { reasonOf } from '../../../../src/lib/domain/seed/batch.ts';
import { createElementReader } from '../../../../src/lib/domain/seed/json-rows.ts';
import { RowPacker } from '../../../../src/lib/domain/seed/packer.ts';

const row = (xpid: number): string =>
  `{"environment":"production","xpid":${xpid},"calculated_attributes":{"5001":[]},"user_attributes":{}}`;

/** The bodies of the rows and the reasons of those refused, the input given in chunks of so many bytes. */
function readAll(text: string, chunkBytes: number): string[] {
  const packer = new RowPacker({ rows: 1, bytes: 10_000 }, createWireNames({}), () => false);
  packer.begin(0, 0);
  const reader = createElementReader(packer);
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += chunkBytes) reader.feed(bytes.subarray(at, at + chunkBytes));
  reader.end();
  packer.flush();
  return packer.ready.flatMap((batch) => [
    ...Array.from({ length: batch.count }, (_, index) => batch.row(index).toString()),
    ...batch.refused.map(({ issues }) => reasonOf(issues)),
  ]);
}

test.each([1, 2, 3, 7, 1000])('in chunks of %i bytes', (chunkBytes) => {
  expect(readAll(`\ufeff[${row(1)},\n ${row(2)}]\n`, chunkBytes)).toEqual([row(1), row(2)]);
  expect(readAll(`\ufeff${row(1)} ${row(2)}`, chunkBytes)).toEqual([row(1), row(2)]);
});

test('of fewer bytes than a mark has', () => {
  expect(readAll('', 1)).toEqual([]);
  expect(readAll('[]', 1)).toEqual([]);
  expect(readAll('[', 1)).toEqual(['the array is not closed: the file is cut off']);
  expect(readAll('{}', 2)).toHaveLength(1);
  expect(readAll('1', 1)).toHaveLength(1);
});
