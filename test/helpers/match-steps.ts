// Counts the steps of a backtracking search, so that a test can distinguish linear from quadratic expressions.
import { type AST, parseRegExpLiteral } from '@eslint-community/regexpp';

/** Continues a match at a position; false backtracks to the last choice. */
type Next = (at: number) => boolean;
type Matcher = (text: readonly string[], at: number, next: Next) => boolean;

class TooManySteps extends Error {}

/**
 * Counts the steps of a search for `expression` in `text` from every position, up to `limit`. The search caches and
 * skips nothing, so a backtracking engine never needs more steps.
 */
export function countSteps(expression: RegExp, limit: number): (text: string) => number {
  const { pattern } = parseRegExpLiteral(expression);
  let steps = 0;
  const step = (): void => {
    if (++steps > limit) throw new TooManySteps();
  };
  const match = either(pattern.alternatives, expression.flags, step);
  return (text) => {
    const letters = expression.unicode ? [...text] : text.split('');
    steps = 0;
    try {
      for (let at = 0; at <= letters.length; at += 1) {
        step();
        let end = at;
        // A global search continues after each match.
        if (match(letters, at, (to) => ((end = to), true)) && end > at) at = end - 1;
      }
    } catch (error) {
      if (!(error instanceof TooManySteps)) throw error;
    }
    return steps;
  };
}

function either(alternatives: readonly AST.Alternative[], flags: string, step: () => void): Matcher {
  const all = alternatives.map(({ elements }) => sequence(elements, flags, step));
  return (text, at, next) => all.some((one) => one(text, at, next));
}

function sequence(elements: readonly AST.Element[], flags: string, step: () => void): Matcher {
  const parts = elements.map((element) => part(element, flags, step));
  return parts.reduceRight<Matcher>(
    (rest, first) => (text, at, next) => first(text, at, (to) => rest(text, to, next)),
    (_text, at, next) => next(at),
  );
}

function part(node: AST.Element, flags: string, step: () => void): Matcher {
  switch (node.type) {
    case 'Assertion':
      return assertion(node, flags, step);
    case 'Group':
    case 'CapturingGroup':
      return either(node.alternatives, flags, step);
    case 'Quantifier':
      return repeated(node, flags, step);
    case 'Backreference':
      throw new Error(`An expression may have no backreference: ${node.raw}`);
    default: {
      const isOne = letterTest(node, flags);
      return (text, at, next) => {
        step();
        const letter = text[at];
        return letter !== undefined && isOne(letter) && next(at + 1);
      };
    }
  }
}

/** True if a class, a set or a literal of an expression matches a character. */
export function letterTest(node: AST.Element, flags: string): (letter: string) => boolean {
  const expression = new RegExp(`^(?:${node.raw})$`, flags.replace(/[gmy]/g, ''));
  const known = new Map<string, boolean>();
  return (letter) => {
    const found = known.get(letter) ?? expression.test(letter);
    known.set(letter, found);
    return found;
  };
}

function assertion(node: AST.Assertion, flags: string, step: () => void): Matcher {
  if (node.kind === 'lookahead') {
    const inner = either(node.alternatives, flags, step);
    return (text, at, next) => inner(text, at, () => true) !== node.negate && next(at);
  }
  if (node.kind === 'lookbehind') {
    const inner = either(node.alternatives, flags, step);
    return (text, at, next) => {
      let found = false;
      // A lookbehind is short and bounded, so every start within its bound is tried.
      for (let from = at; from >= Math.max(0, at - 8) && !found; from -= 1) {
        found = inner(text, from, (to) => to === at);
      }
      return found !== node.negate && next(at);
    };
  }
  const place = new RegExp(node.raw, `${flags.replace(/[gy]/g, '')}y`);
  const isHere = new Map<string, boolean>();
  return (text, at, next) => {
    step();
    // An anchor depends only on adjacent characters; `x` replaces those that are further away.
    const before = `${at > 1 ? 'x' : ''}${text[at - 1] ?? ''}`;
    const around = `${before}|${text[at] ?? ''}${at < text.length - 1 ? 'x' : ''}`;
    let found = isHere.get(around);
    if (found === undefined) {
      place.lastIndex = before.length;
      found = place.test(around.replace('|', ''));
      isHere.set(around, found);
    }
    return found && next(at);
  };
}

/** True if the element matches exactly one character. */
function isLetter({ type }: AST.Element): boolean {
  return type === 'Character' || type === 'CharacterSet' || type === 'CharacterClass';
}

function repeated(node: AST.Quantifier, flags: string, step: () => void): Matcher {
  const one = part(node.element, flags, step);
  const { min, max, greedy } = node;
  if (greedy && isLetter(node.element)) {
    return (text, at, next) => {
      let to = at;
      while (to - at < max && one(text, to, () => true)) to += 1;
      for (; to - at >= min; to -= 1) {
        step();
        if (next(to)) return true;
      }
      return false;
    };
  }
  const more = (text: readonly string[], at: number, next: Next, count: number): boolean => {
    const again = (): boolean =>
      count < max && one(text, at, (to) => (to > at || count < min) && more(text, to, next, count + 1));
    if (count < min) return again();
    return greedy ? again() || next(at) : next(at) || again();
  };
  return (text, at, next) => more(text, at, next, 0);
}
