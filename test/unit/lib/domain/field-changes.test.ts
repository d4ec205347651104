// Compares definitions field by field.
import { describe, expect, it } from 'vitest';
import { changedFields } from '../../../../src/lib/domain/field-changes.ts';

describe('changedFields', () => {
  it.each<[string, unknown, unknown, unknown]>([
    ['nothing for the same value in another order', { a: 1, b: { c: [1, 2] } }, { b: { c: [1, 2] }, a: 1 }, {}],
    ['nothing for null that becomes a missing field', { a: null }, {}, {}],
    ['nothing for a missing field that becomes null', {}, { a: null }, {}],
    ['the path of a field', { a: { b: { c: 1 } } }, { a: { b: { c: 2 } } }, { 'a.b.c': { from: 1, to: 2 } }],
    [
      'a list as one field',
      { a: [1, { b: 1 }] },
      { a: [1, { b: 2 }] },
      { a: { from: [1, { b: 1 }], to: [1, { b: 2 }] } },
    ],
    [
      'each field of a new object',
      {},
      { a: { b: 1, c: 2 } },
      { 'a.b': { from: null, to: 1 }, 'a.c': { from: null, to: 2 } },
    ],
    ['each field of a removed object', { a: { b: 1 } }, {}, { 'a.b': { from: 1, to: null } }],
    ['an object instead of a value', { a: 1 }, { a: { b: 1 } }, { a: { from: 1, to: { b: 1 } } }],
    ['a value instead of an object', { a: { b: 1 } }, { a: null }, { a: { from: { b: 1 }, to: null } }],
    ['64-bit integers', { a: 2n ** 63n }, { a: 2n ** 63n - 1n }, { a: { from: 2n ** 63n, to: 2n ** 63n - 1n } }],
  ])('reports %s', (_what, from, to, changes) => {
    expect(changedFields(from, to)).toEqual(changes);
  });

  it('adds a prefix to every path', () => {
    expect(changedFields({ a: { b: 1 } }, { a: { b: 2 } }, 'sync')).toEqual({ 'sync.a.b': { from: 1, to: 2 } });
  });
});
