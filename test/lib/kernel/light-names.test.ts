// Names that are made without `node:crypto` are those that it would make.
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { requestId, sha256Hex } from '../../../src/lib/kernel/light-names.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

test('SHA-256 of every length around the ends of blocks', () => {
  for (let length = 0; length <= 200; length++) {
    const text = 'a'.repeat(length);
    expect(sha256Hex(text), `${length} bytes`).toBe(sha256(text));
  }
});

test('SHA-256 of any text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
      expect(sha256Hex(text)).toBe(sha256(text));
    }),
  );
});

test('a request id is a UUID of version 4, and none comes twice', () => {
  const ids = Array.from({ length: 2000 }, requestId);
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(new Set(ids).size).toBe(ids.length);
});
