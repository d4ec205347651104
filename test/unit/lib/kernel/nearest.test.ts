// "Did you mean" suggests only similar words.
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
  ])('corrects %s to %s', (word, candidate) => {
    expect(nearest(word, VERBS)).toBe(candidate);
  });

  it.each(['banana', 'x', '', 'zz', 'history-of-everything', 'qqqq'])('does not suggest a word for %j', (word) => {
    expect(nearest(word, VERBS)).toBeUndefined();
  });

  it.each([
    ['conn', ['connections', 'data-models', 'pipelines'], 'connections'],
    ['PIPE', ['connections', 'pipelines'], 'pipelines'],
    ['rol', ['roles', 'warehouse', 'seed'], 'roles'],
    ['dat', ['date', 'data-models', 'cat'], 'date'],
    ['data', ['data', 'data-models'], 'data'],
    ['cus', ['customers', 'customers'], 'customers'],
  ])('expands the prefix %s among %j to %s', (word, known, expected) => {
    expect(nearest(word, known)).toBe(expected);
  });

  it.each([
    ['cu', ['customers']],
    ['cus', ['customers-a', 'customers-b']],
  ])('does not expand the short or ambiguous prefix %s among %j', (word, known) => {
    expect(nearest(word, known)).toBeUndefined();
  });

  it('accepts shorter prefixes on request, but does not accept prefixes in `nearlySpelt`', () => {
    expect(nearest('em', ['emulator', 'doctor'], 2)).toBe('emulator');
    expect(nearlySpelt('customers', ['customers-archive'])).toBeUndefined();
  });

  it('never suggests a word that does not share a letter with the input', () => {
    expect(nearest('x', ['y'])).toBeUndefined();
    expect(nearest('', ['y'])).toBeUndefined();
    expect(nearest('ab', ['cd'])).toBeUndefined();
    expect(nearest('ab', ['ac'])).toBe('ac');
  });

  it('returns the candidate with its original case and punctuation, and accepts any iterable', () => {
    expect(nearest('audience:*', new Set(['Audiences:*', 'catalog:*']))).toBe('Audiences:*');
  });

  it('prefers an exact match, and otherwise the first of the closest words', () => {
    expect(nearest('b1', ['a1', 'B1', 'c1'])).toBe('B1');
    expect(nearest('x1', ['a1', 'b1'])).toBe('a1');
    expect(nearest('list', [])).toBeUndefined();
  });

  it('finds a word if one of its letters is swapped, doubled, missing or wrong', () => {
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

  it('does not suggest a word for a one-megabyte input', () => {
    expect(nearest('x'.repeat(1_000_000), VERBS)).toBeUndefined();
  });
});

describe('an id prefix', () => {
  const ids = ['20260101', '20260102', '2026010', 'b'];
  const find = (text: string) => findByBeginning(text, ids, 'id', { text: 'To list them:', command: 'cdpadm log' });

  it.each(['20260101', 'b', '2026010'])('matches an id that it equals: %j', (text) => {
    expect(find(text)).toBe(text);
  });

  it.each(['c', '20260101x', '../b'])('does not match if no id starts with it: %j', (text) => {
    expect(find(text)).toBeUndefined();
  });

  it('is a usage error if it is empty or several ids start with it', () => {
    expect(() => find('2026')).toThrow('3 ids begin with `2026`. Pass more characters.');
    expect(() => find('')).toThrow('The id is empty.');
  });
});
