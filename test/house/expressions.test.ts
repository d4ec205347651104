// Every regular expression in the source runs in linear time on adversarial texts that are derived from it.
import { describe, expect, it } from 'vitest';
import { adversarialTexts } from '../helpers/adversarial-texts.ts';
import { countSteps } from '../helpers/match-steps.ts';
import { expressionsOf, sourceExpressions } from '../helpers/source-expressions.ts';

const REPETITIONS = 60;
/**
 * Maximum factor by which the number of steps grows if the text is twice as long; quadratic growth has the factor 4.
 */
const MAX_GROWTH = 3;
/** An expression with at most this many steps per character counts as linear. */
const FEW_STEPS = 20;
/** Maximum number of steps that a linear expression needs for these short strings. */
const STEP_LIMIT = 200_000;

/** Returns a string for which the expression needs more than linear time, or undefined. */
function slowText(expression: RegExp): string | undefined {
  const steps = countSteps(expression, STEP_LIMIT);
  return adversarialTexts(expression).find((grow) => {
    const long = grow(REPETITIONS * 2);
    const taken = steps(long);
    if (taken <= FEW_STEPS * long.length) return false;
    return taken > STEP_LIMIT || taken > MAX_GROWTH * steps(grow(REPETITIONS));
  })?.(2);
}

describe('the regular expression check', () => {
  const all = sourceExpressions(process.cwd());
  const bySpelling = new Map(all.map((one) => [String(one.expression), one]));

  it('finds literals and expressions built from strings', () => {
    const text = ["const A = 'a+';", "const b = new RegExp('^(?:' + A + ')$', 'i');", 'const c = /x\\/y/g;'].join('\n');
    expect(expressionsOf('a.ts', text).map(({ place, expression }) => [place, String(expression)])).toEqual([
      ['a.ts:2', '/^(?:a+)$/i'],
      ['a.ts:3', '/x\\/y/g'],
    ]);
    expect(bySpelling.size).toBeGreaterThan(200);
  });

  it.each([/\n+$/, /\([^)]*\)/, /^\s*[*]+[\s*]*$/, /^(?:a|b)*a(?:a|b)*$/, /^(?:a+)+$/, /(?<=: )x.*$/])(
    'reports %s as slow',
    (slow) => {
      expect(slowText(slow)).toBeDefined();
    },
  );

  it.each([/^\d+$/, /\([^()]*\)/, /a{1,9}b/g, /"[^"]*"/])('reports %s as linear', (fast) => {
    expect(slowText(fast)).toBeUndefined();
  });

  it.each([...bySpelling.values()])('reports $expression as linear ($place)', ({ expression }) => {
    const slow = slowText(expression);
    expect(slow, `slow on a repetition like ${JSON.stringify(slow)}`).toBeUndefined();
  });
});
