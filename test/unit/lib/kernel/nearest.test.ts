// "Did you mean" suggests similar words and no others.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findByBeginning, nearest, nearlySpelt } from '../../../../src/lib/kernel/nearest.ts';

const VERBS = ['list', 'get', 'push', 'pull', 'validate', 'diff', 'edit', 'create', 'update', 'delete', 'history'];

describe('nearest', () => {
  it.each([
    ['lst', 'list'],
    ['lsit', 'list'],
    ['pusch', 'push'],
    ['pul', 'pull'],
    ['valdiate', 'validate'],
    ['VALIDATE', 'validate'],
    ['udpate', 'update'],
    ['histroy', 'history'],
    ['dleete', 'delete'],
    ['creat', 'create'],
  ])('suggests for %s: %s', (word, candidate) => {
    expect(nearest(word, VERBS)).toBe(candidate);
  });

  it.each(['banana', 'x', '', 'zz', 'history-of-everything', 'qqqq'])('suggests nothing for %j', (word) => {
    expect(nearest(word, VERBS)).toBeUndefined();
  });

  it.each([
    ['conn', ['connections', 'data-models', 'pipelines'], 'connections'],
    ['PIPE', ['connections', 'pipelines'], 'pipelines'],
    ['rol', ['roles', 'warehouse', 'seed'], 'roles'],
    ['dat', ['date', 'data-models', 'cat'], 'date'],
    ['data', ['data', 'data-models'], 'data'],
    ['cus', ['customers', 'customers'], 'customers'],
    ['cu', ['customers'], undefined],
    ['cus', ['customers-a', 'customers-b'], undefined],
  ])('expands the prefix %s of %j to %s', (word, known, expected) => {
    expect(nearest(word, known)).toBe(expected);
  });

  it('accepts a shorter prefix on request, and no prefix if only the spelling counts', () => {
    expect(nearest('em', ['emulator', 'doctor'], 2)).toBe('emulator');
    expect(nearlySpelt('customers', ['customers-archive'])).toBeUndefined();
  });

  it('suggests no word without a common letter', () => {
    expect(nearest('x', ['y'])).toBeUndefined();
    expect(nearest('', ['y'])).toBeUndefined();
    expect(nearest('ab', ['cd'])).toBeUndefined();
    expect(nearest('ab', ['ac'])).toBe('ac');
  });

  it('keeps the case and punctuation of the candidate, and accepts any iterable', () => {
    expect(nearest('audience:*', new Set(['Audiences:*', 'catalog:*']))).toBe('Audiences:*');
  });

  it('prefers an exact match, then the first of the nearest', () => {
    expect(nearest('b1', ['a1', 'B1', 'c1'])).toBe('B1');
    expect(nearest('x1', ['a1', 'b1'])).toBe('a1');
    expect(nearest('list', [])).toBeUndefined();
  });

  it('finds every word with one letter swapped, doubled, missing or wrong', () => {
    const word = fc.string({ unit: fc.constantFrom(...Array.from('abcdefghij')), minLength: 5, maxLength: 12 });
    fc.assert(
      fc.property(word, fc.nat(), fc.nat(3), (text, place, kind) => {
        const at = place % (text.length - 1);
        const [before, one = '', two = '', after] = [text.slice(0, at), text[at], text[at + 1], text.slice(at + 2)];
        const typo = [
          before + two + one + after,
          before + one + one + two + after,
          before + two + after,
          `${before}X${two}${after}`,
        ][kind];
        expect(nearest(typo ?? '', ['unlike-all-of-it', text])).toBe(text);
      }),
    );
  });

  it('suggests nothing for a word of one megabyte', () => {
    expect(nearest('x'.repeat(1_000_000), VERBS)).toBeUndefined();
  });
});

describe('findByBeginning', () => {
  const ids = ['20260101', '20260102', '2026010', 'b'];
  const find = (text: string) => findByBeginning(text, ids, 'id', { text: 'To list them:', command: 'cdpadm log' });

  it.each([
    ['20260101', '20260101'],
    ['b', 'b'],
    ['2026010', '2026010'],
    ['c', undefined],
    ['20260101x', undefined],
    ['../b', undefined],
  ])('finds %j: %s', (text, expected) => {
    expect(find(text)).toBe(expected);
  });

  it('throws a usage error for the beginning of several ids, and for an empty text', () => {
    expect(() => find('2026')).toThrow('3 ids begin with `2026`. Pass more characters.');
    expect(() => find('')).toThrow('The id is empty.');
  });
});
